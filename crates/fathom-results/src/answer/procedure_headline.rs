//! The figures that matter of a procedure: rounds, a search, a preconditioning, a verification.

use super::RoundsPart;
use crate::Unrated;
use crate::procedure::FallFigures;
use crate::verification::{FaultAt, Unchecked};
use fathom_job::plan::Rate;
use serde::{Deserialize, Serialize};

saved! {
    /// Why a medium needs no preconditioning: it is as fast new as in use.
    #[derive(Copy, Eq)]
    pub enum FastAsNew {
        /// An Optane drive.
        Optane,
        /// A hard disk.
        HardDisk,
    }
}

impl FastAsNew {
    /// As it is saved in the parameters of a procedure.
    pub const fn word(self) -> &'static str {
        match self {
            FastAsNew::Optane => "optane",
            FastAsNew::HardDisk => "hard_disk",
        }
    }
}

saved! {
    /// The same jobs in several rounds.
    pub struct RoundsHeadline {
        /// Rounds.
        pub rounds: u64,
        /// They are those of `quick`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_quick: bool,
        /// The jobs.
        pub jobs: Vec<JobOfRounds>,
    }

    /// The figures of a job in all rounds.
    pub struct JobOfRounds {
        /// The job.
        pub job: String,
        /// Block size and depth, in the words of job files.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub does: String,
        /// Rounds that were too short or had too few I/Os for a rate.
        pub unrated: Option<UnratedRounds>,
        /// The rate that it asks for.
        pub asked: Option<AskedOfRounds>,
        /// The rate that lasted, I/Os per second; absent where a round has none.
        pub iops: Option<MeanOfRounds>,
        /// The same, bytes per second.
        pub bytes_per_second: Option<MeanOfRounds>,
        /// Rounds in which the rate fell.
        pub falls: Option<FallsOfRounds>,
        /// Mean latency, ns; absent where a round has none.
        pub mean_ns: Option<MeanOfRounds>,
        /// p99, ns.
        pub p99_ns: Option<MedianOfRounds>,
        /// The latencies contain the wait since the planned start.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_response: bool,
    }

    /// Rounds without a rate.
    #[derive(Copy)]
    pub struct UnratedRounds {
        /// How many.
        pub rounds: u64,
        /// Why the shortest has none.
        pub why: Unrated,
        /// Its I/Os.
        pub ios: u64,
        /// Its time, s.
        pub seconds: f64,
    }

    /// A rate that was asked for.
    #[derive(Copy)]
    pub struct AskedOfRounds {
        /// The rate.
        pub rate: Rate,
        /// Rounds that kept it.
        pub kept: u64,
        /// The lowest rate that a round reached, I/Os per second.
        pub iops_lowest: f64,
        /// The highest.
        pub iops_highest: f64,
    }

    /// A figure of several rounds.
    #[derive(Copy)]
    pub struct MeanOfRounds {
        /// Its mean.
        pub mean: f64,
        /// Half of the 95 % interval as a share of the mean; absent of too few rounds.
        pub half_share: Option<f64>,
        /// The lowest round.
        pub lowest: f64,
        /// The highest.
        pub highest: f64,
    }

    /// A percentile of several rounds. Percentiles have long tails, so there is a median and no mean.
    #[derive(Copy)]
    pub struct MedianOfRounds {
        /// The median of the rounds that have it.
        pub median: f64,
        /// The lowest round.
        pub lowest: f64,
        /// The highest.
        pub highest: f64,
        /// How many rounds have it.
        pub rounds: u64,
    }

    /// Rounds in which a rate fell.
    #[derive(Copy)]
    pub struct FallsOfRounds {
        /// How many.
        pub rounds: u64,
        /// Of so many.
        pub of: u64,
        /// The fall in the first of them.
        pub first: FallFigures,
    }

    /// Jobs that were measured in turn.
    #[derive(Eq)]
    pub struct InTurnHeadline {
        /// How often each was measured.
        pub rounds: u64,
        /// The settings that were tried besides the jobs as they are given, or the job files.
        #[serde(flatten)]
        pub variants: TurnVariants,
    }

    /// What differed from turn to turn.
    #[derive(Eq)]
    #[serde(tag = "variants_are", content = "variants")]
    pub enum TurnVariants {
        /// Settings of the jobs, each `option=value`.
        Settings(Vec<String>),
        /// Job files, by the names of their cells.
        Files(Vec<String>),
    }

    /// What a tuning changed.
    pub struct TuningHeadline {
        /// What was set.
        pub knob: String,
        /// What is compared.
        pub figure: JudgedFigure,
        /// A rate fell in a round, and the figures are those that lasted.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub has_fallen: bool,
        /// The effect, or why there is none.
        pub effect: TuningEffect,
    }

    /// The figure of rounds by which a procedure judges: a tuning, steady state, two runs of a standard.
    #[derive(Copy, Eq)]
    pub enum JudgedFigure {
        /// I/Os per second, all jobs and directions together.
        Iops,
        /// Bytes per second, the same.
        Bandwidth,
        /// Mean latency of all I/Os.
        Latency,
    }

    /// The effect of a tuning.
    #[derive(Copy)]
    #[serde(tag = "effect")]
    pub enum TuningEffect {
        /// No verdict: the rate fell during a round, so its figure is of two rates.
        RateFell,
        /// No verdict: too few pairs, or a run without I/O.
        TooFew,
        /// The ratio of the figure with the tuning to that without it, a median of pairs with its 95 % interval. No effect was
        /// measured where the interval contains 1.
        Ratio {
            /// The median.
            median: f64,
            /// The lower end of the interval.
            low: f64,
            /// The upper end.
            high: f64,
            /// Pairs of rounds.
            pairs: u64,
        },
    }

    /// What a search over the values of an option came to.
    pub struct SearchHeadline {
        /// The option.
        pub option: String,
        /// What was looked for; absent of the knee.
        pub limit: Option<SearchLimit>,
        /// How often each value was measured.
        pub repeat: u64,
        /// What was found; absent where the search is not finished.
        pub found: Option<SearchResult>,
        /// Each value that was measured, in order of demand.
        pub values: Vec<SearchedValue>,
    }

    /// A limit of a latency.
    #[derive(Eq)]
    pub struct SearchLimit {
        /// Which latency: `p99`.
        pub figure: String,
        /// The limit, ns.
        pub limit_ns: u64,
    }

    /// What a search found.
    #[derive(Eq)]
    #[serde(tag = "found")]
    pub enum SearchResult {
        /// The knee.
        Knee {
            /// Its value.
            value: String,
            /// The first value beyond the most rate at which the rate is clearly lower.
            lower_beyond: Option<LowerBeyond>,
            /// The mean latency at the highest value is clearly longer than that of the knee.
            #[serde(default)]
            adds_latency: bool,
            /// Between which values noise may have moved it; absent where the spread of a value is not known.
            possible: Option<PossibleKnees>,
        },
        /// The highest value within the limit.
        Within {
            /// The value.
            value: String,
            /// The value above it that was measured.
            next: Option<String>,
        },
        /// Already the lowest value is above the limit.
        NoneIsWithin,
        /// The highest value is within the limit, so a higher one may be, too.
        AllAreWithin,
        /// There is no knee: the rate still rises at the highest value.
        StillRises,
        /// The values of `iodepth` measured the same: a job cannot have so many I/Os in flight.
        DepthNotReached {
            /// The first value that could not be reached.
            value: String,
            /// Most I/Os in flight that a clone of that job can have.
            reachable: u64,
        },
    }

    /// A value at which the rate is lower than the most.
    #[derive(Eq)]
    pub struct LowerBeyond {
        /// The value.
        pub value: String,
        /// The measured value before it, where nothing between the two was measured.
        pub after_gap: Option<String>,
    }

    /// Values that may be the knee.
    #[derive(Eq)]
    pub struct PossibleKnees {
        /// The lowest.
        pub from: String,
        /// The highest; absent where it may be above the highest value.
        pub to: Option<String>,
    }

    /// What was measured with a value.
    pub struct SearchedValue {
        /// The value.
        pub value: String,
        /// I/Os per second of all jobs.
        pub iops: f64,
        /// Bytes per second of all jobs.
        pub bytes_per_second: f64,
        /// Mean latency, ns.
        pub mean_ns: f64,
        /// The latency that is limited, ns; absent of the knee.
        pub limited_ns: Option<f64>,
        /// The latencies contain the wait since the planned start.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_response: bool,
        /// Rounds.
        pub rounds: u64,
        /// Jobs whose rate fell: their rates are means of two.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub fallen: u64,
    }

    /// What preconditioning wrote.
    pub struct PreconditionHeadline {
        /// The target.
        pub target: String,
        /// The range, bytes.
        pub bytes: u64,
        /// Why nothing was to be written; absent where something was.
        pub needless: Option<FastAsNew>,
        /// What was read back is not what was written.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_disproved: bool,
        /// Passes in order of this run.
        pub passes: u64,
        /// Passes in order of earlier runs.
        pub passes_before: u64,
        /// Block size of the passes, bytes.
        pub block_bytes: u64,
        /// The rates of the passes, or of the first and the last of many.
        pub rates: Vec<PassRate>,
        /// The random writes after them.
        pub random: Option<RandomHeadline>,
        /// What was read back; absent where nothing could be.
        pub proof: Option<ProofHeadline>,
    }

    /// The rate of a pass.
    #[derive(Copy)]
    pub struct PassRate {
        /// Its number, from 1.
        pub pass: u64,
        /// Bytes that it wrote.
        pub bytes: f64,
        /// Its time, s.
        pub seconds: f64,
        /// In how many of its rounds the drive was too hot.
        pub too_hot: Option<RoundsPart>,
    }

    /// Random writes of a preconditioning.
    #[derive(Copy)]
    pub struct RandomHeadline {
        /// Their block size, bytes.
        pub block_bytes: u64,
        /// Bytes that they wrote.
        pub bytes: f64,
        /// Their time, s.
        pub seconds: f64,
        /// I/Os per second of the first round.
        pub iops_first: Option<f64>,
        /// The same of the last.
        pub iops_last: Option<f64>,
        /// Where it settled, I/Os per second, with half of its interval as a share.
        pub settled: Option<SettledRate>,
        /// In how many of its rounds the drive was too hot.
        pub too_hot: Option<RoundsPart>,
    }

    /// What was read back after a preconditioning, without a fault.
    #[derive(Copy)]
    pub struct ProofHeadline {
        /// Bytes that were read.
        pub read_bytes: u64,
        /// They are the whole range.
        pub is_whole: bool,
        /// Of a part: at least this share of the range is as it was written, with 95 % confidence.
        pub sure_share: f64,
    }

    /// A rate that settled.
    #[derive(Copy)]
    pub struct SettledRate {
        /// I/Os per second.
        pub iops: f64,
        /// Half of its 95 % interval as a share of it.
        pub half_share: f64,
    }

    /// What the verification of a whole target found.
    pub struct VerifiedHeadline {
        /// The target.
        pub target: String,
        /// The range, bytes.
        pub bytes: u64,
        /// The method of the checksums, by its name in a job file.
        pub method: String,
        /// Nothing was written: what an earlier verification wrote was read.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_read_only: bool,
        /// Its passes, in order.
        pub passes: Vec<VerifiedPass>,
        /// I/Os that failed.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub errors: u64,
        /// Blocks that were not what was written, of all passes.
        pub wrong: u64,
        /// The first of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub faults: Vec<FaultAt>,
    }

    /// One pass: all was written, and then all read back.
    #[derive(Copy)]
    pub struct VerifiedPass {
        /// Its number, from 1.
        pub pass: u64,
        /// Bytes that it wrote; 0 where it only read.
        pub written_bytes: u64,
        /// The time of its writes, s.
        pub write_seconds: f64,
        /// Bytes that were read back and checked.
        pub checked_bytes: u64,
        /// The time of its reads, s.
        pub read_seconds: f64,
        /// Blocks that were not what was written.
        pub wrong: u64,
        /// What could not be checked, by reason.
        pub unchecked: Unchecked,
    }
}

pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}
