mod beside;
mod caches;
mod capacity;
mod guides;
mod orion;
mod scaling;
mod shapes;

use super::*;
use crate::fixture::{
    answer as round_answer, done, fall, headline_of, history as and_round, record, remarks_of,
    round as round_of,
};
use crate::open;
use crate::suite::{SuiteTarget, built_in};
use fathom_results::procedure::{
    Preparation, RoundDone, RoundFigures, StepDone, StepRecord, SyncFigures, WaitedFor,
};
use fathom_results::{Fact, ReportPart, ReportTable, TableCell, TestReport};

fn terms(paths: &[&str]) -> SuiteTerms {
    let target =
        |path: &&str| SuiteTarget { path: (*path).to_owned(), can_purge: true, ..SuiteTarget::default() };
    SuiteTerms { targets: paths.iter().map(target).collect(), ..SuiteTerms::default() }
}

/// A suite of this one group.
fn suite_with(head: &str, group: &str, targets: &[&str]) -> Suite {
    let text = format!(
        "title='t'\nsource='s'\n{head}\n[[group]]\nname='g'\nwhat='reads'\n{group}\njob='''\n[j]\nrw=read\n'''\n"
    );
    Suite::new("mine", text, Vec::new(), terms(targets), false).unwrap()
}

fn guide(name: &str, targets: &[&str]) -> Suite {
    let text = built_in(name).unwrap().text;
    let file = crate::suite::SuiteSpec::parse(text, &crate::suite::example).unwrap();
    let files = file.job_files().map(|path| (path.to_owned(), crate::suite::example(path).unwrap()));
    Suite::new(name, text, files.collect(), terms(targets), false).unwrap()
}

/// What the suite does, in short: preparations by their names, cells by theirs.
fn told(steps: &[StepRecord]) -> Vec<String> {
    let told = |step: &StepRecord| match &step.did {
        StepDone::Prepared { preparation: Preparation::Purge { .. }, .. } => "purge".to_owned(),
        StepDone::Prepared { preparation: Preparation::DropCaches, .. } => "drop".to_owned(),
        StepDone::Round(round) => round.cell.clone(),
        StepDone::Waited { .. } => "wait".to_owned(),
        other => format!("{other:?}"),
    };
    steps.iter().map(told).collect()
}

/// The part of a report for this group.
fn part<'t>(tests: &'t [TestReport], name: &str) -> &'t TestReport {
    tests.iter().find(|test| test.name == name).unwrap()
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The history of the suite when each cell has this rate.
fn ran(suite: &Suite, iops: impl Fn(&str) -> Option<f64>) -> Vec<StepRecord> {
    let mut steps = Vec::new();
    while let step @ (Step::Run(_) | Step::Prepare(_) | Step::Wait(_)) = suite.next(&History::new(&steps)) {
        steps = match step {
            Step::Run(round) => {
                let mut done = round_of(&round.cell, iops(&round.cell).unwrap_or(1.0));
                done.failure = iops(&round.cell).is_none().then(|| "the disk is gone".to_owned());
                done.answer = Some(Box::new(round_answer()));
                and_round(steps, done)
            }
            Step::Prepare(preparation) => {
                done(steps, StepDone::Prepared { preparation, evidence: String::new(), method: None })
            }
            _ => done(steps, StepDone::Waited { until: WaitedFor::Built, reached: true }),
        };
    }
    steps
}

fn reported(suite: &Suite, steps: &[StepRecord]) -> Vec<TestReport> {
    report::report(suite, &record("suite"), &History::new(steps)).tests
}

fn table(test: &TestReport, at: usize) -> &ReportTable {
    let tables: Vec<&ReportTable> = test
        .parts
        .iter()
        .filter_map(|part| if let ReportPart::Table(table) = part { Some(table) } else { None })
        .collect();
    tables[at]
}

fn numbers(row: &[TableCell]) -> Vec<f64> {
    row.iter()
        .filter_map(|cell| if let TableCell::Number(value) = cell { Some(*value) } else { None })
        .collect()
}

