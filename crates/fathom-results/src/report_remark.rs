//! What a part of a report came to, and what to know before its figures are used, as data.
//!
//! Values of metrics are in their base unit, and shares are from 0 to 1. `fathom-words` makes the sentences.

use crate::answer::{GroupHeadline, JudgedRule, StandardTest};
use crate::finding::Finding;
use serde::{Deserialize, Serialize};

/// Rounds whose figures need care for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoubtedRounds {
    /// What the rounds are called: `iops-round`.
    pub rounds_of: String,
    /// The rounds, counted from 1 as the plots count them.
    pub rounds: Vec<usize>,
    /// How long each of them took, seconds.
    pub seconds: Vec<f64>,
    /// The cells of a round that the evidence names, such as `r0-4k`; empty where it is about all of them.
    pub cells: Vec<String>,
    /// The reason, as the first of them has it.
    pub finding: Finding,
}

/// Derives what every part of a remark has.
macro_rules! remark {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $body:tt)*) => {$(
        #[serde_with::skip_serializing_none]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

remark! {
    /// What a test of a standard, or a group of a suite, came to.
    #[derive(Default)]
    #[serde(tag = "came_to", rename_all = "kebab-case")]
    pub enum ReportHeadline {
        /// Nothing was measured.
        #[default]
        Nothing,
        /// The rounds were too short for a rate.
        TooShort,
        /// A test of a standard.
        Test(StandardTest),
        /// Writes in order after random ones.
        Recovery {
            /// Mean rate before the random writes, bytes/s.
            bytes_per_second_mean: f64,
            /// Minutes until they reached that rate again; absent where they did not.
            minutes: Option<f64>,
            /// The least rate afterwards, where that is clearly lower, bytes/s.
            bytes_per_second_least_later: Option<f64>,
        },
        /// A group whose rows are parts of a whole.
        Group(GroupHeadline),
        /// The best row of a group.
        Best {
            /// The metric.
            metric: String,
            /// Its value.
            best: BestFigure,
            /// The row; absent of the only one.
            row: Option<String>,
        },
        /// The best row of a group in several runs.
        OfRuns {
            /// The metric.
            metric: String,
            /// The runs.
            runs: Vec<BestOfRun>,
        },
    }

    /// A figure over rounds.
    pub struct BestFigure {
        /// Its value.
        pub value: f64,
        /// Half of the 95 % interval as a share of it.
        pub half_share: Option<f64>,
        /// How many rounds.
        pub rounds: u64,
    }

    /// The best figure of a run.
    pub struct BestOfRun {
        /// The label of the run.
        pub run: String,
        /// Its best figure; absent where it has none.
        pub best: Option<BestFigure>,
    }

    /// What to know before the figures of a part are used.
    #[serde(tag = "remark", rename_all = "kebab-case")]
    pub enum ReportRemark {
        /// Rounds outside the measurement windows need care.
        Doubted {
            /// The rounds.
            doubted: DoubtedRounds,
            /// How many rounds of this name there are.
            of: u64,
        },
        /// A measurement window is not complete.
        WindowIncomplete {
            /// What the rounds are called.
            cell: String,
            /// How many of its five rounds are there.
            rounds: u64,
        },
        /// Some cells have too few I/Os for a percentile of five nines.
        FewForFiveNines,
        /// No demand had a mean latency below 5 ms.
        NoDemandIsBelow,
        /// Histograms and cells were measured at different times.
        HistogramsApart,
        /// In virtual time no CPU is used.
        NoCpuUse,
        /// The PCIe link of a target holds it back.
        LinkHolds {
            /// The target, counted from 1.
            target: u64,
            /// What it reaches of the rate of the link.
            share: f64,
            /// The rate of the link, bytes/s.
            link_bytes_per_second: f64,
        },
        /// A rule beside what was measured.
        Rule(JudgedRule),
        /// So many published limits are kept.
        LimitsKept {
            /// Those that are kept.
            kept: u64,
            /// All.
            of: u64,
        },
        /// How many times the figure of another row a figure is.
        Times {
            /// The row.
            row: String,
            /// The metric.
            metric: String,
            /// How many times.
            times: f64,
            /// The group that it is compared with; absent where that is the first row.
            group: Option<String>,
        },
        /// An array beside the sum of its members.
        OfMembers {
            /// The values that vary: `rw=randread bs=8k`.
            values: Option<String>,
            /// Its share of the sum.
            share: f64,
            /// How many members.
            members: u64,
        },
        /// Targets together beside the sum of what each reaches alone.
        OfParts {
            /// The values that vary.
            values: Option<String>,
            /// Their share of the sum.
            share: f64,
            /// How many targets.
            targets: u64,
            /// They are the members of an array, striped by the application.
            are_members: bool,
            /// What explains the share.
            because: PartsCause,
        },
        /// From a value on, more demand brings no more rate.
        Knee {
            /// The line of the chart.
            line: String,
            /// The option that varies.
            option: String,
            /// The metric of the rate.
            metric: String,
            /// The value at which 95 % of the most rate is reached; absent where the rate still rises.
            at: Option<u64>,
            /// The most rate.
            most: f64,
            /// The value with the most rate.
            most_at: u64,
            /// More demand lowers the rate.
            falls: bool,
            /// The mean latency of the most demand is clearly longer than that of the knee.
            #[serde(default)]
            adds_latency: bool,
        },
        /// The depths of a line say nothing: a job cannot have so many I/Os in flight.
        DepthNotReached {
            /// The line of the chart.
            line: String,
            /// The first value of `iodepth` that could not be reached.
            asked: u64,
            /// Most I/Os in flight that a clone of the job can have.
            reachable: u64,
        },
        /// The rate fell in rounds of these rows.
        Fell {
            /// The rows.
            rows: Vec<FallenRow>,
        },
        /// The rounds of these rows differ by more than the guide accepts.
        Spread {
            /// The rows.
            rows: Vec<SpreadRow>,
        },
        /// The reference cell was measured again.
        Drift {
            /// The job that differs most; absent of the only one.
            job: Option<String>,
            /// How often it was measured.
            times: u64,
            /// The last value as a share of the first.
            last: f64,
            /// The largest distance from the first, as a share of it.
            most: f64,
        },
        /// Cells with rounds that failed.
        Failed {
            /// The cells.
            cells: Vec<String>,
        },
        /// Figures of several rounds are not all means.
        OverRounds,
        /// The figures are of different numbers of rounds.
        RoundsDiffer {
            /// The fewest.
            least: u64,
            /// The most.
            most: u64,
        },
        /// It is about some of the runs that stand side by side.
        OfRuns {
            /// Their labels.
            runs: Vec<String>,
            /// What is true of them.
            of: Box<ReportRemark>,
        },
    }

    /// What explains that targets together reach a share of the sum of each alone.
    #[serde(tag = "cause", rename_all = "kebab-case")]
    pub enum PartsCause {
        /// The parts add up.
        AddUp,
        /// All wait for the slowest.
        Slowest {
            /// The rate as a share of that of the slowest times the number of targets.
            share: f64,
            /// The slowest target, counted from 1.
            target: u64,
        },
        /// Something that they share is full.
        Shared,
    }

    /// A row whose rate fell.
    pub struct FallenRow {
        /// The row.
        pub row: String,
        /// In how many rounds.
        pub falls: u64,
        /// Of how many.
        pub rounds: u64,
        /// When it first fell, seconds.
        pub at_s: u64,
        /// I/Os per second before that.
        pub iops_before: f64,
        /// Bytes per second before that.
        pub bytes_per_second_before: f64,
        /// Bytes until then.
        pub bytes_before: f64,
    }

    /// A row whose rounds differ.
    pub struct SpreadRow {
        /// The row.
        pub row: String,
        /// Standard deviation as a share of the mean.
        pub deviation_share: f64,
    }
}
