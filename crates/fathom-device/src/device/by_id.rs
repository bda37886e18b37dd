//! The names in `/dev/disk/by-id`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::device::DevNumber;
use crate::root::Root;

/// Which names lead to which device. A host with thousands of disks has several
/// names for each, so they are read once and not once for each disk.
#[derive(Debug, Clone, Default)]
pub struct ByIdNames(BTreeMap<DevNumber, Vec<String>>);

impl ByIdNames {
    /// Reads them; a machine without udev has none.
    pub fn read(root: &Root) -> Self {
        let dir = Path::new("/dev/disk/by-id");
        let mut names = BTreeMap::<DevNumber, Vec<String>>::new();
        for name in root.list(dir).unwrap_or_default() {
            if let Some(number) = root.block_number_of(&dir.join(&name)) {
                names.entry(number).or_default().push(name);
            }
        }
        Self(names)
    }

    /// The names of one device.
    pub fn of(&self, number: DevNumber) -> Vec<String> {
        self.0.get(&number).cloned().unwrap_or_default()
    }
}
