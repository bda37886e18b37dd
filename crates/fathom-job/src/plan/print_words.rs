//! Parts of a plan in words.

use super::blocks::covers_once;
use super::{BlockSizes, PlannedJob, WaitedSync};
use crate::direction::Direction;
use crate::options;
use crate::steady::{SteadyFigure, SteadyLimit, SteadyState, SteadyTest};
use crate::units::Bytes;
use crate::value::Mix;
use fathom_text::words::counted;

/// `random read, each block once a pass`.
pub(super) fn pattern(job: &PlannedJob) -> String {
    if let Some(engine) = job.engine_def().filter(|_| job.is_of_names()) {
        return engine.help.to_owned();
    }
    let mut text = format!("{} {}", job.order(), directions(job));
    if job.replays.is_some() {
        return text;
    }
    match job.rw.postfix {
        Some(n) if job.rw.random => text += &format!(", a new random offset every {n} I/Os"),
        Some(n) => text += &format!(", {n} bytes skipped after each I/O"),
        None => {}
    }
    if let Some(shares) = random_shares(job) {
        text += &format!(", {shares}");
    }
    if job.rw.random {
        let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
        let skew = job.job.get(&options::RANDOM_DISTRIBUTION).words(&used);
        text += &skew.map(|words| format!(", {words}")).unwrap_or_default();
        text += if covers_once(job) { ", each block once a pass" } else { ", blocks may repeat" };
    }
    text
}

/// `80 % of the I/Os at random, each other one where the last one ended` (`percentage_random`).
fn random_shares(job: &PlannedJob) -> Option<String> {
    let percent = job.job.get(&options::PERCENTAGE_RANDOM);
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
    if !job.rw.random || used.iter().all(|d| percent[*d] == 100) {
        return None;
    }
    let alike = used.windows(2).all(|pair| percent[pair[0]] == percent[pair[1]]);
    let shares: Vec<String> = match used.first() {
        Some(first) if alike => vec![format!("{} % of the I/Os", percent[*first])],
        _ => used.iter().map(|d| format!("{} % of the {}s", percent[*d], d.name())).collect(),
    };
    Some(format!("{} at random, each other one where the last one ended", shares.join(" and ")))
}

fn directions(job: &PlannedJob) -> String {
    match (job.rw.mix, job.read_percent) {
        (Mix::Read, _) => "read".to_owned(),
        (Mix::Write, _) => "write".to_owned(),
        (Mix::Trim, _) => "trim".to_owned(),
        (Mix::TrimWrite, _) => "trim, then write, of each block".to_owned(),
        (Mix::ReadWrite, 0) => "write (a mix with 0 % reads)".to_owned(),
        (Mix::ReadWrite, 100) => "read (a mix with 100 % reads)".to_owned(),
        (Mix::ReadWrite, reads) => match reads_by_rates(job) {
            Some(reads) => {
                format!("mix, about {reads:.0} % reads, {:.0} % writes by their rates", 100.0 - reads)
            }
            None => format!("mix, {reads} % reads, {} % writes{}", 100 - reads, of_the_bytes(job, reads)),
        },
    }
}

/// The share of the bytes, where the blocks of reads and of writes differ on average.
fn of_the_bytes(job: &PlannedJob, reads: u8) -> String {
    let bytes = |d: Direction, percent: u8| job.block[d].mean() * f64::from(percent);
    let (read, written) = (bytes(Direction::Read, reads), bytes(Direction::Write, 100 - reads));
    if job.block[Direction::Read].mean() == job.block[Direction::Write].mean() {
        return String::new();
    }
    format!(" ({:.0} % of the bytes are reads)", 100.0 * read / (read + written))
}

/// Percent of the I/Os that are reads, where both directions have a rate.
fn reads_by_rates(job: &PlannedJob) -> Option<f64> {
    let (read, write) = (job.ios_asked(Direction::Read)?, job.ios_asked(Direction::Write)?);
    Some(100.0 * read / (read + write))
}

/// One size, or each direction's where they differ; alignment where it is not
/// the smallest block.
pub(super) fn blocks(job: &PlannedJob) -> String {
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
    let alike = used.windows(2).all(|pair| job.block[pair[0]] == job.block[pair[1]]);
    let mut text = if alike {
        used.first().map(|d| sizes(job, *d)).unwrap_or_default()
    } else {
        used.iter().map(|d| format!("{} {}", d.name(), sizes(job, *d))).collect::<Vec<_>>().join(", ")
    };
    if job.replays.is_some() {
        return text;
    }
    for direction in used.into_iter().filter(|d| job.rw.random && job.align[*d] != job.block[*d].min()) {
        text += &format!("; {} offsets in multiples of {}", direction.name(), job.align[direction]);
    }
    text
}

