//! What the tests of a standard, and the groups of a suite, came to.

use super::procedure_headline::{JudgedFigure, is_zero};
use super::{CannotRun, RoundsPart};
use crate::RoundFailure;
use serde::{Deserialize, Serialize};

saved! {
    /// What the tests of a standard came to.
    pub struct StandardHeadline {
        /// The tests, in the order in which they ran.
        pub tests: Vec<StandardTest>,
    }

    /// What one test of a standard came to.
    pub struct StandardTest {
        /// Its title.
        pub test: String,
        /// Why it was not run; absent where it was.
        pub not_run: Option<CannotRun>,
        /// Rounds that it measured.
        pub rounds: u64,
        /// What its loops came to; empty where the standard asks for no steady state.
        pub loops: Vec<StandardLoop>,
        /// The round in which it stopped before its end.
        pub stopped: Option<StoppedTest>,
    }

    /// Rounds that are repeated until they are steady.
    pub struct StandardLoop {
        /// What the rounds are called.
        pub cell: String,
        /// Rounds that were measured.
        pub rounds: u64,
        /// How far they came.
        #[serde(flatten)]
        pub state: LoopState,
        /// The means of the tracking variables in the measurement window.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub means: Vec<TrackedMean>,
    }

    /// How far the rounds of a loop came.
    #[derive(Copy)]
    #[serde(tag = "state")]
    pub enum LoopState {
        /// They have not begun.
        NotBegun,
        /// No steady state is asked for.
        Untracked {
            /// Bytes that they wrote.
            written_bytes: f64,
        },
        /// They are steady.
        Steady {
            /// The last round of the window.
            after_round: u64,
        },
        /// They are over, and not steady.
        NotSteady {
            /// Bytes that they wrote, and at how many the test ends; absent where they were the most that the test has.
            written_bytes: Option<(f64, f64)>,
        },
        /// They are not steady yet.
        NotYet,
    }

    /// The mean of a tracking variable.
    pub struct TrackedMean {
        /// The variable: `RND 4 KiB, 0/100`.
        pub variable: String,
        /// What it is.
        pub quantity: JudgedFigure,
        /// Its mean: I/Os per second, bytes per second, ns.
        pub mean: f64,
    }

    /// A test that stopped before its end.
    #[derive(Eq)]
    pub struct StoppedTest {
        /// What its rounds are called.
        pub cell: String,
        /// The round, from 1.
        pub round: u64,
        /// Why.
        pub why: RoundFailure,
    }
}

saved! {
    /// What the groups of a suite came to. A metric has the id that it has in JSON and CSV, and its value is in its base unit: ns,
    /// bytes per second.
    #[derive(Default)]
    pub struct SuiteHeadline {
        /// Rules of published texts that are broken.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub broken: Vec<JudgedRule>,
        /// Rules that are kept, and how many there are.
        pub kept: Option<RoundsPart>,
        /// The figure of each of the first groups.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub groups: Vec<GroupHeadline>,
        /// Groups behind them.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub more: u64,
        /// Rounds that failed.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub rounds_failed: u64,
    }

    /// A rule beside what was measured.
    pub struct JudgedRule {
        /// The cell: `busy etcd`.
        pub cell: String,
        /// The metric.
        pub metric: String,
        /// Its value; absent where the job has none, so it is not judged.
        pub value: Option<f64>,
        /// Does it pass? Absent where it is not judged.
        pub passes: Option<bool>,
        /// It passes up to this value.
        pub at_most: Option<f64>,
        /// It passes from this value on.
        pub at_least: Option<f64>,
        /// Where the limit is published, in the words of the suite.
        pub source: String,
    }

    /// The figure of a group.
    pub struct GroupHeadline {
        /// What it measures, in the words of the suite.
        pub group: String,
        /// The metric.
        pub metric: String,
        /// Its value; of an array, and of several targets, theirs together.
        pub value: f64,
        /// Half of the 95 % interval as a share of the value.
        pub half_share: Option<f64>,
        /// Of which cells it is the figure.
        #[serde(flatten)]
        pub of: GroupFigure,
    }

    /// Of which cells of a group a figure is.
    #[serde(tag = "of")]
    pub enum GroupFigure {
        /// The best cell.
        Best {
            /// The cell; absent of the only one.
            cell: Option<String>,
            /// How many times the figure of another cell it is.
            times: Option<TimesOf>,
        },
        /// An array.
        Array {
            /// Its share of the sum of its members.
            share: f64,
        },
        /// All targets together.
        Together {
            /// How many.
            targets: u64,
            /// Their share of the sum of what each reaches alone.
            share: f64,
        },
        /// The set of targets with the most.
        MostOf {
            /// The set: `2+3`.
            targets: String,
            /// Its share of the sum of what each reaches alone.
            share: f64,
        },
    }

    /// How many times another figure.
    pub struct TimesOf {
        /// So many times.
        pub times: f64,
        /// The figure of this group; absent of the first cell of the same.
        pub group: Option<String>,
    }
}

impl StandardTest {
    /// The standard's verdict; `None` of a test without one, and before it is known.
    pub fn is_steady(&self) -> Option<bool> {
        let of = |one: &StandardLoop| match one.state {
            LoopState::Steady { .. } => Some(true),
            LoopState::NotSteady { .. } => Some(false),
            _ => None,
        };
        let all: Vec<bool> = self.loops.iter().map(of).collect::<Option<_>>()?;
        (!all.is_empty()).then(|| all.iter().all(|is_steady| *is_steady))
    }
}
