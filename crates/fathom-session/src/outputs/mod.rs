//! Files that must not become an output: those of this run, of a saved run, of the kernel.

mod in_use;
mod kernel_files;
mod saved;

pub use in_use::InUse;
pub use kernel_files::KernelFiles;
pub use saved::{HEAD_BYTES, is_in_run, is_record, is_saved};

use fathom_device::sys::{proc_path, without_proc};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens the file that `pin` leads to, even if its path now leads to another.
pub fn reopen(pin: &File, how: &OpenOptions) -> io::Result<File> {
    how.open(proc_path(pin)).map_err(without_proc)
}

/// Fails if no new file may be made at this path. In a directory of devices it may
/// not: the disk of that name may have been unplugged, and the file would fill the memory.
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
