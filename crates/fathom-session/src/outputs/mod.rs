//! Files that must not become an output: of this run, of a saved run, of the kernel.

mod in_use;
mod kernel_files;
mod saved;

pub use in_use::InUse;
pub use kernel_files::KernelFiles;
pub use saved::{HEAD_BYTES, is_in_run, is_record, is_saved};

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Opens the very file that `pin` leads to.
pub fn reopen(pin: &File, how: &OpenOptions) -> io::Result<File> {
    how.open(format!("/proc/self/fd/{}", pin.as_raw_fd()))
}

/// Whether a new file may have this name: not in a directory of devices. There, a
/// disk may have been unplugged, and a file of its name would fill the memory.
pub fn can_be_new(path: &Path) -> io::Result<()> {
    let real = parent(path).canonicalize()?;
    match real.starts_with("/dev") && !real.starts_with("/dev/shm") {
        true => Err(io::Error::other("there is no such device")),
        false => Ok(()),
    }
}

/// The directory of a file.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
