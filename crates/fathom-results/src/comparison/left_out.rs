//! What of a comparison is left out, and what of a subject is missing: as data, because programs count and search them.

use crate::{Incomplete, RoundFailure};
use fathom_job::plan::Rate;
use serde::{Deserialize, Serialize};

/// Something that was measured and is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Letter of the subject that does not have it for a reason of its own; absent where the reason lies between the subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What is left out.
    pub what: LeftOutPart,
    /// Why.
    #[serde(flatten)]
    pub reason: LeftOutReason,
}

/// What is left out of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LeftOutPart {
    /// Some figures of a job.
    Figures {
        /// The job, with its direction where it has several; empty for typed values.
        job: String,
        /// The figures: `p99 latency`.
        metrics: Vec<String>,
    },
    /// A job or a cell as a whole.
    Job(String),
    /// The only job of the baseline and that of another subject.
    OnlyJobs {
        /// Letters of the two subjects.
        subjects: [String; 2],
        /// The names of the jobs.
        jobs: [String; 2],
    },
    /// A round of a procedure, by its directory.
    Round(String),
    /// All values that a person typed.
    Typed,
}

/// Why something is left out. Lists of what differs have a value for each subject, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum LeftOutReason {
    /// A later run of fio in the file has no such figure, or has it of other I/O.
    NotInRun {
        /// The number of the run; the first is 1.
        run: u64,
        /// The runs of the file.
        of: u64,
    },
    /// Some runs do not have the figure.
    NotInAllRuns {
        /// Runs that have it.
        runs: u64,
        /// All runs.
        of: u64,
    },
    /// Some rounds of a measurement window have too few I/Os for the figure.
    TooFewInRounds {
        /// Rounds that have enough.
        rounds: u64,
        /// All rounds of the window.
        of: u64,
    },
    /// The job failed.
    Failed {
        /// The error.
        message: String,
    },
    /// The round failed.
    RoundFailed {
        /// Why.
        why: RoundFailure,
    },
    /// The job did not come to its end.
    Incomplete {
        /// Why, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<Incomplete>,
    },
    /// The test of the specification reached no steady state.
    NotSteady {
        /// After so many rounds.
        rounds: u64,
    },
    /// The specification asks for no steady state in this test.
    NoSteadyState,
    /// It is what a test measures after its steady state.
    AfterSteadyState,
    /// The job measured no I/O.
    NoIo,
    /// The job measured for less than a tenth of a second.
    TooShort,
    /// The job measured too few I/Os for a rate.
    TooFew {
        /// How many.
        ios: u64,
    },
    /// Fewer than ten of the I/Os of the job lie beyond the percentile that a person chose.
    TooFewBeyond {
        /// All of its I/Os.
        ios: u64,
    },
    /// The only jobs of the subjects have other names and do other I/O.
    OtherJobs {
        /// In what they differ.
        differs: Vec<LoadDifference>,
    },
    /// A result of fio is of other I/O.
    OtherIo {
        /// In what it differs.
        differs: Vec<LoadDifference>,
    },
    /// The figure is of another direction.
    OtherDirection {
        /// The directions: `read`.
        directions: Vec<String>,
    },
    /// The figure is of another kind of I/O.
    OtherPattern {
        /// The kinds: `random read`.
        patterns: Vec<String>,
    },
    /// The figures are different latencies.
    OtherLatency {
        /// Their names: `response`.
        latencies: Vec<String>,
    },
    /// The block sizes differ, and the figure depends on them.
    OtherBlocks {
        /// The sizes: `4 KiB`.
        blocks: Vec<String>,
    },
    /// A rate or pauses hold the I/Os of some subjects back, and latency grows with the number in flight.
    HeldBack {
        /// Letters of these subjects.
        subjects: Vec<String>,
        /// Letters of those whose I/Os are not held back.
        free: Vec<String>,
    },
    /// The jobs ask for different rates and reached them, so the figure is what was asked for.
    AskedRates {
        /// The rate of each subject; null where its job asks for none or did not reach it.
        rates: Vec<Option<Rate>>,
    },
    /// The jobs keep other numbers of I/Os in flight, and latency grows with them.
    OtherDepths {
        /// The numbers, as far as they are known.
        in_flight: Vec<u64>,
    },
    /// The rate fell during the runs, so that the figure is of the time before the fall and of that after it.
    RateFell {
        /// Letters of the subjects whose rate fell.
        subjects: Vec<String>,
    },
    /// Some subjects did not measure it, or from too few I/Os.
    NotMeasured {
        /// Letters of these subjects.
        subjects: Vec<String>,
    },
    /// Some subjects do not have it.
    Absent {
        /// Letters of these subjects.
        subjects: Vec<String>,
    },
}

/// In what the I/O of two jobs differs: the value of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoadDifference {
    /// The directions: `read`, `read with write`.
    Direction([String; 2]),
    /// The order and the direction: `random read`.
    Pattern([String; 2]),
    /// The block sizes: `4 KiB`.
    Block([String; 2]),
    /// I/Os in flight.
    InFlight([u64; 2]),
}

/// Why a subject is not whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Gap {
    /// The procedure did not come to its end.
    NotFinished {
        /// Rounds that ended.
        rounds: u64,
        /// Rounds that it has as a whole, as far as that is known.
        of: u64,
    },
    /// A round failed.
    RoundFailed {
        /// Its directory.
        round: String,
        /// Why.
        why: RoundFailure,
    },
    /// A job failed.
    JobFailed {
        /// The job.
        job: String,
        /// The error.
        message: String,
    },
    /// The end of a job was not saved.
    JobIncomplete {
        /// The job.
        job: String,
        /// Why, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<Incomplete>,
    },
    /// Cells of a suite of which every round failed.
    CellsFailed {
        /// Each with the failure of its first round.
        cells: Vec<(String, RoundFailure)>,
    },
    /// Cells of a suite that were not measured.
    CellsNotMeasured {
        /// Their names.
        cells: Vec<String>,
    },
    /// Cells of a suite without all of their rounds.
    CellsShort {
        /// Each with the rounds that it has, and those that it should have.
        cells: Vec<(String, u64, u64)>,
    },
}
