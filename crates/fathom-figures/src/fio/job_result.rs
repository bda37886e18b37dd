//! What fio's results say of its jobs, in one unit each, whatever their form is.

use super::cut_rate::CutRate;
use super::details::{FioCpu, FioDisk, FioShares, FioSpread};
use super::oddity::FioOddity;
use crate::DepthTarget;
use fathom_results::{Unrated, has_too_few};
use std::collections::HashMap;
use std::fmt;

/// A file of results, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioResult {
    /// As fio wrote it: `fio-3.33`.
    pub version: String,
    /// Its jobs, in the order of the file.
    pub jobs: Vec<FioJob>,
    /// The disks below its jobs.
    pub disks: Vec<FioDisk>,
    /// What is odd about it.
    pub oddities: Vec<FioOddity>,
    /// Earlier states of the same run in the file (`--status-interval`), which are left out.
    pub earlier_states: usize,
    /// When it was written.
    pub written: FioTime,
}

/// When fio wrote a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FioTime {
    /// ms since 1970; `None` where the file does not tell.
    pub unix_ms: Option<u64>,
    /// Is it exact to the millisecond? Older versions give whole seconds.
    pub is_exact: bool,
}

/// A job, or a group of them with `group_reporting`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioJob {
    /// Its name. Two jobs of one file may have the same; [`FioResult::labels`] tells them apart.
    pub name: String,
    /// fio's number of its group.
    pub group: u64,
    /// errno of its first error; 0 without one.
    pub error: i64,
    /// Failed I/Os, where fio counted them (`continue_on_error`).
    pub errors: Option<u64>,
    /// Bytes of an I/O, where the job has one size: from its options, else bytes ÷ I/Os.
    pub block_bytes: Option<f64>,
    /// The option that gives it several block sizes: `bssplit=4k/50:8k/50`; `None` where it has one for each direction, and
    /// where the file does not tell.
    pub several_blocks: Option<String>,
    /// Per cent of reads in all reads and writes: from its options, else counted.
    pub read_percent: Option<f64>,
    /// Per cent of reads that the options ask for; `None` where they do not tell.
    pub mix_asked: Option<f64>,
    /// I/Os to keep in flight, as the options say; `None` where they do not.
    pub depth: Option<u64>,
    /// Are there options without a depth? fio's default is 1.
    pub depth_is_assumed: bool,
    /// The option `rw`: `randread`; `None` where the file does not tell.
    pub direction: Option<String>,
    /// Clones (`numjobs`); `None` where the file does not tell.
    pub jobs: Option<u64>,
    /// The host that ran it, of a server's results (`--client`).
    pub host: Option<String>,
    /// What all its clones keep in flight.
    pub depth_target: DepthTarget,
    /// When it began, ms since 1970 (`job_start`); `None` where the file does not tell.
    pub started_ms: Option<u64>,
    /// Seconds since the start of fio, when this was written; `None` where the file does not tell.
    pub elapsed_s: Option<u64>,
    /// Its processor time.
    pub cpu: Option<FioCpu>,
    /// The distributions of depths, batches and latencies.
    pub shares: FioShares,
    /// Its directions with I/O.
    pub flows: Vec<FioFlow>,
}

/// One direction of a job. What the file does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioFlow {
    /// `read`, `write`, `trim` or `mixed`.
    pub direction: &'static str,
    /// I/Os; where the file has only a rate that is cut, the fewest that it allows ([`FioFlow::cut`]).
    pub ios: Option<u64>,
    /// Bytes.
    pub bytes: Option<u64>,
    /// Time from its first to its last I/O, ms.
    pub runtime_ms: Option<u64>,
    /// I/Os per second, over its run time.
    pub iops: Option<f64>,
    /// Bytes per second, over its run time.
    pub bytes_per_second: Option<f64>,
    /// What is not known of its I/Os, where the file has only a rate that is cut to a whole number; `None` where they are exact.
    pub cut: Option<CutRate>,
    /// Its latencies, those that fio measured: `lat`, `clat`, `slat`.
    pub latencies: Vec<FioLatency>,
    /// I/Os that moved less than was asked for.
    pub short: Option<u64>,
    /// I/Os that were not done, because their time had passed.
    pub dropped: Option<u64>,
    /// Its bandwidth as fio sampled it, bytes per second.
    pub bandwidth_spread: Option<FioSpread>,
    /// Its IOPS as fio sampled them.
    pub iops_spread: Option<FioSpread>,
}

/// A latency, ns. What the file does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioLatency {
    /// `lat`, `clat` or `slat`.
    pub kind: &'static str,
    /// How many I/Os; `None` where the file does not tell.
    pub n: Option<u64>,
    /// Smallest.
    pub min_ns: Option<f64>,
    /// Largest.
    pub max_ns: Option<f64>,
    /// Mean.
    pub mean_ns: Option<f64>,
    /// Standard deviation.
    pub stddev_ns: Option<f64>,
    /// Per cent, and latency in ns.
    pub percentiles: Vec<(f64, f64)>,
}

