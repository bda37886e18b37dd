//! The answer of a run, for a person who has ten seconds.
//!
//! Its sentences are made of it when something is printed (`fathom_words`).

mod class;
mod instead;
pub mod limit;
mod trust;

pub use class::{ClassKind, DeviceClass};
pub use instead::{FailedJobs, Instead, LostIos};
pub use limit::{JobLimit, Limit, Limits};
pub use trust::{Prescribed, Reason, RoundsPart, Trend, Trust, TrustLevel, Why};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was measured, what came out, whether it can be trusted, what limited it, what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The target in words: model, size, how it is attached.
    pub measured: String,
    /// How many jobs there were, how long each was measured, and whether they ran at the same time; absent where
    /// nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<String>,
    /// What was measured instead of the disk, where that is so: memory, the page cache, a loop
    /// device, a disk that other programs used. It takes the place of the result, because no figure
    /// of the run is the disk's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
    /// I/Os that failed while the run went on; absent where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostIos>,
    /// The figures that matter, each with its unit; or why there are none.
    pub result: String,
    /// What kind of device has such figures; absent where none fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<DeviceClass>,
    /// How far the figures can be trusted, and every reason for less trust.
    pub trust: Trust,
    /// What limited the measurements, with the figures that say so; absent where nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limits>,
    /// What no figure shows and a reader asks, a clause each: `no I/O of other programs on the disk`, `scheduler none`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What to do next.
    pub next: NextStep,
}

/// A command, and what it is good for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextStep {
    /// The command, as it can be typed in the directory of the run.
    pub command: String,
    /// What it does, in a few words.
    pub why: String,
}
