//! The report of a suite: a part for each group, with its tables, its charts and what to know before they are used.

use super::Suite;
use super::against::AgainstAlone;
use super::charts::{charts, knees, of_crossed};
use super::gathered::{CellRow, best, measured, row_name, row_or_group, rows};
use super::links::Links;
use super::parts::Parts;
use super::rules::judged;
use super::tables::{distinct, tables};
use crate::History;
use crate::pts::platform;
use crate::suite::{CellGroup, Shown, SuiteKind};
use fathom_figures::metric::OverRounds;
use fathom_results::answer::ReportDeviation;
use fathom_results::procedure::{ProcedureRecord, StepDone};
use fathom_results::{
    FallenRow, HeaderGroup, ReportHeadline, ReportPart, ReportRemark, SpreadRow, StandardReport, TestReport,
};
use fathom_text::calendar::Moment;
use fathom_text::quantity::bytes;
use fathom_text::words::counted;

/// A standard deviation above this share of the mean is told (contract I-27, I-50).
const SPREAD_TOLD_FROM: f64 = 0.05;

/// The report of everything that was measured so far.
pub fn report(suite: &Suite, record: &ProcedureRecord, history: &History<'_>) -> StandardReport {
    StandardReport {
        standard: format!("{} ({})", suite.file.title, suite.name),
        header: header(suite, record, history),
        deviations: suite.deviations().into_iter().map(ReportDeviation::from).collect(),
        tests: measured(suite).map(|(place, group)| part(suite, place, group, (record, history))).collect(),
    }
}

fn header(suite: &Suite, record: &ProcedureRecord, history: &History<'_>) -> Vec<HeaderGroup> {
    let moment = |ns: u64| Moment::of_unix_ns(ns).to_string();
    let group = |title: &str, entries: Vec<(String, Option<String>)>| HeaderGroup {
        title: title.to_owned(),
        entries: entries.into_iter().filter_map(|(name, text)| Some((name, text?))).collect(),
    };
    let entry = |name: &str, text: Option<String>| (name.to_owned(), text);
    let kind = match suite.file.kind {
        SuiteKind::Guide => "what this document says",
        SuiteKind::Own => "a person's own choice",
        SuiteKind::Shape => "a shape of I/O, and no result of the application's own benchmark",
    };
    let resumed = record.resumes_until(history.steps());
    let purges = history.steps().iter().filter_map(|step| match &step.did {
        StepDone::Prepared { evidence, .. } => Some(evidence.clone()),
        _ => None,
    });
    let platform = platform(record).into_iter().map(|(name, text)| entry(name, text)).collect();
    vec![
        group(
            "Test",
            vec![
                entry("Suite", Some(suite.name.clone())),
                entry("Source", Some(suite.file.source.clone())),
                entry("Kind", Some(kind.to_owned())),
                entry("Run", Some(record.id.clone())),
                entry("Began", Some(moment(record.started_unix_ns))),
                entry("Last step ended", history.steps().last().map(|step| moment(step.ended_unix_ns))),
                entry("Interruptions", Some(resumed.to_string())),
                entry("Note", record.note.clone()),
                entry("Tool", Some(format!("fathom {}", record.fathom))),
            ],
        ),
        group("Test platform", platform),
        group("Device under test", devices(suite, record)),
        group(
            "Set-up",
            vec![
                entry("First preparation", purges.into_iter().next()),
                entry(
                    "About",
                    Some(suite.file.about.split_whitespace().collect::<Vec<_>>().join(" "))
                        .filter(|text| !text.is_empty()),
                ),
            ],
        ),
    ]
}