/// A purge whose cell was cut holds no longer: others may have written since.
#[test]
fn what_was_prepared_for_a_cut_cell_is_prepared_again() {
    let suite = suite_with("", "before=['purge']\nvary=['iodepth=1,2']", &["/dev/nvme0n1"]);
    let next = |steps: &[StepRecord], sitting: u32| match suite.next(&History::new(steps).in_sitting(sitting))
    {
        Step::Prepare(Preparation::Purge { .. }) => "purge".to_owned(),
        Step::Run(round) => round.cell,
        Step::Done(_) => "done".to_owned(),
        other => format!("{other:?}"),
    };
    let mut steps = ran(&suite, |_| Some(1.0));
    let [purge, first, _, second] = &told(&steps)[..] else { panic!("{:?}", told(&steps)) };
    assert_eq!((next(&steps[..1], 0), next(&steps[..1], 1)), (first.clone(), purge.clone()));
    assert_eq!(next(&steps[..2], 1), *purge, "the second cell has a purge of its own");
    // Cut after the second purge, and purged again when it was resumed.
    let mut again = steps[2].clone();
    again.sitting = 1;
    steps.insert(3, again);
    assert_eq!((next(&steps[..4], 1), next(&steps[..4], 2)), (second.clone(), purge.clone()));
    steps[4].sitting = 1;
    let verdict = suite.next(&History::new(&steps));
    assert!(matches!(verdict, Step::Done(_)), "{verdict:?}");
}

/// I-46, I-47: 108 and 6 rounds of cells, three times each, after the conditioning of their block size.
#[test]
fn vroc_has_the_cells_of_its_guide() {
    let suite = guide("vroc", &["/dev/md126"]);
    let steps = ran(&suite, |_| Some(1_000.0));
    let cells: Vec<&str> = History::new(&steps).rounds().map(|round| round.cell.as_str()).collect();
    let of = |begin: &str| cells.iter().filter(|cell| cell.starts_with(begin)).count();
    assert_eq!(
        (of("random rw"), of("sequential rw"), of("sequential-prepare"), of("random-prepare")),
        (108, 6, 1, 1)
    );
    assert_eq!(cells[0], "sequential-prepare");
    assert_eq!(cells[7], "random-prepare");
    assert_eq!(cells[8], "random rwmixwrite=100 numjobs=16 iodepth=256");
    assert_eq!(cells[8 + 36], cells[8], "an iteration measures each cell once");
}

/// The rounds of these steps, so that a test can write into them.
fn each_round(steps: &mut [StepRecord]) -> impl Iterator<Item = &mut RoundDone> {
    steps
        .iter_mut()
        .filter_map(|step| if let StepDone::Round(round) = &mut step.did { Some(round) } else { None })
}

/// The mean of two maxima, or of two percentiles, is the latency of no I/O.
#[test]
fn of_several_rounds_a_maximum_is_the_largest_and_a_percentile_the_median() {
    let suite = suite_with("", "repeat=3\nvalues=['mean-us','p99-us','max-us']", &["/dev/a"]);
    let mut steps = ran(&suite, |_| Some(1_000.0));
    for (round, us) in each_round(&mut steps).zip([10_u64, 20, 120]) {
        let figures = &mut round.figures[0];
        figures.latency_ns_mean = Some(us as f64 * 1e3);
        figures.latency_percentiles = [(99.0, us * 2_000)].into_iter().collect();
        figures.latency_ns_max = Some(us * 9_000);
    }
    let test = &reported(&suite, &steps)[0];
    let table = table(test, 0);
    let of = |title: &str| {
        let at = table.columns.iter().position(|column| column == title).unwrap();
        if let TableCell::Number(value) = table.rows[0][at] { value } else { panic!("{:?}", table.rows[0]) }
    };
    assert_eq!(["mean µs", "p99 µs", "max µs"].map(of), [50.0, 40.0, 1_080.0]);
    assert!(
        remarks_of(test)
            .iter()
            .any(|remark| remark.contains("a percentile is the median, and max is the largest"))
    );
}

