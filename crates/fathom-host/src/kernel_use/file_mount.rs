//! Files that are mounted without a loop device between: erofs can since 6.12.

use std::path::PathBuf;

use crate::device::DevNumber;
use crate::mounts::all_mounts;
use crate::root::{Root, Unknown};
use crate::same_file::FileView;

/// A file that is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMount {
    /// Number of the file system on it.
    pub dev: DevNumber,
    /// Where it is mounted.
    pub point: PathBuf,
    /// The path that the file had when it was mounted.
    pub source: PathBuf,
}

/// Every erofs that is mounted has a directory in here.
const EROFS: &str = "/sys/fs/erofs";

pub(super) fn file_mounts(root: &Root) -> Result<Vec<FileMount>, Unknown> {
    let mounted = root.list(EROFS).unwrap_or_default();
    if !mounted.iter().any(|name| name != "features") {
        return Ok(Vec::new());
    }
    // One that lies on a block device has its number.
    let files = all_mounts(root)?.into_iter().filter(|m| m.fs_type == "erofs" && m.dev.is_anonymous());
    let mut mounts: Vec<FileMount> = Vec::new();
    for mount in files {
        if mounts.iter().all(|known| known.dev != mount.dev) {
            let source = PathBuf::from(mount.source);
            mounts.push(FileMount { dev: mount.dev, point: mount.point, source });
        }
    }
    Ok(mounts)
}

impl FileMount {
    /// The path is of the past, so it tells nothing that could be compared.
    pub(super) fn view(&self) -> FileView {
        FileView::unseen()
    }
}
