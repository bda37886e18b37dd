//! The ends of a device, where a mistake would destroy most: tables, labels, superblocks.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::place::assert_lab;
use crate::program::sh;

/// The first and the last MiB of a device.
#[derive(PartialEq, Eq)]
pub struct Ends {
    node: String,
    bytes: Vec<u8>,
}

impl Ends {
    /// How much is kept of each end.
    pub const BYTES: u64 = 1 << 20;

    /// Reads them, from the device and not from the cache.
    #[track_caller]
    pub fn of(node: &str) -> Self {
        assert_lab();
        sh(&["blockdev", "--flushbufs", node]);
        let mut device = File::open(node).unwrap_or_else(|e| panic!("{node}: {e}"));
        let size = device.seek(SeekFrom::End(0)).unwrap();
        let mut bytes = Vec::new();
        for start in [0, size.saturating_sub(Self::BYTES)] {
            device.seek(SeekFrom::Start(start)).unwrap();
            (&device).take(Self::BYTES).read_to_end(&mut bytes).unwrap();
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