fn sizes(job: &PlannedJob, direction: Direction) -> String {
    match &job.block[direction] {
        BlockSizes::Fixed(size) => size.to_string(),
        BlockSizes::Range { low, high } if job.replays.is_some() => {
            format!("{low} to {high}, as in the trace")
        }
        BlockSizes::Range { low, high } => format!("{low} to {high}, evenly"),
        BlockSizes::Split(parts) => parts
            .iter()
            .rev()
            .map(|(size, percent)| format!("{percent} % {size}"))
            .collect::<Vec<_>>()
            .join(" + "),
    }
}

/// `32 asked, 1 reachable; …`.
pub(super) fn depth(job: &PlannedJob) -> String {
    let depth = &job.depth;
    let mut text = match depth.asked == depth.reachable {
        true => depth.asked.to_string(),
        false => format!("{} asked, {} reachable", depth.asked, depth.reachable),
    };
    let sync = job.engine_def().and_then(|engine| WaitedSync::of(&job.job, engine));
    if let Some(sync) = sync.filter(|sync| job.uses(Direction::Write) && sync.writes < depth.reachable) {
        let name = sync.option.def.name;
        text += &match job.uses(Direction::Read) || job.uses(Direction::Trim) {
            true => format!("; the worker waits for each {name}"),
            false => format!(
                "; at most {} in flight, because the worker waits for each {name}",
                sync.depth_of_writes(depth.reachable)
            ),
        };
    }
    let parts = [
        (depth.submit_batch, "submits", "at a time"),
        (depth.complete_min, "waits for", "completions"),
        (depth.complete_max, "takes at most", "at a time"),
        (depth.low, "refills at", "in flight"),
    ];
    for (limit, before, after) in parts {
        if let Some(n) = limit {
            let after = if n == 1 { after.trim_end_matches('s') } else { after };
            text += &format!("; {before} {n} {after}");
        }
    }
    if job.compat_fio {
        text += "; the same calls as fio (compat=fio)";
    }
    text
}

/// What ends it, whichever comes first.
pub(super) fn end(job: &PlannedJob) -> String {
    let end = &job.end;
    if let (true, Some(time)) = (end.time_based, end.time) {
        let earlier = if end.when_full { ", or until no space is left (fill_device)" } else { "" };
        let what = match (job.is_of_names(), &job.replays) {
            (true, _) => "the names are used again",
            (_, Some(_)) => "the trace is repeated",
            _ => "the region is repeated",
        };
        return format!("after {time}; {what} until then (time_based){earlier}");
    }
    let operations = end.bytes.map(|bytes| bytes.0 / job.block_min().0.max(1));
    if let Some(operations) = operations.filter(|_| job.is_of_names()) {
        return format!("after {}", counted(operations, "operation"));
    }
    let passes = if end.loops > 1 { format!(", {} passes", end.loops) } else { String::new() };
    let mut limits: Vec<String> = Vec::new();
    limits.extend(end.bytes.map(|bytes| format!("{}{passes}", exact(bytes))));
    limits.extend(end.ios.map(|ios| format!("{ios} I/Os")));
    limits.extend(end.time.map(|time| time.to_string()));
    let first = if limits.len() > 1 { ", whichever comes first" } else { "" };
    match (limits.is_empty(), end.when_full) {
        (true, _) => "when no space is left (fill_device)".to_owned(),
        (false, true) => format!("after {}, or when no space is left (fill_device)", limits.join(" or ")),
        (false, false) => format!("after {}{first}", limits.join(" or ")),
    }
}

/// What ends a load on a CPU, whichever comes first.
pub(super) fn end_of_load(job: &PlannedJob) -> String {
    let with_io = job.job.get(&options::EXIT_ON_IO_DONE);
    let time = job.end.time.map(|time| format!("after {time}"));
    let with_io = with_io.then(|| "when all jobs with I/O have ended".to_owned());
    time.into_iter().chain(with_io).collect::<Vec<_>>().join(", or ")
}

