//! How many jobs there were, how long each was measured, and in which order.

use crate::Incomplete;
use crate::answer::RoundsPart;
use serde::{Deserialize, Serialize};

saved! {
    /// The jobs of a run or of the rounds of a procedure.
    #[derive(Eq)]
    #[serde(tag = "jobs_of")]
    pub enum MeasuredJobs {
        /// All ended by their own rule.
        Run {
            /// Jobs that did I/O.
            jobs: u64,
            /// Of so many.
            of: u64,
            /// How long each was measured.
            time: TimeSpan,
            /// The longest ramp, ns; 0 without one.
            ramp_ns_max: u64,
            /// The jobs have different ramps.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            ramps_differ: bool,
            /// In which order they ran.
            order: JobOrder,
        },
        /// The run was cut short.
        Cut {
            /// What ended it; absent where a job failed.
            why: Option<Incomplete>,
            /// Jobs that are complete.
            complete: u64,
            /// Of so many.
            of: u64,
            /// How long each complete job was measured.
            time: Option<TimeSpan>,
            /// The jobs that were cut.
            cut: Vec<CutJob>,
        },
        /// The same jobs in each round.
        Rounds {
            /// The jobs of a round.
            each: Box<MeasuredJobs>,
            /// What they do, in the words of job files.
            workload: String,
            /// Bytes that all rounds wrote.
            written_bytes: u64,
            /// Of these, bytes that were written to lay out files.
            laid_out_bytes: u64,
        },
        /// Some values of a sweep.
        Values {
            /// Values that were measured.
            measured: u64,
            /// Of so many.
            of: u64,
            /// The option that has these values.
            option: String,
            /// The jobs of the first of them.
            #[serialize_always]
            first: Option<Box<MeasuredJobs>>,
        },
        /// The rounds of a suite.
        Suite(SuiteRounds),
        /// The cells of a suite, each of which has jobs of its own.
        SuiteCells {
            /// The name of the suite.
            suite: String,
            /// How many its tables have.
            cells: u64,
        },
        /// The rounds of a standard's tests.
        Standard(StandardRounds),
    }

    /// The shortest and the longest time, ns.
    #[derive(Copy, Eq)]
    pub struct TimeSpan {
        /// The shortest.
        pub shortest_ns: u64,
        /// The longest.
        pub longest_ns: u64,
    }

    /// The order of the jobs of a run.
    #[derive(Eq)]
    #[serde(tag = "order")]
    pub enum JobOrder {
        /// There is one job.
        Single,
        /// All at the same time.
        SameTime {
            /// They did not all measure for the whole time of the shortest.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            is_partly: bool,
        },
        /// One after the other.
        InTurn,
        /// Some of them together.
        Stages {
            /// How many stages there were.
            stages: u64,
            /// The jobs of each stage; empty where there are many.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            jobs: Vec<StageJobs>,
        },
    }

    /// The jobs that ran at the same time.
    #[derive(Eq)]
    pub struct StageJobs {
        /// Their names.
        pub names: Vec<String>,
        /// They did not all measure for the whole time of the shortest.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_partly: bool,
    }

    /// A job that did not end by its own rule.
    #[derive(Eq)]
    pub struct CutJob {
        /// The job.
        pub job: String,
        /// It failed.
        pub has_failed: bool,
        /// How long it was measured, ns.
        pub after_ns: u64,
    }

    /// The rounds of a suite.
    #[derive(Eq)]
    pub struct SuiteRounds {
        /// Its name.
        pub suite: String,
        /// Its title.
        pub title: String,
        /// What it is made after.
        pub source: String,
        /// Where it comes from.
        pub kind: SuiteOrigin,
        /// Rounds that ended.
        pub rounds: u64,
        /// Steps that ended, and of how many; absent where all did.
        pub steps: Option<RoundsPart>,
    }

    /// Where a suite comes from.
    #[derive(Copy, Eq)]
    pub enum SuiteOrigin {
        /// The user wrote it.
        Own,
        /// It follows a guide.
        Guide,
        /// It has the shape of an application's I/O.
        Shape,
    }

    /// The rounds of a standard's tests.
    #[derive(Eq)]
    pub struct StandardRounds {
        /// The standard and its version.
        pub standard: String,
        /// The tests, by their short names.
        pub tests: Vec<String>,
        /// What loads the device; absent where no test has a demand.
        pub demand: Option<StandardDemand>,
        /// The part of the device that is tested, percent.
        pub active_percent: u64,
        /// Was the device emptied?
        pub purged: StandardPurge,
        /// Rounds that filled.
        pub fill_rounds: u64,
        /// Rounds that tested.
        pub test_rounds: u64,
    }

    /// Workers and I/Os in flight of each.
    #[derive(Eq)]
    pub struct StandardDemand {
        /// Workers.
        pub workers: u64,
        /// I/Os in flight of each.
        pub depth: u64,
        /// The tests that have it; empty where all have.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub tests: Vec<String>,
    }

    /// Was the device emptied before a standard's test?
    #[derive(Copy, Eq)]
    pub enum StandardPurge {
        /// Before each test.
        BeforeEach,
        /// No, though the standard asks for it.
        Not,
        /// The tests neither empty nor fill it.
        NotAsked,
    }
}