/// The first job of the reference keeps its rate, and the second one loses half of it.
#[test]
fn the_job_that_drifts_most_is_told() {
    let suite = suite_with("reference-every=1", "values=['iops']\nvary=['iodepth=1,2']", &["/dev/a"]);
    let mut steps = ran(&suite, |_| Some(1_000.0));
    let reference = History::new(&steps).rounds().next().unwrap().cell.clone();
    let mut rates = [500.0, 250.0].into_iter();
    for round in each_round(&mut steps) {
        let iops = if round.cell == reference { rates.next().unwrap_or(250.0) } else { 1.0 };
        let second = RoundFigures { job: "k".to_owned(), iops, ..round.figures[0].clone() };
        round.figures.push(second);
    }
    let remarks = remarks_of(&reported(&suite, &steps)[0]);
    let told = remarks.iter().find(|remark| remark.starts_with("The reference cell")).unwrap();
    let times = told.split_whitespace().nth(5).unwrap();
    assert_eq!(
        *told,
        format!(
            "The reference cell was measured {times} times. Of its jobs k differs most: the last value is 50 % of its first, and it was at most 50 % away from it."
        )
    );
}

/// I-54: the guide's own table, workload by RAID level; I-55: MB/s are those of the IOPS, and not the guide's KiB by 1,000.
#[test]
fn the_table_of_vroc_has_a_column_for_each_array() {
    let printed = [
        ("rwmixwrite=100", [585_964.0, 212_889.0, 147_473.0, 292_694.0]),
        ("rwmixwrite=30", [1_076_204.0, 558_165.0, 347_395.0, 692_866.0]),
        ("rwmixwrite=0", [2_811_619.0, 2_809_537.0, 1_407_170.0, 2_813_474.0]),
    ];
    let suite = guide("vroc", &["/dev/md/r0", "/dev/md/r5", "/dev/md/r1", "/dev/md/r10"]);
    let steps = ran(&suite, |cell| {
        let level: usize = cell.rsplit(' ').next()?.parse().ok()?;
        let row = printed.iter().find(|(mix, _)| cell.contains(&format!(" {mix} numjobs=16 iodepth=256 ")));
        Some(row.map_or(1_000.0, |(_, iops)| iops[level - 1]))
    });
    let tests = reported(&suite, &steps);
    let (iops, mbps) = (table(&tests[1], 0), table(&tests[1], 1));
    // I-50: each mean of three iterations with its interval, which is 0 as all are equal here.
    let columns = ["workload", "md/r0", "± %", "md/r5", "± %", "md/r1", "± %", "md/r10", "± %"];
    assert_eq!(iops.columns, columns);
    for (mix, row) in printed {
        let name = TableCell::from(format!("{mix} numjobs=16 iodepth=256"));
        let found = iops.rows.iter().find(|cells| cells[0] == name).unwrap();
        assert_eq!(numbers(found), row.map(|iops| [iops, 0.0]).concat());
    }
    let first = numbers(&mbps.rows[0])[0];
    assert!((first - 585_964.0 * 4096.0 / 1e6).abs() < 0.1, "{first} MB/s: the guide prints 2,344");
}

/// M-2, M-5: what several targets reach, as a share of what each reaches alone.
#[test]
fn rates_of_several_targets_are_a_share_of_their_parts() {
    let suite =
        suite_with("devices='1..'", "over='subsets'\nvalues=['iops']", &["/dev/a", "/dev/b", "/dev/c"]);
    // Slots 7, 8 and 9 of the seed.
    let alone = [97_606.0, 104_398.0, 106_387.0];
    let steps = ran(&suite, |cell| {
        let set = cell.rsplit(' ').next()?;
        Some(match set {
            "1+2+3" => 291_405.0,
            one if !one.contains('+') => alone[one.parse::<usize>().ok()? - 1],
            two => two.split('+').filter_map(|one| one.parse::<usize>().ok()).map(|one| alone[one - 1]).sum(),
        })
    });
    let tests = reported(&suite, &steps);
    let table = table(&tests[0], 0);
    assert_eq!(table.columns, ["targets", "IOPS", "% of the parts", "% of N × slowest"]);
    let shares: Vec<f64> = table.rows.iter().map(|row| numbers(row)[1]).collect();
    assert!(shares[..6].iter().all(|share| (share - 100.0).abs() < 1e-9), "{shares:?}");
    assert_eq!((shares[6] * 10.0).round() / 10.0, 94.5, "the seed's own share");
}

