//! The figures that matter, in one sentence.

use super::has_figures;
use super::jobs::rounded;
use crate::case::Case;
use crate::cell::Cell;
use crate::taint::{fell, lasting, rate_shown};
use fathom_figures::P99_IOS_MIN;
use fathom_job::direction::Direction;
use fathom_job::plan::Rate;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::Latency;
use fathom_text::quantity::{bandwidth, grouped, iops, latency, percent};
use fathom_text::words::counted;

/// Jobs whose figures are told one by one; of more than [`WHOLE_MAX`] only the rate and one latency.
const TOLD_MAX: usize = 4;
const WHOLE_MAX: usize = 2;

/// A rate that may be wrong by more than this share has its uncertainty beside it.
const UNSURE_MIN: f64 = 0.1;

/// What is said of a rate whose interval is wider than the rate to either side.
const TOO_DIFFERENT: &str = "too different from window to window for a mean";

/// From this block size on, bandwidth says more than IOPS.
const LARGE: Bytes = Bytes::kib(64);

pub(super) fn result(case: &Case<'_>, is_quick: bool) -> String {
    if !has_figures(case) {
        return format!("nothing was measured: {}", why_nothing(case).trim_end_matches('.'));
    }
    let told = if is_quick { six(case) } else { None };
    told.unwrap_or_else(|| jobs(case))
}

/// The six of `quick`: random rates, bandwidth, one read alone.
fn six(case: &Case<'_>) -> Option<String> {
    let cell = |name: &str| {
        case.cells.iter().find(|cell| cell.name() == name && cell.ios() > 0 && !cell.is_too_short())
    };
    let rate = |name, what: &str| {
        cell(name).map(|cell| format!("{}{} {what}/s{}", iops(lasting(cell).iops), half(cell), fell(cell)))
    };
    let random = [rate("rand-read-iops", "random reads"), rate("rand-write-iops", "random writes")];
    let of = cell("rand-read-iops").or(cell("rand-write-iops"));
    let of = of.map(|cell| format!("of {} at QD{}", cell.planned().block_max(), cell.depth()));
    let random = listed(random).zip(of).map(|(rates, of)| format!("{rates} {of}"));
    let flow = |name, what: &str| {
        cell(name).map(|c| format!("{}{} {what}{}", bandwidth(lasting(c).bytes_per_second), half(c), fell(c)))
    };
    let flows = listed([flow("seq-read-bandwidth", "read"), flow("seq-write-bandwidth", "written")]);
    // The latency that the table shows, so that it is the same figure.
    let alone = cell("rand-read-latency").and_then(|cell| {
        let ns = cell.flow(Direction::Read).main_latency_ns_mean()?;
        Some(format!("one read takes {}{}", latency(ns), half(cell)))
    });
    let parts: Vec<String> = [random, flows, alone].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The uncertainty of a rate, where it is large: `± 86 %`, half of its 95 % interval; of more than the rate itself, that its
/// windows are too different.
fn uncertainty(cell: &Cell<'_>) -> Option<String> {
    let flows = cell.flows_busy();
    let halves = flows.iter().filter_map(|flow| flow.iops_half());
    // Where workers ended early, most of the changes are theirs.
    let is_even = cell.uneven_times().is_none();
    let half = halves.reduce(f64::max).filter(|half| *half > UNSURE_MIN && is_even)?;
    Some(if half > 1.0 { TOO_DIFFERENT.to_owned() } else { format!("± {}", percent(half)) })
}

/// Directly behind one figure: ` ± 86 %`.
fn half(cell: &Cell<'_>) -> String {
    match uncertainty(cell) {
        Some(half) if half != TOO_DIFFERENT => format!(" {half}"),
        _ => unsure(cell),
    }
}

/// Behind several figures: ` (± 86 %)`.
fn unsure(cell: &Cell<'_>) -> String {
    uncertainty(cell).map(|half| format!(" ({half})")).unwrap_or_default()
}

fn listed<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The first jobs, and how many more there are.
fn jobs(case: &Case<'_>) -> String {
    let busy: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.ios() > 0).collect();
    let is_short = busy.len() > WHOLE_MAX;
    let told: Vec<String> =
        busy.iter().take(TOLD_MAX).map(|cell| job(cell, busy.len() > 1, is_short)).collect();
    let more = match busy.len().saturating_sub(TOLD_MAX) {
        0 => String::new(),
        1 => "; 1 more job in the table".to_owned(),
        more => format!("; {more} more jobs in the table"),
    };
    format!("{}{more}", told.join("; "))
}

