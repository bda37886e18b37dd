//! Tables and plots that several tests have.

use super::reported::Reported;
use super::taken::{MeasurementWindow, value};
use super::until::{Until, unit};
use fathom_judge::Cell;
use fathom_judge::steady::{Confident, ConfidentTerms, PtsGate, WINDOW_ROUNDS};
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::RoundFigures;
use fathom_results::{
    Determination, ReportAxis, ReportColumns, ReportPart, ReportPlot, ReportRemark, ReportSeries,
    ReportTable, RunResult, TableCell, TestReport,
};
use fathom_stats::{Estimate, Histogram};
use fathom_text::number::grouped;
use fathom_text::quantity::percent;

/// Values by two categories.
pub struct Matrix {
    /// What it shows.
    pub title: String,
    /// What the rows are.
    pub rows_are: &'static str,
    /// What the columns are.
    pub columns_are: &'static str,
    /// The unit of the values.
    pub unit: &'static str,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// For each row, the values of the columns.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Matrix {
    /// As a table.
    pub fn table(&self) -> ReportPart {
        let title = |name: &String| format!("{} {name}", self.columns_are);
        let columns = [self.rows_are.to_owned()].into_iter().chain(self.columns.iter().map(title)).collect();
        let row = |(name, values): (&String, &Vec<Option<f64>>)| {
            let values = values.iter().map(|value| TableCell::from(*value));
            [TableCell::from(name.as_str())].into_iter().chain(values).collect()
        };
        let rows = self.rows.iter().zip(&self.values).map(row).collect();
        ReportPart::Table(ReportTable { title: self.title.clone(), columns, rows })
    }

    /// As columns in three dimensions.
    pub fn three_dimensional(&self) -> ReportPart {
        ReportPart::Columns(ReportColumns {
            title: self.title.clone(),
            x: self.columns_are.to_owned(),
            z: self.rows_are.to_owned(),
            x_names: self.columns.clone(),
            z_names: self.rows.clone(),
            values: self.values.clone(),
        })
    }

    /// A line for each column over the numbers of the rows, both axes logarithmic.
    pub fn lines(&self, title: &str, at: &[f64]) -> ReportPlot {
        let line = |(column, name): (usize, &String)| {
            let points = at.iter().zip(&self.values).filter_map(|(x, row)| Some((*x, row[column]?)));
            ReportSeries::measured(name.clone(), points.collect())
        };
        ReportPlot {
            title: title.to_owned(),
            x: ReportAxis::log(self.rows_are),
            y: ReportAxis::log(self.unit),
            series: self.columns.iter().enumerate().map(line).collect(),
        }
    }
}

/// All tracking variables of these rounds; nothing where there is only one, which is in another plot.
pub fn tracking_variables(of: &Reported<'_>, rounds: &Until) -> Option<ReportPart> {
    let quantity = rounds.tracked.first().filter(|_| rounds.tracked.len() > 1)?.quantity;
    let segments = rounds.tracked.iter().map(|it| (it.name.clone(), it.segment.clone()));
    Some(convergence(of, &rounds.cell, "Steady state convergence: tracking variables", segments, quantity))
}

/// A figure of some segments over the rounds, in the unit of the report. The segments are pairs of name and segment.
pub fn convergence(
    of: &Reported<'_>,
    cell: &str,
    title: &str,
    segments: impl IntoIterator<Item = (String, String)>,
    quantity: JudgedFigure,
) -> ReportPart {
    of.over_rounds(cell, (title, unit(quantity)), segments, |figures| value(figures, quantity))
}

impl Reported<'_> {
    /// A figure of some segments over the rounds, with its unit.
    pub fn over_rounds(
        &self,
        cell: &str,
        (title, unit): (&str, &str),
        segments: impl IntoIterator<Item = (String, String)>,
        of: impl Fn(&RoundFigures) -> Option<f64>,
    ) -> ReportPart {
        let line = |(name, segment): (String, String)| {
            let values = self.taken.series(cell, &segment, &of);
            let points = (1..).zip(values).filter_map(|(round, value)| Some((f64::from(round), value?)));
            ReportSeries::measured(name, points.collect())
        };
        ReportPart::plot(title, "round", unit, segments.into_iter().map(line).collect())
    }
}

/// Measurement window and steady state of each tracking variable, and our own judgement beside it.
pub fn determination(of: &Reported<'_>, rounds: &Until, report: &mut TestReport) {
    let done = of.taken.rounds(&rounds.cell).len();
    let Some(window) = of.taken.reported_window(rounds) else {
        let (cell, rounds) = (rounds.cell.clone(), done as u64);
        report.remarks.push(ReportRemark::WindowIncomplete { cell, rounds });
        return;
    };
    for (variable, gate) in rounds.tracked.iter().zip(&window.gates) {
        let (name, unit) = (&variable.name, unit(variable.quantity));
        let series = of.taken.tracked(&rounds.cell, variable);
        report.determinations.push(Determination {
            variable: name.clone(),
            unit: unit.to_owned(),
            rounds: (window.first(), window.last),
            mean: gate.mean,
            range: (gate.range, gate.range_allowed()),
            slope: (gate.slope_change(), gate.slope_allowed()),
            is_steady: gate.is_steady(),
        });
        report.parts.push(ReportPart::Plot(window_plot(name, unit, &series, &window, gate)));
        let title = format!("Steady state determination: {name} ({unit})");
        let rows = rows(&series, &window, gate);
        let columns = ["Quantity", "Value", "Allowed, or remark"].map(str::to_owned).to_vec();
        report.parts.push(ReportPart::Table(ReportTable { title, columns, rows }));
    }
}

