//! Checking an I/O that was read: each of its blocks by its header, its checksum, and what was expected.

use crate::block::{BlockFormat, Expected, Place};
use crate::checksum::{checksum, crc32c};
use crate::classify::{Suspect, classify};
use crate::fault::{FailedCheck, Fault};
use crate::header::{Header, HeaderVersion, NoHeader};
use crate::method::Method;

/// Which fields of a header are compared with what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderChecks {
    /// `verify_header_seed`.
    pub seed: bool,
    /// `verify_write_sequence`.
    pub sequence: bool,
}

impl BlockFormat {
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
            return Some(classify(Suspect { format: self, block, at, expected, is_ours }, failed));
        }
        let version = self.version_of(block);
        self.swap_header(block, version);
        let failed = self.failed_check(block, at, expected, checks);
        let suspect = Suspect { format: self, block, at, expected, is_ours };
        let fault = failed.map(|failed| classify(suspect, failed));
        self.swap_header(block, version);
        fault
    }

    /// The layout of the header of a block, where the header must be moved to be read.
    fn version_of(&self, block: &[u8]) -> HeaderVersion {
        if self.header_offset == 0 {
            return HeaderVersion::Short;
        }
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
        if self.method == Method::PatternHdr || (self.method == Method::Meta && self.pattern.is_some()) {
            return self.first_not_of_pattern(block, at, proof);
        }
        let bytes = self.method.checksum_bytes();
        if bytes == 0 {
            return None;
        }
        let (content, stored) = (block.get(proof..)?, &block[head..proof]);
        if self.method == Method::Crc32c && stored == crc32c(content).to_le_bytes() {
            // What nearly every block comes to, without the room for the longest of all checksums.
            return None;
        }
        let sum = checksum(self.method, content);
        (stored != &sum[..bytes])
            .then(|| FailedCheck::Checksum { stored: hex(stored), calculated: hex(&sum[..bytes]) })
    }

    /// The first byte from `from` on that is not the pattern's.
    fn first_not_of_pattern(&self, block: &[u8], at: Place, from: usize) -> Option<FailedCheck> {
        let (begin, skipped) = self.place_in_pattern(at.offset, at.io);
        let (first, expected) = self.pattern.as_ref()?.first_difference(begin, skipped, block, from)?;
        Some(FailedCheck::Pattern { at: first as u32, received: block[first], expected })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
