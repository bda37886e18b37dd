//! The block of one direction: rates, latencies, percentiles, samples.

use super::percentiles::{self, unit};
use crate::fio_number::{Unit, short};
use fathom_figures::{DirectionFigures, Groups, Row, StatisticsOptions};
use fathom_job::priorities;
use fathom_results::{Latency, PriorityLatency, Unrated};

/// One direction of a row. A run that was not started as `fathom fio` also shows the response of
/// paced jobs, and that a time is too short for a rate; fio has no such lines.
pub(super) fn block(
    groups: &Groups,
    row: &Row<'_>,
    flow: &DirectionFigures<'_>,
    is_own_door: bool,
) -> String {
    let (asked, totals) = (&row.asked, &flow.totals);
    let submission = flow.submission();
    let kinds = [
        ("slat", asked.submission, asked.submission_percentiles, &submission),
        ("clat", asked.completion, asked.completion_percentiles, &totals.completion),
        ("lat", asked.total, asked.total_percentiles, &totals.total),
    ];
    let mut out = rates(row, flow);
    if let Some(unrated) = flow.unrated().filter(|_| is_own_door) {
        let what = match unrated {
            Unrated::TooShort => format!("{}msec are too short", flow.runtime_ms()),
            Unrated::TooFew if flow.totals.ios == 1 => "1 I/O is too little".to_owned(),
            Unrated::TooFew => format!("{} I/Os are too few", flow.totals.ios),
        };
        out.push_str(&format!(
            "    note: {what} for a rate: IOPS and BW are only what was done, divided by the time\n"
        ));
    }
    let response = flow.response().filter(|_| is_own_door);
    out.push_str(&response.map(|latency| moments("response", latency)).unwrap_or_default());
    for (name, shown, _, latency) in kinds {
        if shown {
            out.push_str(&moments(&format!("{name:>4}"), latency));
        }
    }
    let priorities = flow.priorities();
    for one in &priorities {
        out.push_str(&moments(&priority_name(one, asked), &one.latency));
    }
    let table = |latency| percentiles::block("response", latency, &asked.percentiles);
    out.push_str(&response.map(table).unwrap_or_default());
    for (name, shown, with_percentiles, latency) in kinds {
        if shown && with_percentiles {
            out.push_str(&percentiles::block(name, latency, &asked.percentiles));
        }
    }
    if asked.completion_percentiles || asked.total_percentiles {
        let all: u64 = priorities.iter().map(|one| one.latency.moments.count()).sum();
        for one in &priorities {
            let percent = 100.0 * one.latency.moments.count() as f64 / all as f64;
            let name = format!("{} ({percent:.2}% of IOs)", priority_name(one, asked));
            out.push_str(&percentiles::block(&name, &one.latency, &asked.percentiles));
        }
    }
    out + &samples(flow, groups.percent(row, flow))
}

/// `clat prio 2/3`: the latency, the class and the level.
fn priority_name(one: &PriorityLatency, asked: &StatisticsOptions) -> String {
    let (class, _, level) = priorities::parts(one.ioprio);
    format!("{} prio {class}/{level}", if asked.total_by_priority { "lat" } else { "clat" })
}

/// The fsync family.
pub(super) fn sync_block(row: &Row<'_>) -> String {
    let (asked, sync) = (&row.asked, &row.totals.sync);
    let mut out = "  fsync/fdatasync/sync_file_range:\n".to_owned() + &moments("sync", sync);
    if asked.completion_percentiles || asked.total_percentiles {
        out.push_str(&percentiles::block("sync", sync, &asked.percentiles));
    }
    out
}

fn rates(row: &Row<'_>, flow: &DirectionFigures<'_>) -> String {
    let (rate, figures) = (flow.bytes_per_second() as u64, row.asked.figures);
    // 3.33 says so of every write job, zoned or not.
    let resets = (flow.name == "write").then(|| format!("; {} zone resets", row.zone_resets().unwrap_or(0)));
    format!(
        "  {}: IOPS={}, BW={}/s ({}/s)({}/{}msec){}\n",
        flow.name,
        short(flow.iops() as u64, figures, Unit::Count),
        short(rate, figures, Unit::BytesIec),
        short(rate, figures, Unit::BytesSi),
        short(flow.totals.bytes, figures, Unit::BytesIec),
        flow.runtime_ms(),
        resets.unwrap_or_default()
    )
}

/// Minimum, maximum, mean and deviation in the unit that fio would choose.
fn moments(name: &str, latency: &Latency) -> String {
    let moments = &latency.moments;
    let (Some(min), Some(max), Some(mean)) = (moments.min(), moments.max(), moments.mean()) else {
        return String::new();
    };
    let dev = moments.stddev().unwrap_or(0.0);
    // fio also requires a deviation of more than a microsecond.
    let (unit, divisor) = if dev > 1e3 { unit(min, max) } else { ("nsec", 1) };
    format!(
        "    {name} ({unit}): min={}, max={}, avg={:5.2}, stdev={:5.2}\n",
        short(min / divisor, 6, Unit::Count),
        short(max / divisor, 6, Unit::Count),
        mean / divisor as f64,
        dev / divisor as f64
    )
}

fn samples(flow: &DirectionFigures<'_>, percent: f64) -> String {
    let (bw, iops) = (flow.bandwidth_spread_kib(), flow.iops_spread());
    if bw.samples == 0 {
        return String::new();
    }
    let (unit, bw) = if bw.mean > 1024.0 * 1024.0 { ("MiB", bw.scaled(1.0 / 1024.0)) } else { ("KiB", bw) };
    format!(
        "   bw ({unit:>5}/s): min={:5}, max={:5}, per={percent:.2}%, avg={:5.2}, stdev={:5.2}, samples={}\n   iops        : min={:5}, max={:5}, avg={:5.2}, stdev={:5.2}, samples={}\n",
        bw.min.round() as u64,
        bw.max.round() as u64,
        bw.mean,
        bw.stddev,
        bw.samples,
        iops.min.round() as u64,
        iops.max.round() as u64,
        iops.mean,
        iops.stddev,
        iops.samples
    )
}
