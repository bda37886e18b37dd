//! What is odd about imported results of fio, and where logs contradict them.

use fathom_figures::fio::{FioOddity, LinesPlace, LogAgainstResult, LogCause};
use fathom_text::number::{grouped, significant, trimmed, whole};
use fathom_text::words::counted;

/// The errors that targets return most often, by errno of Linux, and the one of `verify`.
const ERRNO_NAMES: [(i64, &str); 7] = [
    (5, "EIO: input/output error"),
    (16, "EBUSY: busy"),
    (19, "ENODEV: no such device"),
    (22, "EINVAL: invalid argument"),
    (28, "ENOSPC: no space left"),
    (84, "EILSEQ: verify found other data"),
    (121, "EREMOTEIO: remote I/O error"),
];

/// Something odd about a result, as a sentence.
pub fn oddity(of: &FioOddity) -> String {
    match of {
        FioOddity::OtherLines { place, lines, first } => other_lines(*place, *lines, first),
        FioOddity::EndMissing => {
            "the text ends before the lines of its groups: the end is missing, and what stood there, too"
                .to_owned()
        }
        FioOddity::Twice { key } => {
            format!("{key:?} stands twice with different values; the last one is read")
        }
        FioOddity::Failed { job, errno } => {
            let name = ERRNO_NAMES.iter().find(|(number, _)| number == errno);
            let name = name.map(|(_, name)| format!(" ({name})")).unwrap_or_default();
            format!("job {job} ended with error {errno}{name}")
        }
        FioOddity::FailedIos { job, count } => format!("job {job}: {} failed", counted(*count, "I/O")),
        FioOddity::NoIo { job } => format!("job {job} has no I/O"),
        FioOddity::Cut { job, direction, ios: (fewest, most), has_size } => {
            let size = if *has_size { "" } else { ", and their size is not known" };
            let cut = format!("job {job}: {direction} iops is cut to a whole number");
            format!("{cut}, so there were {fewest} to {most} I/Os{size}")
        }
        FioOddity::Negative { job, figure, value } => {
            format!("job {job}: {figure} is {value}, and it cannot be below zero")
        }
        FioOddity::NoNumber { job, figure, value } => {
            format!("job {job}: {figure} is {value}, which is not a number, and is left out")
        }
        FioOddity::NoTime { job, direction, iops } => {
            format!("job {job}: {direction} iops is {iops} 1/s, but its run time is 0")
        }
        FioOddity::NoBlock { job, direction, bytes } => {
            format!("job {job}: {direction} bw ÷ iops is {bytes:.1} B, and no device has blocks that small")
        }
        FioOddity::Contradiction { job, one, one_value, other, other_value, unit } => {
            let [one_value, other_value] = [one_value, other_value].map(|value| number(*value));
            format!("job {job}: {one} is {one_value} {unit}, but {other} is {other_value} {unit}")
        }
        FioOddity::OneDirection { job, rw, direction } => {
            format!("job {job}: rw={rw} reads and writes, but there is only {direction} I/O in the result")
        }
        FioOddity::OtherDirection { job, rw, direction } => {
            let but = format!("job {job}: rw={rw} does no {direction} I/O, but the result has it");
            format!(
                "{but}: fio counts what it reads to verify, and of a group it gives the options of the first job"
            )
        }
        FioOddity::DepthsAbove { job, percent } => {
            let sum = format!("job {job}: the shares of all depths are {} %", significant(*percent, 4));
            format!("{sum} together: fio counted the depths of the ramp, and its I/Os only after it")
        }
        FioOddity::Ceiling { job, figure, ns } => {
            let seconds = significant(ns / 1e9, 4);
            format!(
                "job {job}: {figure} is {seconds} s, where fio's histogram ends: it may have been any longer time"
            )
        }
        FioOddity::AtDisk { disk, direction, requests, ios } => at_disk(disk, direction, (*requests, *ios)),
        FioOddity::More { count } => format!("{count} further oddities of this kind"),
    }
}

/// With groups of three digits.
fn number(value: f64) -> String {
    if value.abs() < GROUPED_FROM { trimmed(value, 3) } else { whole(value) }
}

/// From here on a number has no decimals.
const GROUPED_FROM: f64 = 1_000.0;

fn other_lines(place: LinesPlace, lines: usize, first: &str) -> String {
    let (line, stand) = if lines == 1 { ("line", "stands") } else { ("lines", "stand") };
    let place = match place {
        LinesPlace::BeforeJson => "before the JSON",
        LinesPlace::BehindJson => "behind the JSON",
        LinesPlace::BesideTerse => "beside the terse lines",
        LinesPlace::BesideText => "beside fio's text",
    };
    format!("{lines} other {line} {stand} {place}; the first is {first:?}")
}

fn at_disk(disk: &str, direction: &str, (requests, ios): (u64, u64)) -> String {
    let counts = format!(
        "{} {direction} requests reached {disk}, and the jobs did {} {direction} I/Os",
        grouped(requests),
        grouped(ios)
    );
    let why = match () {
        () if requests == 0 => "so a cache answered them",
        () if requests < ios => "so requests were merged, or a cache answered some",
        () => {
            "so I/Os were split, or others used the disk, too, or fio had a ramp, whose I/Os it does not count"
        }
    };
    format!("{counts}: {why}")
}

/// A log that contradicts the result, as a sentence.
pub fn log_against_result(of: &LogAgainstResult) -> String {
    let LogAgainstResult { file, direction, figure, unit, in_log, in_result, cause } = of;
    let both = format!("{in_log:.0}{unit} in the log, {in_result:.0}{unit} in the result");
    let cause = match cause {
        Some(LogCause::LastWindow) => {
            "; fio leaves the last window out of a log of histograms, and the difference is no more than one window"
        }
        None => "",
    };
    format!("{file}: {direction}, {figure}: {both}{cause}")
}

#[cfg(test)]
mod tests;
