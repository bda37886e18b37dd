//! fio's normal text, line by line as version 3.33 prints it.
//!
//! Scripts cut figures out of it with grep and awk, so labels, order, spacing and units are fio's.
//! Two things differ: `pid` is 0, because workers are threads and a result does not keep their ids,
//! and the date is the end of the run in UTC. Two things are added, unless the run was started as
//! `fathom fio`: the response of paced jobs, and a note below a rate of too short a time.

mod direction;
mod header;
mod percentiles;

use crate::fio_json::{elapsed_ns, has_run};
use crate::fio_number::errno;
use crate::fio_number::{Unit, short};
use crate::idleness;
use fathom_figures::disk::{busy_percent, shown};
use fathom_figures::latency_classes::{Classes, MILLISECONDS, UNITS, depth_shares};
use fathom_figures::{GroupFlow, Groups, LatencyGoalFigures, Row, SteadyFigures, as_fio, rows_as_fio};
use fathom_job::direction::Direction;
use fathom_job::steady::SteadyFigure;
use fathom_results::{DirectionTotals, DiskDelta, RunResult, has_fios_words};
use fathom_text::calendar::Moment;

/// The whole output, ended by a newline.
pub fn normal(run: &RunResult) -> String {
    header(run) + &results(run)
}

/// What fio prints when it starts: what each job is, the version, the workers.
pub fn header(run: &RunResult) -> String {
    header::header(run)
}

/// What fio prints at the end.
pub fn results(run: &RunResult) -> String {
    let as_fio = as_fio(run);
    let run = as_fio.as_ref().unwrap_or(run);
    let rows = rows_as_fio(run);
    let groups = Groups::of(&rows);
    // Other forms stand before this line.
    let mut out = "\n".to_owned();
    rows.iter().filter(|row| is_listed(row)).for_each(|row| out.push_str(&job(run, &groups, row)));
    for (id, flows) in &groups.groups {
        out.push_str(&format!("\nRun status group {id} (all jobs):\n"));
        flows.iter().for_each(|flow| out.push_str(&group_line(flow, rows[0].asked.figures)));
    }
    out + &disks(shown(run, &rows)) + &idleness::text(run)
}

/// Does fio print lines about this job? It prints none about jobs without an I/O: those of `create_only`, and those that had not begun when a
/// signal came. About a job that failed, lines are printed here.
fn is_listed(row: &Row<'_>) -> bool {
    let is_busy = !row.flows_busy().is_empty() || row.totals.sync.moments.count() > 0;
    is_busy || row.told_error().is_some() || row.outlived_errors() > 0 || row.first().burns_cpu()
}

fn job(run: &RunResult, groups: &Groups, row: &Row<'_>) -> String {
    let mut out = job_head(run, row);
    for flow in row.flows_busy() {
        out.push_str(&direction::block(groups, row, &flow, !has_fios_words(&run.record.command)));
    }
    out.push_str(&classes(row));
    if row.totals.sync.moments.count() > 0 {
        out.push_str(&direction::sync_block(row));
    }
    out.push_str(&usage(row));
    out.push_str(&depths(row));
    out.push_str(&issued(row));
    out.push_str(&goal(row));
    out + &SteadyFigures::of(run, row).map(|found| steady(&found, row.asked.figures)).unwrap_or_default()
}

/// What `steadystate` found. fio prints the bandwidth in KiB/s in both units.
fn steady(found: &SteadyFigures<'_>, figures: usize) -> String {
    let window = found.window;
    let (word, latency) = match window.figure {
        SteadyFigure::Iops => ("iops", String::new()),
        SteadyFigure::Bw => ("bw", String::new()),
        SteadyFigure::Lat => ("lat", format!(", lat={}", latency(found.lat_mean))),
    };
    format!(
        "  steadystate  : attained={}, bw={}/s ({}/s), iops={}{latency}, {word} {}={:.3}{}\n",
        if found.attained_after_s.is_some() { "yes" } else { "no" },
        short(found.bw_mean, figures, Unit::BytesIec),
        short(found.bw_mean, figures, Unit::BytesSi),
        short(found.iops_mean, figures, Unit::Count),
        if window.is_slope { "slope" } else { "mean dev" },
        window.criterion.unwrap_or(0.0),
        if window.is_percent { "%" } else { "" },
    )
}

/// In the largest unit of which there are at least two, as fio has latencies.
fn latency(ns: u64) -> String {
    match ns {
        0..2_000 => format!("{ns}nsec"),
        2_000..2_000_000 => format!("{}usec", ns / 1_000),
        _ => format!("{}msec", ns / 1_000_000),
    }
}

/// What `latency_target` asked for and found; nothing of a job that did not run, as in fio.
fn goal(row: &Row<'_>) -> String {
    if !has_run(row) {
        return String::new();
    }
    let LatencyGoalFigures { depth, target_ns, percentile, window_us, .. } = LatencyGoalFigures::of(row);
    format!(
        "     latency   : target={target_ns}, window={window_us}, percentile={percentile:.2}%, depth={depth}\n"
    )
}

