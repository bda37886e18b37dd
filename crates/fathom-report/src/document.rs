//! A run as one JSON document, and as a tidy table: a line for each job, direction and figure, which
//! spreadsheets, pandas and R read into one frame.

use fathom_figures::metric::{Columns, Metric, Output, Reading};
use fathom_figures::{DirectionFigures, Row, rows};
use fathom_job::priorities;
use fathom_results::{
    DOCUMENT_FORMAT, FigureRecord, JobResult, Latency, PriorityLatency, RunDocument, RunRecord, RunResult,
    VerifiedJob,
};
use fathom_text::calendar::Moment;
use fathom_text::carried;

/// The run as a document.
pub fn document(run: &RunResult) -> RunDocument {
    let record = &run.record;
    RunDocument {
        format: DOCUMENT_FORMAT,
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        id: record.id.clone(),
        name: record.name.clone(),
        started_unix_ns: record.started_unix_ns,
        directory: carried::of_os(&run.dir),
        incomplete: run.incomplete.clone(),
        answer: record.answer.clone(),
        findings: record.findings.clone(),
        datasheet: record.datasheet.clone(),
        verified: verified(run),
        figures: figures(run),
        series: None,
    }
}

/// What each job verified.
fn verified(run: &RunResult) -> Vec<VerifiedJob> {
    let of_job = |job: &JobResult| {
        let verification = job.verification()?.clone();
        let files = job.planned.files.iter().map(|file| file.path.clone()).collect();
        Some(VerifiedJob {
            job: job.planned.name.clone(),
            job_number: job.planned.id + 1,
            files,
            verification,
        })
    };
    run.jobs.iter().filter_map(of_job).collect()
}

/// Every figure of every job.
pub fn figures(run: &RunResult) -> Vec<FigureRecord> {
    figures_of(run, Columns::USUAL)
}

/// The same; where a person chose columns, those.
pub(crate) fn figures_of(run: &RunResult, columns: &Columns) -> Vec<FigureRecord> {
    let metrics = columns.of(Output::Document);
    rows(run).iter().flat_map(|row| of_row(row, &metrics, !columns.are_chosen())).collect()
}

fn of_row(row: &Row<'_>, metrics: &[&Metric], has_all: bool) -> Vec<FigureRecord> {
    let mut out = Vec::new();
    for flow in row.flows_apart_or_mixed().iter().filter(|flow| flow.totals.ios > 0) {
        let mut of =
            Lines { row, metrics, has_all, job: who(row, flow), direction: flow.name, out: &mut out };
        of.counts(flow);
        of.latency("latency", flow.main_latency().map(|(_, latency)| latency));
        let totals = &flow.totals;
        of.latency("submission_latency", Some(&totals.submission));
        of.latency("total_latency", Some(&totals.total));
        of.latency("response_latency", Some(&totals.response));
        for PriorityLatency { ioprio, latency } in flow.priorities() {
            of.latency(&format!("priority_{}_latency", priorities::short(ioprio)), Some(&latency));
        }
    }
    let all = (row.name().to_owned(), row.first().id + 1);
    let mut of = Lines { row, metrics, has_all, job: all, direction: "all", out: &mut out };
    if has_all {
        of.fall();
        of.zone_resets();
        of.verified();
    }
    for metric in metrics {
        let Some(value) = metric.of_row(row) else { continue };
        let n = if metric.id == "runtime" { 1 } else { row.ios() };
        of.line(metric.id, value, metric.unit.symbol(), n, None);
    }
    out
}

/// Name and number, from 1, of the job of a flow. Jobs that share a row (`group_reporting`) have the name of the first of them, as in
/// fio, where all did such I/O; otherwise those that did it are named.
pub(crate) fn who(row: &Row<'_>, flow: &DirectionFigures<'_>) -> (String, u32) {
    let did: Vec<_> = flow.parts().map(|part| &part[0].planned).collect();
    match did.first() {
        Some(first) if did.len() < row.parts().count() => {
            let names: Vec<&str> = did.iter().map(|job| job.name.as_str()).collect();
            (names.join("+"), first.id + 1)
        }
        _ => (row.name().to_owned(), row.first().id + 1),
    }
}

/// Lines of one direction of a job.
struct Lines<'a> {
    row: &'a Row<'a>,
    metrics: &'a [&'a Metric],
    /// The columns are the usual ones.
    has_all: bool,
    /// Its name, and its number from 1.
    job: (String, u32),
    direction: &'a str,
    out: &'a mut Vec<FigureRecord>,
}

