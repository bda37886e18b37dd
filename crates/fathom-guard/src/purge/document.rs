//! A purge as one JSON document: what `fathom purge --json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::plan::PurgePlan;
use super::record::PurgeRecord;

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// What would be done, what was done, and why not more.
#[derive(Debug, Serialize, JsonSchema)]
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
#[derive(Debug, Serialize, JsonSchema)]
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
