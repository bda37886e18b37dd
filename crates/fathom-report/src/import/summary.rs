//! Logs and results of fio for the terminal: a table for each kind of log, and one for results.

use super::line::{Line, lines};
use super::{cross, details, programs};
use crate::column::value;
use crate::text::instead_of_rate;
use fathom_figures::fio::{FioFlow, FioJob, FioLatency, FioLogKind, Imported};
use fathom_figures::metric::Metric;
use fathom_text::number::{cell, compact};
use fathom_text::painted::Painted;
use fathom_text::quantity::TimeUnit;
use fathom_text::style::Style;
use fathom_text::table::Table;
use fathom_text::words::{counted, first_of};

/// Files with the same columns of which so many are named.
const FILES_NAMED: usize = 4;

/// The whole text, with what results have beside their rates and latencies if a person asked for it.
pub fn summary(imported: &Imported, has_details: bool, style: Style) -> Painted {
    let mut blocks = vec![heading(imported, style)];
    blocks.extend(imported.kinds().into_iter().map(|kind| log_table(imported, kind, style)));
    blocks.push(result_tables(imported, style));
    blocks.push(other_figures(imported, style));
    blocks.push(
        programs::left_out(imported).map_or_else(String::new, |rows| style.labelled("left out", &rows)),
    );
    blocks.push(cross::tables(imported, style));
    if has_details {
        blocks.push(details::groups(imported, style));
    }
    blocks.push(columns(imported, style));
    blocks.push(imported.unread.iter().map(|file| style.labelled("not read", &file.why)).collect());
    blocks.push(imported.notes.iter().map(|note| style.labelled("note", note)).collect());
    blocks.retain(|block| !block.is_empty());
    style.page(&blocks.join("\n"))
}

/// `nightly · 4 logs, 1 result of fio · fathom 0.1.0`.
fn heading(imported: &Imported, style: Style) -> String {
    format!("{}\n", style.strong(&heading_text(imported)))
}

/// The heading without colour.
pub(crate) fn heading_text(imported: &Imported) -> String {
    let counts = [(imported.logs.len(), "log"), (imported.results.len(), "result")];
    let counts: Vec<String> =
        counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(n, what)).collect();
    let title = if imported.title.is_empty() { String::new() } else { format!("{} · ", imported.title) };
    let of_fio = (!counts.is_empty()).then(|| format!("{} of fio", counts.join(" and ")));
    let all: Vec<String> = of_fio.into_iter().chain(programs::counted_programs(imported)).collect();
    format!("{title}{} · fathom {}", all.join(", "), env!("CARGO_PKG_VERSION"))
}

/// How the values of a kind are shown: unit, and what one of them is in the unit of the figures.
pub(crate) fn shown_unit(kind: FioLogKind, lines: &[Line]) -> (&'static str, f64) {
    match kind {
        FioLogKind::Bandwidth => ("MB/s", 1e6),
        FioLogKind::Iops => ("IOPS", 1.0),
        _ => {
            let unit = TimeUnit::for_fastest(lines.iter().filter_map(|line| line.figures.mean));
            (unit.symbol(), unit.ns())
        }
    }
}