impl Lines<'_> {
    fn line(&mut self, metric: &str, value: f64, unit: &str, n: u64, interval: Option<(f64, f64)>) {
        self.out.push(FigureRecord {
            job: self.job.0.clone(),
            job_number: self.job.1,
            direction: self.direction.to_owned(),
            metric: metric.to_owned(),
            value,
            unit: unit.to_owned(),
            n,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        });
    }

    /// What is counted of the direction. A rate of too short a time, or of too few I/Os, is left out (contract T-50); the number of its I/Os is there.
    fn counts(&mut self, flow: &DirectionFigures<'_>) {
        for metric in self.metrics.iter().filter(|metric| !metric.is_latency()) {
            let Some(value) = metric.of_flow(flow) else { continue };
            let n = if metric.is_rate() { flow.iops_series().values.len() as u64 } else { 1 };
            let interval = metric.interval(flow).map(|e| (e.low, e.high));
            self.line(metric.id, value, metric.unit.symbol(), n, interval);
        }
    }

    /// When the rate of the job fell, after how many bytes, from what and to what; nothing where it did not fall.
    fn fall(&mut self) {
        let Some(fall) = self.row.rate_fall() else { return };
        let levels = [("before_fall", fall.before), ("lasting", fall.lasting)];
        for (what, level) in levels {
            self.line(&format!("iops_{what}"), level.iops, "1/s", 1, None);
            self.line(&format!("bandwidth_{what}"), level.bytes_per_second, "B/s", 1, None);
        }
        self.line("fall_begins", fall.at_s as f64, "s", 1, None);
        self.line("fall_ends", fall.lasts_from_s as f64, "s", 1, None);
        self.line("bytes_before_fall", fall.bytes_before, "B", 1, None);
    }

    /// How many zones the job reset for its writes; nothing of a job without `zonemode=zbd`.
    fn zone_resets(&mut self) {
        if let Some(resets) = self.row.zone_resets() {
            self.line("zone_resets", resets as f64, "1", 1, None);
        }
    }

    /// How many reads of the job were verified, and how many of their blocks were wrong; nothing of a job that verified nothing.
    fn verified(&mut self) {
        let mut members = self.row.members.iter().filter_map(JobResult::verification);
        let Some(mut all) = members.next().cloned() else { return };
        members.for_each(|other| all.add_counts(other));
        self.line("verified_reads", all.ios as f64, "1", 1, None);
        self.line("wrong_blocks", all.wrong as f64, "1", 1, None);
    }

    fn latency(&mut self, name: &str, latency: Option<&Latency>) {
        let Some(latency) = latency.filter(|latency| latency.moments.count() > 0) else { return };
        let n = latency.moments.count();
        for metric in self.metrics {
            // I/Os that are near in time are alike, so ranks give no interval that holds.
            // A percentile that a person chose has no line where few I/Os lie beyond it: a table has no place for a mark.
            let has_line = |it: &Reading| !it.is_bound && (self.has_all || !it.is_thin);
            if let Some(reading) = metric.of_latency(latency).filter(has_line) {
                let what = metric.id.strip_prefix("latency").unwrap_or(metric.id);
                self.line(&format!("{name}{what}"), reading.ns, metric.unit.symbol(), n, None);
            }
        }
    }
}

/// The columns of the first cells ([`head`]).
pub(crate) const HEAD: &str = "run,name,started,target";

/// The other columns of the table.
pub(crate) const COLUMNS: [&str; 9] =
    ["job", "job_number", "direction", "metric", "value", "unit", "n", "low", "high"];

/// The table: a line for each figure, with the run that it is of (RFC 4180, with the line ends of Unix).
pub fn csv(run: &RunResult) -> String {
    csv_of(run, Columns::USUAL)
}

/// The same; where a person chose columns, those figures.
pub fn csv_of(run: &RunResult, columns: &Columns) -> String {
    let head = head(run);
    let mut out = format!("{HEAD},{}\n", COLUMNS.join(","));
    for line in figures_of(run, columns) {
        let end = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let cells = [
            quoted(&line.job),
            line.job_number.to_string(),
            line.direction,
            line.metric,
            line.value.to_string(),
            line.unit,
            line.n.to_string(),
            end(line.low),
            end(line.high),
        ];
        out += &format!("{head},{}\n", cells.join(","));
    }
    out
}

