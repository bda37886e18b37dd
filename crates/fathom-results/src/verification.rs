//! What a verifying job found ([`Verification`]).

use crate::wire::is_default;
use fathom_verify::{Fault, Method};
use minicbor::{Decode, Encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a job that verifies has checked, and what was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize, JsonSchema)]
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
}

/// A wrong block and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize, JsonSchema)]
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
}

/// Writes that were to be verified and could not be, by reason; how many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, Serialize, Deserialize, JsonSchema)]
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
        }
    }
}

impl Verification {
    /// Adds what another job, or the same one in another round, has counted. The wrong blocks that are named stay those of this
    /// one.
    pub fn add_counts(&mut self, other: &Verification) {
        let Verification { method: _, ios, bytes, wrong, faults: _, unchecked } = other;
        self.ios += ios;
        self.bytes += bytes;
        self.wrong += wrong;
        self.unchecked.add(unchecked);
    }
}

impl Unchecked {
    /// Adds those of another job or round.
    fn add(&mut self, other: &Unchecked) {
        let Unchecked { failed, overlapped, in_flight, cut, not_read, short_reads } = other;
        self.failed += failed;
        self.overlapped += overlapped;
        self.in_flight += in_flight;
        self.cut += cut;
        self.not_read += not_read;
        self.short_reads += short_reads;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        let Unchecked { failed, overlapped, in_flight, cut, not_read, short_reads } = self;
        failed + overlapped + in_flight + cut + not_read + short_reads
    }
}
