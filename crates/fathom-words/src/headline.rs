//! The figures that matter, in one sentence.

use crate::jobs::{counted_ios, in_unit, of_the_asked};
use crate::procedure_headline as of_procedure;
use crate::{incomplete, round_failure};
use fathom_job::direction::Direction;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::Unrated;
use fathom_results::answer::{
    CpuLoadHeadline, DirectionHeadline, Headline, JobHeadline, NoFigures, SyncHeadline, UnevenWorkers,
};
use fathom_results::finding::RateFallEvidence;
use fathom_results::quick::{
    RAND_READ_IOPS, RAND_READ_LATENCY, RAND_WRITE_IOPS, SEQ_READ_BANDWIDTH, SEQ_WRITE_BANDWIDTH,
};
use fathom_text::quantity::{bandwidth, bytes, iops, latency, percent, rate, rounded_time};
use fathom_text::words::counted;

/// Of more jobs than this, only the rate and one latency of each.
const WHOLE_MAX: usize = 2;

/// What is said of a rate whose interval is wider than the rate to either side.
const TOO_DIFFERENT: &str = "too different from window to window for a mean";

/// Why nothing was measured. An error may be a sentence with a full stop.
fn no_figures(because: &NoFigures) -> String {
    match because {
        NoFigures::Failed { message } => message.trim_end_matches('.').to_owned(),
        NoFigures::Incomplete { why } => incomplete(why),
    }
}

/// Behind latencies that contain the wait for a free slot, not only the time of the target.
const FROM_START: &str = " from the planned start";

/// Behind rates that last: the latencies beside them are of the whole run.
const OF_WHOLE: &str = "; latency of the whole run";

/// The sentence, without a full stop.
pub fn headline(headline: &Headline) -> String {
    match headline {
        Headline::Nothing { because } => {
            let because = because.as_ref().map_or_else(|| "no job did any I/O".to_owned(), no_figures);
            format!("nothing was measured: {because}")
        }
        Headline::Jobs { jobs, more } => {
            let is_short = jobs.len() as u64 + more > WHOLE_MAX as u64;
            let is_named = jobs.len() as u64 + more > 1;
            let each: Vec<String> = jobs.iter().map(|it| job(it, is_named, is_short)).collect();
            format!("{}{}", each.join("; "), more_jobs(*more))
        }
        Headline::Quick { jobs, block_bytes, depth } => quick(jobs, Bytes(*block_bytes), *depth),
        Headline::CpuLoads { jobs, more } => {
            let each: Vec<String> = jobs.iter().map(cpu_load).collect();
            format!("no I/O, but a load on CPUs: {}{}", each.join("; "), more_jobs(*more))
        }
        Headline::RoundFailed { round, why } => format!("Round {round} failed: {}.", round_failure(why)),
        Headline::Rounds(rounds) => of_procedure::rounds(rounds),
        Headline::InTurn(turns) => of_procedure::in_turn(turns),
        Headline::Tuning(tuning) => of_procedure::tuning(tuning),
        Headline::Search(search) => of_procedure::search(search),
        Headline::Precondition(precondition) => of_procedure::precondition(precondition),
        Headline::Verified(verified) => crate::verification::whole_target(verified),
        Headline::Standard(standard) => of_procedure::standard(standard),
        Headline::Suite(suite) => crate::suite::headline(suite),
    }
}

/// What follows the jobs that are named, where there are more.
fn more_jobs(more: u64) -> String {
    if more > 0 { format!("; {} in the table", counted(more, "more job")) } else { String::new() }
}

/// `burn used 49 % of a CPU for 10.0 s, of the 50 % that it was to use`.
fn cpu_load(load: &CpuLoadHeadline) -> String {
    let (job, time, asked) = (&load.job, rounded_time(load.runtime_ns), percent(load.asked));
    let each =
        if load.workers > 1 { format!(" for each of its {} workers", load.workers) } else { String::new() };
    match load.used.map(percent) {
        Some(used) => {
            format!("{job} used {used} of a CPU{each} in {time}, of the {asked} that it was to use")
        }
        None => {
            format!("{job} ran for {time} and was to use {asked} of a CPU{each}; what it used is not known")
        }
    }
}

/// Further figures behind the sentence, a line each.
pub fn lines(headline: &Headline) -> Vec<String> {
    match headline {
        Headline::Rounds(rounds) => of_procedure::lines_of_rounds(rounds),
        Headline::Search(search) => of_procedure::lines_of_search(search),
        Headline::Precondition(precondition) => of_procedure::lines_of_precondition(precondition),
        Headline::Verified(verified) => crate::verification::lines_of_whole_target(verified),
        Headline::Standard(standard) => of_procedure::lines_of_standard(standard),
        _ => Vec::new(),
    }
}

