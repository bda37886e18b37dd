//! The record of a purge for later use: a report names its method, and a precondition may start
//! from it.

use super::method::DriveAnswer;
use super::plan::PurgePlan;
use super::proof::Proof;
use fathom_device::device::Identity;
use serde::{Deserialize, Serialize};

/// One purge, from the first command to the proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurgeRecord {
    /// When the first command was sent, in seconds since 1970 (UTC).
    pub began_unix_s: u64,
    /// When the proof was complete, likewise.
    pub ended_unix_s: u64,
    /// Id of the method.
    pub method: String,
    /// What was done, in one sentence.
    pub act: String,
    /// What is true of the device, if the drive does what it reports.
    pub leaves: String,
    /// What the drive itself said.
    pub answers: Vec<DriveAnswer>,
    /// The device before.
    pub before: Identity,
    /// The device after: size and blocks may have changed.
    pub after: Identity,
    /// All devices that were emptied by it, the named one first.
    pub affected: Vec<Identity>,
    /// NVMe: blocks allocated (NUSE) before and after. Many drives always
    /// report all of them.
    pub used_blocks: Option<(u64, u64)>,
    /// What reading proved.
    pub proof: Proof,
}

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// What would be done, what was done, and why not more.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurgeDocument<'a> {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// What was planned, one plan for each device.
    pub plans: &'a [PurgePlan],
    /// What was done, with the proof.
    pub records: &'a [&'a PurgeRecord],
    /// Why it ended; null without an error.
    pub error: Option<PurgeFailure<'a>>,
}

/// Why a purge ended.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurgeFailure<'a> {
    /// The exit code.
    pub exit: u8,
    /// One sentence.
    pub message: &'a str,
    /// What to do, one line each.
    pub hints: &'a [String],
}

impl<'a> PurgeDocument<'a> {
    /// The document of these plans and records.
    pub fn of(
        plans: &'a [PurgePlan],
        records: &'a [&'a PurgeRecord],
        error: Option<PurgeFailure<'a>>,
    ) -> Self {
        PurgeDocument { format: FORMAT, plans, records, error }
    }
}
