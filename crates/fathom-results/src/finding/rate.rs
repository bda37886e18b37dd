//! How a rate went: falls, spreads, stalls, rates that were missed.

use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};

evidence! {
    /// A rate that fell and stayed low.
    pub struct RateFallEvidence {
        /// The job.
        pub job: String,
        /// Its blocks are so large that its rate is told in bytes.
        pub in_bytes: bool,
        /// Seconds of the measured window until it began to fall.
        pub at_s: u64,
        /// Seconds until the level was reached that lasted.
        pub lasts_from_s: u64,
        /// Bytes that were moved before.
        pub bytes_before: f64,
        /// The rate before.
        pub before: IoRate,
        /// The rate that lasted.
        pub lasting: IoRate,
    }

    /// A rate of I/O.
    #[derive(Copy)]
    pub struct IoRate {
        /// I/Os per second.
        pub iops: f64,
        /// Bytes per second.
        pub bytes_per_second: f64,
    }

    /// How a rate differed from window to window.
    pub struct RateSpreadEvidence {
        /// The job.
        pub job: String,
        /// Its blocks are so large that its rate is told in bytes.
        pub in_bytes: bool,
        /// The slowest window.
        pub min: IoRate,
        /// The fastest window.
        pub max: IoRate,
        /// Length of a window, seconds.
        pub window_s: u64,
        /// Coefficient of variation, a share.
        pub variation: f64,
    }

    /// A rate that was not reached.
    pub struct MissedRate {
        /// The job.
        pub job: String,
        /// The direction.
        pub direction: Direction,
        /// The rate is in bytes per second and not in I/Os.
        pub in_bytes: bool,
        /// What was reached, per second.
        pub reached: f64,
        /// What was asked for, per second.
        pub asked: u64,
    }

    /// The stalls of a worker.
    pub struct StallEvidence {
        /// The worker.
        pub worker: String,
        /// The longest, seconds.
        pub longest_s: f64,
        /// How many there were.
        pub times: u64,
        /// All together, seconds.
        pub seconds: f64,
        /// The measured time, seconds.
        pub of_seconds: f64,
        /// An I/O was in flight in the longest: the target stood still, and not fathom.
        pub is_target: bool,
        /// Other workers of the same target completed I/Os in all of this time, so the target did not stand still.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub others_go_on: bool,
    }

    /// Too few I/Os for a percentile.
    pub struct FewIos {
        /// The job.
        pub job: String,
        /// The direction.
        pub direction: Direction,
        /// Its I/Os.
        pub ios: u64,
    }
}

/// What stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallCause {
    /// The target: no worker completed anything.
    Target,
    /// The target served other workers and not this one.
    UnequalService,
    /// fathom: no I/O was in flight.
    Generator,
}

impl StallEvidence {
    /// What stood still.
    pub fn cause(&self) -> StallCause {
        match (self.is_target, self.others_go_on) {
            (false, _) => StallCause::Generator,
            (true, false) => StallCause::Target,
            (true, true) => StallCause::UnequalService,
        }
    }
}