/// The six of `quick`: random rates, bandwidth, one read alone.
fn quick(jobs: &[JobHeadline], block: Bytes, depth: u32) -> String {
    let named = |name: &str| jobs.iter().find(|job| job.job == name);
    let rate = |name, what: &str| {
        named(name).map(|job| format!("{}{} {what}/s{}", iops(rated(job.iops)), half(job), fell(job)))
    };
    let random = [rate(RAND_READ_IOPS, "random reads"), rate(RAND_WRITE_IOPS, "random writes")];
    let random = listed(random).map(|rates| format!("{rates} of {block} at QD{depth}"));
    let flow = |name, what: &str| {
        named(name)
            .map(|job| format!("{}{} {what}{}", bandwidth(rated(job.bytes_per_second)), half(job), fell(job)))
    };
    let flows = listed([flow(SEQ_READ_BANDWIDTH, "read"), flow(SEQ_WRITE_BANDWIDTH, "written")]);
    // The latency that the table shows, so that it is the same figure.
    let alone = named(RAND_READ_LATENCY).and_then(|job| {
        let reads = job.directions.iter().find(|it| it.direction == Direction::Read && !it.has_too_few)?;
        Some(format!("one read takes {}{}", latency(reads.mean_ns?), half(job)))
    });
    let parts: Vec<String> = [random, flows, alone].into_iter().flatten().collect();
    parts.join("; ")
}

fn listed<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The uncertainty of a rate, where it is large: `± 86 %`, half of its 95 % interval; of more than the rate itself, that its
/// windows are too different.
fn uncertainty(job: &JobHeadline) -> Option<String> {
    job.half_share
        .map(|half| if half > 1.0 { TOO_DIFFERENT.to_owned() } else { format!("± {}", percent(half)) })
}

/// Directly behind one figure: ` ± 86 %`.
fn half(job: &JobHeadline) -> String {
    match job.half_share {
        Some(half) if half <= 1.0 => format!(" ± {}", percent(half)),
        _ => unsure(job),
    }
}

/// Behind several figures: ` (± 86 %)`.
fn unsure(job: &JobHeadline) -> String {
    uncertainty(job).map(|half| format!(" ({half})")).unwrap_or_default()
}

/// `randread: 74.7k IOPS, 306 MB/s, mean 93.0 µs, p99 571 µs`; in short `randread: 74.7k IOPS, p99 571 µs`.
fn job(job: &JobHeadline, is_named: bool, is_short: bool) -> String {
    let name = if is_named { format!("{}: ", job.job) } else { String::new() };
    match job.unrated {
        Some(Unrated::TooShort) => {
            let ios = counted_ios(job.ios);
            return format!("{name}{ios} in {}, which is too short for a rate", Nanos(job.runtime_ns));
        }
        Some(Unrated::TooFew) => {
            let (ios, time) = (counted(job.ios, "I/O"), rounded_time(job.runtime_ns));
            return format!("{name}{ios} in {time}, too few for a rate");
        }
        None => {}
    }
    let missed = job.asked.map(of_the_asked).unwrap_or_default();
    if job.directions.len() > 1 {
        let asked = if missed.is_empty() { String::new() } else { format!("; this is{missed}") };
        let fall = job.fall.as_ref().map(|fall| {
            format!("; all together {}{}{OF_WHOLE}", in_unit(fall.lasting, fall.in_bytes), fell(job))
        });
        return format!("{name}{}{asked}{}", mix(job, is_short), fall.unwrap_or_default());
    }
    let rate = rate(rated(job.iops));
    let first = match (job.bytes_per_second.map(bandwidth), job.in_bytes, is_short) {
        (None, ..) => format!("{} operations/s{}", iops(rated(job.iops)), unsure(job)),
        (Some(flow), true, true) => format!("{flow}{}", unsure(job)),
        (Some(flow), true, false) => format!("{flow}{} ({rate})", unsure(job)),
        (Some(_), false, true) => format!("{rate}{}", unsure(job)),
        (Some(flow), false, false) => format!("{rate}{}, {flow}", unsure(job)),
    };
    // The latencies are those of all I/Os.
    let whole = if job.fall.is_some() { " of the whole run" } else { "" };
    let tail = tail(job, is_short).map(|tail| tail + whole).unwrap_or_default();
    let uneven = job.uneven.map(uneven).unwrap_or_default();
    format!("{name}{first}{}{missed}{tail}{uneven}", fell(job))
}

/// The rate, or 0 where there is none.
fn rated(rate: Option<f64>) -> f64 {
    rate.unwrap_or_default()
}

