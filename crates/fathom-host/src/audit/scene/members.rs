//! The members of a stacked device.

use super::{Disk, Scene};

impl Scene<'_> {
    /// The disks directly below an array or volume; a partition counts as its
    /// disk.
    pub fn members(&self, stacked: &Disk) -> Vec<&Disk> {
        let dir = stacked.sys_dir.join("slaves");
        let names = self.root.list(&dir).unwrap_or_default();
        let slaves: Vec<_> = names.iter().filter_map(|name| self.root.resolve(dir.join(name)).ok()).collect();
        let is_below = |disk: &&Disk| slaves.iter().any(|slave| slave.starts_with(&disk.sys_dir));
        self.disks.iter().filter(is_below).collect()
    }
}
