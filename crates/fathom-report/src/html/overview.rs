//! All measurements at a glance: how fast, how long one I/O takes, and what it costs in CPU time.
//!
//! Up to three panels, each with a line per measurement. Values stand beside their bars, so no axis has to be read.
//! IOPS and MB/s have bars of their own, because they cannot be compared.

use super::axis::Axis;
use super::markup::escape;
use super::measurement::is_small;
use crate::text::{blocks, latency_kind};
use fathom_figures::workload::{depth, reads_of_mix};
use fathom_figures::{DirectionFigures, Percentile, Row};
use fathom_job::value::Mix;
use fathom_results::{JobRecord, Latency};
use fathom_text::cell::cut;
use fathom_text::number::cell;
use fathom_text::quantity::latency;

/// Measurements that are drawn; the table has more.
const ROWS_MAX: usize = 16;

const WIDTH: f64 = 360.0;
const LEFT: f64 = 4.0;
/// The longest bar; its value stands to the right of it.
const BAR_MAX: f64 = 268.0;
const BAR_HEIGHT: f64 = 9.0;
const TITLE_HEIGHT: f64 = 26.0;
const ROW_HEIGHT: f64 = 30.0;
const AXIS_HEIGHT: f64 = 22.0;
/// Width of a letter, on average, and of a bold one, as those of names are.
const LETTER: f64 = 6.1;
const LETTER_BOLD: f64 = 6.8;
/// Width of a letter of an axis on a narrow page, where letters are larger.
const LETTER_WIDE: f64 = 6.7;
/// Space between two texts of a line.
const SPACE: f64 = 6.0;
/// The longest name that is shown whole.
const LETTERS_MAX: usize = 26;

/// What the lines on bars are, where there are any.
const INTERVAL: &str = "A thin line through the end of a bar is the 95 % interval of the mean. ";

/// One line of a panel.
struct Line {
    class: &'static str,
    name: String,
    how: String,
    /// What follows `how`, and is never shortened.
    end: String,
    /// Parts of the bar, one after the other.
    parts: Vec<f64>,
    interval: Option<(f64, f64)>,
    value: String,
}

