//! A figure is the same number wherever it stands: random results go to every report and to the
//! judge, and each figure that they print is the one of `fathom-figures`, within the rounding of
//! its print.

mod printed;
mod scene;

use fathom_figures::{DirectionFigures, Row, jobs, rows, rows_of_clones};
use fathom_report::fio_json::fio_json;
use fathom_report::html::page;
use fathom_report::normal::normal;
use fathom_report::terminal::{Style, details, summary};
use fathom_report::terse::{TerseVersion, terse};
use fathom_results::RunResult;
use fathom_stats::Histogram;
use printed::{Details, Printed};
use proptest::prelude::*;
use scene::scene;

/// Wide enough that no line is broken.
const WIDE: Style = Style { width: 1_000, ..Style::PLAIN };

/// The percentiles that every scene asks for.
const PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_figure_is_the_same_number_wherever_it_stands(scene in scene()) {
        let mut run = scene.run();
        fathom_procedures::judge(&mut run);
        let rows = rows(&run);
        for (nth, row) in rows.iter().enumerate() {
            in_json(&run, nth, row);
            in_terse(&run, nth, row);
            in_normal_text(&run, nth, row);
            in_details(&run, nth, row);
        }
        in_page(&run, &rows);
        in_summary(&run, &rows);
        in_judgement(&run);
    }
}

/// Mean and percentiles of a flow's completion latency, ns.
fn completion(flow: &DirectionFigures<'_>) -> (f64, [f64; 3]) {
    let latency = &flow.totals.completion;
    let histogram: &Histogram = latency.histogram.as_ref().expect("every scene keeps it");
    let at = |p: f64| histogram.quantile(p / 100.0).expect("it is not empty") as f64;
    (latency.moments.mean().expect("there was I/O"), PERCENTILES.map(at))
}

fn total_mean(flow: &DirectionFigures<'_>) -> f64 {
    flow.totals.total.moments.mean().expect("there was I/O")
}

fn in_json(run: &RunResult, nth: usize, row: &Row<'_>) {
    let job = &fio_json(run, false)["jobs"][nth];
    let number = |value: &serde_json::Value| Printed::exact(value.as_f64().expect("a number"));
    number(&job["usr_cpu"]).is(row.user_percent().unwrap());
    number(&job["sys_cpu"]).is(row.system_percent().unwrap());
    for flow in row.flows_busy() {
        let told = &job[flow.name];
        number(&told["iops"]).is(flow.iops());
        Printed::of(&told["bw_bytes"].to_string()).is(flow.bytes_per_second());
        number(&told["lat_ns"]["mean"]).is(total_mean(&flow));
        let (mean, percentiles) = completion(&flow);
        number(&told["clat_ns"]["mean"]).is(mean);
        for (p, ns) in PERCENTILES.iter().zip(percentiles) {
            number(&told["clat_ns"]["percentile"][format!("{p:.6}")]).is(ns);
        }
    }
}

fn in_terse(run: &RunResult, nth: usize, row: &Row<'_>) {
    /// Fields before the first direction, and of each direction.
    const HEAD: usize = 5;
    const EACH: usize = 41;
    let text = terse(run, TerseVersion::V3);
    let fields: Vec<&str> = text.lines().nth(nth).expect("a line for each row").split(';').collect();
    let field = |at: usize| Printed::of(fields[at].trim_end_matches('%'));
    for flow in row.flows_busy() {
        let from = HEAD + if flow.name == "write" { EACH } else { 0 };
        field(from + 1).times(1024.0).is(flow.bytes_per_second());
        field(from + 2).is(flow.iops());
        let (mean, percentiles) = completion(&flow);
        field(from + 10).times(1e3).is(mean);
        for (at, ns) in percentiles.into_iter().enumerate() {
            let (_, told) = fields[from + 12 + at].split_once('=').expect("percent=value");
            Printed::of(told).times(1e3).is(ns);
        }
        field(from + 34).times(1e3).is(total_mean(&flow));
    }
    field(HEAD + 2 * EACH).is(row.user_percent().unwrap());
    field(HEAD + 2 * EACH + 1).is(row.system_percent().unwrap());
}