/// I-29, I-51: the knee of a curve over the depth.
#[test]
fn a_curve_over_the_depth_has_its_knee_told() {
    let suite = suite_with("", "vary=['iodepth=1,2,4..64']", &["/dev/a"]);
    let steps = ran(&suite, |cell| {
        let depth: f64 = cell.rsplit('=').next()?.parse().ok()?;
        Some((10_000.0 * depth).min(100_000.0))
    });
    let test = &reported(&suite, &steps)[0];
    assert!(
        remarks_of(test)[0].contains("iodepth=16 reaches 95 % of the most rate, 100k IOPS"),
        "{:?}",
        remarks_of(test)
    );
    assert!(test.parts.iter().any(|part| matches!(part, ReportPart::Plot(plot) if plot.x.is_log)));
}

#[test]
fn a_cell_that_fails_leaves_a_hole_or_ends_the_suite() {
    let suite = suite_with("", "vary=['iodepth=1,2,4']", &["/dev/a"]);
    let fails = |cell: &str| (!cell.ends_with("=2")).then_some(1_000.0);
    let steps = ran(&suite, fails);
    assert_eq!(steps.len(), 3);
    let test = &reported(&suite, &steps)[0];
    assert_eq!(table(test, 0).rows[1][1], TableCell::from("failed"));
    assert!(
        remarks_of(test).iter().any(|said| said == "Failed, and in no figure: g iodepth=2."),
        "{:?}",
        remarks_of(test)
    );
    let Step::Done(verdict) = suite.next(&History::new(&steps)) else { panic!("not done") };
    let headline = fathom_words::headline(&verdict.headline);
    assert!(headline.ends_with("; 1 round failed."), "{headline}");
    let strict = Suite { stops: true, ..suite };
    let steps = ran(&strict, fails);
    assert_eq!(steps.len(), 2);
    let Step::Done(verdict) = strict.next(&History::new(&steps)) else { panic!("not done") };
    assert_eq!(fathom_words::headline(&verdict.headline), "Round r failed: the disk is gone.");
}

#[test]
fn cells_that_failed_or_are_missing_are_named() {
    let suite = suite_with("", "repeat=2\nvary=['iodepth=1,2,4,8,16']", &["/dev/sdx"]);
    let whole = ran(&suite, |_| Some(1.0));
    let lacking = |steps: &[StepRecord]| -> Vec<String> {
        suite.lacking(&History::new(steps)).iter().map(fathom_words::comparison::gap).collect()
    };
    assert_eq!(lacking(&whole), Vec::<String>::new());
    let failed = ran(&suite, |cell| (cell != "g iodepth=4").then_some(1.0));
    let expected = ["cells that failed: g iodepth=4 (the disk is gone)"];
    assert_eq!(lacking(&failed), expected);
    let cut: Vec<StepRecord> = whole[..1].to_vec();
    let expected = [
        "cells that were not measured: g iodepth=2, g iodepth=4, g iodepth=8 and 1 more",
        "cells without all of their rounds: g iodepth=1 (1 of 2 rounds)",
    ];
    assert_eq!(lacking(&cut), expected);
}

#[test]
fn a_suite_is_the_same_from_what_was_saved() {
    let mut terms = terms(&["/dev/a", "/dev/b"]);
    (terms.repeat, terms.time_divisor, terms.order_seed) = (Some(2), 60, 9);
    terms.until = Some(crate::suite::SettledWithin::of(0.025));
    terms.only = vec!["random".to_owned(), "random-prepare".to_owned()];
    terms.variables = vec![("near".to_owned(), "0-3,8".to_owned()), ("empty".to_owned(), String::new())];
    terms.set = vec![("bs".to_owned(), "8k".to_owned())];
    let text = built_in("vroc").unwrap().text;
    let suite = Suite::new("vroc", text, Vec::new(), terms, true).unwrap();
    let again = open("suite", &suite.parameters()).unwrap();
    assert_eq!(again.expected(), suite.expected());
    assert_eq!(again.next(&History::new(&[])), suite.next(&History::new(&[])));
    assert!(open("suite", &[]).is_err());
    let sentences = crate::fixture::sentences(&suite.deviations());
    assert!(sentences.iter().any(|said| said == "bs=8k is set in every job (--set)."));
    assert!(suite.file().groups.iter().all(|group| group.what.ends_with(", with bs=8k")));
}