/// The section; empty where nothing was measured.
pub(super) fn overview(rows: &[Row<'_>]) -> String {
    let busy: Vec<&Row<'_>> = rows.iter().filter(|row| row.ios() > 0).collect();
    let shown = &busy[..busy.len().min(ROWS_MAX)];
    // The rate of a moment or of a few I/Os says nothing, and their cost would make all other bars small.
    let rated: Vec<&Row<'_>> = shown.iter().copied().filter(|row| row.unrated().is_none()).collect();
    let (small, large): (Vec<&Row<'_>>, Vec<&Row<'_>>) =
        rated.iter().copied().partition(|row| is_small(row.first()));
    let rates = [bars("IOPS", &small, iops), bars("Bandwidth, MB/s", &large, bandwidth)];
    let panels = [rates.concat(), latencies(shown), bars("CPU time per I/O, µs", &rated, cpu)];
    let panels: String = panels
        .iter()
        .filter(|panel| !panel.is_empty())
        .map(|panel| format!("<div>\n{panel}</div>\n"))
        .collect();
    if panels.is_empty() {
        return panels;
    }
    let rest = match busy.len().saturating_sub(ROWS_MAX) {
        0 => String::new(),
        n => format!(" {n} more are in the table."),
    };
    let interval = if panels.contains("class=\"whisker\"") { INTERVAL } else { "" };
    format!(
        "<section>\n<h2>All measurements</h2>\n<figure class=\"overview\">\n{panels}</figure>\n<p class=\"note\">{interval}Latency: the large dot is the median (p50), the small one p99, the end of the line p99.9; the scale is logarithmic.{rest}</p>\n</section>\n"
    )
}

/// All directions of a row as one.
fn whole<'a>(row: &'a Row<'_>) -> DirectionFigures<'a> {
    let mut flows = row.flows_apart_or_mixed();
    if flows.len() == 1 { flows.remove(0) } else { row.mixed() }
}

fn line(
    row: &Row<'_>,
    class: &'static str,
    parts: Vec<f64>,
    interval: Option<(f64, f64)>,
    value: String,
) -> Line {
    let job = row.first();
    let how = format!("{} {}", blocks(job), pattern(job));
    let each = if row.members.len() > 1 { format!("{} × ", row.members.len()) } else { String::new() };
    let end = format!(", {each}depth {}", depth(job));
    Line { class, name: job.name.clone(), how, end, parts, interval, value }
}

/// The access pattern in few words: `random, 70 % read`.
fn pattern(job: &JobRecord) -> String {
    match job.rw.mix {
        Mix::ReadWrite => {
            let order = job.order();
            reads_of_mix(job).map_or(format!("{order} mix"), |reads| format!("{order}, {reads} % read"))
        }
        _ => crate::text::pattern(job),
    }
}

fn iops(row: &Row<'_>) -> Option<Line> {
    let flow = whole(row);
    let interval = flow.iops_estimate().map(|it| (it.low, it.high));
    let rate = row.rate_fall().map_or(flow.iops(), |fall| fall.lasting.iops);
    Some(line(row, flow.name, vec![rate], interval, cell(rate) + lasted(row)))
}

fn bandwidth(row: &Row<'_>) -> Option<Line> {
    let flow = whole(row);
    let rate = row.rate_fall().map_or(flow.bytes_per_second(), |fall| fall.lasting.bytes_per_second) / 1e6;
    let interval = flow.bandwidth_estimate().map(|it| (it.low / 1e6, it.high / 1e6));
    Some(line(row, flow.name, vec![rate], interval, cell(rate) + lasted(row)))
}

/// Behind a rate: that it is the one that lasted after a fall.
fn lasted(row: &Row<'_>) -> &'static str {
    if row.rate_fall().is_some() { " lasted" } else { "" }
}

fn cpu(row: &Row<'_>) -> Option<Line> {
    let all = row.cpu_ns_per_io()? / 1e3;
    let workers = row.worker_cpu_ns_per_io()? / 1e3;
    let kernel = row.worker_system_ns()? as f64 / row.ios().max(1) as f64 / 1e3;
    let parts = vec![workers - kernel, kernel + all - workers];
    (all > 0.0).then(|| line(row, "cpu", parts, None, cell(all)))
}

/// Bars from 0; empty without a line.
fn bars(title: &str, rows: &[&Row<'_>], of: impl Fn(&Row<'_>) -> Option<Line>) -> String {
    let lines: Vec<Line> = rows.iter().filter_map(|row| of(row)).collect();
    // A wide interval does not make the bars small: it ends at the edge.
    let most = lines.iter().map(|line| line.parts.iter().sum()).fold(0.0, f64::max) * 1.05;
    if most <= 0.0 {
        return String::new();
    }
    let scale = |value: f64| (value / most * BAR_MAX).clamp(0.0, BAR_MAX);
    let drawn: String = lines.iter().enumerate().map(|(at, line)| bar(line, top(at), scale)).collect();
    let told: Vec<String> = lines.iter().map(|line| format!("{}: {}", line.name, line.value)).collect();
    let is_cpu = lines.iter().any(|line| line.class == "cpu");
    let key = if is_cpu { cpu_key() } else { String::new() };
    panel(title, &told.join("; "), TITLE_HEIGHT + lines.len() as f64 * ROW_HEIGHT, &(key + &drawn))
}

fn top(at: usize) -> f64 {
    TITLE_HEIGHT + at as f64 * ROW_HEIGHT
}

fn bar(line: &Line, top: f64, scale: impl Fn(f64) -> f64) -> String {
    let foot = top + 15.0;
    let mut left = LEFT;
    let mut out = named(line, top, WIDTH - LEFT);
    for (at, part) in line.parts.iter().enumerate() {
        let width = scale(*part);
        out.push_str(&format!(
            "<rect class=\"bar {} part{at}\" x=\"{left:.1}\" y=\"{foot:.1}\" width=\"{:.1}\" height=\"{BAR_HEIGHT}\"/>",
            line.class,
            // A bar that is too short to be seen would read as nothing.
            width.max(if at == 0 { 1.0 } else { 0.0 })
        ));
        left += width;
    }
    if let Some((low, high)) = line.interval {
        let middle = foot + BAR_HEIGHT / 2.0;
        let (from, to) = (LEFT + scale(low), LEFT + scale(high));
        out.push_str(&format!(
            "<line class=\"whisker\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>"
        ));
        left = left.max(to);
    }
    out.push_str(&format!(
        "<text class=\"value start\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
        left + 6.0,
        foot + 8.5,
        escape(&line.value)
    ));
    out
}

/// Name and workload of a line, above its bar, as far as `right`. What has no room is left out; the table has all of it.
fn named(line: &Line, top: f64, right: f64) -> String {
    let room = right - LEFT;
    let name = cut(&line.name, LETTERS_MAX.min((room / LETTER_BOLD) as usize));
    let room = (room - LETTER_BOLD * name.chars().count() as f64 - SPACE).max(0.0) / LETTER;
    let how = cut(&line.how, (room as usize).saturating_sub(line.end.chars().count())) + &line.end;
    format!(
        "<text class=\"start\" x=\"{LEFT}\" y=\"{:.1}\"><tspan class=\"name\">{}</tspan> {}</text>",
        top + 10.0,
        escape(&name),
        escape(&how)
    )
}

fn cpu_key() -> String {
    format!(
        "<rect class=\"bar cpu part0\" x=\"{0}\" y=\"5\" width=\"9\" height=\"9\"/><text class=\"start\" x=\"{1}\" y=\"13\">user</text><rect class=\"bar cpu part1\" x=\"{2}\" y=\"5\" width=\"9\" height=\"9\"/><text class=\"start\" x=\"{3}\" y=\"13\">kernel</text>",
        WIDTH - 100.0,
        WIDTH - 87.0,
        WIDTH - 54.0,
        WIDTH - 41.0
    )
}

/// One distribution of the latency panel.
struct Spread {
    line: Line,
    p50: f64,
    p99: f64,
    p999: f64,
}

/// The latency of every flow on one logarithmic axis.
fn latencies(rows: &[&Row<'_>]) -> String {
    let spreads: Vec<Spread> = rows.iter().flat_map(|row| of_row(row)).collect();
    let low = spreads.iter().map(|spread| spread.p50).fold(f64::INFINITY, f64::min);
    let high = spreads.iter().map(|spread| spread.p999).fold(0.0, f64::max);
    if spreads.is_empty() {
        return String::new();
    }
    let axis = Axis::log("", low.max(1.0), high.max(2.0), super::chart::latency_tick);
    let x = |ns: f64| LEFT + axis.at(ns) * (WIDTH - 2.0 * LEFT);
    let foot = top(spreads.len());
    let last = axis.ticks.len().saturating_sub(1);
    let labelled = labelled(&axis, x);
    let ticks = axis.ticks.iter().enumerate().map(|(at, (ns, label))| {
        let class = anchor(at, last);
        let label = if labelled.contains(&at) { escape(label) } else { String::new() };
        format!(
            "<line class=\"grid\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1}\" y2=\"{foot}\"/><text class=\"tick {class}\" x=\"{0:.1}\" y=\"{2}\">{label}</text>",
            x(*ns),
            TITLE_HEIGHT - 2.0,
            foot + 13.0,
        )
    });
    let drawn: String = ticks.collect::<String>()
        + &spreads.iter().enumerate().map(|(at, it)| spread(it, top(at), x)).collect::<String>();
    let told: Vec<String> = spreads.iter().map(|it| format!("{}: {}", it.line.name, it.line.value)).collect();
    panel("Latency", &told.join("; "), foot + AXIS_HEIGHT, &drawn)
}

/// Where the label of a tick stands: the first begins at it, and the last ends there.
fn anchor(at: usize, last: usize) -> &'static str {
    match at {
        0 => "start",
        _ if at == last => "end",
        _ => "",
    }
}

/// The ticks whose labels have room: the first, the last, and those between that touch no other.
fn labelled(axis: &Axis, x: impl Fn(f64) -> f64) -> Vec<usize> {
    let last = axis.ticks.len().saturating_sub(1);
    let ends = |at: usize| {
        let (ns, label) = &axis.ticks[at];
        let width = LETTER_WIDE * label.chars().count() as f64;
        let left = match anchor(at, last) {
            "start" => x(*ns),
            "end" => x(*ns) - width,
            _ => x(*ns) - width / 2.0,
        };
        (left, left + width)
    };
    let mut shown = Vec::new();
    let mut right = f64::NEG_INFINITY;
    for at in 0..=last {
        let (left, end) = ends(at);
        let has_room = at == last || end + SPACE <= ends(last).0;
        if left >= right + SPACE && has_room {
            shown.push(at);
            right = end;
        }
    }
    shown
}

fn of_row(row: &Row<'_>) -> Vec<Spread> {
    let flows = row.flows_apart_or_mixed();
    let is_mix = flows.len() > 1;
    let spread = |flow: &DirectionFigures<'_>| {
        let (kind, main) = flow.main_latency()?;
        let [p50, p99, p999] = [50.0, 99.0, 99.9].map(|p| at(main, p));
        let (p50, p99, p999) = (p50?, p99?, p999?);
        let value = format!("p50 {}, p99.9 {}", latency(p50), latency(p999));
        let mut line = line(row, flow.name, Vec::new(), None, value);
        line.how = String::new();
        line.end = match is_mix {
            true => format!("{}, {}", flow.name, latency_kind(kind)),
            false => latency_kind(kind).to_owned(),
        };
        Some(Spread { line, p50, p99, p999 })
    };
    flows.iter().filter_map(spread).collect()
}

fn at(latency: &Latency, p: f64) -> Option<f64> {
    match Percentile::of_latency(latency, p)? {
        Percentile::At(ns) => Some(ns as f64),
        Percentile::BeyondCeiling => latency.moments.max().map(|ns| ns as f64),
    }
}

fn spread(spread: &Spread, top: f64, x: impl Fn(f64) -> f64) -> String {
    let (y, line) = (top + 20.0, &spread.line);
    let (p50, p99, p999) = (x(spread.p50), x(spread.p99), x(spread.p999));
    let (class, right) = (line.class, WIDTH - LEFT);
    let name = named(line, top, right - LETTER * line.value.chars().count() as f64 - SPACE);
    let (value, value_foot, from, to) = (escape(&line.value), top + 10.0, y - 4.0, y + 4.0);
    format!(
        "{name}<text class=\"value end\" x=\"{right}\" y=\"{value_foot:.1}\">{value}</text><g class=\"{class}\"><line class=\"spread\" x1=\"{p50:.1}\" x2=\"{p999:.1}\" y1=\"{y}\" y2=\"{y}\"/><circle class=\"dot\" cx=\"{p50:.1}\" cy=\"{y}\" r=\"4.5\"/><circle class=\"dot\" cx=\"{p99:.1}\" cy=\"{y}\" r=\"3\"/><line class=\"stop\" x1=\"{p999:.1}\" x2=\"{p999:.1}\" y1=\"{from}\" y2=\"{to}\"/></g>\n"
    )
}

fn panel(title: &str, description: &str, height: f64, drawn: &str) -> String {
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{0}. {1}\">\n<text class=\"title\" x=\"{LEFT}\" y=\"13\">{0}</text>\n{drawn}</svg>\n",
        escape(title),
        escape(description)
    )
}
