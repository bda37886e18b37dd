//! What uses a target, and by which names a person would know it.

use std::path::PathBuf;

use super::extent::{Extent, overlap, share_file};
use super::{Device, DeviceId, Dir, DirId, Entry, FileId, Model, Over, SystemId};

/// What the guard is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    File(FileId),
    Device(DeviceId),
}

/// What the oracle says about a target.
#[derive(Debug, Default)]
pub struct Standing {
    /// Names of what reads and writes the target's bytes now. If there are any, a write destroys.
    pub live: Vec<String>,
    /// Overlays of which the file is in a layer, and names of loop devices (or swap) on other bytes of the same file, or on a file that an overlay
    /// would copy before the first write. A write would harm nobody, but the guard may refuse it.
    pub attached: Vec<String>,
    /// A file of an overlay is involved, so that the guard may find that it cannot tell.
    pub is_doubtful: bool,
    /// What it may then name.
    pub doubtful: Vec<String>,
    /// Users of files of other file systems, where one of the two file systems is mounted nowhere
    /// and has no device number that shows what it is. It may be an overlay, which shows files of
    /// the other under numbers of its own.
    pub unseen: Vec<String>,
    /// The kernel forbids writing.
    pub read_only: bool,
}

/// Something that uses bytes.
struct User {
    extents: Vec<Extent>,
    names: Vec<String>,
}

impl Device {
    pub fn node(&self) -> PathBuf {
        PathBuf::from("/dev").join(&self.name)
    }
}

impl Model {
    /// What uses the target.
    pub fn standing(&self, target: Target) -> Standing {
        let (extents, own) = match target {
            Target::File(file) => (self.written_extents(file), None),
            Target::Device(device) => (self.device_extents(device), Some(device)),
        };
        let own_name = own.map(|device| self.device(device).name.clone());
        let not_own = |names: Vec<String>| names.into_iter().filter(|name| Some(name) != own_name.as_ref());
        let live = self.users().into_iter().filter(|user| overlap(&user.extents, &extents));
        let live = live.flat_map(|user| not_own(user.names)).collect();
        Standing {
            live,
            attached: match target {
                Target::File(file) => {
                    [self.attached_beside(&self.file_extents(file), own), self.overlays_over(file)].concat()
                }
                Target::Device(device) => {
                    let files =
                        self.chain(device).into_iter().filter_map(|below| match self.device(below).over {
                            Over::File(file) => Some(file),
                            Over::Device(_) => None,
                        });
                    let overlays = files.flat_map(|file| self.overlays_over(file));
                    self.attached_beside(&extents, own).into_iter().chain(overlays).collect()
                }
            },
            is_doubtful: self.is_doubtful(target),
            doubtful: self.doubtful(),
            unseen: self.unseen(target),
            read_only: own.is_some_and(|device| self.chain(device).iter().any(|d| self.device(*d).read_only)),
        }
    }

    fn users(&self) -> Vec<User> {
        let systems = self.system_ids().filter(|system| self.is_alive(*system));
        let systems = systems.flat_map(|system| self.system_users(system));
        let swaps = self.swaps.iter().filter(|swap| swap.active).map(|swap| self.swap_user(swap.over));
        systems.chain(swaps).collect()
    }

    fn system_users(&self, system: SystemId) -> Vec<User> {
        let devices = self.system(system).devices.iter();
        devices
            .map(|device| User {
                extents: self.device_extents(*device),
                names: [self.chain_names(*device), self.system_names(system)].concat(),
            })
            .collect()
    }

    fn swap_user(&self, over: Over) -> User {
        let (extents, mut names) = match over {
            Over::File(file) => (self.file_extents(file), Vec::new()),
            Over::Device(device) => (self.device_extents(device), self.chain_names(device)),
        };
        names.push("swap".to_owned());
        User { extents, names }
    }

    fn chain_names(&self, device: DeviceId) -> Vec<String> {
        self.chain(device).iter().map(|device| self.device(*device).name.clone()).collect()
    }