fn in_normal_text(run: &RunResult, nth: usize, row: &Row<'_>) {
    let text = normal(run);
    let block = text.split(": (groupid=").nth(nth + 1).expect("a block for each row");
    let after = |text: &'_ str, label: &str| -> Printed {
        Printed::of(text.split(label).nth(1).unwrap_or_else(|| panic!("no {label} in {text}")))
    };
    after(block, "usr=").is(row.user_percent().unwrap());
    after(block, "sys=").is(row.system_percent().unwrap());
    for flow in row.flows_busy() {
        let own = block.split(&format!("\n  {}: ", flow.name)).nth(1).expect("its direction");
        after(own, "IOPS=").is(flow.iops());
        let unit = own.split("clat (").nth(1).expect("its latency");
        after(unit, "avg=").times(printed::unit_ns(&unit[..4])).is(completion(&flow).0);
    }
}

fn in_details(run: &RunResult, nth: usize, row: &Row<'_>) {
    let text = details(run, WIDE);
    let told = Details::of(&text, nth);
    let flows = row.flows_busy();
    for flow in &flows {
        if flow.is_too_short() {
            assert!(text.contains("which is too short for a rate"), "{text}");
        } else if flow.has_too_few() {
            assert!(text.contains(", too few for a rate"), "{text}");
        } else {
            told.after(&format!("\n  {}", flow.name)).is(flow.iops());
            told.bandwidth(flow.name).times(1e6).is(flow.bytes_per_second());
        }
        // Of so few I/Os there is neither a mean nor a percentile.
        if flow.has_too_few() {
            continue;
        }
        let kind =
            |kind: &str| if flows.len() > 1 { format!("{} {kind}", flow.name) } else { kind.to_owned() };
        told.latency(&kind("total"), 3).is(total_mean(flow));
        let (mean, percentiles) = completion(flow);
        told.latency(&kind("completion"), 3).is(mean);
        for (at, ns) in percentiles.into_iter().enumerate() {
            told.latency(&kind("completion"), 5 + at).is(ns);
        }
    }
    told.in_flight().is(row.in_flight().unwrap().shown());
    told.after("\n  CPU        user").is(row.user_percent().unwrap());
    told.after(" %, system").is(row.system_percent().unwrap());
    told.after("one core per worker ·").times(1e3).is(row.worker_cpu_ns_per_io().unwrap());
}

