//! fio's text for people (`--output-format=normal`), of fio 2.0 to 3.x.
//!
//! Its figures are rounded, so they are what the text says and no more; `job.rs` says which of them can be known exactly.
//! A text that ends before the lines of its groups was cut: what is behind the cut is missing, and nothing takes its place.

mod amount;
mod header;
mod job;
mod lines;

use super::details::{FioDisk, FioDiskSide};
use super::format::ResultFormat;
use super::job_result::{FioResult, FioResultError};
use super::oddities::Oddities;
use super::oddity::LinesPlace;
use amount::{plain, whole};
use header::{Header, header};
use job::{PrintedJob, head};
use lines::{Line, LineKind, kind, lines, unquoted};

/// The row of this form. It is looked for last, because fio writes the lines of jobs also before its other forms.
pub(super) const FORMAT: ResultFormat = ResultFormat {
    name: "text",
    endings: &[],
    is_it: |head| {
        let is_job = |line: &str| matches!(kind(unquoted(line)), Some(LineKind::Header | LineKind::Job));
        head.split(['\n', '\r']).any(is_job)
    },
    parse: fio_text,
};

/// Reads a text: the runs in it, in their order.
///
/// # Errors
/// If it has no job.
pub fn fio_text(text: &str) -> Result<Vec<FioResult>, FioResultError> {
    let (lines, mut others) = lines(text);
    let mut runs: Vec<PrintedRun> = vec![PrintedRun::default()];
    for line in &lines {
        let begins = matches!(line.kind, LineKind::Header | LineKind::Version);
        if begins && runs.last().is_some_and(|run| !run.jobs.is_empty()) {
            runs.push(PrintedRun::default());
        }
        if let Some(run) = runs.last_mut()
            && !run.add(line)
        {
            others.push(&line.text);
        }
    }
    let mut all: Vec<FioResult> =
        runs.into_iter().filter(|run| !run.jobs.is_empty()).map(PrintedRun::complete).collect();
    let Some(first) = all.first_mut() else { return Err(FioResultError::NoJobs) };
    let mut oddities = Oddities::default();
    oddities.other_lines(LinesPlace::BesideText, others.into_iter());
    first.oddities.splice(..0, oddities.all());
    Ok(all)
}

/// A run, line by line.
#[derive(Debug, Default)]
struct PrintedRun {
    version: String,
    headers: Vec<Header>,
    jobs: Vec<PrintedJob>,
    disks: Vec<FioDisk>,
    /// Have the lines of groups begun, which follow those of all jobs?
    has_groups: bool,
    earlier_states: usize,
}

impl PrintedRun {
    /// Reads a line; `false` if there is nothing of fio in it.
    fn add(&mut self, line: &Line<'_>) -> bool {
        match line.kind {
            LineKind::Header => {
                let header = header(&line.text);
                let is_header = header.is_some();
                self.headers.extend(header);
                return is_header;
            }
            LineKind::Version => self.version = line.text.to_string(),
            LineKind::Job => return head(&line.text).map(|job| self.begin(job)).is_some(),
            LineKind::Group => self.has_groups = true,
            LineKind::Disk => self.disks.push(disk(line)),
            LineKind::Other => {}
            _ => return self.jobs.last_mut().is_some_and(|job| job.add(line)),
        }
        true
    }

    /// Jobs behind the lines of groups are a later state of this run (`--status-interval`).
    fn begin(&mut self, job: PrintedJob) {
        if self.has_groups {
            self.earlier_states += 1;
            self.has_groups = false;
            self.jobs.clear();
            self.disks.clear();
        }
        self.jobs.push(job);
    }

    fn complete(self) -> FioResult {
        let mut oddities = Oddities::default();
        if !self.has_groups {
            oddities.cut();
        }
        let mut headers: Vec<Option<Header>> = self.headers.into_iter().map(Some).collect();
        let mut jobs = Vec::with_capacity(self.jobs.len());
        for printed in self.jobs {
            let header = taken(&mut headers, &printed);
            let job = printed.complete(header.as_ref(), &mut oddities);
            oddities.of_job(&job);
            jobs.push(job);
        }
        let version = if self.version.is_empty() { "fio".to_owned() } else { self.version };
        let (disks, earlier_states) = (self.disks, self.earlier_states);
        let mut result = FioResult { version, jobs, disks, earlier_states, ..FioResult::default() };
        oddities.of_result(&result);
        result.oddities = oddities.all();
        result
    }
}

/// The header of a job. fio prints one for all clones of a job, so the last one of a name is kept for further jobs of it.
fn taken(headers: &mut [Option<Header>], job: &PrintedJob) -> Option<Header> {
    let fits = |header: &&mut Option<Header>| {
        header.as_ref().is_some_and(|header| header.name == job.name && header.group == job.group)
    };
    let count = headers.iter_mut().filter(fits).count();
    let first = headers.iter_mut().find(fits)?;
    if count > 1 { first.take() } else { first.clone() }
}

/// `vda: ios=12923/14307, merge=0/62, ticks=1388/1476, in_queue=2919, util=6.28%`.
fn disk(line: &Line<'_>) -> FioDisk {
    let value = |key: &str| {
        let parts = line.rest().split([',', ' ']);
        parts.map(str::trim).find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
    };
    let pair = |key: &str| {
        let (read, write) = value(key).and_then(|text| text.split_once('/')).unzip();
        (read.and_then(whole), write.and_then(whole))
    };
    let (ios, merges, ticks) = (pair("ios"), pair("merge"), pair("ticks"));
    FioDisk {
        name: line.label().to_owned(),
        reads: FioDiskSide { ios: ios.0, merges: merges.0, ticks_ms: ticks.0 },
        writes: FioDiskSide { ios: ios.1, merges: merges.1, ticks_ms: ticks.1 },
        queue_ms: value("in_queue").and_then(whole),
        busy_percent: value("util").and_then(plain),
    }
}

#[cfg(test)]
mod tests;