impl FioLatency {
    /// The percentile, if fio was asked for it.
    pub fn percentile_ns(&self, percent: f64) -> Option<f64> {
        self.percentiles.iter().find(|(p, _)| (p - percent).abs() < 1e-9).map(|(_, ns)| *ns)
    }

    /// The maximum as a multiple of the mean (T-26).
    pub fn max_over_mean(&self) -> Option<f64> {
        let mean_ns = self.mean_ns.filter(|mean_ns| *mean_ns > 0.0)?;
        Some(self.max_ns? / mean_ns)
    }
}

impl FioFlow {
    /// Why its I/Os are told by their number and not as a rate (contract T-50); `None` where they are one, or where the file does
    /// not tell.
    pub fn unrated(&self) -> Option<Unrated> {
        let ms = self.runtime_ms.filter(|ms| *ms > 0);
        let ns = ms.map_or(u64::MAX, |ms| ms.saturating_mul(1_000_000));
        match self.ios.or(self.ios_of_rate()) {
            Some(ios) => Unrated::of(ios, ns),
            // Their number is not known, so only the time can be too short.
            None => Unrated::of(u64::MAX, ns),
        }
    }

    /// The number of I/Os that the rate makes in its time, where their number is not in the file.
    fn ios_of_rate(&self) -> Option<u64> {
        Some((self.iops? * self.runtime_ms? as f64 / 1e3).round() as u64)
    }

    /// Is there any I/O, as far as the file tells?
    pub(super) fn has_io(&self) -> bool {
        let is_some = |count: Option<u64>| count.is_some_and(|count| count > 0);
        is_some(self.ios)
            || is_some(self.bytes)
            || self.ios.is_none() && self.iops.is_some_and(|iops| iops > 0.0)
    }

    /// Are there too few I/Os for a mean or a percentile?
    pub fn has_too_few(&self) -> bool {
        self.ios.or(self.ios_of_rate()).is_some_and(has_too_few)
    }

    /// The latency for a report with room for one: that with percentiles, else the first.
    pub fn main_latency(&self) -> Option<&FioLatency> {
        self.latencies.iter().find(|latency| !latency.percentiles.is_empty()).or(self.latencies.first())
    }
}

impl FioResult {
    /// The name of each job, with its host where there are several, and with its number where others have the same name.
    pub fn labels(&self) -> Vec<String> {
        let name = |job: &FioJob| match &job.host {
            Some(host) => format!("{host}: {}", job.name),
            None => job.name.clone(),
        };
        let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
        self.jobs.iter().for_each(|job| counts.entry(name(job)).or_default().0 += 1);
        let mut labels = Vec::with_capacity(self.jobs.len());
        for job in &self.jobs {
            let name = name(job);
            let (all, before) = counts.entry(name.clone()).or_default();
            *before += 1;
            labels.push(if *all > 1 { format!("{name} #{before}") } else { name });
        }
        labels
    }
}

/// The mean size of all I/Os, bytes; `None` without I/O, and where their number is not known.
pub(super) fn mean_block_bytes(flows: &[FioFlow]) -> Option<f64> {
    if flows.iter().any(|flow| flow.cut.is_some()) {
        return None;
    }
    let sum = |of: fn(&FioFlow) -> Option<u64>| flows.iter().map(of).sum::<Option<u64>>();
    let (bytes, ios) = (sum(|flow| flow.bytes)? as f64, sum(|flow| flow.ios)? as f64);
    (ios > 0.0).then(|| bytes / ios)
}

/// Per cent of reads in all reads and writes, counted; `None` without either, and where a mix has numbers that are not known.
pub(super) fn counted_read_percent(flows: &[FioFlow]) -> Option<f64> {
    if flows.len() > 1 && flows.iter().any(|flow| flow.cut.is_some()) {
        return None;
    }
    let ios = |name: &str| {
        flows.iter().filter(|flow| flow.direction == name).map(|flow| flow.ios).sum::<Option<u64>>()
    };
    let (read, write) = (ios("read")? as f64, ios("write")? as f64);
    (read + write > 0.0).then(|| 100.0 * read / (read + write))
}

/// Why a file of results cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FioResultError {
    /// Not JSON, or cut: line and column from 1, and what is wrong.
    NotJson {
        /// Line of the file.
        line: usize,
        /// Column in the line.
        column: usize,
        /// In the words of the JSON parser.
        why: String,
    },
    /// JSON, but not of fio.
    NotFio,
    /// Without a job.
    NoJobs,
    /// A terse line with a version or a number of fields that fio does not write.
    NotTerse {
        /// Line of the file.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

impl fmt::Display for FioResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FioResultError::NotJson { line, column, why } => {
                write!(f, "line {line}, column {column}: not whole JSON: {why}")
            }
            FioResultError::NotFio => f.write_str("JSON, but not that of fio: it has no \"fio version\""),
            FioResultError::NoJobs => f.write_str("a result of fio, but without a job"),
            FioResultError::NotTerse { line, why } => write!(f, "line {line}: {why}"),
        }
    }
}

impl std::error::Error for FioResultError {}
