//! Loop devices and what is behind them.
//!
//! The kernel does not list a loop device among the holders of the disk under
//! it, and two loop devices over one file know nothing of each other; both
//! are ways to destroy a mounted file system that sysfs's graph misses.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::device::DevNumber;
use crate::root::{Root, Unknown};

/// An attached loop device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopDevice {
    /// Kernel name (`loop3`).
    pub name: String,
    /// Device number.
    pub number: DevNumber,
    /// The file behind it, as the kernel names it.
    pub backing_file: PathBuf,
    /// The block device behind it, when the backing file is one.
    pub backing_device: Option<DevNumber>,
    /// `(st_dev, st_ino)` of the backing file, where it can still be found.
    pub backing_inode: Option<(u64, u64)>,
}

impl LoopDevice {
    /// Whether two loop devices are over the same file.
    pub fn shares_backing(&self, other: &LoopDevice) -> bool {
        match (self.backing_inode, other.backing_inode) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => self.backing_file == other.backing_file,
        }
    }
}

/// All attached loop devices.
pub fn loop_devices(root: &Root) -> Result<Vec<LoopDevice>, Unknown> {
    let names = root.list("/sys/block")?;
    let loops = names.iter().filter(|name| name.starts_with("loop"));
    Ok(loops.filter_map(|name| loop_device(root, name)).collect())
}

/// `None` for a device that is not attached: `loop/` is there only while it is.
fn loop_device(root: &Root, name: &str) -> Option<LoopDevice> {
    let backing = root.read_text(format!("/sys/block/{name}/loop/backing_file"));
    let backing_file = PathBuf::from(backing.ok()?);
    Some(LoopDevice {
        name: name.to_owned(),
        number: root.block_number_named(name)?,
        backing_device: root.block_number_of(&backing_file),
        backing_inode: inode(&root.at(&backing_file)),
        backing_file,
    })
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}
