//! Can fathom look at what was named? What it may not see, and what it cannot see without `/sys`, is not said to be missing.

use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;
use fathom_device::device::DevNumber;
use fathom_text::shown;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Where the kernel describes each block device by its number.
const DEVICES: &str = "/sys/dev/block";

/// Is there anything at this path of this machine, if only a link that leads nowhere?
///
/// # Errors
/// The system does not say, or says nothing of the device that is there.
pub fn is_there(path: &Path) -> Result<bool, Failure> {
    slow_look().at(path, || match fs::symlink_metadata(path) {
        Ok(_) => is_described(path, Path::new(DEVICES)).map(|()| true),
        Err(e) => is_missing(path, &e).map(|()| false),
    })
}

/// An error unless the path leads to nothing.
fn is_missing(path: &Path, e: &io::Error) -> Result<(), Failure> {
    let message = || format!("cannot look at {}: {e}", shown::path(path));
    match e.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(()),
        ErrorKind::PermissionDenied => Err(Failure::new(Exit::Failed, message()).hint(
            "a directory on the way to it is closed to this user; run as one who may search it, or as root",
        )),
        _ => Err(Failure::new(Exit::Failed, message())),
    }
}

/// Without sysfs a device has no size, no name and no disk, and would look like no device.
fn is_described(path: &Path, devices: &Path) -> Result<(), Failure> {
    let Some(meta) = fs::metadata(path).ok().filter(|meta| meta.file_type().is_block_device()) else {
        return Ok(());
    };
    let described = devices.join(DevNumber::from_raw(meta.rdev()).to_string());
    if described.exists() {
        return Ok(());
    }
    let message =
        format!("cannot find out what {} is: there is no {}", shown::path(path), described.display());
    let failure = Failure::new(Exit::Failed, message);
    Err(match devices.exists() {
        true => {
            failure.hint("the node has the number of a device that this kernel does not have: fathom devices")
        }
        false => failure.hint("/sys is not mounted here: mount -t sysfs sysfs /sys"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_there_is_missing() {
        let path = Path::new("/x/f");
        for (error, is_so) in
            [(libc::ENOENT, true), (libc::ENOTDIR, true), (libc::EACCES, false), (libc::ELOOP, false)]
        {
            let e = io::Error::from_raw_os_error(error);
            let found = is_missing(path, &e);
            assert_eq!(found.is_ok(), is_so, "{e}");
            if let Err(failure) = found {
                assert_eq!(failure.message, format!("cannot look at /x/f: {e}"));
            }
        }
        assert!(is_there(Path::new("/proc/self/status")).unwrap());
        assert!(!is_there(Path::new("/proc/self/no-such-file")).unwrap());
    }
}
