//! The ends of a device, where a mistake would destroy most: tables, labels, superblocks.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

use crate::place::assert_lab;
use crate::program::sh;

/// Bytes that a buffer of a direct read is aligned to: no drive of the lab has larger blocks.
const ALIGNMENT: usize = 4096;

/// The first and the last MiB of a device.
#[derive(PartialEq, Eq)]
pub struct Ends {
    node: String,
    bytes: Vec<u8>,
}

impl Ends {
    /// How much is kept of each end.
    pub const BYTES: u64 = 1 << 20;

    /// Reads them from the device itself. What the cache holds of a mounted device can differ from it: ext4
    /// fills in the block bitmap of an unused group there when it first looks at the group, and does not
    /// write it.
    #[track_caller]
    pub fn of(node: &str) -> Self {
        assert_lab();
        sh(&["blockdev", "--flushbufs", node]);
        let opened = File::options().read(true).custom_flags(libc::O_DIRECT).open(node);
        let mut device = opened.unwrap_or_else(|e| panic!("{node}: {e}"));
        let size = device.seek(SeekFrom::End(0)).unwrap();
        let length = usize::try_from(size.min(Self::BYTES)).unwrap();
        let mut room = vec![0; length + ALIGNMENT];
        let start = room.as_ptr().align_offset(ALIGNMENT);
        let aligned = &mut room[start..start + length];
        let mut bytes = Vec::new();
        for offset in [0, size.saturating_sub(Self::BYTES)] {
            device.seek(SeekFrom::Start(offset)).unwrap();
            device.read_exact(aligned).unwrap_or_else(|e| panic!("{node}: reading at {offset}: {e}"));
            bytes.extend_from_slice(aligned);
        }
        Self { node: node.to_owned(), bytes }
    }

    /// Panics if the device no longer holds the same bytes.
    #[track_caller]
    pub fn assert_unchanged(&self) {
        let now = Self::of(&self.node);
        let differs = self.bytes.iter().zip(&now.bytes).position(|(then, now)| then != now);
        assert_eq!(differs, None, "{} differs at this byte of its ends", self.node);
        assert_eq!(self.bytes.len(), now.bytes.len(), "{} changed its size", self.node);
    }
}
