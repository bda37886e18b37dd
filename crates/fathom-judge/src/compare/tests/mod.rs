//! Comparisons of values whose truth is known, and of runs.

mod causes;
mod fallen;
mod like;
mod steps;

use super::*;
use crate::fixture::{DirectionLoad, RunBuilder};
use fathom_figures::metric::Columns;
use fathom_figures::metric::of_id;
use fathom_results::answer::{Measured, MeasuredDevice, MeasuredKind, MeasuredTarget};
use fathom_results::{Basis, ComparedCells, ComparedSubject, FigureVerdict, Gap, RoundFailure, RunResult};
use fathom_stats::SplitMix64;
use fathom_words::comparison as words;

/// Why something is left out, a sentence each.
fn reasons(found: &Comparison) -> Vec<String> {
    let of = |left: &fathom_results::LeftOut| {
        let told = words::left_out(left);
        told.split_once(": ").map_or(String::new(), |(_, reason)| reason.to_owned())
    };
    found.left_out.iter().map(of).collect()
}

fn typed(name: &str, figures: &[(&str, &[f64])]) -> Subject {
    let figure = |(name, values): &(&str, &[f64])| TypedFigure {
        name: (*name).to_owned(),
        values: values.to_vec(),
        is_more_better: true,
    };
    Subject::typed(name, "", figures.iter().map(figure).collect())
}

fn two(a: &[f64], b: &[f64]) -> Comparison {
    compare(vec![typed("a", &[("x", a)]), typed("b", &[("x", b)])], &Tolerances::USUAL)
}

fn verdict(comparison: &Comparison) -> FigureVerdict {
    comparison.figures[0].against[0].verdict
}

#[test]
fn hammerdb_before_and_after() {
    // Contract T-3: +9.7 %, p about 0.015.
    let before: [(&str, &[f64]); 2] =
        [("TPM", &[338_989.0, 348_164.0, 336_965.0]), ("NOPM", &[73_685.0, 75_689.0, 73_206.0])];
    let after: [(&str, &[f64]); 2] =
        [("TPM", &[386_324.0, 370_919.0, 366_426.0]), ("NOPM", &[83_941.0, 80_620.0, 79_726.0])];
    let found = compare(vec![typed("before", &before), typed("after", &after)], &Tolerances::USUAL);
    let against = &found.figures[0].against[0];
    assert_eq!((against.verdict, against.basis), (FigureVerdict::Better, Basis::Runs));
    assert!((against.ratio.unwrap() - 1.097).abs() < 1e-3 && (against.p_value.unwrap() - 0.015).abs() < 1e-3);
    assert_eq!(
        words::headline(&found),
        "B (after) is better than A (before) in both figures (TPM +9.7 %; NOPM +9.8 %)."
    );
}

#[test]
fn more_than_ten_times() {
    // Contract T-4: from 20,820 TPM and 4,530 NOPM to the 374,556 and 81,429 of T-3's mean.
    let found = two(&[20_820.0], &[374_556.0]);
    assert_eq!(verdict(&found), FigureVerdict::Unknown { runs_needed: None });
    assert!(
        words::headline(&found)
            .starts_with("It cannot be told whether B differs from A: x 18.0 × may be chance."),
        "{}",
        words::headline(&found)
    );
}

#[test]
fn nothing_on_both_sides_is_the_same() {
    let found = two(&[0.0; 3], &[0.0; 3]);
    assert_eq!(verdict(&found), FigureVerdict::Same);
    assert!(!words::headline(&found).contains("chance"), "{}", words::headline(&found));
    let one = two(&[0.0; 3], &[0.0, 0.0, 1.0]);
    assert_eq!(verdict(&one), FigureVerdict::Unknown { runs_needed: None });
    assert_eq!(verdict(&two(&[0.0], &[0.0])), FigureVerdict::Unknown { runs_needed: None }, "too few runs");
}