#[test]
fn a_published_limit_is_kept_or_not() {
    let rule = "values=['sync-p99-us','syncs']\nrules=[{job='j',figure='sync-p99-us',at-most=10000.0,source='a text'}]";
    let suite = suite_with("", rule, &["/dev/a"]);
    for (ns, said) in [(9_000_000, "1 of 1 published limits are kept"), (11_000_000, "does NOT pass")] {
        let sync = SyncFigures { count: 100, ns_p99: Some(ns), ..SyncFigures::default() };
        let mut round: RoundDone = round_of("g", 50.0);
        round.figures[0].sync = Some(sync);
        round.answer = Some(Box::new(round_answer()));
        let steps = and_round(Vec::new(), round);
        let answer = suite.answer(&History::new(&steps)).unwrap();
        let result = fathom_words::result(&answer);
        assert!(result.contains(said), "{result}");
        assert_eq!(suite.is_not_valid(&History::new(&steps)), ns > 10_000_000, "exit code 5");
    }
}

/// Of a rate that fell the mean is the rate of no second: a cell has the one that lasted, and a mark.
#[test]
fn a_cell_whose_rate_fell_has_what_lasted_and_is_marked() {
    let found = |group: &str, repeat: usize| {
        let suite = suite_with("", group, &["/dev/a"]);
        let steps =
            ["g iodepth=1", "g iodepth=2"].iter().cycle().take(2 * repeat).fold(Vec::new(), |steps, cell| {
                let mut round = round_of(cell, 2_000.0);
                round.figures[0].fall = cell.ends_with('2').then(fall);
                and_round(steps, round)
            });
        reported(&suite, &steps).remove(0)
    };
    let once = found("vary=['iodepth=1,2']", 1);
    let listed = table(&once, 0);
    assert_eq!(listed.columns[..4], ["iodepth", "IOPS", "fell", "MB/s"]);
    let row = |iops: f64, fell: &str, megabytes: f64| [iops.into(), fell.into(), megabytes.into()];
    assert_eq!(listed.rows[0][1..4], row(2_000.0, "", 8.192));
    assert_eq!(listed.rows[1][1..4], row(500.0, "at 12 s", 500.0));
    assert_eq!(
        remarks_of(&once)[0],
        "The rate fell meanwhile in 1 cell, and IOPS and MB/s are those that lasted; latency is of the whole round: iodepth=2 \
         (in 1 of 1 round, first at second 12 from 3.00k IOPS and 3.00 GB/s, after 36.0 GB)."
    );
    assert_eq!(table(&found("vary=['iodepth=1,2']\nrepeat=3", 3), 0).rows[1][3], "3 of 3 rounds".into());
    let crossed = found("vary=['iodepth=1,2']\ncolumns='iodepth'", 1);
    let title = &table(&crossed, 0).title;
    assert_eq!(title, "reads: IOPS (the rate fell in 1 field and is the one that lasted)");
    assert_eq!(numbers(&table(&crossed, 0).rows[0]), [2_000.0, 500.0]);
}

/// I-27, I-50: a spread above 5 % is told with its cell.
#[test]
fn rounds_that_differ_are_told() {
    let suite = suite_with("", "repeat=3", &["/dev/a"]);
    let steps =
        [1_000.0, 900.0, 800.0].iter().fold(Vec::new(), |steps, iops| and_round(steps, round_of("g", *iops)));
    let test = &reported(&suite, &steps)[0];
    assert!(
        remarks_of(test)[0]
            .starts_with("The standard deviation of the rounds is above 5 % of the mean in 1 cell: g (11 %)"),
        "{:?}",
        remarks_of(test)
    );
    assert_eq!(table(test, 0).columns[..3], ["cell", "IOPS", "± %"]);
}
