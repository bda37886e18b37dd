//! The figures of a round that the history keeps, so that the next step can be decided without
//! reading all rounds again.

use super::KeptPercentiles;
use crate::{Unrated, has_too_few};
use fathom_job::plan::Rate;
use serde::{Deserialize, Serialize};

/// One job of a round, its clones added up.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundFigures {
    /// Name of the job.
    pub job: String,
    /// Number of the first of its clones in the run, from 1; absent for all jobs together, for one direction, and in rounds of
    /// older versions.
    pub job_number: Option<u32>,
    /// What it does: `4k QD32`; empty for all jobs together and for one direction.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub does: String,
    /// Length of its measurement window, s.
    pub seconds: f64,
    /// I/Os completed in it, all directions.
    pub ios: u64,
    /// Whether the window is too short for a rate. Then `iops` and `bytes_per_second` are only quotients, and no report
    /// shows them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_too_short: bool,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
    /// The fall of its rate to a level that lasted until its end; absent where it did not fall.
    pub fall: Option<FallFigures>,
    /// Mean latency of all I/Os, whatever their direction, ns; `None`, as percentiles, of fewer than ten, and where none was kept.
    #[serialize_always]
    pub latency_ns_mean: Option<f64>,
    /// The percentiles of latency that were kept.
    #[serde(flatten)]
    pub latency_percentiles: KeptPercentiles,
    /// The shortest latency, ns.
    pub latency_ns_min: Option<u64>,
    /// The longest latency, ns.
    #[serialize_always]
    pub latency_ns_max: Option<u64>,
    /// CPU time of its workers, per cent of one core; absent in virtual time.
    pub cpu_percent: Option<f64>,
    /// Time in which CPUs worked, for whatever program, per cent of the time of all CPUs; absent in virtual time, and where
    /// nothing was sampled.
    pub all_cpus_percent: Option<f64>,
    /// Whether the latencies are response times, which count from the time at which the job's rate meant each I/O to
    /// start. Otherwise they count from the time at which the worker took it.
    pub is_response: bool,
    /// Its syncs; absent where it made none.
    pub sync: Option<SyncFigures>,
    /// What the kernel counted on the disks of the job meanwhile; absent where other jobs used the same disks, and where no
    /// disk was counted.
    pub device: Option<DeviceCounts>,
    /// The same of its reads, writes and trims, each under the name of its direction, where the job mixes them; without what is
    /// of the job as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directions: Vec<RoundFigures>,
    /// The rate that the job was to keep; absent without one.
    pub asked: Option<AskedRate>,
    /// The queue depth that it could not have; absent where it could have the one that was asked for.
    pub unreached: Option<UnreachedDepth>,
}

/// A queue depth that the engine of a job cannot keep: a synchronous one has a depth of 1, whatever `iodepth` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreachedDepth {
    /// `iodepth=`, I/Os.
    pub asked: u32,
    /// Most I/Os in flight that a clone of the job can have.
    pub reachable: u32,
}

/// The fsync, fdatasync and sync_file_range calls of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncFigures {
    /// How many.
    pub count: u64,
    /// Their mean time, ns; `None`, as the percentile, of fewer than ten.
    pub ns_mean: Option<f64>,
    /// The time that 99 % of them did not exceed, ns.
    pub ns_p99: Option<u64>,
    /// The longest, ns.
    pub ns_max: Option<u64>,
}

impl RoundFigures {
    /// Why its I/Os are told by their number and not as a rate; `None` where they are one.
    pub fn unrated(&self) -> Option<Unrated> {
        match self.is_too_short {
            true => Some(Unrated::TooShort),
            false => has_too_few(self.ios).then_some(Unrated::TooFew),
        }
    }

    /// I/Os per second, where they are a rate.
    pub fn rate(&self) -> Option<f64> {
        self.unrated().is_none().then_some(self.iops)
    }

    /// Bytes per second, where they are a rate.
    pub fn bandwidth(&self) -> Option<f64> {
        self.unrated().is_none().then_some(self.bytes_per_second)
    }

    /// I/Os per second; of a rate that fell, those that lasted.
    pub fn lasting_rate(&self) -> Option<f64> {
        self.rate().map(|rate| self.fall.map_or(rate, |fall| fall.iops_lasting))
    }

    /// Bytes per second in the same way.
    pub fn lasting_bandwidth(&self) -> Option<f64> {
        self.bandwidth().map(|rate| self.fall.map_or(rate, |fall| fall.bytes_per_second_lasting))
    }
}

/// A rate that fell while it was measured, and stayed low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FallFigures {
    /// Seconds of the measurement until it began to fall.
    pub at_s: u64,
    /// Seconds until the rate was reached that lasted.
    pub lasts_from_s: u64,
    /// Bytes that were moved before it began to fall.
    pub bytes_before: f64,
    /// I/Os per second before.
    pub iops_before: f64,
    /// Bytes per second before.
    pub bytes_per_second_before: f64,
    /// I/Os per second after it.
    pub iops_lasting: f64,
    /// Bytes per second after it.
    pub bytes_per_second_lasting: f64,
}

/// What the kernel counted on the disks below a job in its measurement window, other programs' I/O included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceCounts {
    /// Requests that the disks completed, all directions.
    pub requests: u64,
    /// Bytes of these requests.
    pub bytes: u64,
}

/// The rate that a job was to keep, of all its clones and directions together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedRate {
    /// The amount per second.
    pub rate: Rate,
    /// Whether the job kept it.
    pub is_kept: bool,
}
