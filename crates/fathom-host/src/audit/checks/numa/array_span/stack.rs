//! The members of each stacked device, read once for all of them.

use std::collections::HashMap;
use std::path::Path;

use crate::audit::{Disk, Scene};

/// The block devices of a scene and what is directly below each.
pub(super) struct Stack<'s> {
    /// Stacked devices in the order of the scene, then the drives at the bottom.
    devices: Vec<&'s Disk>,
    /// For each of `devices`, the indexes of its members in `devices`.
    members: Vec<Vec<usize>>,
}

impl<'s> Stack<'s> {
    /// Reads the `slaves` of every stacked device of the scene.
    pub(super) fn read(scene: &'s Scene<'_>) -> Self {
        let devices: Vec<&Disk> = scene.stacked.iter().chain(&scene.disks).collect();
        let places = devices.iter().enumerate().map(|(at, device)| (device.sys_dir.as_path(), at));
        let places: HashMap<&Path, usize> = places.collect();
        let members = |array: &Disk| {
            let links = scene.glob(&format!("{}/slaves/*", array.sys_dir.display()));
            let dirs = links.iter().filter_map(|link| scene.root.resolve(link).ok());
            // A partition's directory is in that of its disk.
            dirs.filter_map(|dir| dir.ancestors().find_map(|dir| places.get(dir).copied())).collect()
        };
        let members = scene.stacked.iter().map(members).collect();
        Self { devices, members }
    }

    /// The indexes of the stacked devices that are made of others.
    pub(super) fn arrays(&self) -> impl Iterator<Item = usize> {
        (0..self.members.len()).filter(|array| !self.members[*array].is_empty())
    }

    /// The name of the device at an index.
    pub(super) fn name(&self, at: usize) -> &'s str {
        &self.devices[at].name
    }

    /// The drives at the bottom of a stacked device, each once. We visit every
    /// device once and without recursion, because a capture may contain devices
    /// that are made of themselves, and stacks of any height.
    pub(super) fn drives(&self, array: usize) -> Vec<&'s Disk> {
        let mut is_seen = vec![false; self.devices.len()];
        is_seen[array] = true;
        let (mut left, mut drives) = (vec![array], Vec::new());
        while let Some(at) = left.pop() {
            let Some(members) = self.members.get(at) else {
                drives.push(self.devices[at]);
                continue;
            };
            let is_new = |member: &usize| !std::mem::replace(&mut is_seen[*member], true);
            let new: Vec<usize> = members.iter().copied().filter(is_new).collect();
            left.extend(new.into_iter().rev());
        }
        drives
    }
}
