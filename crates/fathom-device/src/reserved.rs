//! Devices that the running system itself needs, whatever the mount table says.
//!
//! Inside a container the table may show an overlay on `/` and hide the disk under it, but `st_dev`
//! of a directory is always right. A hibernation image and a crash log are on devices that nobody
//! mounts.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::device::DevNumber;
use crate::root::Root;

/// A device that the running system needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// The device.
    pub number: DevNumber,
    /// What the system needs it for.
    pub purpose: String,
}

/// Directories whose device is never written.
const SYSTEM_DIRS: [&str; 5] = ["/", "/boot", "/boot/efi", "/usr", "/var"];

/// The devices behind the system's directories, hibernation and crash logs.
pub fn reserved_devices(root: &Root) -> Vec<Reserved> {
    let mut devices = Vec::new();
    // A recorded tree lies on our own disk, so its st_dev would be ours.
    if root.is_live() {
        devices.extend(SYSTEM_DIRS.iter().filter_map(|dir| behind(dir)));
    }
    let resume = root.read_value("/sys/power/resume");
    devices.extend(reserved(resume.ok(), "hibernation image"));
    devices.extend(reserved(crash_log(root), "crash log (pstore)"));
    devices
}

fn behind(dir: &str) -> Option<Reserved> {
    let number = DevNumber::from_raw(fs::metadata(dir).ok()?.dev());
    reserved(Some(number), &format!("system directory {dir}"))
}

fn crash_log(root: &Root) -> Option<DevNumber> {
    let text = root.read_text("/sys/module/pstore_blk/parameters/blkdev").ok()?;
    root.block_number_of(std::path::Path::new(&text))
}

fn reserved(number: Option<DevNumber>, purpose: &str) -> Option<Reserved> {
    let number = number.filter(|number| !number.is_anonymous())?;
    Some(Reserved { number, purpose: purpose.to_owned() })
}
