//! Fewer than ten I/Os are a number and the slowest of them, in every form: no rate, no mean and no percentile.

use crate::html::{csv, well_formed};
use crate::repeated::repeated;
use fathom_figures::fixture::{DirectionLoad, RunBuilder};
use fathom_figures::metric::{Columns, percentile};
use fathom_report::html::{page, procedure_page};
use fathom_report::terminal::{Layout, ProcedureState, Style, details, procedure as procedure_summary};
use fathom_report::{document, fio_json, normal, rounds_csv};
use fathom_results::RunResult;
use fathom_results::procedure::StepDone;

/// So many reads in five seconds, each of 250 ms, and as many syncs.
fn run(ios: u64) -> RunResult {
    let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
    let run = RunBuilder::of(job).seconds(0, 4, &[]);
    run.seconds(0, 1, &[DirectionLoad::reads(ios, 4096, 250_000_000)]).run()
}

/// The names of the figures of the document, with their directions.
fn figures(run: &RunResult) -> Vec<String> {
    document::figures(run).into_iter().map(|it| it.metric).collect()
}

#[test]
fn nine_ios_have_no_rate_no_mean_and_no_percentile() {
    let (few, enough) = (run(9), run(10));
    let told = figures(&few);
    let has = |all: &[String], names: &[&str]| names.iter().all(|name| all.iter().any(|it| it == name));
    assert!(has(&told, &["ios", "latency_min", "latency_max"]), "{told:?}");
    for name in ["iops", "bandwidth", "latency_mean", "latency_stddev", "latency_p50", "latency_p99"] {
        assert!(!has(&told, &[name]) && has(&figures(&enough), &[name]), "{name}: {told:?}");
    }
    let line = |run: &RunResult| {
        let text = details(run, Style::PLAIN);
        let line = text.lines().find(|line| line.trim_start().starts_with("completion")).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // n, least, mean, deviation, five percentiles, the largest, its multiple of the mean.
    assert_eq!(line(&few)[1..], ["9", "250.0", "-", "-", "-", "-", "-", "-", "-", "250.0", "-"]);
    assert_eq!(line(&enough)[3], "250.0");
    let note =
        "    note: 9 I/Os are too few for a rate: IOPS and BW are only what was done, divided by the time\n";
    assert!(normal::normal(&few).contains(note), "{}", normal::normal(&few));
    let own = |run: &RunResult| fio_json::fio_json(run, false)["fathom"]["too_few"].clone();
    assert_eq!((own(&few), own(&enough)), (["t"].as_slice().into(), serde_json::Value::Null));
}

#[test]
fn the_page_and_its_copy_have_none_either() {
    let html = page(&run(9));
    well_formed(&html);
    let lines = csv(&html);
    let of = |name: &str| lines[1][lines[0].iter().position(|head| *head == name).expect(name)];
    assert_eq!((of("state"), of("latency")), ("9 I/Os", "completion (clat)"));
    for name in ["IOPS", "MB/s", "MiB/s", "mean, ms", "p50, ms", "p99, ms", "p99.9, ms"] {
        assert_eq!(of(name), "", "{name}");
    }
    assert_eq!((of("max, ms"), of("fewer than ten I/Os beyond")), ("250", ""));
    let row = html.split("<tbody>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert!(row.contains("</i>9 I/Os<small>") && !row.contains("250 mean"), "{row}");
    assert_eq!(row.matches("<td>-</td>").count(), 3, "p50, p99 and p99.9: {row}");
    assert!(row.contains("<td>-<small>completion (clat)</small></td>"), "{row}");
    for chart in ["Latency by percentile", "Latency histogram", "Percentiles as numbers", "All measurements"]
    {
        assert!(!html.contains(chart), "{chart}");
    }
    assert!(page(&run(10)).contains("Percentiles as numbers"));
}

/// All 38 I/Os that count were in flight when the ramp ended, so none was submitted in the measured time.
#[test]
fn ios_that_were_all_submitted_in_the_ramp_have_no_depth_at_submission() {
    let told = |ramp: &str| {
        let job = format!("rw=randread bs=64k iodepth=64 ioengine=libaio filename=/data/f {ramp}");
        let reads = [DirectionLoad::reads(38, 65_536, 100_000)];
        let run = RunBuilder::of(job.trim_end()).seconds(0, 1, &reads).run();
        let text = details(&run, Style::PLAIN);
        text.lines().find(|line| line.trim_start().starts_with("depth")).unwrap().to_owned()
    };
    assert!(told("ramp_time=1").ends_with(" · all submitted in the ramp"), "{}", told("ramp_time=1"));
    assert!(told("").ends_with("on average"), "{}", told(""));
}

/// A round of one I/O has no rate and no latency of its own, so the row of all rounds names that and has no mean of the others.
#[test]
fn one_round_without_a_rate_leaves_all_rounds_without_means() {
    let mut rounds = repeated();
    let StepDone::Round(round) = &mut rounds.steps[2].did else { panic!("no round") };
    let figures = &mut round.figures[0];
    (figures.ios, figures.iops, figures.bytes_per_second) = (1, 1.0 / 30.0, 4096.0 / 30.0);
    (figures.latency_ns_mean, figures.latency_percentiles) = (None, Default::default());
    let text =
        procedure_summary(&rounds, ProcedureState::default(), false, Style { width: 120, ..Style::PLAIN });
    let row = text.lines().find(|line| line.trim_start().starts_with("all ")).unwrap();
    let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[..5], ["all", "1 I/O", "-", "-", "-"], "{text}");
}

/// 5,000 I/Os leave five beyond p99.9: the usual columns mark it, and where a person chose it, it has no figure in any table.
#[test]
fn a_percentile_of_rounds_with_few_ios_beyond_it_is_marked_or_left_out() {
    let mut rounds = repeated();
    let mut set = |ios: u64| {
        for step in &mut rounds.steps {
            let StepDone::Round(round) = &mut step.did else { panic!("no round") };
            round.figures[0].ios = ios;
            round.figures[0].latency_percentiles =
                [(99.0, 1_000_000), (99.9, 6_013_000)].into_iter().collect();
        }
        rounds.clone()
    };
    // Of the percentiles the page has p99 alone.
    let html = procedure_page(&set(900), ProcedureState::default(), None);
    assert!(html.contains("1,000·") && html.contains("·: fewer than ten I/Os lie beyond."), "{html}");
    let rounds = set(5_000);
    let style = Style { width: 120, ..Style::PLAIN };
    let usual = procedure_summary(&rounds, ProcedureState::default(), false, style);
    assert!(usual.contains("6,013·") && !usual.contains("1,000·"), "{}", usual.as_str());
    assert!(usual.contains("·: fewer than ten I/Os lie beyond"), "{}", usual.as_str());
    let percentiles = ["99", "99.9"].map(|percent| percentile(percent).unwrap()).to_vec();
    let chosen = Columns::new(Vec::new(), percentiles);
    let table =
        procedure_summary(&rounds, ProcedureState::default(), false, Layout { style, columns: &chosen });
    assert!(table.contains("too few") && !table.contains("6,013"), "{}", table.as_str());
    let csv = rounds_csv(&rounds, &chosen);
    assert!(csv.contains(",1000000,") && !csv.contains("6013000"), "{csv}");
    assert!(rounds_csv(&rounds, Columns::USUAL).contains("6013000"));
}

/// In fio's text as fio's command prints it there is no note: a program may be called through a link, so that the first word is its
/// path and no second word says `fio`.
#[test]
fn fios_text_has_no_notes_where_it_was_called_as_fio() {
    for (command, notes) in
        [("fathom run j.fio", 1), ("fathom fio j.fio", 0), ("/usr/local/bin/fio j.fio", 0)]
    {
        let mut run = run(1);
        run.record.command = command.split(' ').map(str::to_owned).collect();
        assert_eq!(normal::normal(&run).matches("note: ").count(), notes, "{command}");
    }
}