fn job_head(run: &RunResult, row: &Row<'_>) -> String {
    let ended = Moment::of_unix_ns(run.record.started_unix_ns.saturating_add(elapsed_ns(run))).ctime();
    let why = row.told_error().map(|f| format!(" ({})", f.message)).unwrap_or_default();
    let (name, group, jobs, errno) =
        (&row.first().name, row.first().group, row.members.len(), errno(row.told_error()));
    let mut out = format!("{name}: (groupid={group}, jobs={jobs}): err={errno:2}{why}: pid=0: {ended}\n");
    if !row.asked.description.is_empty() {
        out.push_str(&format!("  Description  : [{}]\n", row.asked.description));
    }
    out
}

/// The latency classes, five to a line.
fn classes(row: &Row<'_>) -> String {
    let classes = Classes::of_row(row).rounded();
    let units = UNITS.map(|unit| unit.to_string());
    let small = || units.iter().map(String::as_str);
    class_lines("nsec", small().zip(classes.ns))
        + &class_lines("usec", small().zip(classes.us))
        + &class_lines("msec", MILLISECONDS.into_iter().zip(classes.ms))
}

fn class_lines<'a>(unit: &str, classes: impl Iterator<Item = (&'a str, f64)>) -> String {
    let shares: Vec<String> = classes
        .filter(|(_, share)| *share > 0.0)
        .map(|(name, share)| format!("{name}={share:.2}%"))
        .collect();
    shares.chunks(5).map(|line| format!("  lat ({unit})   : {}\n", line.join(", "))).collect()
}

fn usage(row: &Row<'_>) -> String {
    let usage = row.usage();
    format!(
        "  cpu          : usr={:.2}%, sys={:.2}%, ctx={}, majf={}, minf={}\n",
        row.user_percent().unwrap_or(0.0),
        row.system_percent().unwrap_or(0.0),
        row.switches(),
        usage.faults_major,
        usage.faults_minor
    )
}

fn depths(row: &Row<'_>) -> String {
    const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
    const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
    let line = |label: &str, names: [&str; 7], counts: &[u64; 7]| {
        let shares = names.into_iter().zip(depth_shares(counts));
        let parts: Vec<String> = shares.map(|(name, share)| format!("{name}={share:.1}%")).collect();
        format!("{label}: {}\n", parts.join(", "))
    };
    let maps = &row.totals.maps;
    line("  IO depths    ", DEPTHS, &maps.depth)
        + &line("     submit    ", BATCHES, &maps.submit)
        + &line("     complete  ", BATCHES, &maps.complete)
}

fn issued(row: &Row<'_>) -> String {
    // A mixed report counts everything in the first field, as fio does.
    let apart = row.flows_apart();
    let count = |pick: &dyn Fn(&DirectionTotals) -> u64| match apart.is_empty() {
        true => [row.totals.directions.iter().map(|(_, d)| pick(d)).sum(), 0, 0],
        false => Direction::ALL.map(|d| pick(&row.totals.directions[d])),
    };
    let ([r, w, t], [sr, sw, st]) = (count(&|d| d.ios), count(&|d| d.short_ios));
    let syncs = row.totals.sync.moments.count();
    let mut out =
        format!("     issued rwts: total={r},{w},{t},{syncs} short={sr},{sw},{st},0 dropped=0,0,0,0\n");
    if row.asked.counts_errors {
        let first = errno(row.first_error());
        out.push_str(&format!(
            "     errors    : total={}, first_error={first}/<{}>\n",
            row.outlived_errors(),
            words_of(first)
        ));
    }
    out
}

/// The system's words for an error, as fio has them here.
fn words_of(errno: i32) -> String {
    let words = std::io::Error::from_raw_os_error(errno).to_string();
    words.replace(&format!(" (os error {errno})"), "")
}

fn group_line(flow: &GroupFlow, figures: usize) -> String {
    let both = |bytes: f64| {
        let bytes = bytes as u64;
        (short(bytes, figures, Unit::BytesIec), short(bytes, figures, Unit::BytesSi))
    };
    let (rate, rate_si) = both(flow.bytes_per_second);
    let ((low, low_si), (high, high_si)) = (both(flow.row_rates.0), both(flow.row_rates.1));
    let (bytes, bytes_si) = both(flow.bytes as f64);
    let (shortest, longest) = flow.row_runtimes_ms;
    format!(
        "{:>7}: bw={rate}/s ({rate_si}/s), {low}/s-{high}/s ({low_si}/s-{high_si}/s), io={bytes} ({bytes_si}), run={shortest}-{longest}msec\n",
        flow.name.to_uppercase()
    )
}

fn disks(disks: &[DiskDelta]) -> String {
    if disks.is_empty() {
        return String::new();
    }
    let line = |disk: &DiskDelta| {
        let [(r, w), (rm, wm), (rt, wt)] = [disk.ios, disk.merges, disk.ticks_ms].map(|[r, w, _]| (r, w));
        let (name, queue, busy) = (&disk.disk, disk.queue_ms, busy_percent(disk));
        format!(
            "  {name}: ios={r}/{w}, merge={rm}/{wm}, ticks={rt}/{wt}, in_queue={queue}, util={busy:.2}%\n"
        )
    };
    "\nDisk stats (read/write):\n".to_owned() + &disks.iter().map(line).collect::<String>()
}
