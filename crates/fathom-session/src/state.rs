//! State that outlives runs: where it is kept, and what is known of purged devices.

use fathom_device::device::Identity;
use fathom_guard::purge::{DeviceState, Ledger};
use std::fs::{DirBuilder, File, symlink_metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A directory for state that outlives runs. For root it is that of the machine,
/// for another user a directory of the user (XDG Base Directory). `None` for a
/// user without a home.
pub fn state_dir(of: &str) -> Option<PathBuf> {
    if is_root() {
        return Some(PathBuf::from("/var/lib/fathom").join(of));
    }
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let own = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")));
    own.map(|own| own.join("fathom").join(of))
}

/// A directory for state that the next boot removes. `None` for a user without one.
pub fn runtime_dir(of: &str) -> Option<PathBuf> {
    if is_root() {
        return Some(PathBuf::from("/run/fathom").join(of));
    }
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    own.map(|own| own.join("fathom").join(of))
}

/// Makes a directory that no other user can read, unless it is there: what is kept of a run tells what only its owner may be
/// allowed to know.
pub fn make_own(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir.parent().unwrap_or(dir))?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
        _ => Ok(()),
    }
}

/// Is this still what has the path? After a lock was waited for, another file may have it.
pub(crate) fn is_at(held: &File, path: &Path) -> io::Result<bool> {
    let (ours, there) = (held.metadata()?, symlink_metadata(path)?);
    Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// The directory with the states of devices; below the current directory if no
/// other place is known.
pub fn device_states() -> PathBuf {
    state_dir("devices").unwrap_or_else(|| PathBuf::from("./fathom/devices"))
}

/// What is known of a device since it was purged; `None` if nothing is.
pub fn since_purge(device: &Identity) -> Option<DeviceState> {
    Ledger::at(device_states()).load(device).ok()?
}
