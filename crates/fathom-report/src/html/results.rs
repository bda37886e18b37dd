//! The table of results: a line per job and direction. Each line has its values for a copy as CSV too (see [`csv`](super::copied)).

use super::asked::asked;
use super::copied::{self, PageColumns, mean};
use super::markup::escape;
use crate::column::max_over_mean;
use crate::column::{latency_cell, title_on_page, value};
use crate::rounds::fell;
use crate::text::{THIN_MEANS, ended_by, in_flight, instead_of_rate, latency_kind, steady, without_io};
use fathom_figures::metric::{Columns, Metric, Output};
use fathom_figures::{DirectionFigures, Row};
use fathom_results::procedure::FallFigures;
use fathom_results::{EndedBy, JobResult, Latency, RunResult};
use fathom_text::number::cell;
use fathom_text::quantity::TimeUnit;

/// The heading of a metric's column, and the text below it; `unit` is that of the latencies of the table.
fn heading(metric: &Metric, unit: TimeUnit) -> (&'static str, &'static str) {
    let below = match metric.id {
        "iops" => "95 % interval",
        "bandwidth" => "MiB/s",
        "cpu_per_io" => "µs per I/O",
        "in_flight" => "asked",
        _ => unit.symbol(),
    };
    (title_on_page(metric), below)
}

/// What marks a percentile with few values beyond it; it has no width, so that the digits of a column line up.
const THIN: &str = "<span class=\"thin\">\u{a0}·</span>";

/// What the two figures of a paced job are.
const PACED: &str = " Jobs with a rate have two latencies: the upper line is the response, from the planned start, the \
    lower line the service (lat), from the real start.";

/// Jobs that are named one by one in the note.
const NAMES_MAX: usize = 4;

