//! The state of a verification: what a job with `verify=` wrote, so that a later run can check it.
//!
//! A state names the job ([`JobBlocks`]: its files, and how its blocks are made), the key that its seeds come from, and
//! every write of which something was left, with what became of it. With the key the seeds are known, so a block of an
//! earlier run is told from one of this run; `verify_only` alone knows no seeds. The file is fathom's own: [`file`].

mod file;

pub use file::{StateError, VERIFY_STATE_VERSION};

use fathom_job::direction::Direction;
use fathom_job::plan::{PlannedJob, VerifyPlan};
use fathom_verify::{Method, Pattern};
use serde::{Deserialize, Serialize};

/// What a job wrote, up to a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyState {
    /// The job, and where it was.
    pub head: StateHead,
    /// Every write of which something was left, in the order in which they were issued.
    pub writes: Vec<StateWrite>,
}

/// What a state is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateHead {
    /// Version of fathom that saved it.
    pub fathom: String,
    /// Wall clock when it was saved, nanoseconds since 1970 UTC.
    pub saved_unix_ns: u64,
    /// The job had ended. Otherwise it went on, and may have written more.
    pub is_final: bool,
    /// The job trims, so what it wrote may have been trimmed since.
    pub trims: bool,
    /// The key of the run, from which the seeds of its writes come ([`fathom_verify::Lineage`]).
    pub key: u64,
    /// The clone that wrote: its plan id.
    pub writer: u16,
    /// Writes that it had issued.
    pub issued: u64,
    /// Its files and its blocks.
    pub blocks: JobBlocks,
    /// The keys of earlier passes of the same verification. They are in no file: who loads the state knows them.
    #[serde(skip)]
    pub earlier_keys: Vec<u64>,
}

/// What a job that checks must have in common with the job that wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobBlocks {
    /// Name of the job.
    pub job: String,
    /// Which of its clones, from 0.
    pub subjob: u32,
    /// Its files, in the order of the plan.
    pub files: Vec<StateFile>,
    /// The method of its checksums.
    pub method: Method,
    /// Bytes from one header to the next; `None` is one header for each I/O.
    pub interval: Option<u32>,
    /// Bytes from the start of a block to its header.
    pub header_offset: u32,
    /// What follows the header in place of random bytes.
    pub pattern: Option<Pattern>,
    /// The pattern begins again at each interval.
    pub pattern_per_interval: bool,
    /// Percent of each block that is zeros.
    pub zero_percent: u32,
    /// The sizes of its writes as bytes: the smallest and the largest.
    pub block_bytes: (u64, u64),
}

/// A region of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFile {
    /// Path of the file or device.
    pub path: String,
    /// First byte of the region.
    pub offset_bytes: u64,
    /// Its length.
    pub size_bytes: u64,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WriteFate {
    /// It completed, and all of it is still there.
    Whole = 0,
    /// It failed or was short.
    Failed = 1,
    /// Another write of the same place was in flight at the same time.
    Overlapped = 2,
    /// It was not complete.
    InFlight = 3,
    /// A later write or a trim covers a part of it.
    Cut = 4,
}

/// A write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateWrite {
    /// Which of the job's files.
    pub file: u32,
    /// Length, bytes.
    pub bytes: u32,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Its number in the job, from 0.
    pub number: u64,
    /// What became of it.
    pub fate: WriteFate,
}

/// An option in which two jobs differ, with both values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDifference {
    /// The option.
    pub option: &'static str,
    /// Its value in the job that wrote.
    pub wrote: String,
    /// Its value in the job that checks.
    pub checks: String,
}

/// Name of a job's state file, as fio has it: `local-JOB-N-verify.state`, where N is the number of the clone in the plan.
pub fn verify_state_name(job: &str, id: u32) -> String {
    format!("local-{}-{id}-verify.state", job.replace('/', "_"))
}

impl JobBlocks {
    /// Those of a planned job, if it verifies.
    pub fn of(plan: &PlannedJob) -> Option<JobBlocks> {
        let VerifyPlan {
            method,
            interval,
            header_offset,
            pattern,
            pattern_per_interval,
            zero_percent,
            only,
            ..
        } = plan.verify.as_ref()?;
        let reads = !plan.writes() && !only;
        let sizes = &plan.block[if reads { Direction::Read } else { Direction::Write }];
        let files = plan.files.iter().map(|file| StateFile {
            path: file.path.clone(),
            offset_bytes: file.offset.0,
            size_bytes: file.size.0,
        });
        Some(JobBlocks {
            job: plan.name.clone(),
            subjob: plan.subjob,
            files: files.collect(),
            method: *method,
            interval: *interval,
            header_offset: *header_offset,
            pattern: pattern.clone(),
            pattern_per_interval: *pattern_per_interval,
            zero_percent: *zero_percent,
            block_bytes: (sizes.min().0, sizes.max().0),
        })
    }

    /// The first option in which the job that `checks` differs from this one, which wrote; `None` if it can check what
    /// this one wrote. Whether a path is the same is not compared where the caller knows that the target is.
    pub fn difference(&self, checks: &JobBlocks, compares_paths: bool) -> Option<JobDifference> {
        let (wrote, checks) = (self.values(compares_paths), checks.values(compares_paths));
        let mut pairs = wrote.into_iter().zip(checks);
        pairs.find(|(wrote, checks)| wrote != checks).map(|((option, wrote), (_, checks))| JobDifference {
            option,
            wrote,
            checks,
        })
    }

    /// Each option with its value for a person.
    fn values(&self, with_paths: bool) -> [(&'static str, String); 11] {
        let JobBlocks { job, subjob, files, method, interval, header_offset, .. } = self;
        let of_files = |of: fn(&StateFile) -> String| files.iter().map(of).collect::<Vec<_>>().join(":");
        let paths = if with_paths { of_files(|file| file.path.clone()) } else { files.len().to_string() };
        let pattern =
            self.pattern.as_ref().map_or("none".to_owned(), |pattern| format!("{:?}", pattern.parts));
        let (least, most) = self.block_bytes;
        [
            ("the name of the job", job.clone()),
            ("the number of the clone", subjob.to_string()),
            (if with_paths { "filename" } else { "the number of files" }, paths),
            ("offset", of_files(|file| file.offset_bytes.to_string())),
            ("size", of_files(|file| file.size_bytes.to_string())),
            ("verify", method.name().to_owned()),
            ("bs", if least == most { least.to_string() } else { format!("{least}-{most}") }),
            ("verify_interval", interval.map_or("none".to_owned(), |bytes| bytes.to_string())),
            ("verify_offset", header_offset.to_string()),
            (
                "verify_pattern",
                format!(
                    "{pattern}{}",
                    if self.pattern_per_interval { ", again at each interval" } else { "" }
                ),
            ),
            ("buffer_compress_percentage", self.zero_percent.to_string()),
        ]
    }
}