fn in_page(run: &RunResult, rows: &[Row<'_>]) {
    let page = page(run);
    let table = page.split("<h2>Results</h2>").nth(1).and_then(|rest| rest.split("</table>").next());
    let table = table.expect("the table of results");
    let unit = printed::between(table, "mean latency<small>", "</small>");
    let ns = printed::unit_ns(unit);
    let mut lines = table.split("<i class=\"key-box ").skip(1);
    for row in rows {
        for flow in row.flows_busy() {
            let line = lines.next().expect("a line for each flow");
            let cells: Vec<&str> = line.split("<td>").skip(1).collect();
            let told = printed::between(line, "</i>", "<small>");
            assert_eq!(flow.is_too_short(), told == "too short", "{line}");
            if flow.unrated().is_none() {
                Printed::of(told).is(flow.iops());
                Printed::of(cells[0]).times(1e6).is(flow.bytes_per_second());
            }
            if flow.has_too_few() {
                assert!(cells[1].starts_with("-<") && cells[2].starts_with("-<"), "{line}");
                continue;
            }
            let (mean, percentiles) = completion(&flow);
            Printed::of(cells[1]).times(ns).is(mean);
            for (at, value) in percentiles.into_iter().enumerate() {
                Printed::of(cells[2 + at]).times(ns).is(value);
            }
            Printed::of(cells[6]).times(1e3).is(row.worker_cpu_ns_per_io().unwrap());
            Printed::of(cells[7]).is(flow.in_flight().unwrap().shown());
        }
    }
    assert_eq!(lines.next(), None, "and no more");
}

/// One line for each flow, as on the first screen of a run, where there is room for all.
fn in_summary(run: &RunResult, rows: &[Row<'_>]) {
    let mut run = run.clone();
    fathom_procedures::judge(&mut run);
    let text = summary(&run, WIDE);
    // Which lines are left out is tested where screens are.
    if text.contains(" more with --details") {
        return;
    }
    let (above, table) = text.split_once("IOPS  ").expect("the headings of the table");
    assert!(above.contains("target"), "{text}");
    let headings = table.lines().next().expect("the headings");
    let has_interval = headings.contains("± %");
    let has_workload = above.lines().last().is_some_and(|heading| heading.trim() == "job");
    let is_too_short = |line: &str| line.contains("too short");
    let ns = printed::unit_ns(printed::between(headings, "mean ", " "));
    let is_note = |line: &&str| {
        let begins = ["rates: ", "± ", "no ±", "latency: "].iter().any(|note| line.starts_with(note));
        begins || line.contains(" workers measured ")
    };
    let lines: Vec<&str> = table.lines().skip(1).take_while(|line| !is_note(line)).collect();
    // Where there is little room, clones of a job share a line.
    let of_clones = rows_of_clones(&run);
    let all = |rows: &[Row<'_>]| rows.iter().map(|row| row.flows_busy().len()).sum::<usize>();
    let rows = if all(rows) == lines.len() { rows } else { &of_clones };
    assert_eq!(all(rows), lines.len(), "a line for each flow: {text}");
    let flows: Vec<_> = rows.iter().flat_map(|row| row.flows_busy()).collect();
    for (flow, line) in flows.iter().zip(lines) {
        let mut cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        if has_workload {
            cells.remove(1);
        }
        assert_eq!(flow.is_too_short(), is_too_short(line), "{text}");
        if flow.has_too_few() {
            let ios = flow.totals.ios;
            let is_told = flow.is_too_short() || cells[1].starts_with(&format!("{ios} I/O"));
            assert!(is_told && cells[2..6].iter().all(|cell| *cell == "-"), "{text}");
            continue;
        }
        let at = if has_interval && !flow.is_too_short() { 3 } else { 2 };
        if !flow.is_too_short() {
            Printed::of(cells[1]).is(flow.iops());
            Printed::of(cells[at]).times(1e6).is(flow.bytes_per_second());
        }
        let (mean, percentiles) = completion(flow);
        Printed::of(cells[at + 1]).times(ns).is(mean);
        for (nth, value) in percentiles.into_iter().enumerate() {
            Printed::of(cells[at + 2 + nth]).times(ns).is(value);
        }
    }
}

/// The judge tells Little's law of each job with its clones.
fn in_judgement(run: &RunResult) {
    let checks = run.record.self_knowledge.checks.iter().map(|check| &check.evidence);
    let checks = checks.filter(|evidence| evidence.name() == "littles-law");
    let jobs = jobs(run);
    assert_eq!(checks.clone().count(), jobs.len());
    for (check, job) in checks.zip(&jobs) {
        let words = fathom_words::check(check);
        let law = words.split_once(": ").expect("it begins with the name of the job").1;
        let has_rate = job.has_equal_windows() && job.unrated().is_none();
        assert_eq!(law.contains(" IOPS × "), has_rate, "{law}");
        if has_rate {
            Printed::of(law).is(job.iops());
        }
        if job.has_equal_windows() {
            Printed::with_unit(printed::between(law, "× ", " in flight")).is(job.latency_ns_mean().unwrap());
        }
        let before = law.split(" in flight").next().unwrap_or_default();
        let in_flight = before.rsplit(' ').next().unwrap_or_default();
        Printed::of(in_flight).is(job.in_flight().unwrap().shown());
    }
}
