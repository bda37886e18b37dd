//! One I/O: the blocks in it are written with their proof, and checked.

use crate::body;
use crate::checksum::{checksum, crc32c};
use crate::classify::classify;
use crate::fault::{FailedCheck, Fault};
use crate::header::{Header, HeaderVersion, NoHeader};
use crate::method::Method;
use crate::pattern::Pattern;

/// How the blocks of a job are made: what `verify=` and its options say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFormat {
    /// The method.
    pub method: Method,
    /// Bytes of a block; an I/O that is longer has several blocks. `None`: the I/O is one block.
    pub interval: Option<u32>,
    /// Where the header stands in its block: 0, or at least behind the bytes of header and checksum.
    pub header_offset: u32,
    /// The bytes of the content, where they are given.
    pub pattern: Option<Pattern>,
    /// Does the pattern begin again, with the offset of its block, in every block?
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

/// Which fields of a header are compared with what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderChecks {
    /// `verify_header_seed`.
    pub seed: bool,
    /// `verify_write_sequence`.
    pub sequence: bool,
}

impl BlockFormat {
    /// Bytes of header and checksum.
    pub(crate) fn proof_bytes(&self, version: HeaderVersion) -> usize {
        if self.method.has_header() { version.bytes() + self.method.checksum_bytes() } else { 0 }
    }

    /// The smallest block that holds its proof.
    pub fn smallest(&self) -> usize {
        self.proof_bytes(HeaderVersion::Short) + self.header_offset as usize
    }

    fn block_bytes(&self, io: usize) -> usize {
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
        let (proof, content) = block.split_at_mut(self.proof_bytes(HeaderVersion::Short));
        header.put(proof);
        if self.method.checksum_bytes() > 0 {
            let sum = checksum(self.method, content);
            proof[HeaderVersion::Short.bytes()..].copy_from_slice(&sum[..self.method.checksum_bytes()]);
        }
        self.swap_header(block, HeaderVersion::Short);
    }

    fn content(&self, block: &mut [u8], offset: u64, io: u64, seed: u64) {
        match &self.pattern {
            Some(pattern) => pattern.fill(if self.pattern_per_interval { offset } else { io }, block),
            None => body::fill(block, seed, offset, self.zero_percent),
        }
    }

    /// Exchanges the header with the bytes at `header_offset`, which is its own inverse.
    pub(crate) fn swap_header(&self, block: &mut [u8], version: HeaderVersion) {
        let (at, bytes) = (self.header_offset as usize, self.proof_bytes(version));
        if at == 0 || at + bytes > block.len() {
            return;
        }
        (0..bytes).for_each(|n| block.swap(n, at + n));
    }

    /// Checks an I/O that was read. Returns what is wrong with each of its blocks that is wrong, in order. `is_ours`
    /// answers whether a seed names a write of this run. The data is changed while it is looked at, and is as before
    /// afterwards.
    pub fn check(
        &self,
        data: &mut [u8],
        expected: &Expected,
        checks: HeaderChecks,
        is_ours: &dyn Fn(u64) -> bool,
    ) -> Vec<Fault> {
        let bytes = self.block_bytes(data.len());
        let blocks = data.chunks_mut(bytes).enumerate();
        let faults = blocks.filter_map(|(n, block)| {
            let at = Place { offset: expected.offset + (n * bytes) as u64, io: expected.offset };
            self.check_block(block, at, expected, checks, is_ours)
        });
        faults.collect()
    }

    fn check_block(
        &self,
        block: &mut [u8],
        at: Place,
        expected: &Expected,
        checks: HeaderChecks,
        is_ours: &dyn Fn(u64) -> bool,
    ) -> Option<Fault> {
        if self.method == Method::Null || block.len() < self.smallest() {
            return None;
        }
        if !self.method.has_header() {
            let failed = self.first_not_of_pattern(block, at, 0)?;
            return Some(classify(self, block, at, expected, failed, is_ours));
        }
        let version = self.version_of(block);
        self.swap_header(block, version);
        let failed = self.failed_check(block, at, expected, checks);
        let fault = failed.map(|failed| classify(self, block, at, expected, failed, is_ours));
        self.swap_header(block, version);
        fault
    }

    /// The layout of the header that stands in a block.
    fn version_of(&self, block: &[u8]) -> HeaderVersion {
        let head = block.get(self.header_offset as usize..).unwrap_or_default();
        Header::read(head).map_or(HeaderVersion::Short, |(_, version)| version)
    }

    fn failed_check(
        &self,
        block: &[u8],
        at: Place,
        expected: &Expected,
        checks: HeaderChecks,
    ) -> Option<FailedCheck> {
        let (header, version) = match Header::read(block) {
            Ok(read) => read,
            Err(NoHeader::Magic) => {
                return Some(FailedCheck::Magic { received: u16::from_le_bytes([block[0], block[1]]) });
            }
            Err(NoHeader::Checksum) => {
                let received = u32::from_le_bytes([block[36], block[37], block[38], block[39]]);
                return Some(FailedCheck::HeaderChecksum { received, calculated: crc32c(&block[..36]) });
            }
        };
        if header.len as usize != block.len() {
            return Some(FailedCheck::Length { received: header.len });
        }
        if header.offset != at.offset {
            return Some(FailedCheck::Offset { received: header.offset });
        }
        if !self.method.has_number(header.method) {
            return Some(FailedCheck::Method { received: header.method });
        }
        if let Some(check) = self.failed_content(block, at, version) {
            return Some(check);
        }
        let other_seed = checks.seed && expected.seed.is_some_and(|seed| seed != header.seed);
        let number = |write: u64| if version == HeaderVersion::Short { write & 0xffff } else { write };
        let other_write =
            checks.sequence && expected.write.is_some_and(|write| number(write) != header.write);
        (other_seed || other_write).then_some(FailedCheck::Write { received: header.write })
    }

    fn failed_content(&self, block: &[u8], at: Place, version: HeaderVersion) -> Option<FailedCheck> {
        let (head, proof) = (version.bytes(), self.proof_bytes(version));
        if self.method == Method::PatternHdr {
            return self.first_not_of_pattern(block, at, proof);
        }
        let bytes = self.method.checksum_bytes();
        if bytes == 0 {
            return None;
        }
        let sum = checksum(self.method, block.get(proof..)?);
        let stored = &block[head..proof];
        (stored != &sum[..bytes])
            .then(|| FailedCheck::Checksum { stored: hex(stored), calculated: hex(&sum[..bytes]) })
    }

    /// The first byte from `from` on that is not the pattern's.
    fn first_not_of_pattern(&self, block: &[u8], at: Place, from: usize) -> Option<FailedCheck> {
        let mut right = vec![0; block.len()];
        self.content(&mut right, at.offset, at.io, 0);
        if block[from..] == right[from..] {
            return None;
        }
        let first = (from..block.len()).find(|&n| block[n] != right[n])?;
        Some(FailedCheck::Pattern { at: first as u32, received: block[first], expected: right[first] })
    }
}

/// Where a block stands, and the I/O that it is part of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub offset: u64,
    pub io: u64,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