/// Each target with its model and serial number, where the host knows them.
pub fn devices(suite: &Suite, record: &ProcedureRecord) -> Vec<(String, Option<String>)> {
    let told = |path: &String| {
        let known = record.targets.iter().find(|target| target.path == *path);
        let of = |text: Option<&String>, word: &str| text.map(|text| format!("{word}{text}"));
        let size = known.and_then(|target| target.size_bytes).map(|size| bytes(size as f64));
        let parts = [
            of(known.and_then(|target| target.model.as_ref()), ""),
            of(known.and_then(|target| target.serial.as_ref()), "S/N "),
            size,
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { path.clone() } else { format!("{path}: {}", parts.join(", ")) }
    };
    let targets = &suite.terms.targets;
    let name =
        |at: usize| if targets.len() == 1 { "Device".to_owned() } else { format!("Device {}", at + 1) };
    let each = targets.iter().enumerate().map(|(at, target)| (name(at), Some(told(&target.path))));
    // The title of the page has them all.
    let all = (targets.len() > 1).then(|| {
        (
            "Device".to_owned(),
            Some(targets.iter().map(|target| target.path.as_str()).collect::<Vec<_>>().join(", ")),
        )
    });
    all.into_iter().chain(each).collect()
}

fn part(
    suite: &Suite,
    place: usize,
    group: &CellGroup,
    (record, history): (&ProcedureRecord, &History<'_>),
) -> TestReport {
    let rows = rows(suite, place, history);
    let targets: Vec<String> = suite.terms.targets.iter().map(|target| target.path.clone()).collect();
    let against = AgainstAlone::of(suite, group, history);
    let links = Links::of(record, &suite.terms.targets);
    let tables = tables(group, &rows, &targets, against.as_ref(), &links);
    let charts = match (charts(group, &rows), &group.columns, tables.first()) {
        (none, Some(across), Some(table)) if none.is_empty() => {
            of_crossed(table, across).into_iter().collect()
        }
        (charts, ..) => charts,
    };
    let parts = tables.into_iter().map(ReportPart::Table).chain(charts).collect();
    TestReport {
        name: group.name.clone(),
        title: group.what.clone(),
        headline: headline(group, &rows),
        parameters: parameters(group, &rows),
        remarks: [links.remarks(&rows), remarks(suite, group, &rows, against.as_ref(), history)].concat(),
        parts,
        ..TestReport::default()
    }
}

fn headline(group: &CellGroup, rows: &[CellRow<'_>]) -> ReportHeadline {
    if let Some(of_parts) = Parts::of(group, rows).and_then(|parts| parts.headline(rows)) {
        return ReportHeadline::Group(of_parts);
    }
    let Some((row, mean)) = best(group, rows) else {
        let is_measured = rows.iter().any(CellRow::is_measured);
        return if is_measured { ReportHeadline::TooShort } else { ReportHeadline::Nothing };
    };
    let shown = group.values[0];
    let row = Some(row_name(row, group)).filter(|name| !name.is_empty() && rows.len() > 1);
    ReportHeadline::Best { metric: shown.id().to_owned(), best: mean.best(shown), row }
}

fn parameters(group: &CellGroup, rows: &[CellRow<'_>]) -> Vec<(String, String)> {
    let vary = group.vary.iter().map(|vary| format!("{}={}", vary.name, vary.values.join(",")));
    let vary: Vec<String> = vary.collect();
    let does: Vec<&str> = rows.iter().map(CellRow::does).filter(|does| !does.is_empty()).collect();
    let mut all = Vec::new();
    if !vary.is_empty() {
        all.push(("Varies".to_owned(), vary.join("; ")));
    } else if let Some(does) = does.first() {
        all.push(("Job".to_owned(), (*does).to_owned()));
    }
    if group.repeat > 1 {
        all.push(("Repeated".to_owned(), counted(u64::from(group.repeat), "time")));
    }
    all
}

fn remarks(
    suite: &Suite,
    group: &CellGroup,
    rows: &[CellRow<'_>],
    against: Option<&AgainstAlone<'_>>,
    history: &History<'_>,
) -> Vec<ReportRemark> {
    let of_group = judged(suite, history).into_iter().filter(|one| group.rules.contains(one.rule));
    let mut all: Vec<ReportRemark> = of_group.map(|one| ReportRemark::Rule(one.result)).collect();
    all.extend(against.map(|against| against.remarks(group, rows)).unwrap_or_default());
    all.extend(Parts::of(group, rows).map(|parts| parts.remarks(rows)).unwrap_or_default());
    all.extend(knees(group, rows));
    all.extend(doubts(suite, group, rows));
    all.extend(over_rounds(group, rows));
    all
}

/// What the figures of several rounds are, where not all are means.
fn over_rounds(group: &CellGroup, rows: &[CellRow<'_>]) -> Option<ReportRemark> {
    let is_mean = |shown: &Shown| shown.over_rounds() == OverRounds::Mean;
    let has_several = rows.iter().any(|row| row.rounds() > 1) && !group.values.iter().all(is_mean);
    has_several.then_some(ReportRemark::OverRounds)
}

/// Why the figures of a group need care: a rate that fell, a wide spread, a drift, cells that failed.
pub fn doubts(suite: &Suite, group: &CellGroup, rows: &[CellRow<'_>]) -> Vec<ReportRemark> {
    [fell(group, rows), spread(group, rows), drift(suite, group, rows), failed(rows)]
        .into_iter()
        .flatten()
        .collect()
}

/// Rows whose rate fell: when, after how much, and from what.
fn fell(group: &CellGroup, rows: &[CellRow<'_>]) -> Option<ReportRemark> {
    let fell = |row: &CellRow<'_>| {
        let falls = row.falls();
        let first = falls.first()?;
        Some(FallenRow {
            row: row_or_group(row, group),
            falls: falls.len() as u64,
            rounds: row.rounds() as u64,
            at_s: first.at_s,
            iops_before: first.iops_before,
            bytes_per_second_before: first.bytes_per_second_before,
            bytes_before: first.bytes_before,
        })
    };
    let rows: Vec<FallenRow> = rows.iter().filter_map(fell).collect();
    (!rows.is_empty()).then_some(ReportRemark::Fell { rows })
}

/// Cells with a round that failed.
fn failed(rows: &[CellRow<'_>]) -> Option<ReportRemark> {
    let cells = distinct(rows.iter().filter(|row| row.failed > 0).map(|row| row.cell.name.clone()));
    (!cells.is_empty()).then_some(ReportRemark::Failed { cells })
}

/// Rows whose rounds differ by more than the guide accepts.
fn spread(group: &CellGroup, rows: &[CellRow<'_>]) -> Option<ReportRemark> {
    let wide = |row: &CellRow<'_>| {
        let deviation_share =
            row.mean(group.values[0])?.variation.filter(|share| *share > SPREAD_TOLD_FROM)?;
        Some(SpreadRow { row: row_or_group(row, group), deviation_share })
    };
    let rows: Vec<SpreadRow> = rows.iter().filter_map(wide).collect();
    (!rows.is_empty()).then_some(ReportRemark::Spread { rows })
}

/// The reference cell, where it was measured again: how far it drifted from its first value; of several jobs, the one that
/// drifted most.
fn drift(suite: &Suite, group: &CellGroup, rows: &[CellRow<'_>]) -> Option<ReportRemark> {
    if suite.file.reference_every == 0 {
        return None;
    }
    let reference = &rows.first()?.cell.name;
    let jobs: Vec<_> = rows.iter().filter(|row| row.cell.name == *reference).collect();
    let drift = |row: &&CellRow<'_>| Some((row.job.clone(), Drift::of(&row.series(group.values[0]))?));
    let (job, Drift { times, last, most }) =
        jobs.iter().filter_map(drift).max_by(|a, b| a.1.most.total_cmp(&b.1.most))?;
    Some(ReportRemark::Drift { job: (jobs.len() > 1).then_some(job), times: times as u64, last, most })
}

/// How far a figure moved from its first value.
struct Drift {
    times: usize,
    /// The last value as a share of the first.
    last: f64,
    /// The largest distance from the first, as a share of it.
    most: f64,
}

impl Drift {
    /// `None` of fewer than two values.
    fn of(series: &[f64]) -> Option<Drift> {
        let (first, last) = (*series.first()?, *series.last()?);
        let most = series.iter().map(|value| (value / first - 1.0).abs()).fold(0.0, f64::max);
        (series.len() > 1 && first > 0.0).then(|| Drift { times: series.len(), last: last / first, most })
    }
}
