//! Vdbench: a parameter file with storage, workload and run definitions.

use super::workload::{Workload, stages};
use super::{ConvertSource, Converted, ForeignForm, changed, heading, lost};
use crate::diagnostic::{Diagnostic, Severity};
use crate::options;
use crate::plan::BlockSizes;
use crate::value::Size;
use std::fmt::Write;

/// The form.
pub const FORM: ForeignForm =
    ForeignForm { name: "vdbench", what: "a parameter file of Vdbench", to: Some(to), from: None };

const PROGRAM: &str = "Vdbench";

/// Options of a job that Vdbench has words for, besides those of every workload.
const COVERS: &[&str] = &[
    "size",
    "rate_iops",
    "rate_process",
    "buffer_compress_percentage",
    "dedupe_percentage",
    "refill_buffers",
];

/// Seconds of a run that ends at the end of its range: longer than any.
const ENDLESS: u64 = 999_999;

fn to(source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let jobs = source.jobs()?.jobs;
    let mut writer = Writer {
        source,
        storages: Vec::new(),
        definitions: String::new(),
        runs: String::new(),
        lost: Vec::new(),
    };
    let mut errors = Vec::new();
    for stage in stages(&jobs) {
        let mut workloads = Vec::new();
        for job in stage {
            match Workload::of(job, &mut writer.lost) {
                Ok(workload) => workloads.push(workload),
                Err(error) => errors.push(error),
            }
        }
        writer.stage(&workloads);
    }
    match errors.is_empty() {
        true => Ok(writer.finish()),
        false => Err(errors),
    }
}