fn log_table(imported: &Imported, kind: FioLogKind, style: Style) -> String {
    let lines = lines(imported, kind);
    let (unit, size) = shown_unit(kind, &lines);
    let headings = ["", "direction", "n", "mean", "min", "max", "max/mean", "± sd"];
    let has_percentiles = lines.iter().any(|line| !line.figures.percentiles.is_empty());
    let percentiles = if has_percentiles { imported.percentiles() } else { Vec::new() };
    let headings = headings.into_iter().chain(percentiles.iter().map(|metric| metric.title));
    let mut rows = vec![headings.map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(lines.iter().map(|line| cells(line, &percentiles, size)));
    let title = if kind.title() == unit { unit.to_owned() } else { format!("{}, {unit}", kind.title()) };
    format!("{}\n{}{}", style.strong(&title), Table { rows }.render(style), bases(&lines, style))
}

fn cells(line: &Line, percentiles: &[&Metric], size: f64) -> Vec<String> {
    let figures = &line.figures;
    let value = |value: Option<f64>| value.map_or("-".to_owned(), |value| cell(value / size));
    let cells = [
        line.label.clone(),
        line.direction.to_owned(),
        compact(figures.n as f64, 4),
        value(figures.mean),
        value(figures.min),
        value(figures.max),
        multiple(figures.max_over_mean()),
        value(figures.stddev),
    ];
    let percentiles = percentiles.iter().map(|metric| value(figures.percentile(metric)));
    cells.into_iter().chain(percentiles).collect()
}

/// The maximum as a multiple of the mean, where both are known.
pub(crate) fn multiple(of_mean: Option<f64>) -> String {
    of_mean.map_or("-".to_owned(), fathom_text::number::multiple)
}

/// What the figures are the mean of, and for how long a log has no line. Each sentence is there once.
fn bases(lines: &[Line], style: Style) -> String {
    let mut notes: Vec<String> = Vec::new();
    for line in lines {
        let what = if line.file.is_some() { "each line is" } else { &line.label };
        let mut words = format!("{what}: {}", line.basis);
        if line.figures.silent_seconds > 0.0 {
            let silent = fathom_text::number::significant(line.figures.silent_seconds, 3);
            let counted = if line.figures.kind.is_latency() { "left out" } else { "counted as 0" };
            words.push_str(&format!(
                "; {} {}: {silent} s without a line, {counted}",
                line.label, line.direction
            ));
        }
        if !notes.contains(&words) {
            notes.push(words);
        }
    }
    notes.iter().map(|words| style.labelled("", words)).collect()
}

/// What the columns of each log are; logs with the same ones are together.
fn columns(imported: &Imported, style: Style) -> String {
    let mut files: Vec<(String, Vec<&str>)> = Vec::new();
    for log in &imported.logs {
        let are = log.log.columns_are();
        match files.iter_mut().find(|(known, _)| *known == are) {
            Some((_, names)) => names.push(&log.file),
            None => files.push((are, vec![&log.file])),
        }
    }
    let told = |(are, names): &(String, Vec<&str>)| {
        style.labelled("columns", &format!("{}: {are}", first_of(names, FILES_NAMED)))
    };
    files.iter().map(told).collect()
}

fn result_tables(imported: &Imported, style: Style) -> String {
    let mut rows: Vec<(String, &FioJob, &FioFlow)> = Vec::new();
    for of in &imported.results {
        let place = if imported.has_several_results() { format!("{}: ", of.place()) } else { String::new() };
        for (job, label) in of.result.jobs.iter().zip(of.result.labels()) {
            let label = format!("{place}{label}");
            rows.extend(job.flows.iter().map(|flow| (label.clone(), job, flow)));
        }
    }
    let others: Vec<_> = programs::rows(imported).into_iter().filter(programs::NamedRow::is_of_io).collect();
    if rows.is_empty() && others.is_empty() {
        return String::new();
    }
    let mains = rows.iter().filter_map(|(.., flow)| flow.latencies.first());
    let of_others = others.iter().filter_map(|named| named.row.value("latency_mean"));
    let means = mains.filter_map(|latency| latency.mean_ns).chain(of_others);
    let unit = TimeUnit::for_fastest(means.filter(|mean| *mean > 0.0));
    let latencies: Vec<&Metric> = imported.latencies().collect();
    let mut table = vec![result_headings(&latencies, unit)];
    table.extend(
        rows.iter().map(|(label, job, flow)| result_cells(label, job, flow, (latencies.as_slice(), unit))),
    );
    table.extend(others.iter().map(|named| programs::cells(named, &latencies, unit)));
    format!("{}\n{}", style.strong("results"), Table { rows: table }.render(style))
}

/// What results of other programs have beside rates and latencies of I/O; empty without any.
fn other_figures(imported: &Imported, style: Style) -> String {
    let mut rows = vec![programs::OTHER_HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(programs::other_figures(imported).into_iter().map(Vec::from));
    match rows.len() {
        1 => String::new(),
        _ => format!("{}\n{}", style.strong("other figures"), Table { rows }.render(style)),
    }
}

fn result_headings(latencies: &[&Metric], unit: TimeUnit) -> Vec<String> {
    let symbol = unit.symbol();
    let names = ["", "direction", "rw", "bs", "depth", "jobs", "I/Os", "IOPS", "MB/s", "run, s", "error"];
    let names = names.map(str::to_owned);
    let latencies = latencies.iter().map(|metric| metric.title.to_owned());
    let after = ["max/mean".to_owned()];
    names.into_iter().chain([format!("latency, {symbol}")]).chain(latencies).chain(after).collect()
}

/// `4k`, or the mean size of several.
pub(super) fn block(bytes: f64) -> String {
    let whole = bytes.round() as u64;
    match whole {
        0 => "-".to_owned(),
        _ if whole.is_multiple_of(1 << 20) => format!("{}m", whole >> 20),
        _ if whole.is_multiple_of(1024) => format!("{}k", whole >> 10),
        _ => whole.to_string(),
    }
}

/// The depth of the options, or fio's default, which the notes name.
fn depth(job: &FioJob) -> String {
    match job.depth {
        Some(depth) => depth.to_string(),
        None if job.depth_is_assumed => "1".to_owned(),
        None => "-".to_owned(),
    }
}

/// What a job was, as its options say: `randread 4k, depth 8, 4 jobs`.
pub fn options(job: &FioJob) -> String {
    let rw = job.direction.clone();
    let size = job.block_bytes.filter(|bytes| *bytes >= 0.5).map(block);
    let load = [rw, size].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let depth = Some(depth(job)).filter(|depth| depth != "-").map(|depth| format!("depth {depth}"));
    let jobs = job.jobs.map(|jobs| counted(jobs, "job"));
    let parts = [Some(load), depth, jobs].into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// IOPS and MB/s of a direction; of too short a time or too few I/Os what is shown instead of them.
pub(crate) fn rates(flow: &FioFlow) -> [String; 2] {
    match flow.unrated() {
        Some(unrated) => {
            let ios = flow.ios.map(|ios| instead_of_rate(unrated, ios));
            [ios.unwrap_or_else(|| "-".to_owned()), "-".to_owned()]
        }
        None => {
            let iops = match (flow.cut, flow.iops) {
                (Some(cut), Some(iops)) => format!("{} to {}", cell(iops), cell(cut.iops_below)),
                (_, iops) => known(iops),
            };
            [iops, known(flow.bytes_per_second.map(|rate| rate / 1e6))]
        }
    }
}

/// How many I/Os; where a rate that is cut leaves it open, `16 to 31`.
fn ios(flow: &FioFlow) -> String {
    let most = flow.cut.map(|cut| format!(" to {}", compact(cut.ios_most as f64, 4)));
    flow.ios.map_or("-".to_owned(), |ios| compact(ios as f64, 4) + &most.unwrap_or_default())
}

/// A number; a dash where the file does not have it.
fn known(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), cell)
}

fn result_cells(
    label: &str,
    job: &FioJob,
    flow: &FioFlow,
    (latencies, unit): (&[&Metric], TimeUnit),
) -> Vec<String> {
    let main = flow.main_latency();
    // Of too few I/Os only the slowest is told.
    let enough = main.filter(|_| !flow.has_too_few());
    let [iops, megabytes] = rates(flow);
    let cells = [
        label.to_owned(),
        flow.direction.to_owned(),
        job.direction.clone().unwrap_or_else(|| "-".to_owned()),
        job.block_bytes.map_or("-".to_owned(), block),
        depth(job),
        job.jobs.map_or("-".to_owned(), |jobs| jobs.to_string()),
        ios(flow),
        iops,
        megabytes,
        known(flow.runtime_ms.map(|ms| ms as f64 / 1e3)),
        if job.error == 0 { "-".to_owned() } else { format!("errno {}", job.error) },
        main.map_or("-".to_owned(), |latency| latency.kind.to_owned()),
    ];
    let latencies = latencies.iter().map(|metric| value(metric, metric.of_fio(flow), unit));
    let after = [multiple(enough.and_then(FioLatency::max_over_mean))];
    cells.into_iter().chain(latencies).chain(after).collect()
}
