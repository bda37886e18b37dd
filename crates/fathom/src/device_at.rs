//! What is known of a device, for hints that name an option or another target.

use fathom_device::Root;
use fathom_host::devices::{DeviceList, DeviceUse, MeasurableDevice};
use fathom_host::topology::map::aim;
use fathom_text::carried::of_os;
use std::path::{Path, PathBuf};

/// The device at this path, as `fathom devices` lists it; `None` where there is none.
pub fn device_at(path: &Path) -> Option<MeasurableDevice> {
    let root = Root::live();
    let numbers = aim(&root, &of_os(path)).ok()?;
    DeviceList::of(&root, &numbers, Vec::new()).ok()?.devices.into_iter().next()
}

/// Where it, or a partition of it, is mounted.
pub fn mount_point(device: &MeasurableDevice) -> Option<PathBuf> {
    let own = device.uses.iter().find_map(|one| match one {
        DeviceUse::Mounted { point, .. } => Some(point.clone()),
        _ => None,
    });
    own.or_else(|| device.partitions.iter().find_map(mount_point))
}
