//! The tables of the page.

use super::chart::{SERIES_MAX, class};
use crate::column;
use crate::html::markup::{element, escape};
use crate::import::{
    DepthsAndJobs, Line, NamedRow, OTHER_HEADINGS, columns, lines, multiple, options, other_figures, rates,
    rows, shown_unit,
};
use fathom_figures::fio::{FioFlow, FioJob, FioLatency, FioLogKind, Imported};
use fathom_figures::metric::Metric;
use fathom_text::number::{cell, compact};
use fathom_text::quantity::TimeUnit;

/// The statistics of a kind of log, with the colours of the charts.
pub(super) fn logs(imported: &Imported, kind: FioLogKind) -> String {
    let lines = lines(imported, kind);
    let (unit, size) = shown_unit(kind, &lines);
    let mut heads = vec![
        ("job", "direction"),
        ("n", ""),
        ("mean", unit),
        ("min", unit),
        ("max", unit),
        ("max/mean", ""),
        ("± sd", unit),
    ];
    let percentiles = imported.percentiles();
    heads.extend(percentiles.iter().map(|metric| (metric.title, unit)));
    let mut numbers = std::collections::BTreeMap::new();
    let rows: String = lines
        .iter()
        .map(|line| {
            let number =
                numbers.entry((line.direction, line.file.is_some())).and_modify(|at| *at += 1).or_insert(0);
            row(line, *number, (&percentiles, size))
        })
        .collect();
    table(&heads, &rows)
}

fn row(line: &Line, at: usize, (percentiles, size): (&[&Metric], f64)) -> String {
    let figures = &line.figures;
    let key = match at < SERIES_MAX {
        true => format!("<i class=\"key-box {}\"></i>{} ", class(at), at + 1),
        false => String::new(),
    };
    let columns = line.columns.as_ref().map(|are| format!(" · {are}")).unwrap_or_default();
    let basis = format!("{} · {}{columns}", line.direction, line.basis);
    let head = format!("<th scope=\"row\">{key}{}{}</th>", escape(&line.label), element("small", &basis));
    let value = |value: Option<f64>| value.map_or("-".to_owned(), |value| cell(value / size));
    let cells = [
        compact(figures.n as f64, 4),
        value(figures.mean),
        value(figures.min),
        value(figures.max),
        multiple(figures.max_over_mean()),
        value(figures.stddev),
    ];
    let percentiles = percentiles.iter().map(|metric| value(figures.percentile(metric)));
    let cells = cells.into_iter().chain(percentiles).map(|text| element("td", &text));
    format!("<tr>{head}{}</tr>\n", cells.collect::<String>())
}

/// The figures of results; empty without any.
pub(super) fn results(imported: &Imported) -> String {
    let flows = || imported.results.iter().flat_map(|of| of.result.jobs.iter().flat_map(|job| &job.flows));
    let others: Vec<NamedRow<'_>> = rows(imported).into_iter().filter(NamedRow::is_of_io).collect();
    let of_others = others.iter().filter_map(|named| named.row.value("latency_mean"));
    let means = flows().filter_map(|flow| flow.latencies.first()?.mean_ns).chain(of_others);
    let unit = TimeUnit::for_fastest(means.filter(|mean| *mean > 0.0));
    let mut heads = vec![("job", "direction · file"), ("IOPS", ""), ("MB/s", "")];
    let latencies: Vec<&'static Metric> = imported.latencies().collect();
    heads.extend(latencies.iter().map(|metric| (column::title_on_page(metric), unit.symbol())));
    heads.push(("max/mean", ""));
    let mut html = String::new();
    for of in &imported.results {
        for (job, label) in of.result.jobs.iter().zip(of.result.labels()) {
            html.extend(
                job.flows.iter().map(|flow| result((&label, &of.place()), job, flow, (&latencies, unit))),
            );
        }
    }
    html.extend(others.iter().map(|named| of_program(named, &latencies, unit)));
    if html.is_empty() {
        html
    } else {
        format!("<section>\n<h2>Results</h2>\n{}</section>\n", table(&heads, &html))
    }
}