    /// Mount points, and the loop devices over files of the file system. What is mounted nowhere
    /// that anybody could look is only known to be in exclusive use, or to be mounted somewhere.
    fn system_names(&self, system: SystemId) -> Vec<String> {
        let points = self.points(system).map(|mount| mount.point.display().to_string());
        let loops = self.attached().filter(|(_, device)| match device.over {
            Over::File(file) => self.file(file).system == system,
            Over::Device(_) => false,
        });
        let mut names: Vec<String> = points.chain(loops.map(|(_, device)| device.name.clone())).collect();
        if !self.points(system).any(|mount| !self.empty_spaces.contains(&mount.space)) {
            names.extend(["is in exclusive use", "is in the mounted btrfs"].map(str::to_owned));
        }
        names
    }

    fn attached_beside(&self, extents: &[Extent], own: Option<DeviceId>) -> Vec<String> {
        let beneath = own.map(|device| self.chain(device)).unwrap_or_default();
        let others = self.attached().filter(|(id, _)| !beneath.contains(id));
        let beside = others.filter(|(id, _)| share_file(&self.device_extents(*id), extents));
        let loops = beside.map(|(_, device)| device.name.clone());
        let mut swaps = self.swaps.iter().filter(|swap| swap.active).map(|swap| self.swap_user(swap.over));
        let swap = swaps.any(|user| share_file(&user.extents, extents));
        loops.chain(swap.then(|| "swap".to_owned())).collect()
    }

    /// Where the overlays are mounted that have a layer with a name of this file.
    fn overlays_over(&self, file: FileId) -> Vec<String> {
        let is_here =
            |dir: &Dir| dir.names.values().any(|entry| matches!(entry, Entry::File(it) if *it == file));
        let holds = |layer: &DirId| {
            let above = &self.dirs[layer.0];
            let mut below =
                self.dirs.iter().filter(|dir| dir.system == above.system && dir.sub.starts_with(&above.sub));
            below.any(is_here)
        };
        let overlays = self.system_ids().filter(|system| self.system(*system).layers.iter().any(holds));
        overlays
            .flat_map(|overlay| self.points(overlay))
            .map(|mount| mount.point.display().to_string())
            .collect()
    }

    /// Whether the target or anything that may use it is a file of an overlay.
    fn is_doubtful(&self, target: Target) -> bool {
        let of_overlay = |file: FileId| self.file(file).overlay.is_some();
        of_overlay(self.file_of(target)) || self.attached().any(|(id, _)| of_overlay(self.backing(id)))
    }

    fn file_of(&self, target: Target) -> FileId {
        match target {
            Target::File(file) => file,
            Target::Device(device) => self.backing(device),
        }
    }

    fn unseen(&self, target: Target) -> Vec<String> {
        let own = self.file(self.file_of(target)).system;
        let other = |file: FileId| {
            let theirs = self.file(file).system;
            theirs != own && (self.is_unseen(own) || self.is_unseen(theirs))
        };
        let loops = self.attached().filter(|(id, _)| other(self.backing(*id)));
        let loops = loops.map(|(_, device)| device.name.clone());
        let mut swaps = self.swaps.iter().filter(|swap| swap.active);
        let swap = swaps.any(|swap| match swap.over {
            Over::File(file) => other(file),
            Over::Device(_) => false,
        });
        loops.chain(swap.then(|| "swap".to_owned())).collect()
    }

    /// Whether no table of mounts shows the file system. A file system on one block device has the
    /// number of that device.
    fn is_unseen(&self, system: SystemId) -> bool {
        let has_own_number = matches!(self.system(system).label, "ext4" | "xfs");
        !has_own_number && !self.points(system).any(|mount| !self.empty_spaces.contains(&mount.space))
    }

    fn doubtful(&self) -> Vec<String> {
        let loops = self.attached().map(|(_, device)| device.name.clone());
        let swap = self.swaps.iter().any(|swap| swap.active);
        loops.chain(swap.then(|| "swap".to_owned())).collect()
    }
}
