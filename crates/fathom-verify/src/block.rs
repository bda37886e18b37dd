//! One I/O: the blocks in it, with their headers and checksums.

use crate::body;
use crate::checksum::{LONGEST, checksum};
use crate::content_crc;
use crate::header::{Header, HeaderVersion};
use crate::method::Method;
use crate::pattern::Pattern;

/// How the blocks of a job are made: what `verify=` and its options say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFormat {
    /// The method.
    pub method: Method,
    /// Bytes of a block; an I/O that is longer has several blocks. `None`: the I/O is one block.
    pub interval: Option<u32>,
    /// Where the header is in its block: 0, or at least behind the bytes of header and checksum.
    pub header_offset: u32,
    /// The bytes of the content, where they are given.
    pub pattern: Option<Pattern>,
    /// Does the pattern begin again, with the offset of its block, in every block? If not, it goes on through the I/O, as in fio.
    pub pattern_per_interval: bool,
    /// Percent of the content that is zeros, for drives that compress.
    pub zero_percent: u32,
}

/// Who writes a block, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// From [`crate::Lineage::seed`].
    pub seed: u64,
    /// The number of the write in its clone.
    pub write: u64,
    /// The clone, from 1.
    pub thread: u16,
    /// Seconds since the epoch.
    pub seconds: u32,
    /// And nanoseconds.
    pub nanos: u32,
}

impl BlockFormat {
    /// Does what the first write would have to do otherwise, so that it is not measured.
    pub fn prepare(&self) {
        if self.pattern.is_none() {
            body::prepare();
            content_crc::prepare();
        }
    }

    /// Bytes of header and checksum.
    pub(crate) fn proof_bytes(&self, version: HeaderVersion) -> usize {
        if self.method.has_header() { version.bytes() + self.method.checksum_bytes() } else { 0 }
    }

    /// The smallest block that has room for its header and checksum.
    pub fn smallest(&self) -> usize {
        self.proof_bytes(HeaderVersion::Short) + self.header_offset as usize
    }

    pub(crate) fn block_bytes(&self, io: usize) -> usize {
        self.interval.map_or(io, |interval| interval as usize).clamp(1, io.max(1))
    }

    /// Fills an I/O that is written at `offset`.
    pub fn write(&self, data: &mut [u8], offset: u64, stamp: &Stamp) {
        let bytes = self.block_bytes(data.len());
        for (n, block) in data.chunks_mut(bytes).enumerate() {
            self.write_block(block, offset + (n * bytes) as u64, offset, stamp);
        }
    }

    /// Fills one block at `offset`, in the I/O that begins at `io`.
    pub(crate) fn write_block(&self, block: &mut [u8], offset: u64, io: u64, stamp: &Stamp) {
        self.content(block, offset, io, stamp.seed);
        if !self.method.has_header() || block.len() < self.smallest() {
            return;
        }
        let header = Header {
            method: self.method.number(),
            len: block.len() as u32,
            seed: stamp.seed,
            offset,
            seconds: stamp.seconds,
            nanos: stamp.nanos,
            thread: stamp.thread,
            write: stamp.write,
        };
        let bytes = self.method.checksum_bytes();
        let sum = self.content_checksum(block, offset, stamp.seed);
        let proof = &mut block[..self.proof_bytes(HeaderVersion::Short)];
        header.put(proof);
        proof[HeaderVersion::Short.bytes()..].copy_from_slice(&sum[..bytes]);
        self.swap_header(block, HeaderVersion::Short);
    }

    /// The checksum of a block that [`Self::content`] has just filled, without the bytes that its header takes.
    fn content_checksum(&self, block: &[u8], offset: u64, seed: u64) -> [u8; LONGEST] {
        let proof = self.proof_bytes(HeaderVersion::Short);
        let is_made = self.method == Method::Crc32c && self.pattern.is_none() && self.zero_percent == 0;
        match is_made.then(|| content_crc::of_block(block, seed, offset, proof)).flatten() {
            Some(sum) => {
                let mut long = [0; LONGEST];
                long[..4].copy_from_slice(&sum.to_le_bytes());
                long
            }
            None => checksum(self.method, &block[proof..]),
        }
    }

    pub(crate) fn content(&self, block: &mut [u8], offset: u64, io: u64, seed: u64) {
        match &self.pattern {
            Some(pattern) => {
                let (begin, skipped) = self.place_in_pattern(offset, io);
                pattern.fill(begin, skipped, block);
            }
            None => body::fill(block, seed, offset, self.zero_percent),
        }
    }

    /// Where the pattern of a block at `offset` began, in the I/O that begins at `io`, and the bytes of the pattern since then.
    pub(crate) fn place_in_pattern(&self, offset: u64, io: u64) -> (u64, usize) {
        if self.pattern_per_interval { (offset, 0) } else { (io, (offset - io) as usize) }
    }

    /// Are these the bytes of the pattern at `at`, if the I/O begins at `io`?
    pub fn holds_pattern(&self, at: u64, io: u64, bytes: &[u8]) -> bool {
        let interval = self.interval.map_or(u64::MAX, u64::from);
        let block = at - (at - io) % interval;
        let (begin, skipped) = self.place_in_pattern(block, io);
        let within = skipped + (at - block) as usize;
        self.pattern.as_ref().is_some_and(|pattern| pattern.holds(begin, within, bytes))
    }

    /// Exchanges the header with the bytes at `header_offset`, which is its own inverse.
    #[inline]
    pub(crate) fn swap_header(&self, block: &mut [u8], version: HeaderVersion) {
        if self.header_offset == 0 {
            return;
        }
        let (at, bytes) = (self.header_offset as usize, self.proof_bytes(version));
        if at + bytes <= block.len() {
            (0..bytes).for_each(|n| block.swap(n, at + n));
        }
    }
}

/// What is known of the I/O that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Where it was read, bytes from the start of its file.
    pub offset: u64,
    /// The seed of the write that must be there.
    pub seed: Option<u64>,
    /// Its number.
    pub write: Option<u64>,
}

/// Where a block is, and the I/O that it is part of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub offset: u64,
    pub io: u64,
}
