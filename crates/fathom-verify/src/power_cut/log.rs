//! The log of acknowledgements: a header, then records of 32 bytes, each with a checksum and its number.
//!
//! The log is cut off when the power is cut, so its end may be torn: what is read ends before the first record that
//! is not the next one. The checksum of a record contains the key of the run, so no record of another log is taken
//! for one of this log, even where a file system gave the blocks of an earlier log to this one.

use crate::checksum::crc32c;
use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

/// The first bytes of every log.
const MAGIC: &[u8; 8] = b"fathomPC";

/// The version of the format. A program reads the versions that it knows, and no others.
const VERSION: u16 = 1;

/// Bytes before the body of the header: magic number, version, length of the body.
const FRONT: usize = 12;

/// The longest body of a header: a path of 4,096 bytes, the longest that Linux takes, and what else is in it.
const BODY_MAX: usize = 8 << 10;

/// Bytes of a record.
pub const RECORD_BYTES: usize = 32;

/// When the target promises that a write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cbor(index_only)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// Once a flush that began after it was complete, or once it is complete if it has FUA: the target has a volatile cache,
    /// or it is not known whether it has one.
    #[n(0)]
    AtFlush,
    /// As soon as it is complete: the target says that it has no volatile cache.
    #[n(1)]
    AtCompletion,
}

/// How the writer asks for durability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum FlushMode {
    /// A flush after this many writes.
    #[n(0)]
    Every {
        /// How many writes are issued between two flushes, at least 1.
        #[n(0)]
        writes: u32,
    },
    /// A random half of the writes has FUA.
    #[n(1)]
    Fua,
    /// Never, except once after the region was written for the first time.
    #[n(2)]
    Never,
}

/// The target to which a log belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogTarget {
    /// Its path, as it was typed.
    #[n(0)]
    pub path: String,
    /// Its size in bytes.
    #[n(1)]
    pub size: u64,
    /// What names the device wherever it is attached: serial number, WWID, or the file behind it. `None` for a file.
    #[n(2)]
    pub identity: Option<String>,
}

/// What a log says before its records.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogHeader {
    /// The key of the run, from which its seeds are made ([`crate::Lineage`]).
    #[n(0)]
    pub key: u64,
    /// Bytes of a unit.
    #[n(1)]
    pub unit: u32,
    /// The first byte of the region.
    #[n(2)]
    pub start: u64,
    /// Bytes of the region, a multiple of the unit.
    #[n(3)]
    pub len: u64,
    /// When a write survives.
    #[n(4)]
    pub durability: Durability,
    /// How the writer asks for it.
    #[n(5)]
    pub flush: FlushMode,
    /// The target.
    #[n(6)]
    pub target: LogTarget,
    /// When the writer began, seconds since the epoch.
    #[n(7)]
    pub started_unix_s: u64,
}

/// Why bytes are no header of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderFault {
    /// They do not begin as a log does.
    NoLog,
    /// They are the log of another version of fathom.
    Version(u16),
    /// There are fewer of them than the header has.
    Short,
    /// The checksum does not fit them, or what they say cannot be.
    Damaged,
}

impl LogHeader {
    /// The header as bytes. The name of the target is cut if it is longer than any path.
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        // Writing to a vector cannot fail.
        let _ = minicbor::encode(self, &mut body);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((body.len() as u16).to_le_bytes());
        bytes.extend(body);
        let sum = crc32c(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads the header at the start of a log, and says how many bytes it has.
    pub fn decode(from: &[u8]) -> Result<(LogHeader, usize), HeaderFault> {
        let Some((front, _)) = from.split_first_chunk::<FRONT>() else {
            let begins = !from.is_empty() && MAGIC.starts_with(&from[..from.len().min(MAGIC.len())]);
            return Err(if begins { HeaderFault::Short } else { HeaderFault::NoLog });
        };
        if &front[..8] != MAGIC {
            return Err(HeaderFault::NoLog);
        }
        let version = u16::from_le_bytes([front[8], front[9]]);
        if version != VERSION {
            return Err(HeaderFault::Version(version));
        }
        let end = FRONT + usize::from(u16::from_le_bytes([front[10], front[11]]));
        let sum = from.get(end..end + 4).ok_or(HeaderFault::Short)?;
        if end > FRONT + BODY_MAX || sum != crc32c(&from[..end]).to_le_bytes() {
            return Err(HeaderFault::Damaged);
        }
        let header: LogHeader = minicbor::decode(&from[FRONT..end]).map_err(|_| HeaderFault::Damaged)?;
        if !header.is_possible() {
            return Err(HeaderFault::Damaged);
        }
        Ok((header, end + 4))
    }

    /// The longest header, in bytes.
    pub const BYTES_MAX: usize = FRONT + BODY_MAX + 4;

    /// How many units the region has.
    pub fn units(&self) -> u64 {
        self.len / u64::from(self.unit)
    }

    fn is_possible(&self) -> bool {
        let unit = u64::from(self.unit);
        unit >= 512
            && unit.is_power_of_two()
            && self.len > 0
            && self.len.is_multiple_of(unit)
            && self.start.is_multiple_of(unit)
            && self.start.checked_add(self.len).is_some()
            && self.units() < u64::from(u32::MAX)
    }
}

/// One acknowledgement, or the start of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A write is complete.
    Written {
        /// Its number. Writes are numbered in the order in which they were issued, from 0.
        write: u64,
        /// The first byte of the target that it covers.
        offset: u64,
        /// How many units it covers.
        units: u16,
        /// Had it FUA?
        fua: bool,
    },
    /// A flush begins. It makes durable what was complete before.
    FlushBegun {
        /// Its number, from 0.
        flush: u64,
        /// The number of the next write that is issued.
        next_write: u64,
    },
    /// A flush is complete.
    FlushDone {
        /// Its number.
        flush: u64,
        /// The number of the next write that is issued: this one and the later ones were issued after the flush was complete.
        next_write: u64,
    },
    /// The writer ended before the power was cut.
    Ended {
        /// How many writes were issued.
        next_write: u64,
    },
}