#[test]
fn without_a_difference_that_is_said_before_what_is_unclear() {
    let of = |name: &str, noise: f64| {
        let rates: Vec<f64> = [-1.0, 0.4, -0.2, 1.0, -0.2].map(|part| 1000.0 * (1.0 + noise * part)).to_vec();
        typed(name, &[("still", &[1000.0, 1000.5, 999.5, 1000.2, 999.8]), ("noisy", &rates)])
    };
    let found = compare(vec![of("a", 0.1), of("b", 0.15)], &Tolerances::USUAL);
    let said = words::headline(&found);
    let begins = "It is not shown that B differs from A: 1 of 2 figures is the same, and 1 may or may not differ: noisy";
    assert!(said.starts_with(begins), "{said}");
}

#[test]
fn two_sets_of_the_same_system_seldom_differ() {
    const PAIRS: u32 = 2_000;
    for (n, figures) in [(3, 1), (5, 1), (10, 1), (5, 6)] {
        let mut random = SplitMix64::new(n * 10 + figures);
        let mut runs = || (0..n).map(|_| 1_000.0 * (1.0 + 0.03 * random.normal())).collect::<Vec<f64>>();
        let mut differs = |_: &u32| {
            let names = ["a", "b", "c", "d", "e", "f"];
            let mut subject = |name: &str| {
                let values: Vec<(&str, Vec<f64>)> =
                    names.iter().take(figures as usize).map(|name| (*name, runs())).collect();
                let values: Vec<(&str, &[f64])> = values.iter().map(|(n, v)| (*n, v.as_slice())).collect();
                typed(name, &values)
            };
            let found = compare(vec![subject("a"), subject("b")], &Tolerances { rate: 0.0, percentile: 0.0 });
            let is_told = |f: &ComparedFigure| {
                matches!(f.against[0].verdict, FigureVerdict::Better | FigureVerdict::Worse)
            };
            found.figures.iter().any(is_told)
        };
        let false_ones = (0..PAIRS).filter(&mut differs).count();
        assert!(false_ones <= 130, "{n} runs, {figures} figures: {false_ones} of {PAIRS}");
        assert!(false_ones >= 20, "a test that never finds anything is none: {false_ones}");
    }
}

#[test]
fn five_per_cent_are_found_under_three_per_cent_of_noise() {
    const TRIALS: u32 = 1_000;
    let mut random = SplitMix64::new(77);
    let mut runs = |mean: f64| (0..10).map(|_| mean * (1.0 + 0.03 * random.normal())).collect::<Vec<f64>>();
    let mut is_found = |_: &u32| verdict(&two(&runs(1_000.0), &runs(1_050.0))) == FigureVerdict::Better;
    let found = (0..TRIALS).filter(&mut is_found).count();
    assert!(found >= 900, "{found} of {TRIALS}");
}

#[test]
fn the_same_is_said_only_inside_the_tolerance() {
    let mut random = SplitMix64::new(5);
    let (mut same, mut unknown) = (0, 0);
    for trial in 0..600 {
        let mean = 1_000.0 * (1.0 + 0.01 * f64::from(trial % 5));
        let mut runs =
            |mean: f64| (0..6).map(|_| mean * (1.0 + 0.01 * random.normal())).collect::<Vec<f64>>();
        let found = two(&runs(1_000.0), &runs(mean));
        let (low, high) = found.figures[0].against[0].interval.unwrap();
        let is_inside = low >= 0.97 && high <= 1.03;
        assert_eq!(verdict(&found) == FigureVerdict::Same, is_inside, "{found:?}");
        same += u32::from(is_inside);
        unknown += u32::from(matches!(verdict(&found), FigureVerdict::Unknown { .. }));
    }
    assert!(same > 100 && unknown > 5, "{same} {unknown}");
}

