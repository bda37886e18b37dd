//! Jobs as command lines of ORION, in a shell script that also writes their lists of devices.

use super::workload::{Workload, stages};
use super::{PROGRAM, SMALL_KIB_MAX};
use crate::convert::{self, ConvertSource, Converted, HEADING, changed, lost};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::plan::BlockSizes;
use fathom_text::shell::quoted_carried;

/// Seconds of a data point, if the job has no time.
const SECONDS: u64 = 60;
/// Where a job names no device.
const DEVICE: &str = "/dev/DEVICE";

/// Makes the script.
pub(super) fn to(source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let jobs = source.jobs()?.jobs;
    let mut writer = Writer { source, lists: Vec::new(), lines: Vec::new(), lost: Vec::new() };
    let mut errors = Vec::new();
    for stage in stages(&jobs) {
        let mut commands = Vec::new();
        for job in stage {
            match Workload::of(job, &mut writer.lost) {
                Ok(workload) => commands.extend(writer.commands(&workload)),
                Err(error) => errors.push(error),
            }
        }
        writer.stage(commands);
    }
    match errors.is_empty() {
        true => Ok(writer.finish()),
        false => Err(errors),
    }
}

struct Writer<'a> {
    source: &'a ConvertSource<'a>,
    /// The devices of each test: of `fathom1.lun`, `fathom2.lun`, …
    lists: Vec<Vec<String>>,
    lines: Vec<String>,
    lost: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// The command lines of a job: one for each worker. None where ORION cannot do such I/Os.
    fn commands(&mut self, workload: &Workload) -> Vec<String> {
        let job = workload.job;
        let bytes = workload.blocks.max().0;
        if !matches!(workload.blocks, BlockSizes::Fixed(_)) || !bytes.is_multiple_of(1024) {
            let message =
                format!("job {} is left out: {PROGRAM} does I/Os of one size in whole KiB", job.name);
            self.lost
                .push(lost(message, job.named("bs").or(job.named("bssplit")).map(|setting| &setting.span)));
            return Vec::new();
        }
        let kib = bytes / 1024;
        let is_small = workload.random > 0 && kib <= SMALL_KIB_MAX;
        let load = match (is_small, workload.random) {
            (true, _) => format!("-num_small {} -num_large 0 -size_small {kib} -type rand", workload.depth),
            (false, 0) => format!(
                "-num_small 0 -num_large 1 -num_streamIO {} -size_large {kib} -type seq",
                workload.depth
            ),
            (false, _) => format!("-num_small 0 -num_large {} -size_large {kib} -type rand", workload.depth),
        };
        self.note_losses(workload);
        let simulate = if job.get(&options::FILE_SERVICE_TYPE) == sequential() { "concat" } else { "raid0" };
        let rest = format!(
            "-run advanced -matrix point {load} -write {} -duration {} -simulate {simulate}",
            100 - workload.reads,
            workload.seconds.unwrap_or(SECONDS),
        );
        let devices = self.devices(workload);
        (0..workload.workers).map(|_| format!("orion -testname {} {rest}", self.test(&devices))).collect()
    }

    fn note_losses(&mut self, workload: &Workload) {
        let job = workload.job;
        let mut say = |message: String, option: &str| {
            self.lost.push(lost(message, job.named(option).map(|setting| &setting.span)));
        };
        if (1..100).contains(&workload.random) {
            say(
                format!("job {}: {PROGRAM} has no share of random I/Os; all are", job.name),
                "percentage_random",
            );
        }
        if workload.seconds.is_none() {
            say(format!("job {}: {PROGRAM} ends by time: {SECONDS} s", job.name), "size");
        }
        if workload.ramp_seconds > 0 {
            say(format!("job {}: {PROGRAM} has no warm-up, so ramp_time is left out", job.name), "ramp_time");
        }
        if !job.get(&options::DIRECT) {
            say(format!("job {}: {PROGRAM} always bypasses the page cache", job.name), "direct");
        }
        if !workload.is_async {
            let message =
                format!("job {}: {PROGRAM} issues I/O asynchronously, also at a depth of 1", job.name);
            self.lost.push(changed(message, job.named("ioengine").map(|setting| &setting.span)));
        }
        workload.told_rest(&mut self.lost);
    }

    /// The devices of the job.
    fn devices(&mut self, workload: &Workload) -> Vec<String> {
        match (&self.source.target, workload.targets.as_slice()) {
            (Some(target), _) => vec![target.clone()],
            (None, []) => {
                let message = format!("job {} names no file: {DEVICE} takes its place", workload.job.name);
                self.lost
                    .push(changed(message, Some(&workload.job.span)).hint("give its name with --target"));
                vec![DEVICE.to_owned()]
            }
            (None, targets) => targets.to_vec(),
        }
    }

    /// A test name that no other command has, because ORION names the files of its results after it.
    fn test(&mut self, devices: &[String]) -> String {
        self.lists.push(devices.to_vec());
        format!("fathom{}", self.lists.len())
    }

    fn stage(&mut self, commands: Vec<String>) {
        let is_beside = commands.len() > 1;
        self.lines.extend(commands.into_iter().map(|line| if is_beside { line + " &" } else { line }));
        self.lines.extend(is_beside.then(|| "wait".to_owned()));
    }

    fn finish(self) -> Converted {
        let names: Vec<&str> = self.source.texts.iter().map(|text| text.name.as_str()).collect();
        let mut text = format!("#!/bin/sh\n{HEADING} --to orion from {}.\n", names.join(", "));
        text += &convert::comments(&[], &self.lost);
        for (at, list) in self.lists.iter().enumerate() {
            let devices: Vec<String> = list.iter().map(|name| quoted_carried(name)).collect();
            text += &format!("printf '%s\\n' {} > fathom{}.lun\n", devices.join(" "), at + 1);
        }
        text += &self.lines.join("\n");
        text.push('\n');
        Converted { text, lost: self.lost }
    }
}

/// `file_service_type=sequential`: one device after the other, as `concat` has them.
fn sequential() -> crate::value::FileService {
    crate::value::FileService { order: crate::value::FileOrder::Sequential, every: 1 }
}
