//! What takes the place of the result, because no figure of the run is the disk's.

use super::RoundsPart;
use crate::Finding;
use crate::finding::RateFallEvidence;
use serde::{Deserialize, Serialize};

/// What was measured instead of the disk, or which jobs failed.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instead {
    /// Jobs that failed; where there are some, they are all that is given.
    pub failed: Option<FailedJobs>,
    /// What answered the I/O, the most important first: what is true of all jobs before what is true of some, and what answered
    /// before who else used the disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Rates that fell during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falls: Vec<RateFallEvidence>,
    /// In how many rounds of a procedure; absent where it is so in all, and of a run.
    pub rounds: Option<RoundsPart>,
    /// The round whose amounts these are, from 1, where those of other rounds differ.
    pub amounts_of_round: Option<u64>,
}

/// How many jobs failed, and why the first did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedJobs {
    /// They are workers of one job, not jobs.
    pub are_workers: bool,
    /// How many failed.
    pub failed: u64,
    /// Of how many.
    pub of: u64,
    /// The message of the first failure.
    pub first: String,
}

/// I/Os that failed while the run went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostIos {
    /// How many failed.
    pub failed: u64,
    /// How many the jobs in which one failed issued; absent of the rounds of a procedure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<u64>,
    /// These jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
}