#[test]
fn what_cannot_be_told_says_how_many_runs_would_tell_it() {
    let found = two(&[1_000.0, 1_100.0, 900.0], &[1_250.0, 1_100.0, 1_210.0]);
    let FigureVerdict::Unknown { runs_needed: Some(runs) } = verdict(&found) else { panic!("{found:?}") };
    assert!((8..=60).contains(&runs), "{runs}");
    assert!(
        words::headline(&found).contains(&format!("About {runs} runs of each")),
        "{}",
        words::headline(&found)
    );
}

const JOB: &str = "rw=randread bs=4k iodepth=8 ioengine=io_uring filename=/dev/x";

fn of(name: &str, runs: &[RunResult]) -> Subject {
    let mut subject =
        SubjectOfRuns::new(ComparedSubject { name: name.to_owned(), ..Default::default() }, Columns::USUAL);
    runs.iter().for_each(|run| subject.add(run));
    subject.done()
}

fn run(options: &str, ios: u64, latency_ns: u64) -> RunResult {
    RunBuilder::of(options).seconds(0, 10, &[DirectionLoad::reads(ios, 4096, latency_ns)]).run()
}

#[test]
fn runs_are_compared_job_by_job() {
    let a: Vec<RunResult> = [2_000, 2_020, 1_980].map(|ios| run(JOB, ios, 100_000)).into();
    let b: Vec<RunResult> = [2_400, 2_420, 2_380].map(|ios| run(JOB, ios, 80_000)).into();
    let found = compare(vec![of("a", &a), of("b", &b)], &Tolerances::USUAL);
    let names: Vec<&str> = found.figures.iter().map(|f| f.metric.as_str()).collect();
    assert_eq!(names[..2], ["IOPS", "mean latency"], "bandwidth says the same as IOPS");
    assert!(found.figures.iter().all(|f| f.against[0].verdict == FigureVerdict::Better), "{found:#?}");
    assert!((found.figures[0].against[0].ratio.unwrap() - 1.2).abs() < 1e-9);
    assert_eq!(found.left_out, []);
}

/// By Little's law a job with one I/O in flight has a short latency whatever the disk does: that is no merit of its engine.
#[test]
fn latencies_at_other_depths_are_not_compared() {
    let alone = "rw=randread bs=4k iodepth=8 ioengine=psync filename=/dev/x";
    let found = compare(
        vec![of("a", &[run(JOB, 8_000, 100_000)]), of("b", &[run(alone, 2_000, 50_000)])],
        &Tolerances::USUAL,
    );
    let names: Vec<&str> = found.figures.iter().map(|f| f.metric.as_str()).collect();
    assert_eq!(names, ["IOPS", "CPU time per I/O"]);
    let reason = "the jobs keep 8 and 1 I/Os in flight, and latency grows with that number";
    assert!(reasons(&found).contains(&reason.to_owned()), "{:?}", found.left_out);
    // Where a rate decides how many are in flight, the depth is only a limit.
    let paced = |depth: &str| {
        run(
            &format!("{depth} rate_iops=100 rw=randread bs=4k ioengine=io_uring filename=/dev/x"),
            100,
            90_000,
        )
    };
    let found =
        compare(vec![of("a", &[paced("iodepth=8")]), of("b", &[paced("iodepth=1")])], &Tolerances::USUAL);
    assert!(found.figures.iter().any(|figure| figure.metric == "mean latency"), "{:?}", found.left_out);
    // A job with pauses is held back, and one without is not.
    let pauses = "thinktime=1ms rw=randread bs=4k iodepth=8 ioengine=io_uring filename=/dev/x";
    let found = compare(
        vec![of("a", &[run(JOB, 8_000, 100_000)]), of("b", &[run(pauses, 900, 50_000)])],
        &Tolerances::USUAL,
    );
    assert!(found.figures.iter().all(|figure| !figure.metric.contains("latency")), "{:?}", found.figures);
    let reason = "a rate or pauses hold the I/Os of B back and not those of A, and latency grows with the number in flight";
    assert!(reasons(&found).contains(&reason.to_owned()), "{:?}", found.left_out);
}