/// `randread: 74.7k IOPS, 306 MB/s, mean 93.0 µs, p99 571 µs`; in short `randread: 74.7k IOPS, p99 571 µs`.
fn job(cell: &Cell<'_>, is_named: bool, is_short: bool) -> String {
    let name = if is_named { format!("{}: ", cell.name()) } else { String::new() };
    if cell.is_too_short() {
        let took = Nanos(cell.runtime_ns());
        let ios = if cell.ios() == 1 { "1 I/O".to_owned() } else { format!("{} I/Os", grouped(cell.ios())) };
        return format!("{name}{ios} in {took}, which is too short for a rate");
    }
    if cell.has_too_few() {
        return format!(
            "{name}{} in {}, too few for a rate",
            counted(cell.ios(), "I/O"),
            rounded(cell.runtime_ns())
        );
    }
    let missed = missed(cell);
    if cell.flows().count() > 1 {
        let asked = if missed.is_empty() { String::new() } else { format!("; this is{missed}") };
        let fall = cell.rate_fall().map(|fall| {
            format!("; all together {}{}{OF_WHOLE}", rate_shown(cell, &fall.lasting), fell(cell))
        });
        return format!("{name}{}{asked}{}", mix(cell, is_short), fall.unwrap_or_default());
    }
    let rate = format!("{} IOPS", iops(lasting(cell).iops));
    let flow = bandwidth(lasting(cell).bytes_per_second);
    let first = match (cell.planned().block_max() >= LARGE, is_short) {
        (true, true) => format!("{flow}{}", unsure(cell)),
        (true, false) => format!("{flow}{} ({rate})", unsure(cell)),
        (false, true) => format!("{rate}{}", unsure(cell)),
        (false, false) => format!("{rate}{}, {flow}", unsure(cell)),
    };
    // The latencies are those of all I/Os.
    let whole = if cell.rate_fall().is_some() { " of the whole run" } else { "" };
    let tail = tail(cell, is_short).map(|tail| tail + whole).unwrap_or_default();
    let together = together(cell).unwrap_or_default();
    format!("{name}{first}{}{missed}{tail}{together}", fell(cell))
}

/// Of workers that measured for different times, the rate while all of them did: `; 2.40k IOPS while all 4 workers measured, 2 of them only 10 s`.
fn together(cell: &Cell<'_>) -> Option<String> {
    let uneven = cell.uneven_times()?;
    let (n, all, shortest) = (uneven.shorter, uneven.workers, rounded(uneven.shortest_ns));
    let time = if n == 1 { format!("only {shortest}") } else { format!("less time, at least {shortest}") };
    Some(match uneven.iops_of_all {
        Some(rate) => {
            format!("; {} IOPS while all {all} workers measured, {n} of them for {time}", iops(rate))
        }
        None => format!("; {n} of {all} workers measured for {time}"),
    })
}

/// Behind rates that last: the latencies beside them are of the whole run.
const OF_WHOLE: &str = "; latency of the whole run";

/// The directions of a mix, each with its rate and its latency: `44.4k reads/s, mean 502 µs, p99 731 µs; 19.1k writes/s, …`;
/// in short `44.4k reads/s (p99 731 µs) and 19.1k writes/s (p99 748 µs)`. Where all have a rate, it is said once that their
/// latencies are from the planned start.
fn mix(cell: &Cell<'_>, is_short: bool) -> String {
    let flows = cell.flows().map(|(direction, _)| direction).collect::<Vec<_>>();
    let are_response = flows.iter().all(|direction| cell.flow(*direction).is_response());
    let fall = cell.rate_fall();
    let one = |direction: &Direction| {
        let flow = cell.flow(*direction);
        if flow.has_too_few() {
            let time = rounded(flow.runtime_ns());
            return format!("{} in {time}, too few for a rate", counted(flow.totals.ios, direction.name()));
        }
        let lasting = fall.map_or(flow.iops(), |fall| fall.of_direction(*direction).lasting.iops);
        let rate = format!("{} {}/s", iops(lasting), plural(*direction));
        let since = if flow.is_response() && !are_response { FROM_START } else { "" };
        let kept = flow.main_latencies().first().map(|(_, kept)| *kept);
        let p99 = kept.and_then(slowest);
        let mean = kept.and_then(|kept| Some(format!("mean {}", latency(kept.moments.mean()?))));
        match is_short {
            true => rate + &p99.map(|p99| format!(" ({p99}{since})")).unwrap_or_default(),
            false => [Some(rate), mean, p99].into_iter().flatten().collect::<Vec<_>>().join(", ") + since,
        }
    };
    let told = flows.iter().map(one).collect::<Vec<_>>().join(if is_short { " and " } else { "; " });
    let since = match (are_response, is_short) {
        (false, _) => String::new(),
        (true, true) => FROM_START.to_owned(),
        (true, false) => format!(",{FROM_START}"),
    };
    // The latencies stand between the rates and their uncertainty.
    let unsure = uncertainty(cell).map(|half| format!(" (rates {half})")).unwrap_or_default();
    format!("{told}{since}{unsure}")
}

