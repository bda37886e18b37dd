//! One row: what it was, how fast it was, what that cost.

use super::Layout;
use super::latency_table::latency_table;
use super::response;
use crate::text::{
    ended_by, engine_notes, in_flight, sizes_sent, steady, without_io, worker_spread, workload_of,
};
use fathom_figures::latency_classes::depth_shares;
use fathom_figures::{DirectionFigures, Row, UnevenTimes};
use fathom_job::job::Origin;
use fathom_job::options::FILENAME;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::{JobResult, RunResult};
use fathom_text::number::{grouped, significant, whole};
use fathom_text::quantity::{percent_of, percent_with};
use fathom_text::style::Style;

pub(super) fn block(run: &RunResult, row: &Row<'_>, layout: Layout<'_>) -> String {
    let style = layout.style;
    // With `group_reporting`, jobs that do different things share a row.
    let mut out: String = row.parts().map(|part| heading(part, style)).collect();
    out.push_str(&more("", &row.asked.description, style));
    out.push_str(&more("override", &overrides(row), style));
    out.push_str(&asks(row, style));
    let flows = row.flows_busy();
    flows.iter().for_each(|flow| out.push_str(&rates(flow, row, style)));
    out.push_str(&more("", &uneven(row).unwrap_or_default(), style));
    if flows.is_empty() {
        out.push_str(&style.labelled("", without_io(row)));
    }
    out.push_str(&more("at end", &slow_at_end(row), style));
    out.push_str(&latency_table(row, layout));
    flows.iter().for_each(|flow| out.push_str(&response::block(row, flow, style)));
    out.push_str(&style.labelled("ended by", &ended_by(row)));
    out.push_str(&more("steady", &steady(run, row).unwrap_or_default(), style));
    let outlived = row.first_error().filter(|_| row.failure().is_none());
    out.push_str(&more("error", outlived.map_or("", |error| &error.message), style));
    if !flows.is_empty() {
        out.push_str(&more("workers", &worker_spread(row).unwrap_or_default(), style));
        out.push_str(&more("sizes", &sizes_sent(row), style));
        out.push_str(&style.labelled("depth", &depth(row)));
        out.push_str(&style.labelled("CPU", &usage(row)));
    } else if row.first().burns_cpu() {
        out.push_str(&style.labelled("CPU", &shares(row)));
    }
    out + &more("engine", &engine_notes(row), style)
}

/// What the clones of one job do: `randread ×4  4 KiB random read · psync · depth 1 · 4 workers`.
fn heading(clones: &[JobResult], style: Style) -> String {
    let times = if clones.len() > 1 { format!(" ×{}", clones.len()) } else { String::new() };
    format!("{}{times}  {}\n", style.strong(&clones[0].planned.name), workload_of(clones))
}

/// What the jobs ask beside their pattern, blocks and depth: rates, pauses, priorities, syncs.
fn asks(row: &Row<'_>, style: Style) -> String {
    let terms = row.parts().flat_map(|part| part[0].planned.terms());
    let mut lines: Vec<String> = terms.map(|(label, text)| format!("{label}: {text}")).collect();
    lines.dedup();
    let labels = std::iter::once("asks").chain(std::iter::repeat(""));
    labels.zip(&lines).map(|(label, line)| style.labelled(label, line)).collect()
}

/// Options that the command line set in the place of those of the job file: `bs=8k`. The target has its own line.
fn overrides(row: &Row<'_>) -> String {
    let settings = row.parts().flat_map(|part| part[0].planned.job.settings());
    let set =
        settings.filter(|(name, setting)| setting.origin == Origin::Override && *name != FILENAME.def.name);
    let mut words: Vec<String> = set.map(|(name, setting)| format!("{name}={}", setting.text)).collect();
    words.sort_unstable();
    words.dedup();
    words.join(", ")
}

/// What was in flight at the end and took longer than every I/O that counts: it is in no other figure.
fn slow_at_end(row: &Row<'_>) -> String {
    let each = row.slow_at_end().map(|(direction, drained)| {
        let slowest = Nanos(drained.latency.max().unwrap_or(0));
        let (verb, plural) = if drained.ios == 1 { ("was", "") } else { ("were", "s") };
        format!(
            "{} {}{plural} {verb} in flight when the time was over, and took up to {slowest}, longer than every {} that counts",
            grouped(drained.ios), direction.name(), direction.name()
        )
    });
    each.collect::<Vec<_>>().join("; ")
}

/// A line that is left out when its text is empty.
fn more(label: &str, text: &str, style: Style) -> String {
    if text.is_empty() { String::new() } else { style.labelled(label, text) }
}

/// IOPS with its interval; bandwidth in both units, amount and time.
fn rates(flow: &DirectionFigures<'_>, row: &Row<'_>, style: Style) -> String {
    if let Some(unrated) = flow.unrated() {
        return style.labelled(flow.name, &no_rate(flow, unrated.words()));
    }
    if !flow.moves_data() {
        return operations(flow, row, style);
    }
    let figures = row.asked.figures;
    let rate = flow.bytes_per_second();
    let iops = format!("{} IOPS {}", whole(flow.iops()), evidence(flow, row));
    let bandwidth = format!(
        "{} MiB/s ({} MB/s) · {} in {} I/Os over {}{}",
        significant(rate / f64::from(1 << 20), figures),
        significant(rate / 1e6, figures),
        Bytes(flow.totals.bytes),
        grouped(flow.totals.ios),
        Nanos(flow.runtime_ns()),
        losses(flow),
    );
    style.labelled(flow.name, &iops) + &style.labelled("", &bandwidth)
}

