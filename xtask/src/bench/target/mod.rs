//! What the I/O of a case goes to: made for the case, and removed after it.
//!
//! Only targets that are made here are used: new files, loop devices over them, and a zram device that
//! nobody has set up. If one cannot be made on this machine, the reason is printed.

pub(super) mod device;
pub(super) mod file;
pub(super) mod undo;
mod zram;

use std::path::Path;

use self::undo::Undo;

/// Kinds of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// No target: the engine completes the I/O itself.
    Nothing,
    /// A file on the disk under the build directory, read through the page cache.
    CachedFile,
    /// /dev/zram0, filled with data that does not compress, O_DIRECT.
    Zram,
    /// A file on tmpfs.
    TmpfsFile,
    /// A loop device with direct I/O over a file on tmpfs, O_DIRECT.
    Loop,
    /// A file on ext4 on such a loop device, O_DIRECT.
    Ext4Direct,
}

/// A target that was made. Dropping it removes it.
pub struct Made {
    /// The lines of the job that name it.
    pub lines: String,
    /// The block device whose counters must agree with the tools.
    pub disk: Option<String>,
    _undo: Undo,
}

/// Large enough that reads are spread beyond the processor's caches.
const CACHED_BYTES: u64 = 256 << 20;
const DEVICE_BYTES: u64 = 512 << 20;

impl Target {
    /// Makes it; `scratch` is on a disk. The error is the reason why it cannot be made here.
    pub fn make(self, scratch: &Path) -> Result<Made, String> {
        let mut undo = Undo::default();
        let (lines, disk) = match self {
            Target::Nothing => ("size=1g\n".to_owned(), None),
            Target::CachedFile => {
                let path = file::in_directory(scratch, CACHED_BYTES, &mut undo)?;
                (lines(&path, CACHED_BYTES, false), None)
            }
            Target::TmpfsFile => {
                let path = file::on_tmpfs(CACHED_BYTES, &mut undo)?;
                (lines(&path, CACHED_BYTES, false), None)
            }
            Target::Zram => {
                zram::set_up(DEVICE_BYTES, &mut undo)?;
                (lines(zram::DEVICE.as_ref(), DEVICE_BYTES, true), Some("zram0".to_owned()))
            }
            Target::Loop => {
                let device = device::attach(DEVICE_BYTES, &mut undo)?;
                (lines(&device, DEVICE_BYTES, true), file_name(&device))
            }
            Target::Ext4Direct => {
                // A quarter more than the file for ext4's own structures.
                let device = device::attach(DEVICE_BYTES / 4 * 5, &mut undo)?;
                let path = device::file_on_ext4(&device, DEVICE_BYTES, &mut undo)?;
                (lines(&path, DEVICE_BYTES, true), file_name(&device))
            }
        };
        Ok(Made { lines, disk, _undo: undo })
    }
}

fn lines(path: &Path, bytes: u64, direct: bool) -> String {
    format!("filename={}\nsize={bytes}\ndirect={}\n", path.display(), u8::from(direct))
}

fn file_name(device: &Path) -> Option<String> {
    device.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_and_taken_away() {
        let scratch = tempfile::tempdir().unwrap();
        let mut undo = Undo::default();
        let path = file::in_directory(scratch.path(), 1 << 20, &mut undo).unwrap();
        assert_eq!(path.metadata().unwrap().len(), 1 << 20);
        drop(undo);
        assert!(!path.exists());
    }
}