/// `; of a and b it is from the start of the I/O`: the jobs whose submission was not recorded.
fn from_start(rows: &[Row<'_>]) -> String {
    let is_total = |flow: &DirectionFigures<'_>| flow.main_latency().is_some_and(|(kind, _)| kind == "total");
    let has_total = |row: &&Row<'_>| row.flows_busy().iter().any(is_total);
    let names: Vec<&str> = rows.iter().filter(has_total).map(Row::name).collect();
    let busy = rows.iter().filter(|row| !row.flows_busy().is_empty()).count();
    let whose = match names.split_last() {
        None => return String::new(),
        Some(_) if names.len() == busy => "of these jobs".to_owned(),
        Some((only, [])) => format!("of {only}"),
        Some((last, others)) if names.len() <= NAMES_MAX => format!("of {} and {last}", others.join(", ")),
        Some(_) => format!("of {} jobs", names.len()),
    };
    format!("; {} it is from the start of the I/O, because the submission was not recorded", escape(&whose))
}

fn is_any_paced(rows: &[Row<'_>]) -> bool {
    rows.iter().any(|row| row.flows_busy().iter().any(|flow| flow.main_latencies().len() > 1))
}

/// The first `most` rows, and how to read them.
pub(super) fn table(run: &RunResult, rows: &[Row<'_>], columns: &Columns, most: usize) -> String {
    let shown = &rows[..rows.len().min(most)];
    let each = shown.iter().map(Row::window_seconds).max().unwrap_or(1);
    let rest = rows.len().saturating_sub(most);
    let more =
        if rest > 0 { format!("{rest} more jobs are in the run's directory. ") } else { String::new() };
    format!(
        "<section>\n<h2>Results</h2>\n{}<p class=\"note\">{more}Below each mean stands which latency its line has: completion (clat) is from submission to completion{}.{} {THIN_MEANS}. Intervals are for the mean rate of this run, from windows of {each} s; another run may differ by more{}. A dash means that the run was too short for an interval, or had too few I/Os for the figure{}.</p>\n</section>\n",
        lines_of(run, shown, columns),
        from_start(shown),
        if is_any_paced(shown) { PACED } else { "" },
        if shown.iter().any(Row::has_unsettled_writes) { UNSETTLED } else { "" },
        if shown.iter().any(|row| row.rate_fall().is_some()) { FELL } else { "" }
    )
}

/// What an interval of writes does not cover.
const UNSETTLED: &str = ", and a drive that is not in steady state will not keep a rate of writes";

/// Why a rate that fell has no interval.
const FELL: &str = ", or that the rate fell meanwhile: then IOPS and MB/s are means of two rates, and below the name is the one that lasted";

/// What was done before the measurement; empty where that was nothing.
pub(super) fn preparation(run: &RunResult, rows: &[Row<'_>], columns: &Columns) -> String {
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<section>\n<h2>Preparation</h2>\n<p class=\"note\">Written once before the measurement, so that reads find data. The result does not contain it.</p>\n{}</section>\n",
        lines_of(run, rows, columns)
    )
}

fn lines_of(run: &RunResult, rows: &[Row<'_>], chosen: &Columns) -> String {
    let (unit, is_paced) = (unit_of(rows), is_any_paced(rows));
    let (metrics, are_chosen) = (chosen.of(Output::Page), chosen.are_chosen());
    let columns = &PageColumns { metrics, are_chosen, unit, is_paced };
    let head = |(name, below)| format!("<th scope=\"col\">{name}<small>{below}</small></th>");
    let metrics = columns.metrics.iter().map(|metric| heading(metric, unit));
    let heads: String = std::iter::once(("Job", "")).chain(metrics).map(head).collect();
    let lines: String = rows.iter().map(|row| lines(run, row, columns)).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\">\n<table class=\"results sortable\" data-csv=\"{}\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n",
        copied::headings(columns)
    )
}

/// The unit of all latencies of the table, so that columns can be compared by eye.
fn unit_of(rows: &[Row<'_>]) -> TimeUnit {
    let any_mean = |flow: &DirectionFigures<'_>| {
        let main = flow.main_latency().map_or(&flow.totals.total, |(_, kept)| kept);
        main.moments.mean()
    };
    let means = rows.iter().flat_map(|row| row.flows_busy().iter().filter_map(any_mean).collect::<Vec<_>>());
    TimeUnit::for_fastest(means)
}

/// What ended the job, where that was not its own rule.
fn ending(row: &Row<'_>) -> String {
    let own = [EndedBy::Size, EndedBy::Ios, EndedBy::Time, EndedBy::Goal, EndedBy::Steady, EndedBy::Full];
    let is_own = |member: &JobResult| {
        member.outcome.as_ref().is_some_and(|end| end.failure.is_none() && own.contains(&end.ended_by))
    };
    match row.members.iter().all(is_own) {
        true => String::new(),
        false => format!("<small>ended by: {}</small>", escape(&ended_by(row))),
    }
}

/// What the rule of steady state found, where the job has one.
fn steady_line(run: &RunResult, row: &Row<'_>) -> String {
    steady(run, row).map(|text| format!("<small>steady: {}</small>", escape(&text))).unwrap_or_default()
}

/// When the rate fell, from what and to what.
fn fall_line(row: &Row<'_>) -> String {
    let Some(fall) = row.rate_fall().map(FallFigures::from) else { return String::new() };
    let (iops, megabytes) = (cell(fall.iops_lasting), cell(fall.bytes_per_second_lasting / 1e6));
    format!("<small>{}; {iops} IOPS and {megabytes} MB/s lasted</small>", escape(&fell(&fall)))
}

/// A line per direction. Each begins with the name of its job, so that lines can be sorted.
fn lines(run: &RunResult, row: &Row<'_>, columns: &PageColumns) -> String {
    let flows = row.flows_busy();
    let head = format!(
        "<th scope=\"row\"><b>{}</b><small>{}</small>{}</th>",
        escape(&row.first().name),
        escape(&asked(row)),
        fall_line(row) + &ending(row) + &steady_line(run, row)
    );
    if flows.is_empty() {
        let state = if row.failure().is_some() { "failed" } else { without_io(row) };
        return format!(
            "<tr data-csv=\"{}\">{head}<td class=\"state\" colspan=\"{}\">{state}</td></tr>\n",
            copied::line(row, None, state, columns),
            columns.metrics.len()
        );
    }
    let line = |flow: &DirectionFigures<'_>| {
        let state = flow.unrated().map(|unrated| instead_of_rate(unrated, flow.totals.ios));
        let state = if row.failure().is_some() { "failed".to_owned() } else { state.unwrap_or_default() };
        format!(
            "<tr data-csv=\"{}\">{head}{}</tr>\n",
            copied::line(row, Some(flow), &state, columns),
            cells(row, flow, columns)
        )
    };
    flows.iter().map(line).collect()
}

fn cells(row: &Row<'_>, flow: &DirectionFigures<'_>, columns: &PageColumns) -> String {
    let unit = columns.unit;
    let two = |value: &str, below: &str| format!("<td>{value}<small>{below}</small></td>");
    let cell_of = |metric: &'static Metric| match metric.id {
        "iops" | "bandwidth" => rate_cell(metric, flow),
        "latency_mean" => mean_cell(flow, unit),
        "cpu_per_io" => two(&row.cpu_ns_per_io().map_or("-".to_owned(), |ns| cell(ns / 1e3)), ""),
        "in_flight" => {
            two(&in_flight(flow.in_flight()).unwrap_or("-".to_owned()), &row.depth_asked().to_string())
        }
        _ if metric.is_latency() => latencies_cell(metric, flow, columns),
        _ => two(&value(metric, metric.of_flow(flow).or_else(|| metric.of_row(row)), unit), ""),
    };
    columns.metrics.iter().copied().map(cell_of).collect()
}

/// A rate, or why there is none, and below it the interval or the other unit.
fn rate_cell(metric: &Metric, flow: &DirectionFigures<'_>) -> String {
    let instead = flow.unrated().map(|unrated| instead_of_rate(unrated, flow.totals.ios));
    let rate = flow.bytes_per_second();
    let (value, below) = match (metric.id, instead) {
        ("iops", instead) => {
            let ends = flow.iops_estimate().map(|e| format!("{} to {}", cell(e.low), cell(e.high)));
            let value = instead.unwrap_or_else(|| cell(flow.iops()));
            (
                format!("<i class=\"key-box {0}\"></i>{value}", flow.name),
                format!("{} · {}", flow.name, ends.unwrap_or("-".to_owned())),
            )
        }
        (_, Some(_)) => ("-".to_owned(), "-".to_owned()),
        (_, None) => (cell(rate / 1e6), cell(rate / f64::from(1 << 20))),
    };
    format!("<td>{value}<small>{below}</small></td>")
}

/// The mean of the main latency, which latency it is, and for a paced flow the service.
fn mean_cell(flow: &DirectionFigures<'_>, unit: TimeUnit) -> String {
    let text = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| unit.cell(ns));
    let kept = flow.main_latencies();
    let below = kept.iter().enumerate().map(|(at, (name, latency))| match at {
        0 => format!("<small>{}</small>", latency_kind(name)),
        _ => format!("<small>{} {}</small>", latency_kind(name), text(latency.mean_ns())),
    });
    format!("<td>{}{}</td>", text(mean(flow)), below.collect::<String>())
}

/// The main latency, of the slowest I/O how many times the mean it took, and for a paced flow the service below it.
fn latencies_cell(metric: &Metric, flow: &DirectionFigures<'_>, columns: &PageColumns) -> String {
    let kept = flow.main_latencies();
    let told = |(_, latency): &(&str, &Latency)| {
        let text = latency_cell(metric, Some(latency), columns.are_chosen, |ns| columns.unit.cell(ns));
        text.replace('·', THIN)
    };
    let main = kept.first().map_or("-".to_owned(), told);
    let multiple = kept.first().filter(|_| metric.id == "latency_max");
    let multiple = multiple.map(|(_, latency)| max_over_mean(&latency.moments)).filter(|text| text != "-");
    let multiple = multiple.map(|multiple| format!("<small>{multiple} mean</small>")).unwrap_or_default();
    let service = kept.get(1).map(told).filter(|text| text != "-");
    let service = service.map(|text| format!("<small>service {text}</small>")).unwrap_or_default();
    format!("<td>{main}{multiple}{service}</td>")
}
