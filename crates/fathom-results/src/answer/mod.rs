//! The answer of a run, for a person who has ten seconds.
//!
//! Its sentences are made of it when something is printed (`fathom_words`).

/// Declares kinds that are saved. What is absent is left out.
macro_rules! saved {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $body:tt)*) => {$(
        #[serde_with::skip_serializing_none]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

mod class;
mod deviation;
mod headline;
mod instead;
pub mod limit;
mod measured_jobs;
mod next;
mod procedure_headline;
mod remark;
mod standard_headline;
mod subject;
mod trust;

pub use class::{ClassKind, DeviceClass};
pub use deviation::{
    CacheState, CannotRun, Deviation, DoubtedRuns, ReportDeviation, TkperfDefect, UnverifiedPoint,
};
pub use headline::{
    CpuLoadHeadline, DirectionHeadline, Headline, JobHeadline, NoFigures, SyncHeadline, UnevenWorkers,
};
pub use instead::{FailedJobs, Instead, LostIos};
pub use limit::{JobLimit, Limit, Limits};
pub use measured_jobs::{
    CutJob, JobOrder, MeasuredJobs, StageJobs, StandardDemand, StandardPurge, StandardRounds, SuiteOrigin,
    SuiteRounds, TimeSpan,
};
pub use next::{Gain, NextStep};
pub use procedure_headline::*;
pub use remark::{FilledPart, LatencySearched, MergedIos, Remark, RemarkKind, SearchEnd};
pub use standard_headline::*;
pub use subject::{AttachedKind, Measured, MeasuredDevice, MeasuredKind, MeasuredTarget};
pub use trust::{Prescribed, Reason, RoundsPart, Trend, Trust, TrustLevel, Why};

use serde::{Deserialize, Serialize};

/// What was measured, what came out, whether it can be trusted, what limited it, what to do next.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The targets.
    pub measured: Measured,
    /// Rounds that were measured until then, of a procedure that is not finished.
    pub so_far: Option<RoundsPart>,
    /// How many jobs there were, how long each was measured, and whether they ran at the same time; absent where
    /// nothing was measured.
    pub jobs: Option<MeasuredJobs>,
    /// What was measured instead of the disk, where that is so: memory, the page cache, a loop
    /// device, a disk that other programs used. It takes the place of the result, because no figure
    /// of the run is the disk's.
    pub instead: Option<Instead>,
    /// I/Os that failed while the run went on; absent where none did.
    pub lost: Option<LostIos>,
    /// The figures that matter, each with its unit; or why there are none.
    pub result: Headline,
    /// What kind of device has such figures; absent where none fits.
    pub class: Option<DeviceClass>,
    /// How far the figures can be trusted, and every reason for less trust.
    pub trust: Trust,
    /// What limited the measurements, with the figures that say so; absent where nothing was measured.
    pub limit: Option<Limits>,
    /// What no figure shows and a reader asks, what readers ask for most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// What to do next.
    pub next: NextStep,
}
