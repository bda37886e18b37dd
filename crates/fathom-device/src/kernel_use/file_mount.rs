//! Files that are mounted without a loop device, which erofs can do since 6.12.

use std::path::{Path, PathBuf};

use crate::device::DevNumber;
use crate::mounts::all_mounts;
use crate::root::{Root, Unknown};

/// A file that is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMount {
    /// Number of the file system on it.
    pub dev: DevNumber,
    /// Where it is mounted; the directory of all such file systems where no
    /// table of mounts shows it.
    pub point: PathBuf,
    /// The path that the file had when it was mounted.
    pub source: PathBuf,
}

/// Every erofs that is mounted has a directory in here.
const EROFS: &str = "/sys/fs/erofs";

pub(super) fn file_mounts(root: &Root) -> Result<Vec<FileMount>, Unknown> {
    let alive = root.list(EROFS).unwrap_or_default();
    let alive = alive.iter().filter(|name| *name != "features").count();
    if alive == 0 {
        return Ok(Vec::new());
    }
    let mut seen: Vec<FileMount> = Vec::new();
    for mount in all_mounts(root)?.into_iter().filter(|mount| mount.fs_type == "erofs") {
        if seen.iter().all(|known| known.dev != mount.dev) {
            let source = PathBuf::from(mount.source);
            seen.push(FileMount { dev: mount.dev, point: mount.point, source });
        }
    }
    let is_hidden = alive > seen.len();
    // An erofs on a block device has the number of that device.
    seen.retain(|mount| mount.dev.is_anonymous());
    seen.extend(is_hidden.then(FileMount::hidden));
    Ok(seen)
}

impl FileMount {
    /// One that was unmounted lazily while somebody used it, or that is mounted
    /// where no process is.
    fn hidden() -> Self {
        Self {
            dev: DevNumber::from_raw(0),
            point: EROFS.into(),
            source: "a file that fathom cannot see".into(),
        }
    }

    /// Whether nothing but its existence is known.
    pub fn is_hidden(&self) -> bool {
        self.point == Path::new(EROFS)
    }
}