/// The values of the window, their mean, the fitted line and the limits as the standard draws them.
fn window_plot(
    name: &str,
    unit: &str,
    series: &[Option<f64>],
    window: &MeasurementWindow,
    gate: &PtsGate,
) -> ReportPlot {
    let (first, last) = (window.first() as f64, window.last as f64);
    let values = (window.first()..=window.last).filter_map(|round| Some((round as f64, series[round - 1]?)));
    let level = |value: f64| vec![(first, value), (last, value)];
    let fitted = [first, last].map(|round| (round, gate.intercept + gate.slope * round)).to_vec();
    ReportPlot {
        title: format!("Measurement window: {name}"),
        x: ReportAxis::linear("round"),
        y: ReportAxis::linear(unit),
        series: vec![
            ReportSeries::measured("measured", values.collect()),
            ReportSeries::guide("average", level(gate.mean)),
            ReportSeries::guide("110 % average", level(1.1 * gate.mean)),
            ReportSeries::guide("90 % average", level(0.9 * gate.mean)),
            ReportSeries::guide("best linear fit", fitted),
        ],
    }
}

fn rows(series: &[Option<f64>], window: &MeasurementWindow, gate: &PtsGate) -> Vec<Vec<TableCell>> {
    let row = |name: &str, value: TableCell, allowed: TableCell| vec![name.into(), value, allowed];
    let verdict = |is_within: bool| TableCell::from(if is_within { "yes" } else { "NO" });
    let values: Vec<f64> = series[window.first() - 1..window.last].iter().flatten().copied().collect();
    let mean = Estimate::of_independent(&values, 0.95);
    let interval = mean.map_or_else(String::new, |mean| {
        format!("± {} (95 %, n = {}, if rounds are independent)", percent(mean.relative_half_width()), mean.n)
    });
    let mut rows = vec![
        row("Rounds of the window", format!("{}–{}", window.first(), window.last).into(), "".into()),
        row("Average", gate.mean.into(), interval.into()),
        row("Largest minus smallest value", gate.range.into(), gate.range_allowed().into()),
        row("Change of the fitted line", gate.slope_change().into(), gate.slope_allowed().into()),
        row("Best linear fit", fitted_line(gate).into(), "R is the number of the round".into()),
        match gate.range > 0.0 {
            true => row("Correlation", gate.correlation.into(), "".into()),
            false => row("Correlation", "not defined".into(), "all values are the same".into()),
        },
        row(
            "Steady state by the standard",
            verdict(gate.is_steady()),
            "asks that range and change keep their limits".into(),
        ),
    ];
    let (is_settled, why) = ours(series);
    rows.push(row("fathom's own, stricter check of all rounds", is_settled.into(), why));
    rows
}

/// `160.4 − 0.480 · R`.
fn fitted_line(gate: &PtsGate) -> String {
    let sign = if gate.slope < 0.0 { "−" } else { "+" };
    let intercept = if gate.intercept < 0.0 { "−" } else { "" };
    format!("{intercept}{} {sign} {} · R", four(gate.intercept.abs()), four(gate.slope.abs()))
}

/// Four significant digits, and whole from 1,000 on.
fn four(value: f64) -> String {
    if value >= 1_000.0 {
        return grouped(value.round() as u64);
    }
    let decimals = if value > 0.0 { (3 - value.log10().floor() as i32).clamp(0, 6) as usize } else { 0 };
    format!("{value:.decimals$}")
}

/// Whether all rounds so far have settled by our own rule, and why not.
fn ours(series: &[Option<f64>]) -> (&'static str, TableCell) {
    let known: Vec<f64> = series.iter().flatten().copied().collect();
    if known.len() < Confident::VALUES_MIN {
        return (
            "cannot tell",
            format!("it needs {} rounds, and has {}", Confident::VALUES_MIN, known.len()).into(),
        );
    }
    // Shares of a mean of nothing are not numbers.
    if known.iter().all(|value| *value == 0.0) {
        return ("cannot tell", "all values are 0".into());
    }
    let settled = Confident::of(&known, &ConfidentTerms::OF_RATE, WINDOW_ROUNDS as f64, 1);
    match settled.is_settled() {
        true => ("yes", "".into()),
        false => ("cannot tell", TableCell::NotSettled(settled.against)),
    }
}

/// I/Os without which a mark of the response times is nothing but the maximum, in the order of the marks.
const NEEDS: [f64; 5] = [0.0, 1e3, 1e4, 1e5, 0.0];