/// How many runs of each are needed is told by the test that the figure gets: of pairs by the spread of their ratios.
#[test]
fn the_number_of_pairs_is_that_of_their_ratios() {
    let noise = [-0.3, 0.25, -0.1, 0.35, -0.2, 0.1];
    let side = |factor: f64, own: f64| {
        let at =
            |place: usize| factor * 1_000.0 * (1.0 + noise[place]) * (1.0 + own * noise[(place + 2) % 6]);
        (0..6).map(at).collect::<Vec<f64>>()
    };
    let of = |name: &str, values: &[f64]| typed(name, &[("x", values)]);
    let needed = |a: Subject, b: Subject| match verdict(&compare(vec![a, b], &Tolerances::USUAL)) {
        FigureVerdict::Unknown { runs_needed } => runs_needed,
        other => panic!("{other:?}"),
    };
    let (from, to) = (side(1.0, 0.0), side(1.06, 0.25));
    let apart = needed(of("a", &from), of("b", &to));
    let pairs = needed(of("a", &from).in_turn("p"), of("b", &to).in_turn("p")).unwrap();
    assert!(pairs < 60 && apart.is_none_or(|runs| runs > 3 * pairs), "{pairs} {apart:?}");
}

/// fio's JSON repeats the options, so it tells the depth, too.
#[test]
fn latencies_of_fio_at_other_depths_are_not_compared() {
    let fio = |depth: &str| {
        let text = format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "j",
                "job options": {{"iodepth": "{depth}", "ioengine": "libaio", "direct": "1"}},
                "read": {{"total_ios": 9000, "io_bytes": 36864000, "io_kbytes": 36000, "runtime": 1000, "iops": 9000.0,
                "bw_bytes": 36864000, "clat_ns": {{"min": 1, "max": 9, "mean": 5.0, "stddev": 1.0, "N": 9000}}}}}}]}}"#
        );
        Subject::of_fio("j", "j.json", &fathom_figures::fio::fio_json(&text).unwrap(), Columns::USUAL)
    };
    let names = |a: &str, b: &str| {
        let found = compare(vec![fio(a), fio(b)], &Tolerances::USUAL);
        found.figures.iter().map(|figure| figure.metric.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("8", "8"), ["IOPS", "mean latency"]);
    assert_eq!(names("8", "1"), [""; 0], "nobody chose the depth of a file of fio");
}

/// Cells of a suite: each has its own rounds, its own options, and its name before that of the job.
#[test]
fn the_cells_of_a_suite_are_figures_of_one_subject() {
    let suite = |name: &str, factor: u64| {
        let mut subject = SubjectOfRuns::new(
            ComparedSubject { name: name.to_owned(), ..Default::default() },
            Columns::USUAL,
        );
        for ios in [2_000, 2_020, 1_980] {
            subject.add_cell("read depth=8", &run(JOB, ios * factor, 100_000));
        }
        subject.add_cell("alone", &run("rw=randread bs=4k ioengine=psync filename=/dev/x", 500, 100_000));
        subject.done()
    };
    let found = compare(vec![suite("old", 1), suite("new", 2)], &Tolerances::USUAL);
    let mut cells: Vec<&str> = found.figures.iter().map(|figure| figure.job.as_str()).collect();
    cells.dedup();
    assert_eq!((cells, found.subjects[0].runs), (vec!["read depth=8", "alone"], 4));
    assert_eq!(found.left_out, [], "a cell with one round lacks nothing");
    assert_eq!(found.figures[0].against[0].verdict, FigureVerdict::Better);
}

