//! What a verifying job found ([`Verification`]).

use crate::wire::is_default;
use fathom_verify::{Fault, Method};
use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

/// What a job that verifies has checked, and what was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cbor(map)]
pub struct Verification {
    /// The method by which the blocks are checked.
    #[n(0)]
    pub method: Method,
    /// Reads that were checked.
    #[n(1)]
    pub ios: u64,
    /// Their bytes.
    #[n(2)]
    pub bytes: u64,
    /// Blocks that were wrong.
    #[n(3)]
    pub wrong: u64,
    /// The first of them, at most 100.
    #[n(4)]
    #[cbor(skip_if = "is_default")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultAt>,
    /// What could not be checked.
    #[n(5)]
    #[cbor(skip_if = "is_default")]
    #[serde(default, skip_serializing_if = "is_default")]
    pub unchecked: Unchecked,
    /// Writes that later writes covered whole, so that nothing of them is left to check.
    #[n(6)]
    #[cbor(skip_if = "is_default")]
    #[serde(default, skip_serializing_if = "is_default")]
    pub replaced: u64,
    /// Writes of which nothing is left because their place was trimmed and is not expected to read as zeros.
    #[n(7)]
    #[cbor(skip_if = "is_default")]
    #[serde(default, skip_serializing_if = "is_default")]
    pub trimmed: u64,
    /// Files whose pages could not be dropped from the page cache before they were read back: what was checked may have
    /// been in memory and not on the target.
    #[n(8)]
    #[cbor(skip_if = "is_default")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cached: Vec<CachedFile>,
    /// Nothing said which run had written the blocks, so those of any run were accepted at their places.
    #[n(9)]
    #[cbor(skip_if = "is_default")]
    #[serde(default, skip_serializing_if = "is_default")]
    pub of_any_run: bool,
}

/// A file whose pages stayed in the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cbor(array)]
pub struct CachedFile {
    /// Which of the job's files, in the order of the plan, from 0.
    #[n(0)]
    pub file: u32,
    /// Why the pages could not be dropped: the number of the system's error.
    #[n(1)]
    pub errno: i32,
}

/// A wrong block and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cbor(array)]
pub struct FaultAt {
    /// Which of the job's files, in the order of the plan, from 0.
    #[n(0)]
    pub file: u32,
    /// What is wrong.
    #[n(1)]
    pub fault: Fault,
    /// Where the read began that the block is a part of, bytes from the start of the file.
    #[n(2)]
    pub io_offset: u64,
    /// Bytes of that read.
    #[n(3)]
    pub io_bytes: u32,
    /// The files that hold its content (`verify_dump`); `None` where it was not saved.
    #[n(4)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<SavedBlock>,
}

/// The names of the files that hold the content of a wrong block. They are in the directory that the run was given for them:
/// its own, or the working directory where fathom was called as fio.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedBlock {
    /// What was read.
    #[n(0)]
    pub received: String,
    /// What should have been read; `None` where that is not known.
    #[n(1)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// Writes that were to be verified and could not be, by reason; how many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cbor(map)]
#[serde(default)]
pub struct Unchecked {
    /// They failed or were short, so it is not known what is there.
    #[n(0)]
    pub failed: u64,
    /// They were in flight at the same time as another write of the same place.
    #[n(1)]
    pub overlapped: u64,
    /// They were not complete when the job ended.
    #[n(2)]
    pub in_flight: u64,
    /// A later write of another length covers a part of them.
    #[n(3)]
    pub cut: u64,
    /// The job ended before they were read back.
    #[n(4)]
    pub not_read: u64,
    /// Reading them back failed or was short.
    #[n(5)]
    pub short_reads: u64,
    /// No sync that was issued after them has completed, and only synced writes are expected (`verify_policy=fsynced`).
    #[n(6)]
    pub not_synced: u64,
    /// They came after the state that was loaded (`verify_state_load`), so what should be there is not known.
    #[n(8)]
    #[cbor(skip_if = "is_default")]
    #[serde(skip_serializing_if = "is_default")]
    pub newer: u64,
    /// The state that was loaded knows no write of exactly this place.
    #[n(9)]
    #[cbor(skip_if = "is_default")]
    #[serde(skip_serializing_if = "is_default")]
    pub unknown: u64,
}

impl Verification {
    /// Nothing checked yet.
    pub fn of(method: Method) -> Verification {
        Verification {
            method,
            ios: 0,
            bytes: 0,
            wrong: 0,
            faults: Vec::new(),
            unchecked: Unchecked::default(),
            replaced: 0,
            trimmed: 0,
            cached: Vec::new(),
            of_any_run: false,
        }
    }
}

impl std::ops::AddAssign for Unchecked {
    fn add_assign(&mut self, more: Unchecked) {
        self.failed += more.failed;
        self.overlapped += more.overlapped;
        self.in_flight += more.in_flight;
        self.cut += more.cut;
        self.not_read += more.not_read;
        self.short_reads += more.short_reads;
        self.not_synced += more.not_synced;
        self.newer += more.newer;
        self.unknown += more.unknown;
    }
}

impl Verification {
    /// Adds what another job, or the same one in another round, has counted. The wrong blocks that are named stay those of this
    /// one.
    pub fn add_counts(&mut self, other: &Verification) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.wrong += other.wrong;
        self.unchecked += other.unchecked;
        self.replaced += other.replaced;
        self.trimmed += other.trimmed;
        self.of_any_run |= other.of_any_run;
    }
}

impl Unchecked {
    /// All of them.
    pub fn total(&self) -> u64 {
        let Unchecked {
            failed,
            overlapped,
            in_flight,
            cut,
            not_read,
            short_reads,
            not_synced,
            newer,
            unknown,
        } = self;
        failed + overlapped + in_flight + cut + not_read + short_reads + not_synced + newer + unknown
    }
}