/// Writes and reads the records of one log, in their order.
#[derive(Clone, Debug)]
pub struct RecordCoder {
    key: u64,
    /// The number of the next record.
    sequence: u64,
}

const KIND_WRITTEN: u8 = 1;
const KIND_FLUSH_BEGUN: u8 = 2;
const KIND_FLUSH_DONE: u8 = 3;
const KIND_ENDED: u8 = 4;

impl RecordCoder {
    /// Before the first record of the log with this key.
    pub fn new(key: u64) -> RecordCoder {
        RecordCoder { key, sequence: 0 }
    }

    /// How many records were written or read.
    pub fn count(&self) -> u64 {
        self.sequence
    }

    /// The next record as bytes: checksum, kind, FUA, units, number of the record, number of the write or the flush, and
    /// the offset or the number of the next write.
    pub fn encode(&mut self, record: &Record) -> [u8; RECORD_BYTES] {
        let (kind, fua, units, number, last) = match *record {
            Record::Written { write, offset, units, fua } => (KIND_WRITTEN, fua, units, write, offset),
            Record::FlushBegun { flush, next_write } => (KIND_FLUSH_BEGUN, false, 0, flush, next_write),
            Record::FlushDone { flush, next_write } => (KIND_FLUSH_DONE, false, 0, flush, next_write),
            Record::Ended { next_write } => (KIND_ENDED, false, 0, 0, next_write),
        };
        let mut bytes = [0; RECORD_BYTES];
        bytes[4] = kind;
        bytes[5] = u8::from(fua);
        bytes[6..8].copy_from_slice(&units.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..24].copy_from_slice(&number.to_le_bytes());
        bytes[24..32].copy_from_slice(&last.to_le_bytes());
        let sum = self.checksum(&bytes);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        self.sequence += 1;
        bytes
    }

    /// Reads the next record; `None` if the bytes are not the next record of this log.
    pub fn decode(&mut self, bytes: &[u8; RECORD_BYTES]) -> Option<Record> {
        if !self.is_of_this_log(bytes) || number(bytes, 8) != self.sequence {
            return None;
        }
        let (write, last) = (number(bytes, 16), number(bytes, 24));
        let record = match bytes[4] {
            KIND_WRITTEN => {
                let units = u16::from_le_bytes([bytes[6], bytes[7]]);
                Record::Written { write, offset: last, units, fua: bytes[5] == 1 }
            }
            KIND_FLUSH_BEGUN => Record::FlushBegun { flush: write, next_write: last },
            KIND_FLUSH_DONE => Record::FlushDone { flush: write, next_write: last },
            KIND_ENDED => Record::Ended { next_write: last },
            _ => return None,
        };
        self.sequence += 1;
        Some(record)
    }

    /// Are these bytes any record of this log? Records behind one that cannot be read mean that the log was damaged,
    /// and not only cut off.
    pub fn is_of_this_log(&self, bytes: &[u8; RECORD_BYTES]) -> bool {
        bytes[..4] == self.checksum(bytes).to_le_bytes()
    }

    fn checksum(&self, bytes: &[u8; RECORD_BYTES]) -> u32 {
        let mut all = [0; 8 + RECORD_BYTES - 4];
        all[..8].copy_from_slice(&self.key.to_le_bytes());
        all[8..].copy_from_slice(&bytes[4..]);
        crc32c(&all)
    }
}

fn number(bytes: &[u8; RECORD_BYTES], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
