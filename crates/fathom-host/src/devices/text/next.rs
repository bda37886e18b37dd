//! The command that a person can type next without a risk.

use fathom_text::shell::quoted;

use crate::devices::{DeviceList, MeasurableDevice, ScratchDirectory};

/// Free bytes from which a scratch file is large enough to be worth a measurement: `fathom quick`
/// wants 1 GiB, and the file system keeps some space for itself.
const FREE_BYTES_MIN: u64 = 4 << 30;

/// A directory, where reading and writing can be measured; else a device, which is only read. `None`
/// if there is neither.
pub(super) fn command(list: &DeviceList) -> Option<String> {
    let can_be_used =
        |dir: &&ScratchDirectory| dir.free_bytes >= FREE_BYTES_MIN && dir.is_writable != Some(false);
    if let Some(directory) = list.directories.iter().find(can_be_used) {
        return Some(format!("fathom quick {}", quoted(&directory.path)));
    }
    let is_hardware = |device: &&MeasurableDevice| !device.attached.kind.is_virtual();
    let can_be_read = |device: &&MeasurableDevice| device.unreadable.is_none() && device.size_bytes > 0;
    let mut devices = list.devices.iter().filter(can_be_read);
    let device = devices.clone().find(is_hardware).or_else(|| devices.next())?;
    let sudo = if device.needs_root { "sudo " } else { "" };
    Some(format!("{sudo}fathom quick {}", quoted(&device.path)))
}