/// Each cell can have another target, and each is told; of many the rest is counted.
#[test]
fn a_suite_tells_the_targets_and_the_runs_of_all_its_cells() {
    let told = |targets: &[&str]| {
        let planned = targets.len() as u32 + 1;
        let cells = Some(ComparedCells { planned, ..ComparedCells::default() });
        let mut subject =
            SubjectOfRuns::new(ComparedSubject { cells, ..ComparedSubject::default() }, Columns::USUAL);
        for target in targets {
            let mut run = run(JOB, 1_000, 100_000);
            crate::judge(&mut run, &crate::fixture::OWN);
            let device = MeasuredDevice { path: (*target).to_owned(), model: None, bytes: None, kind: None };
            let targets = vec![MeasuredTarget { kind: MeasuredKind::Device { device }, jobs: None }];
            run.record.answer.as_mut().unwrap().measured = Measured::Targets { targets, more: 0 };
            subject.add_cell(&format!("of {target}"), &run);
        }
        subject.add_cell(&format!("of {}", targets[0]), &run(JOB, 1_000, 100_000));
        subject.done().about
    };
    let two = told(&["sda", "sdb"]);
    assert_eq!(words::targets(&two).as_deref(), Some("sda; sdb"));
    assert_eq!(two.cells, Some(ComparedCells { planned: 3, measured: 2, runs_min: 1, runs_max: 2 }));
    assert_eq!(words::targets(&told(&["a", "b", "c", "d", "e"])).as_deref(), Some("a; b; c; and 2 more"));
}

/// A suite of which only one cell has figures is not compared with the only cell of another one.
#[test]
fn what_the_baseline_has_and_another_has_not_is_in_the_headline() {
    let suite = |cell: &str| {
        let cells = Some(ComparedCells { planned: 2, ..ComparedCells::default() });
        let mut subject =
            SubjectOfRuns::new(ComparedSubject { cells, ..ComparedSubject::default() }, Columns::USUAL);
        subject.add_cell("both", &run(JOB, 1_000, 100_000));
        subject.add_cell(cell, &run(JOB, 1_000, 100_000));
        subject
    };
    let found = compare(vec![suite("x").done(), suite("y").done()], &Tolerances::USUAL);
    assert_eq!(found.subjects[1].missing, ["x"]);
    let said = words::headline(&found);
    assert!(said.starts_with("B has no figure of x, which A has."), "{said}");
    let mut cut = suite("y");
    let gone = RoundFailure::Failed { message: "the disk is gone".to_owned() };
    cut.lacks(Gap::CellsFailed { cells: vec![("x".to_owned(), gone)] });
    let said = words::headline(&compare(vec![suite("x").done(), cut.done()], &Tolerances::USUAL));
    assert!(said.starts_with("B is incomplete: cells that failed: x (the disk is gone). "), "{said}");
}

#[test]
fn other_block_sizes_are_compared_by_bandwidth_only_and_only_where_somebody_chose_them() {
    let large = "rw=randread bs=64k iodepth=8 ioengine=io_uring filename=/dev/x";
    let b = RunBuilder::of(large).seconds(0, 10, &[DirectionLoad::reads(900, 65_536, 100_000)]).run();
    let (a, b) = (of("a", &[run(JOB, 1_000, 1)]), of("b", &[b]));
    let in_turn = |subject: &Subject| subject.clone().in_turn("p");
    let with = |verb: &str| Subject { command: vec!["fathom".to_owned(), verb.to_owned()], ..a.clone() };
    let suite = Subject {
        about: ComparedSubject { cells: Some(ComparedCells::default()), ..a.about.clone() },
        ..with("suite")
    };
    for (pair, what) in [
        ([a.clone(), b.clone()], "IOPS, bandwidth, mean latency"),
        ([with("run"), b.clone()], "IOPS, bandwidth, mean latency"),
        ([suite, b.clone()], "IOPS, bandwidth, mean latency"),
        ([in_turn(&a), in_turn(&b)], "IOPS, mean latency"),
        ([with("sweep"), b], "IOPS, mean latency"),
    ] {
        let found = compare(pair.into(), &Tolerances::USUAL);
        let names: Vec<&str> = found.figures.iter().map(|f| f.metric.as_str()).collect();
        assert_eq!(names.contains(&"bandwidth"), !what.contains("bandwidth"), "{names:?}");
        assert!(names.iter().all(|name| *name == "bandwidth"), "{names:?}");
        let is_told = found.left_out.iter().map(words::left_out).any(|left| {
            left.starts_with(what) && left.ends_with(": the block sizes differ: 4 KiB and 64 KiB")
        });
        assert!(is_told, "{:?}", found.left_out);
        assert!(
            found.differences.iter().any(|d| d.what == "bs" && !d.jobs.is_empty()),
            "{:?}",
            found.differences
        );
    }
}