/// The response times of a job of a round: its histogram, and the share of I/Os by the time that they did not exceed.
pub fn response_times(of: &Reported<'_>, cell: &str, job: &str, title: &str) -> Vec<ReportPart> {
    let rounds = of.taken.rounds(cell);
    let run = rounds.last().and_then(|(round, _)| of.runs.run(&round.directory));
    let histogram = run.map(|run| histogram(&run, job)).filter(|histogram| !histogram.is_empty());
    let Some(histogram) = histogram else { return Vec::new() };
    let total = histogram.count() as f64;
    let counts = coarse(&histogram);
    let shares = cumulative(&counts, total);
    let marks = marks(&histogram);
    let line =
        |(name, at): (&str, Option<f64>)| Some(ReportSeries::guide(name, vec![(at?, 0.0), (at?, 100.0)]));
    let mut levels = vec![ReportSeries::measured("I/Os that took no longer", shares)];
    levels.extend(marks.into_iter().filter_map(line));
    let rows = marks.into_iter().zip(NEEDS).map(|((name, at), needs)| {
        let remark = if total < needs { "the maximum: there are too few I/Os" } else { "" };
        vec![name.into(), at.into(), remark.into()]
    });
    let time = || ReportAxis::log("response time (ms, logarithmic)");
    let (most, n) = (four(milliseconds(histogram.max()).unwrap_or(0.0)), grouped(histogram.count()));
    let heading = format!("Response time histogram: {title} (maximum {most} ms, n = {n})");
    let counts = vec![ReportSeries::counts("I/Os", counts)];
    vec![
        ReportPart::plot(heading, time(), ReportAxis::log("I/Os (logarithmic)"), counts),
        ReportPart::plot(format!("Confidence level plot: {title}"), time(), "I/Os, cumulative (%)", levels),
        ReportPart::table(
            format!("Response times: {title}"),
            &["Share of the I/Os", "ms", "Remark"],
            rows.collect(),
        ),
    ]
}

/// The I/Os that took no longer, in percent, by the upper end of their class.
fn cumulative(counts: &[(f64, f64)], total: f64) -> Vec<(f64, f64)> {
    let (mut below, mut shares) = (0.0, Vec::new());
    for (high, count) in counts {
        // Between the classes that have I/Os the share is the same.
        shares.push((high / CLASS_RATIO, 100.0 * below / total));
        below += count;
        shares.push((*high, 100.0 * below / total));
    }
    shares
}

/// The marks of the response times, in ms.
fn marks(histogram: &Histogram) -> [(&'static str, Option<f64>); 5] {
    let at = |share: f64| milliseconds(histogram.quantile(share));
    [
        ("average", histogram.totals().mean().map(|ns| ns / 1e6)),
        ("99.9 %", at(0.999)),
        ("99.99 %", at(0.9999)),
        ("99.999 %", at(0.99999)),
        ("maximum", milliseconds(histogram.max())),
    ]
}

/// Nanoseconds in ms.
pub fn milliseconds(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e6)
}

/// IOPS over the minutes of a segment, from the windows of its last round; `None` where that cannot be read.
pub fn over_time(of: &Reported<'_>, cell: &str, job: &str, title: String) -> Option<ReportPart> {
    let (round, _) = *of.taken.rounds(cell).last()?;
    let run = of.runs.run(&round.directory)?;
    let cells = Cell::all(&run);
    let segment = cells.iter().find(|it| it.name() == job)?;
    let minutes = segment.window_seconds() as f64 / 60.0;
    let rates = segment.rates().values.into_iter().enumerate();
    let points: Vec<(f64, f64)> = rates.map(|(at, rate)| ((at + 1) as f64 * minutes, rate)).collect();
    (!points.is_empty())
        .then(|| ReportPart::plot(title, "minutes", "IOPS", vec![ReportSeries::measured("IOPS", points)]))
}

/// The completion latencies of a job, both directions and all clones merged.
fn histogram(run: &RunResult, job: &str) -> Histogram {
    let mut all = Histogram::new();
    for one in run.jobs.iter().filter(|one| one.planned.name == job) {
        for (_, flow) in one.totals.directions.iter() {
            if let Some(histogram) = flow.completion.histogram.as_ref().or(flow.total.histogram.as_ref()) {
                all.merge(histogram);
            }
        }
    }
    all
}

/// Classes for each power of ten, and what the upper end of a class is of its lower end: the 20th root of 10.
const CLASSES: f64 = 20.0;
const CLASS_RATIO: f64 = 1.122_018_454_3;

/// Some twenty classes for each power of ten: the upper end of each in ms, and its I/Os.
fn coarse(histogram: &Histogram) -> Vec<(f64, f64)> {
    let mut classes: Vec<(i64, f64)> = Vec::new();
    for bucket in histogram.buckets() {
        let class = ((bucket.high_ns.max(1) as f64).log10() * CLASSES).ceil() as i64;
        match classes.last_mut() {
            Some((last, count)) if *last == class => *count += bucket.count as f64,
            _ => classes.push((class, bucket.count as f64)),
        }
    }
    classes.into_iter().map(|(class, count)| (10f64.powf(class as f64 / CLASSES) / 1e6, count)).collect()
}
