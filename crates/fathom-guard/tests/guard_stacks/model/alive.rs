//! Which file systems are in use.
//!
//! A file system that is mounted nowhere lives on while anything uses a file of it: a loop device, a
//! swap area, an overlay, an open descriptor. That is what a lazy unmount leaves behind.

use super::{FileId, Model, Over, Shows, SystemId};

impl Model {
    /// Whether the kernel still reads and writes the file system.
    pub fn is_alive(&self, system: SystemId) -> bool {
        self.points(system).next().is_some()
            || self.files_in_use().any(|file| self.file(file).system == system)
            || self.overlays_on(system).any(|overlay| self.is_alive(overlay))
    }

    /// The mount points of the file system, in every namespace.
    pub fn points(&self, system: SystemId) -> impl Iterator<Item = &super::Mount> {
        let mounts = self.mounts.iter().filter(|mount| !mount.gone);
        mounts.filter(move |mount| self.shown_system(&mount.shows) == system)
    }

    pub fn shown_system(&self, shows: &Shows) -> SystemId {
        match shows {
            Shows::Dir(system, _) => *system,
            Shows::File(file) => self.file(*file).system,
        }
    }

    /// The overlays of which a layer is on the file system.
    fn overlays_on(&self, system: SystemId) -> impl Iterator<Item = SystemId> {
        self.system_ids().filter(move |overlay| {
            let mut layers = self.system(*overlay).layers.iter();
            layers.any(|layer| self.dirs[layer.0].system == system)
        })
    }

    fn files_in_use(&self) -> impl Iterator<Item = FileId> {
        let behind = |over: &Over| match over {
            Over::File(file) => Some(*file),
            Over::Device(_) => None,
        };
        let loops = self.devices.iter().filter(|device| device.attached);
        let loops = loops.filter_map(move |device| behind(&device.over));
        let swaps = self.swaps.iter().filter(|swap| swap.active);
        let swaps = swaps.filter_map(move |swap| behind(&swap.over));
        loops.chain(swaps).chain(self.held.iter().copied())
    }
}