/// The first cells of each line: which run it is of.
pub(crate) fn head(run: &RunResult) -> String {
    let record = &run.record;
    head_of((&record.id, &record.name), record.started_unix_ns, first_target(record))
}

/// The first target of a run.
pub(crate) fn first_target(record: &RunRecord) -> Option<&str> {
    record.plan.jobs.iter().flat_map(|job| &job.files).map(|file| file.path.as_str()).next()
}

/// The same of an id and a name, the time of the start, and the first target.
pub(crate) fn head_of((id, name): (&str, &str), started_unix_ns: u64, target: Option<&str>) -> String {
    let started = Moment::of_unix_ns(started_unix_ns).to_string();
    [id, name, &started, target.unwrap_or_default()].map(quoted).join(",")
}

/// Signs with which a formula of a spreadsheet begins, also in full width, in which some spreadsheets take them too.
const BEGINS_FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// A text as a cell. A spreadsheet takes a cell that begins like a formula for one, so it gets a
/// quotation mark before it.
pub(crate) fn quoted(text: &str) -> String {
    let text = fathom_text::shown::line(text);
    let guarded = match text.chars().next() {
        Some(first) if BEGINS_FORMULA.contains(&first) => format!("'{text}"),
        _ => text.into_owned(),
    };
    match guarded.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", guarded.replace('"', "\"\"")),
        false => guarded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use fathom_job::direction::Direction;
    use fathom_results::outcome::ZONE_RESETS;

    /// Trims of the second job of a group are not those of the first one, which only reads.
    #[test]
    fn a_flow_of_a_group_has_the_names_of_the_jobs_that_did_it() {
        let text = "[global]\nioengine=sim\nfilename=sim:consumer/64\nbs=8k\ngroup_reporting\n[job0]\nrw=read\n[job1]\nrw=rw\n";
        let reads = DirectionLoad::reads(100, 8192, 100_000);
        let writes = DirectionLoad { direction: Direction::Write, ..reads };
        let run = RunBuilder::text(text).seconds(0, 5, &[reads]).seconds(1, 5, &[reads, writes]).run();
        let of = |direction: &str| {
            let all = figures(&run);
            let one = all.iter().find(|it| it.direction == direction && it.metric == "ios").unwrap().clone();
            (one.job, one.job_number, one.value)
        };
        assert_eq!(of("read"), ("job0".to_owned(), 1, 1_000.0));
        assert_eq!(of("write"), ("job1".to_owned(), 2, 500.0));
        // Their seconds have the same names.
        let second = |direction: &str| {
            let one = series(&run).into_iter().find(|it| it.direction == direction).unwrap();
            (one.job, one.job_number)
        };
        assert_eq!(second("read"), ("job0".to_owned(), 1));
        assert_eq!(second("write"), ("job1".to_owned(), 2));
    }

    /// The job with two priorities has their latencies, and that with zones how many it reset.
    #[test]
    fn priorities_and_zone_resets_have_lines() {
        let reads = [DirectionLoad::reads(100, 8192, 100_000)];
        let mut run =
            RunBuilder::of("rw=read bs=8k ioengine=sim filename=sim:consumer").seconds(0, 5, &reads).run();
        let has = |run: &RunResult, metric: &str| figures(run).iter().any(|line| line.metric == metric);
        assert!(!has(&run, "priority_rt0_latency_mean") && !has(&run, "zone_resets"));
        let job = &mut run.jobs[0];
        let read = &mut job.totals.directions.read;
        for ioprio in [0, 1 << 13] {
            let latency = read.completion.clone();
            read.priorities.push(PriorityLatency { ioprio, latency });
        }
        let outcome = job.outcome.as_mut().unwrap();
        outcome.notes.push((ZONE_RESETS.to_owned(), "7".to_owned()));
        for metric in ["priority_rt0_latency_mean", "priority_none0_latency_p99", "zone_resets"] {
            assert!(has(&run, metric), "{metric}");
        }
    }

    #[test]
    fn operations_on_names_move_no_data() {
        let reads = [DirectionLoad::reads(100, 4096, 100_000)];
        let job = "ioengine=filestat rw=read nrfiles=3 filesize=4k directory=/data";
        let run = RunBuilder::of(job).seconds(0, 5, &reads).run();
        let metrics: Vec<String> = figures(&run).into_iter().map(|line| line.metric).collect();
        let has = |metric: &str| metrics.iter().any(|known| known == metric);
        assert!(has("iops") && has("ios") && !has("bandwidth") && !has("bytes"), "{metrics:?}");
    }
}