struct Writer<'a> {
    source: &'a ConvertSource<'a>,
    /// `sd1`, `sd2`, … in this order: path, and what is behind it.
    storages: Vec<(String, String)>,
    definitions: String,
    runs: String,
    lost: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// Jobs that run side by side: one run with several workloads.
    fn stage(&mut self, workloads: &[Workload]) {
        let names: Vec<String> = workloads.iter().map(|workload| self.workload(workload)).collect();
        let Some(first) = workloads.first() else { return };
        if workloads.len() > 1 {
            let message = format!(
                "jobs that run side by side share threads and rate in {PROGRAM}: those of {} are used",
                first.job.name
            );
            self.lost.push(lost(message, Some(&first.job.span)));
        }
        let storages = u32::try_from(first.targets.len().max(1)).unwrap_or(1);
        if !first.in_flight().is_multiple_of(storages) {
            let message = format!(
                "job {}: {} I/Os in flight do not divide among {storages} devices",
                first.job.name,
                first.in_flight()
            );
            self.lost.push(lost(message, Some(&first.job.span)));
        }
        let rate = match first.rate_iops() {
            0 => "max".to_owned(),
            rate => rate.to_string(),
        };
        let number = self.runs.lines().filter(|line| line.starts_with("rd=")).count() + 1;
        let warmup =
            if first.ramp_seconds > 0 { format!(",warmup={}", first.ramp_seconds) } else { String::new() };
        self.runs.extend(first.description().map(|text| format!("* {text}\n")));
        let _ = writeln!(
            self.runs,
            "rd=run{number}_{},wd={},iorate={rate},threads={},elapsed={}{warmup},interval=1",
            first.word(),
            if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(",")) },
            first.in_flight().div_ceil(storages),
            first.seconds.unwrap_or(ENDLESS),
        );
    }

    /// The workload definition of a job; its name.
    fn workload(&mut self, workload: &Workload) -> String {
        let storages = self.storages(workload);
        let name = format!("wd{}", self.definitions.lines().count() + 1);
        let seek = match (workload.random, workload.seconds) {
            (0, None) => "eof".to_owned(),
            (random, _) => random.to_string(),
        };
        if workload.seconds.is_none() && workload.random > 0 {
            let message =
                format!("job {}: {PROGRAM} ends random I/O by time only: set elapsed", workload.job.name);
            self.lost.push(lost(message, Some(&workload.job.span)));
        }
        if workload.random == 0 && workload.workers > 1 {
            let message =
                format!("job {}: {PROGRAM} has one sequential position for all threads", workload.job.name);
            self.lost.push(changed(message, Some(&workload.job.span)));
        }
        let line = format!(
            "wd={name},sd={storages},xfersize={},rdpct={},seekpct={seek}",
            blocks(&workload.blocks),
            workload.reads
        );
        let line = line + &self.range(workload);
        let _ = writeln!(self.definitions, "{line}");
        workload.told_rest(PROGRAM, COVERS, &mut self.lost);
        name
    }

    /// `range=(0,50)`, for a share of the device.
    fn range(&mut self, workload: &Workload) -> String {
        match workload.job.get(&options::SIZE) {
            Some(Size::Percent(percent)) if percent < 100 => format!(",range=(0,{percent})"),
            _ => String::new(),
        }
    }

    /// The storage definitions of a job: `sd1` or `(sd1,sd2)`.
    fn storages(&mut self, workload: &Workload) -> String {
        let behind = self.behind(workload);
        let targets = match (&self.source.target, workload.targets.as_slice()) {
            (Some(target), _) => vec![target.clone()],
            (None, []) => {
                let message =
                    format!("job {} names no file: /path/to/file takes its place", workload.job.name);
                self.lost
                    .push(changed(message, Some(&workload.job.span)).hint("give its name with --target"));
                vec!["/path/to/file".to_owned()]
            }
            (None, targets) => targets.to_vec(),
        };
        let names: Vec<String> = targets.into_iter().map(|path| self.storage(&path, &behind)).collect();
        if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(",")) }
    }

    fn storage(&mut self, path: &str, behind: &str) -> String {
        let wanted = (path.to_owned(), behind.to_owned());
        let at = self.storages.iter().position(|storage| *storage == wanted).unwrap_or_else(|| {
            self.storages.push(wanted);
            self.storages.len() - 1
        });
        format!("sd{}", at + 1)
    }

    /// What follows the path of a storage: how it is opened, its size, its data.
    fn behind(&mut self, workload: &Workload) -> String {
        let job = workload.job;
        let mut behind = String::new();
        behind += if job.get(&options::DIRECT) { ",openflags=o_direct" } else { "" };
        if let Some(Size::Bytes(bytes)) = job.get(&options::SIZE) {
            let _ = write!(behind, ",size={}", bytes.0);
        }
        if let Some(percent) = job.get(&options::BUFFER_COMPRESS_PERCENTAGE).filter(|percent| *percent < 100)
        {
            let _ = write!(behind, ",compratio={}", ratio(percent));
        }
        if let Some(percent) = job.get(&options::DEDUPE_PERCENTAGE).filter(|percent| *percent < 100) {
            let _ = write!(behind, ",dedupratio={},dedupunit={}", ratio(percent), workload.blocks.min().0);
        }
        behind
    }

    fn finish(self) -> Converted {
        let mut text = heading("--to vdbench", self.source);
        for finding in self.lost.iter().filter(|finding| finding.severity == Severity::Warning) {
            let _ = writeln!(text, "* {}", finding.message);
        }
        text.push('\n');
        for (at, (path, behind)) in self.storages.iter().enumerate() {
            let _ = writeln!(text, "sd=sd{},lun={path}{behind}", at + 1);
        }
        text += &self.definitions;
        text += &self.runs;
        Converted { text, lost: self.lost }
    }
}

/// `4096`, `(4096,50,8192,50)` in percent, or `(4096,65536,4096)`: from, to, in steps of.
fn blocks(blocks: &BlockSizes) -> String {
    match blocks {
        BlockSizes::Fixed(size) => size.0.to_string(),
        BlockSizes::Range { low, high } => format!("({},{},{})", low.0, high.0, low.0),
        BlockSizes::Split(parts) => {
            let parts: Vec<String> =
                parts.iter().map(|(size, percent)| format!("{},{percent}", size.0)).collect();
            format!("({})", parts.join(","))
        }
    }
}

/// The ratio of what is written to what is left when so many percent of it disappear.
fn ratio(percent: u32) -> String {
    format!("{:.2}", 100.0 / f64::from(100 - percent))
}