#[test]
fn an_option_with_its_usual_value_does_not_differ_from_one_that_is_not_set() {
    let differing = |options: &str| {
        let job = format!("{JOB} {options}");
        let found = compare(
            vec![of("a", &[run(JOB, 1_000, 1)]), of("b", &[run(&job, 1_000, 1)])],
            &Tolerances::USUAL,
        );
        found.differences.iter().map(words::property).collect::<Vec<_>>()
    };
    assert_eq!(differing("numjobs=1 randrepeat=1 ramp_time=0s"), Vec::<String>::new());
    assert_eq!(differing("randrepeat=0"), ["randrepeat of t"]);
}

#[test]
fn one_run_each_has_the_interval_of_its_seconds() {
    let noisy = |mean: u64, seed: u64| {
        let mut random = SplitMix64::new(seed);
        let build = (0..60).fold(RunBuilder::of(JOB), |builder, _| {
            let ios = (mean as f64 * (1.0 + 0.02 * random.normal())) as u64;
            builder.seconds(0, 1, &[DirectionLoad::reads(ios, 4096, 100_000)])
        });
        build.run()
    };
    let found = compare(vec![of("a", &[noisy(1_000, 1)]), of("b", &[noisy(1_100, 2)])], &Tolerances::USUAL);
    let against = &found.figures[0].against[0];
    assert_eq!((against.basis, against.verdict), (Basis::Within, FigureVerdict::Better), "{against:?}");
    assert!(words::doubts(&found).iter().any(|said| said.contains("one run only")), "{:?}", found.doubts);
}

#[test]
fn failed_and_missing_jobs_are_left_out_with_the_reason() {
    let failed = RunBuilder::of(JOB).failed("EIO").run();
    let found = compare(vec![of("a", &[run(JOB, 1_000, 1)]), of("b", &[failed])], &Tolerances::USUAL);
    assert!(found.figures.is_empty());
    assert!(reasons(&found).iter().any(|reason| reason.contains("EIO")), "{:?}", found.left_out);
    assert!(words::headline(&found).contains("no figure that can be compared"));
}

#[test]
fn figures_that_one_lacks_are_named() {
    let both = typed("a", &[("x", &[1.0]), ("y", &[2.0])]);
    let found = compare(vec![both.clone(), typed("b", &[("x", &[1.0])])], &Tolerances::USUAL);
    let told = |found: &Comparison| found.left_out.iter().map(words::left_out).collect();
    let told_of_b: Vec<String> = told(&found);
    assert_eq!(told_of_b, ["y: B does not have it"]);
    let found = compare(vec![typed("a", &[("x", &[1.0])]), both], &Tolerances::USUAL);
    let told_of_a: Vec<String> = told(&found);
    assert_eq!(told_of_a, ["y: A does not have it"]);
}

#[test]
fn response_and_completion_latency_are_not_compared() {
    let of = |latency| {
        let mut subject = of("a", &[run(JOB, 1_000, 100_000)]);
        subject.figures.iter_mut().for_each(|figure| figure.load.latency = latency);
        subject
    };
    let found = compare(vec![of("response"), of("completion")], &Tolerances::USUAL);
    assert!(found.figures.iter().all(|figure| !figure.metric.contains("latency")), "{:?}", found.figures);
    let reason = "these are different latencies: response and completion";
    assert!(reasons(&found).contains(&reason.to_owned()), "{:?}", found.left_out);
}

