//! A result as one JSON document, and as a table with a line for each figure: what `--json` and
//! `--output-format csv` print.

use crate::{Answer, DeviceSheet, FaultAt, Finding, Incomplete, JobResult, PlanRecord, Verification};
use serde::{Deserialize, Serialize};

/// Version of the document. Added fields do not change it.
pub const DOCUMENT_FORMAT: u32 = 1;

/// A run with what it means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunDocument {
    /// [`DOCUMENT_FORMAT`] of the writer.
    pub format: u32,
    /// Version of fathom that printed it.
    pub fathom: String,
    /// Id of the run.
    pub id: String,
    /// The name that the user sees.
    pub name: String,
    /// Wall clock at the start, nanoseconds since 1970 UTC.
    pub started_unix_ns: u64,
    /// Directory of the run.
    pub directory: String,
    /// Why it is incomplete; absent if it is complete.
    pub incomplete: Option<Incomplete>,
    /// What it says to a person who has ten seconds.
    pub answer: Option<Answer>,
    /// Reasons for which figures need care.
    pub findings: Vec<Finding>,
    /// The claims of a data sheet, if some were given.
    pub datasheet: Option<DeviceSheet>,
    /// What each job verified; absent where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<VerifiedJob>,
    /// All figures.
    pub figures: Vec<FigureRecord>,
    /// Each second of each job; absent where nobody asked for it (`--series`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Vec<SeriesRecord>>,
}

/// What a job verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifiedJob {
    /// The job.
    pub job: String,
    /// Its number, from 1.
    pub job_number: u32,
    /// Its files; a fault names one by its place in this list.
    pub files: Vec<String>,
    /// What it found.
    #[serde(flatten)]
    pub verification: Verification,
}

impl VerifiedJob {
    /// What a job verified, with at most so many wrong blocks and the files of these alone, which get new places. `None` of a job
    /// that verified nothing.
    pub fn with_first_faults(job: &JobResult, faults_max: usize) -> Option<VerifiedJob> {
        let mut verification = job.verification()?.clone();
        verification.faults.truncate(faults_max);
        let mut files: Vec<String> = Vec::new();
        for fault in &mut verification.faults {
            let path = job.path_of(fault);
            let place = files.iter().position(|file| file == path).unwrap_or_else(|| {
                files.push(path.to_owned());
                files.len() - 1
            });
            fault.file = place as u32;
        }
        let job_number = job.planned.id + 1;
        Some(VerifiedJob { job: job.planned.name.clone(), job_number, files, verification })
    }

    /// The path of the file that a wrong block is in; empty where it is not listed.
    pub fn path_of(&self, fault: &FaultAt) -> &str {
        self.files.get(fault.file as usize).map_or("", String::as_str)
    }
}

/// What one direction of a job did in one second: a line of `--series`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeriesRecord {
    /// Of a procedure, the directory of the round; absent of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// Of a procedure, what the round measured; absent of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// The job.
    pub job: String,
    /// Its number, as in the table of figures of the run or the rounds.
    pub job_number: u32,
    /// `read`, `write` or `trim`.
    pub direction: String,
    /// Its start in seconds of the measured window; seconds of the ramp are negative. In runs of days it covers several seconds.
    pub second: i64,
    /// Its start in seconds of the run.
    pub at_s: f64,
    /// The part of it in which the job worked, s: rates are of that.
    pub covered_s: f64,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
    /// Mean total latency, ns; null without I/O.
    pub latency_ns_mean: Option<f64>,
    /// 99th percentile of latency, ns, where a distribution was kept: completion where that was recorded, else total. Of several clones
    /// the largest.
    pub latency_ns_p99: Option<u64>,
}

/// What would run: what `fathom run --plan --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanDocument {
    /// [`DOCUMENT_FORMAT`] of the writer.
    pub format: u32,
    /// The plan.
    #[serde(flatten)]
    pub plan: PlanRecord,
}

impl From<PlanRecord> for PlanDocument {
    fn from(plan: PlanRecord) -> Self {
        PlanDocument { format: DOCUMENT_FORMAT, plan }
    }
}

/// One figure of one direction of a job: a line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureRecord {
    /// The job.
    pub job: String,
    /// Number of the job in the run, from 1; of clones that are reported together, that of the first one. It
    /// tells clones, and jobs of the same name, apart.
    pub job_number: u32,
    /// `read`, `write`, `trim`; `mixed` where the job asks for that; `all` for figures that the directions share.
    pub direction: String,
    /// What is measured: `iops`, `bandwidth`, `latency_p99`, …; of a rate that fell, `iops_lasting` and `iops_before_fall`.
    pub metric: String,
    /// Its value.
    pub value: f64,
    /// Its unit: `1/s`, `B/s`, `B`, `ns`, `s`, `1`.
    pub unit: String,
    /// How many values it is made from: seconds for rates, I/Os for latencies.
    pub n: u64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
}
