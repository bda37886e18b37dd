//! The figures that matter of a run or a procedure, or why there are none.

use super::procedure_headline::{
    InTurnHeadline, PreconditionHeadline, RoundsHeadline, SearchHeadline, TuningHeadline, VerifiedHeadline,
};
use super::standard_headline::{StandardHeadline, SuiteHeadline};
use crate::finding::RateFallEvidence;
use crate::{Incomplete, RoundFailure, Unrated};
use fathom_job::direction::Direction;
use fathom_job::plan::Rate;
use serde::{Deserialize, Serialize};

saved! {
    /// The figures that matter.
    #[serde(tag = "headline")]
    pub enum Headline {
        /// Nothing was measured.
        Nothing {
            /// The first failure, else how the run ended; absent where no job did any I/O.
            because: Option<NoFigures>,
        },
        /// The figures of the first jobs.
        Jobs {
            /// The jobs.
            jobs: Vec<JobHeadline>,
            /// How many more did I/O.
            #[serde(default, skip_serializing_if = "is_zero")]
            more: u64,
        },
        /// The figures of `quick`.
        Quick {
            /// Its jobs that were long enough.
            jobs: Vec<JobHeadline>,
            /// Block size of its random I/O, bytes.
            block_bytes: u64,
            /// I/Os in flight of its random I/O.
            depth: u32,
        },
        /// Jobs that are a load on CPUs and do no I/O.
        CpuLoads {
            /// The first of them.
            jobs: Vec<CpuLoadHeadline>,
            /// How many more there are.
            #[serde(default, skip_serializing_if = "is_zero")]
            more: u64,
        },
        /// A round of a procedure failed.
        RoundFailed {
            /// The directory of the round.
            round: String,
            /// Why.
            why: RoundFailure,
        },
        /// The same jobs in several rounds.
        Rounds(RoundsHeadline),
        /// Jobs in turn.
        InTurn(InTurnHeadline),
        /// Jobs with and without a tuning.
        Tuning(TuningHeadline),
        /// A search over the values of an option.
        Search(SearchHeadline),
        /// A preconditioning.
        Precondition(PreconditionHeadline),
        /// The verification of a whole target.
        Verified(VerifiedHeadline),
        /// The tests of a standard.
        Standard(StandardHeadline),
        /// The groups of a suite.
        Suite(SuiteHeadline),
    }

    /// The figures of a job.
    pub struct JobHeadline {
        /// The job.
        pub job: String,
        /// I/Os.
        pub ios: u64,
        /// How long it was measured, ns.
        pub runtime_ns: u64,
        /// Why it has no rate.
        pub unrated: Option<Unrated>,
        /// Its blocks are so large that bandwidth says more than IOPS.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub in_bytes: bool,
        /// The rate of all directions that lasted, I/Os per second; absent where it has none.
        pub iops: Option<f64>,
        /// The same, bytes per second; absent also where the I/Os move no data.
        pub bytes_per_second: Option<f64>,
        /// Half of the rate's 95 % interval as a share of the rate, where that is large.
        pub half_share: Option<f64>,
        /// The rate that it asks for and did not reach.
        pub asked: Option<Rate>,
        /// Its rate fell.
        pub fall: Option<RateFallEvidence>,
        /// Its workers measured for different times.
        pub uneven: Option<UnevenWorkers>,
        /// The sync after each write.
        pub sync: Option<SyncHeadline>,
        /// Each direction.
        pub directions: Vec<DirectionHeadline>,
    }

    /// A load on CPUs. Shares are of one CPU, from 0 to 1.
    pub struct CpuLoadHeadline {
        /// The job.
        pub job: String,
        /// Its workers.
        pub workers: u64,
        /// The share that each worker was to use.
        pub asked: f64,
        /// The share that its workers used on average; absent where it is not known.
        pub used: Option<f64>,
        /// How long it lasted, ns.
        pub runtime_ns: u64,
    }

    /// The figures of one direction.
    pub struct DirectionHeadline {
        /// Which.
        pub direction: Direction,
        /// I/Os.
        pub ios: u64,
        /// How long it was measured, ns.
        pub runtime_ns: u64,
        /// They are too few for a rate.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub has_too_few: bool,
        /// The rate that lasted, I/Os per second; absent where it has none.
        pub iops: Option<f64>,
        /// Its latency contains the wait since the planned start.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_response: bool,
        /// Mean latency, ns; absent where none was kept.
        pub mean_ns: Option<f64>,
        /// p99 of the latency, ns; absent of too few I/Os for one.
        pub p99_ns: Option<f64>,
        /// The longest latency, ns, where there is no p99.
        pub longest_ns: Option<f64>,
    }

    /// Workers that measured for different times.
    #[derive(Copy)]
    pub struct UnevenWorkers {
        /// Workers that measured.
        pub workers: u64,
        /// Those that measured for less than the longest time.
        pub shorter: u64,
        /// The shortest time, ns.
        pub shortest_ns: u64,
        /// I/Os per second while all of them measured; absent where that was for no whole second.
        pub iops_of_all: Option<f64>,
    }

    /// Why nothing was measured.
    #[derive(Eq)]
    #[serde(tag = "is")]
    pub enum NoFigures {
        /// A job failed.
        Failed {
            /// The first error.
            message: String,
        },
        /// The run is incomplete.
        Incomplete {
            /// Why.
            why: Incomplete,
        },
    }

    /// The sync after each write.
    #[derive(Copy)]
    pub struct SyncHeadline {
        /// Its mean latency, ns.
        pub mean_ns: f64,
        /// Its p99, ns; absent where no distribution was kept.
        pub p99_ns: Option<f64>,
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Default for Headline {
    fn default() -> Self {
        Headline::Nothing { because: None }
    }
}
