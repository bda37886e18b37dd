//! What should be known about a file that was read: what was left out, and how its values were understood.

use super::ImportTerms;
use fathom_figures::fio::{
    FioLog, ImportedResult, LatencyUnit, LineFault, LinesAre, LogName, LogTrack, run_in_file,
};
use fathom_figures::programs::ImportedProgram;
use fathom_text::words::{counted, first_of};
use fathom_words::fio::oddity;
use fathom_words::programs::finding;
use std::path::Path;

/// Files that are passed over of which so many are named.
const PASSED_OVER_NAMED: usize = 10;

/// So many lines of zeros at the end are told: one may be the end of a job in the middle of a window.
const ZEROS_TOLD_FROM: u64 = 2;

/// That a file has several runs.
pub(super) fn of_runs(path: &Path, program: &str, runs: usize) -> Option<String> {
    let message = format!("complete runs of {program}, one behind the other: each is a result");
    (runs > 1).then(|| format!("{}: it has {runs} {message}", path.display()))
}

/// What should be known about a result.
pub(super) fn of_result(of: &ImportedResult) -> Vec<String> {
    let (mut notes, result, place) = (Vec::new(), &of.result, of.place());
    if result.earlier_states > 0 {
        let states = counted(result.earlier_states as u64, "earlier state");
        let are = if result.earlier_states == 1 { "is" } else { "are" };
        notes.push(format!("{place}: {states} of the run (--status-interval) {are} left out"));
    }
    let assumed = result.jobs.iter().filter(|job| job.depth_is_assumed).count() as u64;
    if assumed > 0 {
        let jobs = counted(assumed, "job");
        notes.push(format!("{place}: no iodepth is given for {jobs}; it is taken as 1, fio's default"));
    }
    notes.extend(result.oddities.iter().map(|it| format!("{place}: {}", oddity(it))));
    notes
}

/// What should be known about a result of another program.
pub(super) fn of_program(of: &ImportedProgram) -> Vec<String> {
    let place = run_in_file(&of.file, of.run);
    of.result.findings.iter().map(|it| format!("{place}: {}", finding(it))).collect()
}

/// Files of other programs, which were not named themselves.
pub(super) fn of_passed_over(files: &[&Path]) -> Option<String> {
    let named: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let named = first_of(&named, PASSED_OVER_NAMED);
    let they_are = if files.len() == 1 {
        "it is no log or result that is read"
    } else {
        "they are no logs or results that are read"
    };
    (!files.is_empty()).then(|| format!("passed over, because {they_are}: {named}"))
}

/// What should be known about a log.
pub(super) fn of_log(path: &Path, name: &LogName, log: &FioLog, terms: &ImportTerms) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add = |words: String| notes.push(format!("{}: {words}", path.display()));
    if let Some((line, fault)) = log.left_out.first {
        let (left, all) = (log.left_out.lines, log.lines);
        let which = if left == 1 { "it is" } else { "the first is" };
        match fault {
            LineFault::Cut if left == 1 => {
                add(format!("the last line (line {line}) has no end and is left out"))
            }
            _ => add(format!("{left} of {all} lines are left out; {which} line {line}: {fault}")),
        }
    }
    let back: u64 = log.tracks().map(LogTrack::lines_back).sum();
    let has_windows = log.tracks().any(|track| matches!(track.lines_are(), LinesAre::Windows { .. }));
    if back > 0 {
        let which = if back == 1 { "it is" } else { "they are" };
        let left = if has_windows { format!(", so {which} left out") } else { String::new() };
        add(format!("in {}, time goes back{left}", counted(back, "line")));
    }
    if log.repeated > 0 {
        let (have, are) = if log.repeated == 1 {
            ("has", "it covers no time and counts")
        } else {
            ("have", "they cover no time and count")
        };
        let (repeated, all) = (log.repeated, log.lines);
        add(format!("{repeated} of {all} lines {have} the time of the line before it; {are} in no figure"));
    }
    for zeros in log.tracks().map(LogTrack::trailing_zeros).filter(|zeros| zeros.lines >= ZEROS_TOLD_FROM) {
        let from = zeros.from_ms as f64 / 1e3;
        let lines = zeros.lines;
        add(format!(
            "the last {lines} lines are 0, from {from} s on; if the job had ended: --to {from}s leaves them out"
        ));
    }
    if log.is_epoch {
        add("its times are those of the epoch; they are counted from the beginning of the earliest log"
            .to_owned());
    }
    if log.tracks().any(|track| track.bins().is_merged()) {
        let step = log.tracks().map(|track| track.bins().step_ms()).fold(0.0, f64::max) / 1e3;
        add(format!(
            "points of the time line were merged: each is {step} s long; the figures are those of all lines"
        ));
    }
    let is_of_histograms = log.tracks().any(|track| track.lines_are().are_histograms());
    if name.kind.is_latency()
        && !is_of_histograms
        && !log.is_newer_than_fio_2()
        && terms.latency_unit == LatencyUnit::Nanoseconds
    {
        add("latencies are read as ns, as fio 3 writes them; if fio 2 wrote this log: --latency-unit us"
            .to_owned());
    }
    notes
}