/// The rate of I/Os that move no data.
fn operations(flow: &DirectionFigures<'_>, row: &Row<'_>, style: Style) -> String {
    let rate = format!("{} operations/s {}", whole(flow.iops()), evidence(flow, row));
    let (ios, time) = (grouped(flow.totals.ios), Nanos(flow.runtime_ns()));
    style.labelled("rate", &rate)
        + &style.labelled("", &format!("{ios} operations over {time}{}", losses(flow)))
}

/// What was done in a time that is too short for a rate, or by too few I/Os.
fn no_rate(flow: &DirectionFigures<'_>, why: &str) -> String {
    let ios =
        if flow.totals.ios == 1 { "1 I/O".to_owned() } else { format!("{} I/Os", grouped(flow.totals.ios)) };
    let bytes = if flow.moves_data() { format!("{} in ", Bytes(flow.totals.bytes)) } else { String::new() };
    format!("{bytes}{ios} over {}, {why}{}", Nanos(flow.runtime_ns()), losses(flow))
}

/// That some workers measured for less time, and the rate of all together.
fn uneven(row: &Row<'_>) -> Option<String> {
    let UnevenTimes { workers, shorter, shortest_ns, iops_of_all } = row.uneven_times()?;
    let of_all = iops_of_all.map(|iops| format!("; while all measured: {} IOPS", whole(iops)));
    let of_all = of_all.unwrap_or_default();
    let time = Nanos(shortest_ns / 1_000_000 * 1_000_000);
    let least = if shorter == 1 { format!("only {time}") } else { format!("less, at least {time}") };
    Some(format!("{shorter} of {workers} workers measured for {least}{of_all}"))
}

/// The interval of the IOPS, or why there is none.
fn evidence(flow: &DirectionFigures<'_>, row: &Row<'_>) -> String {
    let windows = match flow.iops_series().values.len() {
        1 => "1 window".to_owned(),
        n => format!("{n} windows"),
    };
    let each = row.window_seconds();
    match flow.iops_estimate() {
        Some(e) => {
            let (low, high) = (whole(e.low), whole(e.high));
            format!("(95 % interval within this run {low} to {high}, n = {windows} of {each} s)")
        }
        None if flow.has_fallen() => {
            format!("(n = {windows} of {each} s: the rate fell meanwhile, so no interval)")
        }
        None if flow.is_staggered() => {
            format!("(n = {windows} of {each} s: the workers measured at different times, so no interval)")
        }
        None => format!("(n = {windows} of {each} s: too few for an interval)"),
    }
}

fn losses(flow: &DirectionFigures<'_>) -> String {
    let counts = [(flow.totals.errors, "failed"), (flow.totals.short_ios, "short")];
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    counted.map(|(count, what)| format!(" · {} I/Os {what}", grouped(*count))).collect()
}

/// Asked, reached on average, and the classes seen at submission.
fn depth(row: &Row<'_>) -> String {
    const CLASSES: [&str; 7] = ["1", "2", "4", "8", "16", "32", "≥64"];
    let asked = |part: &[JobResult]| {
        let clones = if part.len() > 1 { format!(" × {} workers", part.len()) } else { String::new() };
        format!("{} asked{clones}", part[0].planned.depth.asked)
    };
    let asked = row.parts().map(asked).collect::<Vec<_>>().join(" + ");
    // Each worker has its own time, and the sum is that of all of them at once.
    let time = if row.uneven_times().is_some() { "while all measured" } else { "on average" };
    let reached = in_flight(row.in_flight()).map(|n| match row.syncs_in_flight() {
        Some(syncs) => format!(", {n} I/Os and {} syncs in flight {time}", significant(syncs, 3)),
        None => format!(", {n} in flight {time}"),
    });
    let reached = reached.unwrap_or_default();
    let shares = CLASSES.into_iter().zip(depth_shares(&row.totals.maps.depth));
    let classes: Vec<String> = shares
        .filter(|(_, share)| *share > 0.0)
        .map(|(class, share)| format!("{class}: {}", percent_with(share / 100.0, 1)))
        .collect();
    let classes = match classes.is_empty() {
        false => format!(" · at submission {}", classes.join(", ")),
        // Those that count were in flight when the ramp ended.
        true if row.first().has_own_ramp() && row.ios() > 0 => " · all submitted in the ramp".to_owned(),
        true => String::new(),
    };
    format!("{asked}{reached}{classes}")
}

/// Shares of one core per worker.
fn shares(row: &Row<'_>) -> String {
    let share = |of_core: Option<f64>| of_core.map_or("- %".to_owned(), |share| percent_of(share, 100.0));
    let [user, system] = [row.user_percent(), row.system_percent()].map(share);
    format!("user {user}, system {system} of one core per worker")
}

/// The same, and what each I/O cost.
fn usage(row: &Row<'_>) -> String {
    let each = row.worker_cpu_ns_per_io().map_or("-".to_owned(), |ns| significant(ns / 1e3, 3));
    format!(
        "{} · {each} µs per I/O · {} context switches ({} per I/O)",
        shares(row),
        grouped(row.switches()),
        significant(row.switches_per_io(), 2),
    )
}
