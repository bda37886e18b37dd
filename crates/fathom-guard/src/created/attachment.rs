//! Which attachment of a disk a file was seen on.
//!
//! While a file system is not mounted here, its image or its disk can be changed elsewhere, which
//! none of the file's own time stamps shows. The kernel counts every attachment of a disk
//! (`diskseq`, since Linux 5.15).

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use fathom_device::boot::boot_id;
use fathom_device::device::DevNumber;
use fathom_device::root::Root;

/// The attachment of the disk that holds a file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attachment {
    /// The boot: the count starts again with each boot.
    boot_id: String,
    diskseq: u64,
    /// A loop device: its file can be changed by anybody while it is detached.
    is_loop: bool,
}

impl Attachment {
    /// The attachment of the disk with this `st_dev`; `None` where the number is not that of a disk
    /// (tmpfs, btrfs, NFS), or the kernel does not count attachments.
    pub(super) fn of(dev: u64) -> Option<Self> {
        let root = Root::live();
        let dir = fs::canonicalize(format!("/sys/dev/block/{}", DevNumber::from_raw(dev))).ok()?;
        let disk: PathBuf = match dir.join("partition").exists() {
            true => dir.parent()?.into(),
            false => dir,
        };
        Some(Self {
            boot_id: boot_id(&root)?,
            diskseq: root.read_value(disk.join("diskseq")).ok()?,
            is_loop: disk.join("loop").exists(),
        })
    }

    /// Whether the disk can have been elsewhere between the two. A disk that is there again after a
    /// restart of the machine is the same one; the image behind a loop device may not be.
    pub(super) fn may_differ(&self, now: &Self) -> bool {
        match self.boot_id == now.boot_id {
            true => self.diskseq != now.diskseq,
            false => self.is_loop || now.is_loop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_may_have_been_elsewhere() {
        let attached =
            |boot: &str, diskseq, is_loop| Attachment { boot_id: boot.to_owned(), diskseq, is_loop };
        let then = attached("a", 7, false);
        assert!(!then.may_differ(&then) && then.may_differ(&attached("a", 8, false)));
        assert!(!then.may_differ(&attached("b", 3, false)), "the machine was restarted");
        assert!(attached("a", 7, true).may_differ(&attached("b", 7, true)), "an image is attached again");
    }
}
