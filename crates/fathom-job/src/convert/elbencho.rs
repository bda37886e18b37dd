//! elbencho: a command line for each job, in a shell script.

use super::workload::{Workload, stages};
use super::{ConvertSource, Converted, ForeignForm, HEADING, changed, lost};
use crate::diagnostic::{Diagnostic, Severity};
use crate::options;
use crate::plan::BlockSizes;
use crate::value::Size;
use fathom_text::shell::quoted_carried;

/// The form.
pub const FORM: ForeignForm = ForeignForm {
    name: "elbencho",
    what: "a shell script with command lines of elbencho",
    to: Some(to),
    from: None,
};

const PROGRAM: &str = "elbencho";

/// Options of a job that elbencho has words for, besides those of every workload.
const COVERS: &[&str] = &["cpus_allowed", "size", "refill_buffers", "scramble_buffers"];

fn to(source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let jobs = source.jobs()?.jobs;
    let (mut lost_here, mut errors, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for stage in stages(&jobs) {
        let is_beside = stage.len() > 1;
        for job in &stage {
            match Workload::of(job, &mut lost_here) {
                Ok(workload) => {
                    lines.extend(workload.description().map(|text| format!("# {text}")));
                    lines.push(line(&workload, source, &mut lost_here) + if is_beside { " &" } else { "" });
                }
                Err(error) => errors.push(error),
            }
        }
        lines.extend(is_beside.then(|| "wait".to_owned()));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let names: Vec<&str> = source.texts.iter().map(|text| text.name.as_str()).collect();
    let mut text = format!("#!/bin/sh\n{HEADING} --to elbencho from {}.\n", names.join(", "));
    let warned = lost_here.iter().filter(|finding| finding.severity == Severity::Warning);
    text += &super::comments(&warned.map(|finding| finding.message.clone()).collect::<Vec<_>>());
    text += &lines.join("\n");
    text.push('\n');
    Ok(Converted { text, lost: lost_here })
}

/// The command line of a job.
fn line(workload: &Workload, source: &ConvertSource<'_>, lost_here: &mut Vec<Diagnostic>) -> String {
    let job = workload.job;
    let mut words = vec![PROGRAM.to_owned()];
    match workload.reads {
        100 => words.push("--read".to_owned()),
        0 => words.push("--write".to_owned()),
        reads => words.push(format!("--write --rwmixpct {reads}")),
    }
    words.push(format!("--block {}", block(workload, lost_here)));
    words.push(format!("--threads {} --iodepth {}", workload.workers, workload.depth));
    words.extend(job.get(&options::DIRECT).then(|| "--direct".to_owned()));
    words.extend((workload.random > 0).then(|| "--rand".to_owned()));
    if (1..100).contains(&workload.random) {
        lost_here
            .push(lost(format!("job {}: {PROGRAM} has no share of random I/Os; all are", job.name), None));
    }
    if workload.random == 0 && workload.workers > 1 {
        let message =
            format!("job {}: {PROGRAM} gives each thread its own part of a sequential range", job.name);
        lost_here.push(changed(message, Some(&job.span)));
    }
    if let Some(seconds) = workload.seconds {
        words.push(format!("--infloop --timelimit {seconds}"));
    }
    if workload.ramp_seconds > 0 {
        let message = format!("job {}: {PROGRAM} has no warm-up, so ramp_time is left out", job.name);
        lost_here.push(lost(message, job.named("ramp_time").map(|setting| &setting.span)));
    }
    words.extend(size(workload, lost_here));
    if let Some(cpus) = job.get(&options::CPUS_ALLOWED) {
        let cpus: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        words.push(format!("--cores {}", cpus.join(",")));
    }
    if workload.reads < 100 {
        // fio writes the same buffers again, with a few bytes changed, unless they are to be refilled.
        words.push(format!("--blockvarpct {}", if job.get(&options::REFILL_BUFFERS) { 100 } else { 0 }));
    }
    workload.told_rest(PROGRAM, COVERS, lost_here);
    words.push("--lat".to_owned());
    words.extend(targets(workload, source, lost_here).iter().map(|name| quoted_carried(name)));
    words.join(" ")
}

fn block(workload: &Workload, lost_here: &mut Vec<Diagnostic>) -> u64 {
    let BlockSizes::Fixed(size) = &workload.blocks else {
        let message =
            format!("job {}: {PROGRAM} has one block size, so the largest is used", workload.job.name);
        lost_here.push(lost(message, Some(&workload.job.span)));
        return workload.blocks.max().0;
    };
    size.0
}

/// `--size`, where the job says a number of bytes.
fn size(workload: &Workload, lost_here: &mut Vec<Diagnostic>) -> Option<String> {
    match workload.job.get(&options::SIZE)? {
        Size::Bytes(bytes) => Some(format!("--size {}", bytes.0)),
        Size::Percent(100) => None,
        _ => {
            let message = format!("job {}: {PROGRAM} takes a size in bytes only", workload.job.name);
            lost_here.push(lost(message, workload.job.named("size").map(|setting| &setting.span)));
            None
        }
    }
}

/// The paths, or a placeholder for a job that names none.
fn targets(workload: &Workload, source: &ConvertSource<'_>, lost_here: &mut Vec<Diagnostic>) -> Vec<String> {
    if let Some(target) = &source.target {
        return vec![target.clone()];
    }
    if workload.targets.is_empty() {
        let message = format!("job {} names no file: /path/to/file takes its place", workload.job.name);
        lost_here.push(changed(message, Some(&workload.job.span)).hint("give its name with --target"));
        return vec!["/path/to/file".to_owned()];
    }
    workload.targets.clone()
}