#[test]
fn the_interval_of_percentiles_is_that_of_their_median() {
    let values = [10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 500.0];
    let mut subject = typed("a", &[("p99", &values)]);
    subject.figures[0].metric = ComparedMetric::Measured(of_id("latency_p99"));
    let found = figure::values(&subject.figures[0]);
    // The binomial ranks 2 and 9 of ten enclose the median in 97.9 % of samples.
    assert_eq!((found.value, found.interval), (14.5, Some((11.0, 18.0))));
    subject.figures[0].metric = ComparedMetric::Measured(of_id("latency_mean"));
    assert!(figure::values(&subject.figures[0]).value > 60.0);
    // Five have no interval at 95 %; their value is the median all the same, as the page says.
    let mut few = typed("a", &[("p99", &values[5..])]);
    few.figures[0].metric = ComparedMetric::Measured(of_id("latency_p99"));
    let found = figure::values(&few.figures[0]);
    assert_eq!((found.value, found.interval), (17.0, None));
}

/// A reader divides the two values that stand beside the ratio.
#[test]
fn the_ratio_is_that_of_the_values_beside_it() {
    let subject = |name: &str, values: &[f64]| {
        let mut subject = typed(name, &[("p99.9", values)]);
        subject.figures[0].metric = ComparedMetric::Measured(of_id("latency_p99.9"));
        subject
    };
    // The median of all ratios is above 1, the ratio of the medians below.
    let (a, b) = ([1.0, 1.3, 2.0, 2.1, 2.2, 2.3], [1.4, 1.5, 1.9, 2.0, 6.0, 7.0]);
    let found = compare(vec![subject("a", &a), subject("b", &b)], &Tolerances::USUAL);
    let figure = &found.figures[0];
    assert_eq!(figure.against[0].basis, Basis::Ranks);
    let ratio = figure.values[1].value / figure.values[0].value;
    assert!(ratio < 1.0);
    assert_eq!(figure.against[0].ratio, Some(ratio));
}

#[test]
fn runs_in_turn_are_pairs() {
    let drift = |at: usize| 1_000.0 - 80.0 * at as f64;
    let a: Vec<f64> = (0..6).map(drift).collect();
    let b: Vec<f64> = (0..6).map(|at| drift(at) * (1.06 + 0.002 * (at % 2) as f64)).collect();
    let subject = |name: &str, values: &[f64], turn: Option<&str>| Subject {
        in_turn: turn.map(str::to_owned),
        ..typed(name, &[("x", values)])
    };
    let of = |turn| compare(vec![subject("a", &a, turn), subject("b", &b, turn)], &Tolerances::USUAL);
    assert_eq!(verdict(&of(Some("p"))), FigureVerdict::Better);
    assert!(matches!(verdict(&of(None)), FigureVerdict::Unknown { .. }), "the drift hides it");
}

#[test]
fn a_clear_interval_among_many_figures_is_explained() {
    let (low, high) = ([100.0, 110.0, 90.0, 105.0, 95.0], [115.0, 125.0, 105.0, 120.0, 110.0]);
    let names = ["v", "w", "x", "y", "z"];
    let subject = |name: &str, first: &[f64; 5]| {
        let mut figures: Vec<(&str, &[f64])> = vec![("u", first)];
        figures.extend(names.iter().map(|name| (*name, low.as_slice())));
        typed(name, &figures)
    };
    let many = compare(vec![subject("a", &low), subject("b", &high)], &Tolerances::USUAL);
    assert!(many.figures[0].against[0].interval.unwrap().0 > 1.0);
    assert!(matches!(verdict(&many), FigureVerdict::Unknown { .. }));
    assert!(words::doubts(&many)[0].starts_with("6 figures are compared"), "{:?}", words::doubts(&many));
    let one = two(&low, &high);
    assert_eq!((verdict(&one), words::doubts(&one).len()), (FigureVerdict::Better, 0));
}