/// A row of another program.
fn of_program(named: &NamedRow<'_>, latencies: &[&'static Metric], unit: TimeUnit) -> String {
    let (row, of) = (named.row, named.of);
    let load = &row.load;
    let job = FioJob {
        direction: load.rw.clone(),
        block_bytes: load.block_bytes,
        depth: load.depth,
        jobs: load.jobs,
        ..FioJob::default()
    };
    let parts = [row.direction.to_owned(), options(&job), format!("{}, line {}", of.file, row.line)];
    let below = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    let figure = |metric: &&'static Metric| column::value(metric, named.value(metric), unit);
    let cells = [named.number("iops", 1.0), named.number("bandwidth", 1e6)];
    let after = [multiple(named.max_over_mean())];
    let cells = cells.into_iter().chain(latencies.iter().map(figure)).chain(after);
    let head = format!("<th scope=\"row\">{}{}</th>", escape(&named.label), element("small", &below));
    format!("<tr>{head}{}</tr>\n", cells.map(|text| element("td", &text)).collect::<String>())
}

/// What results of other programs have beside rates and latencies of I/O; empty without any.
pub(super) fn others(imported: &Imported) -> String {
    let row = |line: &[String; 7]| {
        let (label, cells) = line.split_first().expect("a line has cells");
        let cells: String = cells.iter().map(|text| element("td", text)).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(label))
    };
    let rows: String = other_figures(imported).iter().map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    let heads = OTHER_HEADINGS.map(|name| (name, ""));
    format!("<section>\n<h2>Other figures</h2>\n{}</section>\n", table(&heads, &rows))
}

fn result(
    (label, file): (&str, &str),
    job: &FioJob,
    flow: &FioFlow,
    (latencies, unit): (&[&'static Metric], TimeUnit),
) -> String {
    let main = flow.main_latency();
    // Of too few I/Os only the slowest is told.
    let enough = main.filter(|_| !flow.has_too_few());
    let error = if job.error == 0 { String::new() } else { format!(" · errno {}", job.error) };
    let kind = main.map_or("", |latency| latency.kind);
    let [iops, megabytes] = rates(flow);
    let options = options(job);
    let below = format!("{} · {options} · {file}{error}", flow.direction);
    let figure = |metric: &&'static Metric| {
        let below = if metric.id == "latency_mean" { element("small", kind) } else { String::new() };
        column::value(metric, metric.of_fio(flow), unit) + &below
    };
    let after = [multiple(enough.and_then(FioLatency::max_over_mean))];
    let cells = [iops, megabytes].into_iter().chain(latencies.iter().map(figure)).chain(after);
    let head = format!("<th scope=\"row\">{}{}</th>", escape(label), element("small", &below));
    format!("<tr>{head}{}</tr>\n", cells.map(|text| format!("<td>{text}</td>")).collect::<String>())
}

/// IOPS over depth and number of jobs.
pub(super) fn over_depth_and_jobs(of: &DepthsAndJobs) -> String {
    let columns = columns(of);
    let heads: Vec<(&str, &str)> =
        std::iter::once(("depth", "")).chain(columns.iter().map(|jobs| (jobs.as_str(), "IOPS"))).collect();
    let row = |(depth, iops): (&u64, &Vec<Option<f64>>)| {
        let each = iops.iter().map(|iops| element("td", &iops.map_or("-".to_owned(), cell)));
        format!("<tr><th scope=\"row\">{depth}</th>{}</tr>\n", each.collect::<String>())
    };
    let rows: String = of.depths.iter().zip(&of.iops).map(row).collect();
    format!("<section>\n<h2>{}</h2>\n{}</section>\n", escape(&of.title), table(&heads, &rows))
}

fn table(heads: &[(&str, &str)], rows: &str) -> String {
    let head =
        |(name, below): &(&str, &str)| format!("<th scope=\"col\">{name}{}</th>", element("small", below));
    let heads: String = heads.iter().map(head).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\">\n<table class=\"results\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}