/// `ends when the slope of the IOPS is below 2 % of the mean a value, over 60 values of 1 s`.
pub(super) fn steady(job: &PlannedJob) -> Option<String> {
    let SteadyState { terms, window_s, interval_s, ramp_s } = SteadyState::of(&job.job)?;
    let test = match terms.test {
        SteadyTest::Deviation => "largest deviation",
        SteadyTest::Slope => "slope",
    };
    let (figure, unit) = match terms.figure {
        SteadyFigure::Iops => ("IOPS", "IOPS"),
        SteadyFigure::Bw => ("bandwidth", "bytes/s"),
        SteadyFigure::Lat => ("latency", "ns"),
    };
    let limit = match terms.limit {
        SteadyLimit::Percent(limit) => format!("{limit} % of the mean"),
        SteadyLimit::Absolute(limit) => format!("{limit} {unit}"),
    };
    let a_value = if terms.test == SteadyTest::Slope { " a value" } else { "" };
    let mut text = format!(
        "ends when the {test} of the {figure} is below {limit}{a_value}, over {} values of {interval_s} s",
        window_s / interval_s
    );
    if ramp_s > 0 {
        text += &format!("; the first window begins after {ramp_s} s");
    }
    Some(text)
}

/// `layout 1 GiB → ramp 5 s → measure 30 s`.
pub(super) fn phases(clones: &[PlannedJob]) -> String {
    let first = &clones[0];
    let mut phases = Vec::new();
    let layout = layout_bytes(clones);
    if layout.0 > 0 {
        phases.push(format!("layout: {} to write first", exact(layout)));
    }
    if let Some(longest) = clones.iter().map(|clone| clone.start_delay).max().filter(|delay| delay.0 > 0) {
        phases.push(match first.waits_for_others() {
            true => format!("wait until {longest} after the start of the run"),
            false => format!("wait {longest}"),
        });
    }
    if first.idle_before.0 > 0 {
        phases.push(format!("idle for {}", first.idle_before));
    }
    let together = if first.shares_ramp() { " of the group" } else { "" };
    phases.extend(first.ramp_words().map(|ramp| format!("ramp {ramp}{together}")));
    phases.push(match first.end.time {
        Some(time) if first.end.time_based => format!("measure {time}"),
        Some(time) => format!("measure at most {time}"),
        None => "measure to the end".to_owned(),
    });
    phases.join(" → ")
}

/// Bytes and time of all clones together, as far as they can be known.
pub(super) fn expected(clones: &[PlannedJob]) -> String {
    let sum = |bytes: fn(&PlannedJob) -> Option<Bytes>| {
        let total =
            clones.iter().try_fold(0u64, |sum, clone| bytes(clone).map(|bytes| sum.saturating_add(bytes.0)));
        total.map(|total| exact(Bytes(total)))
    };
    let together = if clones.len() > 1 {
        format!(", {} together", counted(clones.len(), "clone"))
    } else {
        String::new()
    };
    let time = clones.iter().filter_map(|clone| clone.expected.time).max();
    match (time, sum(|clone| clone.expected.bytes), sum(|clone| clone.end.bytes)) {
        (Some(time), Some(bytes), _) => {
            let speed =
                if clones[0].keeps_gaps() { "at the times of the trace" } else { "at the rate asked" };
            format!("{bytes} in {time}{together}, {speed}")
        }
        (Some(time), ..) => format!("{time}{together}; the bytes depend on the target"),
        (None, Some(bytes), _) => format!("{bytes}{together}; the time depends on the target"),
        (None, None, Some(most)) if clones.iter().any(PlannedJob::has_ramp) => {
            format!(
                "at most {most} after the ramp{together}; the bytes of the ramp and the time depend on the target"
            )
        }
        (None, None, Some(most)) => {
            format!("at most {most}{together}; bytes and time depend on the target")
        }
        (None, None, None) => format!("bytes and time depend on the target{together}"),
    }
}

pub(super) fn layout_bytes(jobs: &[PlannedJob]) -> Bytes {
    let files = jobs.iter().flat_map(|job| &job.files);
    Bytes(files.map(|file| file.layout.0).fold(0, u64::saturating_add))
}

/// `1.5 GiB (1610612736 bytes)`.
pub(super) fn exact(bytes: Bytes) -> String {
    if bytes.0 < 1024 { bytes.to_string() } else { format!("{bytes} ({} bytes)", bytes.0) }
}
