//! Whether two files that are known by different names are one.
//!
//! Device and inode decide wherever a file system owns its files. They do not where a file system
//! shows the files of another one under numbers of its own (overlay, FUSE, network): there the same
//! bytes have two numbers. A file in an overlay is looked for in its layers first. On a file system
//! that no visible mount shows, different inodes are different files if there is no server behind
//! it. After that, two files are distinguished by these facts, in this order:
//!
//! 1. nobody else has the file open, so no loop device can be over it;
//! 2. an overlay shows the times and the owner of the file below, so files
//!    that differ in them are two;
//! 3. where times tell nothing, a file with one link has one name, so files of different names are two;
//! 4. if a file is shorter than the least length of the other, they are two.
//!
//! Files that none of these distinguishes may be one file.

mod kind;
mod layer;
mod reach;
mod view;

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use crate::device::DevNumber;

pub(crate) use layer::layer_paths;
pub(crate) use reach::{find, is_removed, seen_by};
pub(crate) use view::times;
pub use view::{FileView, Sharing, by_numbers, has_one_opener, sharing};

/// A file as the kernel numbers it: file system and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// `st_dev`.
    pub dev: DevNumber,
    /// `st_ino`.
    pub inode: u64,
}

impl FileId {
    /// The numbers of a file that was looked at.
    pub fn of(meta: &Metadata) -> Self {
        Self { dev: DevNumber::from_raw(meta.dev()), inode: meta.ino() }
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "inode {} on {}", self.inode, self.dev)
    }
}
