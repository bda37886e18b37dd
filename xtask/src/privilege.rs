//! Whether we are root, for acts that only root may do.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether we are root: the files under /proc/self belong to the effective user.
pub fn is_root() -> bool {
    Path::new("/proc/self").metadata().is_ok_and(|m| m.uid() == 0)
}

/// An error that says what needs root, if we are not root.
pub fn need_root(what: &str) -> Result<(), String> {
    if is_root() { Ok(()) } else { Err(format!("{what} needs root")) }
}