/// Of workers that measured for different times, the rate while all of them did: `; 2.40k IOPS while all 4 workers measured, 2 of them for only 10 s`.
fn uneven(uneven: UnevenWorkers) -> String {
    let (n, all, shortest) = (uneven.shorter, uneven.workers, rounded_time(uneven.shortest_ns));
    let time = if n == 1 { format!("only {shortest}") } else { format!("less time, at least {shortest}") };
    match uneven.iops_of_all {
        Some(rate) => {
            format!("; {} IOPS while all {all} workers measured, {n} of them for {time}", iops(rate))
        }
        None => format!("; {n} of {all} workers measured for {time}"),
    }
}

/// The directions of a mix, each with its rate and its latency: `44.4k reads/s, mean 502 µs, p99 731 µs; 19.1k writes/s, …`;
/// in short `44.4k reads/s (p99 731 µs) and 19.1k writes/s (p99 748 µs)`. Where the latencies of all
/// are from the planned start, these words stand once, behind all of them.
fn mix(job: &JobHeadline, is_short: bool) -> String {
    let are_response = job.directions.iter().all(|it| it.is_response);
    let one = |it: &DirectionHeadline| {
        if it.has_too_few {
            let (ios, time) = (counted(it.ios, it.direction.name()), rounded_time(it.runtime_ns));
            return format!("{ios} in {time}, too few for a rate");
        }
        let rate = format!("{} {}/s", iops(rated(it.iops)), plural(it.direction));
        let since = if it.is_response && !are_response { FROM_START } else { "" };
        let mean = it.mean_ns.map(|mean| format!("mean {}", latency(mean)));
        match is_short {
            true => rate + &slowest(it).map(|p99| format!(" ({p99}{since})")).unwrap_or_default(),
            false => {
                [Some(rate), mean, slowest(it)].into_iter().flatten().collect::<Vec<_>>().join(", ") + since
            }
        }
    };
    let each = job.directions.iter().map(one).collect::<Vec<_>>();
    let each = each.join(if is_short { " and " } else { "; " });
    let since = match (are_response, is_short) {
        (false, _) => String::new(),
        (true, true) => FROM_START.to_owned(),
        (true, false) => format!(",{FROM_START}"),
    };
    // The latencies stand between the rates and their uncertainty.
    let unsure = uncertainty(job).map(|half| format!(" (rates {half})")).unwrap_or_default();
    format!("{each}{since}{unsure}")
}

/// What several I/Os of a direction are called.
const fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
        Direction::Trim => "trims",
    }
}

/// Mean and p99 of the latency that the job is judged by, in short p99 alone. For a job with a
/// rate that is the time from the planned start; the time of the target itself is in the details.
fn tail(job: &JobHeadline, is_short: bool) -> Option<String> {
    let it = job.directions.first()?;
    let mean = it.mean_ns?;
    if let Some(sync) = &job.sync {
        return Some(synced(*sync, mean, is_short));
    }
    let since = if it.is_response { FROM_START } else { "" };
    Some(match slowest(it) {
        Some(slowest) if is_short => format!(", {slowest}{since}"),
        Some(slowest) => format!(", mean {}, {slowest}{since}", latency(mean)),
        None => format!(", mean {}{since}", latency(mean)),
    })
}

/// `p99 571 µs`; of too few I/Os for it, the slowest: `max 571 µs`. `None` where no distribution was kept.
fn slowest(it: &DirectionHeadline) -> Option<String> {
    let longest = it.longest_ns.map(|ns| format!("max {}", latency(ns)));
    it.p99_ns.map(|ns| format!("p99 {}", latency(ns))).or(longest)
}

/// A write with the sync that follows it: the time of the write alone says nothing of how long its data was not safe.
fn synced(sync: SyncHeadline, write_ns: f64, is_short: bool) -> String {
    let p99 = sync.p99_ns.map(latency);
    let [both, write, sync] = [write_ns + sync.mean_ns, write_ns, sync.mean_ns].map(latency);
    if is_short {
        let p99 = p99.map(|p99| format!(" (p99 of the sync {p99})")).unwrap_or_default();
        return format!(", {both} with its sync{p99}");
    }
    let p99 = p99.map(|p99| format!(" (p99 {p99})")).unwrap_or_default();
    format!("; each write and its sync take {both}: write mean {write}, sync mean {sync}{p99}")
}

/// Behind a rate that lasts, what was before: ` from second 12 on (3.15 GB/s before, for 37.8 GB)`; empty where it did not fall.
fn fell(job: &JobHeadline) -> String {
    job.fall.as_ref().map(after_fall).unwrap_or_default()
}

fn after_fall(fall: &RateFallEvidence) -> String {
    let before = in_unit(fall.before, fall.in_bytes);
    // It fell from one second to the next, or within the second between.
    let is_step = fall.lasts_from_s.saturating_sub(fall.at_s) <= 1;
    let falling = if is_step { String::new() } else { format!(", and it fell from second {} on", fall.at_s) };
    format!(
        " from second {} on ({before} before, for {}{falling})",
        fall.lasts_from_s,
        bytes(fall.bytes_before)
    )
}
