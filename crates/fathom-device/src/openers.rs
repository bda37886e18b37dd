//! Who else has a device open, and which devices the running system itself needs. Databases, virtual
//! machines and storage daemons on raw devices are visible nowhere else, and an exclusive open does
//! not detect plain opens.

use crate::device::DevNumber;
use crate::mounts::pids;
use crate::root::{Root, Unknown};
use crate::sys;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// An open descriptor of another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opener {
    /// The device that is open.
    pub number: DevNumber,
    /// Process.
    pub pid: u32,
    /// Its name.
    pub comm: String,
    /// Whether it may write; assumed where it cannot be read.
    pub writes: bool,
}

/// Other processes' open block devices. Without root only our own user's processes can be read; the
/// others are skipped.
pub fn openers(root: &Root) -> Result<Vec<Opener>, Unknown> {
    // On a recorded machine our process number belongs to another process.
    let own = root.is_live().then(std::process::id);
    let others = pids(root)?.into_iter().filter(|pid| Some(*pid) != own);
    let mut named = Named::new();
    Ok(others.flat_map(|pid| open_devices(root, pid, &mut named)).collect())
}

/// The devices behind the paths of a recorded machine's open files. Many files
/// have one path, and to look for a path means to look through all disks.
type Named = HashMap<PathBuf, Option<DevNumber>>;

fn open_devices(root: &Root, pid: u32, named: &mut Named) -> Vec<Opener> {
    let dir = PathBuf::from(format!("/proc/{pid}/fd"));
    let fds = root.list(&dir).unwrap_or_default();
    let devices = fds.iter().filter_map(|fd| {
        Some(Opener {
            number: device_behind(root, &dir.join(fd), named)?,
            pid,
            comm: root.read_text(format!("/proc/{pid}/comm")).unwrap_or_default(),
            writes: may_write(root, pid, fd),
        })
    });
    devices.collect()
}

fn device_behind(root: &Root, link: &Path, named: &mut Named) -> Option<DevNumber> {
    if root.is_live() {
        let stat = sys::statx_cached(link).ok()?;
        return stat.is_block().then_some(stat.rdev);
    }
    let path = root.read_link(link).ok()?;
    if !path.is_absolute() {
        return root.block_number_of(link);
    }
    *named.entry(path).or_insert_with_key(|path| root.block_number_of(path))
}

fn may_write(root: &Root, pid: u32, fd: &str) -> bool {
    let text = root.read_text(format!("/proc/{pid}/fdinfo/{fd}"));
    let flags = text.ok().and_then(|text| {
        let octal = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
        i32::from_str_radix(octal.trim(), 8).ok()
    });
    flags.is_none_or(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY)
}

// Devices that the running system itself needs, whatever the mount table says.
//
// Inside a container the table may show an overlay on `/` and hide the disk under it, but `st_dev`
// of a directory is always right. A hibernation image and a crash log are on devices that nobody
// mounts.

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