/// What a direction has many of.
const fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
        Direction::Trim => "trims",
    }
}

/// The rate that was asked for and not reached.
fn missed(cell: &Cell<'_>) -> String {
    if cell.keeps_its_rate() {
        return String::new();
    }
    cell.asked_rate().map(of_the_asked).unwrap_or_default()
}

/// Behind a rate that was reached: ` of the 2.00k IOPS that were asked for`.
pub fn of_the_asked(rate: Rate) -> String {
    let asked = match rate {
        Rate::Ios(asked) => format!("{} IOPS", iops(asked as f64)),
        Rate::Bytes(asked) => bandwidth(asked as f64),
    };
    format!(" of the {asked} that were asked for")
}

/// Mean and p99 of the latency that the job is judged by, in short p99 alone. For a job with a
/// rate that is the time from the planned start; the time of the target itself is in the details.
fn tail(cell: &Cell<'_>, is_short: bool) -> Option<String> {
    let flow = Direction::ALL.into_iter().map(|d| cell.flow(d)).find(|flow| flow.totals.ios > 0)?;
    let (_, kept) = flow.main_latency()?;
    let mean = kept.moments.mean()?;
    if !flow.is_response() && cell.sync_ns_of_each_write().is_some() {
        return synced(cell, mean, is_short);
    }
    let since = if flow.is_response() { FROM_START } else { "" };
    Some(match slowest(kept) {
        Some(slowest) if is_short => format!(", {slowest}{since}"),
        Some(slowest) => format!(", mean {}, {slowest}{since}", latency(mean)),
        None => format!(", mean {}{since}", latency(mean)),
    })
}

/// Behind latencies that contain the wait for a free slot, not only the time of the target.
const FROM_START: &str = " from the planned start";

/// `p99 571 µs`; of too few I/Os for it, the slowest: `max 571 µs`. `None` where no distribution was kept.
fn slowest(kept: &Latency) -> Option<String> {
    let histogram = kept.histogram.as_ref()?;
    Some(match histogram.count() < P99_IOS_MIN {
        true => format!("max {}", latency(kept.moments.max()? as f64)),
        false => format!("p99 {}", latency(histogram.quantile(0.99)? as f64)),
    })
}

/// A write with the sync that follows it: the time of the write alone says nothing of how long its data was not safe.
fn synced(cell: &Cell<'_>, write_ns: f64, is_short: bool) -> Option<String> {
    let sync_ns = cell.sync_ns_of_each_write()?;
    let p99 = cell.totals.sync.histogram.as_ref().and_then(|histogram| histogram.quantile(0.99));
    let p99 = p99.map(|ns| latency(ns as f64));
    let [both, write, sync] = [write_ns + sync_ns, write_ns, sync_ns].map(latency);
    if is_short {
        let p99 = p99.map(|p99| format!(" (p99 of the sync {p99})")).unwrap_or_default();
        return Some(format!(", {both} with its sync{p99}"));
    }
    let p99 = p99.map(|p99| format!(" (p99 {p99})")).unwrap_or_default();
    Some(format!("; each write and its sync take {both}: write mean {write}, sync mean {sync}{p99}"))
}

/// The first failure, else how the run ended.
fn why_nothing<'a>(case: &'a Case<'_>) -> &'a str {
    let failures = case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let first = failures.map(|failure| failure.message.as_str()).next();
    first.or(case.run.incomplete.as_deref()).unwrap_or("no job was started")
}
