//! The report by invented rounds: its parts, what it says of the device and of preconditioning, and which rounds are doubted.

use super::header::{deviations, header};
use super::tests::{driven, driven_until, pts, terms};
use super::*;
use crate::fixture::{done, finding, headline_of, in_report, record, remarks_of, sentences};
use fathom_job::units::Bytes;
use fathom_results::answer::Deviation;
use fathom_results::procedure::{Preparation, ResumedOtherwise, RoundDone, StepDone, StepRecord};
use fathom_results::{FindingWeight, HostFinding, ReportPart, RunResult, TestReport};
use fathom_words::procedure_headline::stopped;
use fathom_words::{measured_jobs, report_part};

/// No run can be read.
struct NoRuns;

impl RoundRuns for NoRuns {
    fn run(&self, _directory: &str) -> Option<RunResult> {
        None
    }
    fn cut(&self) -> u32 {
        0
    }
}

/// The table of block sizes by mixes has the sum of reads and writes, averaged over the window.
#[test]
fn the_report_has_the_parts_of_the_standard_in_its_order() {
    let all = pts(&["iops"]);
    let (steps, _) =
        driven(&all, |_, round, segment| if segment == "r50-8k" { 1000.0 + round as f64 } else { 2000.0 });
    let report = all.standard_report(&record("pts"), &History::new(&steps), &NoRuns).unwrap();
    let titles: Vec<&str> = report.tests[0]
        .parts
        .iter()
        .map(|part| match part {
            ReportPart::Table(table) => table.title.as_str(),
            ReportPart::Plot(plot) => plot.title.as_str(),
            ReportPart::Columns(columns) | ReportPart::Heat(columns) => columns.title.as_str(),
        })
        .collect();
    assert_eq!(titles[0], "Steady state convergence: 0/100, all blocks");
    assert_eq!(titles[1], "Steady state convergence: tracking variables");
    assert_eq!(titles[2], "Measurement window: RND 4 KiB, 0/100");
    assert_eq!(titles[3], "Steady state determination: RND 4 KiB, 0/100 (IOPS)");
    assert_eq!(
        titles[8..],
        [
            "IOPS: mean of the measurement window",
            "IOPS by block size",
            "IOPS: mean of the measurement window"
        ]
    );
    let Some(ReportPart::Table(table)) = report.tests[0].parts.get(8) else { panic!() };
    assert_eq!(table.columns[4], "Read/write mix (%) 50/50");
    assert_eq!(table.rows[2][0], "8".into());
    assert_eq!(table.rows[2][4], (1000.0 + 3.0).into());
}

#[test]
fn a_purge_that_wrote_zeroes_is_a_deviation() {
    let is_told = |method: &str| {
        let preparation = Preparation::Purge { target: "/dev/md0".to_owned() };
        let steps = done(
            Vec::new(),
            StepDone::Prepared { preparation, evidence: String::new(), method: Some(method.to_owned()) },
        );
        let all = deviations(&pts(&["iops"]), &History::new(&steps), 0);
        all.contains(&Deviation::PurgedWithZeroes)
    };
    assert!(is_told("zero"));
    assert!(!is_told("discard"));
}

/// The header says which tests are preconditioned, and the plots' numbers say which rounds are doubted.
#[test]
fn what_only_some_tests_have_names_them() {
    let told = |tests: &[&str]| {
        let all = pts(tests);
        let header = header(&all, &record("pts"), &History::new(&[]), 0);
        let entries = header.into_iter().flat_map(|group| group.entries);
        let of = |wanted: &str| entries.clone().find(|(name, _)| name == wanted).unwrap().1;
        [of("Preconditioning 1"), of("Preconditioning 2")]
    };
    let fill = "2 × the active range, sequential, 128 KiB, TC 1 / QD 32";
    let loops = "rounds until steady state";
    assert_eq!(told(&["iops", "lat"]), [fill, loops]);
    let with_tp = fill.replace("128 KiB", "128 KiB (tp: the tested block)");
    assert_eq!(told(&["iops", "tp"])[0], with_tp);
    assert_eq!(told(&["xsr"]), ["none in these tests"; 2]);
    assert_eq!(
        told(&["lat", "wsat", "xsr"]),
        [format!("lat: {fill}; wsat, xsr: none"), format!("lat: {loops}; wsat, xsr: none")]
    );
}

fn reported(pts: &Pts, steps: &[StepRecord]) -> TestReport {
    let report = pts.standard_report(&record("pts"), &History::new(steps), &NoRuns).unwrap();
    report.tests.into_iter().next().unwrap()
}

/// A drive that disappears, or that fails an I/O, in round 17: the report has the sixteen rounds before, and says why it ended.
#[test]
fn a_drive_that_fails_in_round_17_is_told_with_what_was_measured_before() {
    for why in
        ["r0-4k: cannot write to /dev/nvme0n1: No such device", "r65-64k: a read failed: Input/output error"]
    {
        let all = pts(&["iops", "lat"]);
        let falls = |_: &str, round: usize, _: &str| 1_000.0 / (1.0 + round as f64);
        let rounds = std::cell::Cell::new(0);
        let is_17th = |step: &Step| {
            let is_round = matches!(step, Step::Run(round) if round.cell == "iops-round");
            rounds.set(rounds.get() + usize::from(is_round));
            is_round && rounds.get() == 17
        };
        let (mut steps, _) = driven_until(&all, falls, |_| 0, is_17th);
        // What it had measured of the round is no round.
        let figures = steps.last().unwrap().round().unwrap().figures[..20].to_vec();
        let (cell, failure) = ("iops-round".to_owned(), Some(why.to_owned()));
        let ended = fathom_results::RunEnd::JobFailed;
        let failed = RoundDone {
            directory: "0051-iops-round".to_owned(),
            cell,
            failure,
            ended,
            figures,
            ..RoundDone::default()
        };
        steps = done(steps, StepDone::Round(failed));
        let Step::Done(verdict) = all.next(&History::new(&steps)) else { panic!("it goes on") };
        let headline = fathom_words::headline(&verdict.headline);
        assert!(headline.contains("failed") && headline.contains(why), "{headline}");
        let report = all.standard_report(&record("pts"), &History::new(&steps), &NoRuns).unwrap();
        let iops = &report.tests[0];
        assert!(
            headline_of(iops).contains("STOPPED in round 17 of iops-round, after 16 whole rounds"),
            "{}",
            headline_of(iops)
        );
        assert!(stopped(iops.stopped.as_ref().unwrap()).contains(why) && iops.is_steady.is_none());
        assert_eq!(iops.determinations[0].rounds, (12, 16), "the last window of whole rounds");
        assert!(headline_of(&report.tests[1]).contains("not begun") && report.tests[1].stopped.is_none());
    }
}

#[test]
fn cells_that_a_drive_of_4096_byte_blocks_cannot_have_are_named() {
    let told = |tests: &[&str], edition: Edition| {
        let terms = PtsTerms { sector: Bytes(4096), ..terms(edition) };
        let known = |name: &&str| *tests_of(edition).iter().find(|test| test.name == *name).unwrap();
        let all = Pts { terms, tests: tests.iter().map(known).collect() };
        let all = sentences(&deviations(&all, &History::new(&[]), 0));
        all.into_iter().filter(|said| said.contains("without the cells")).collect::<Vec<_>>()
    };
    let why = "without the cells of 512 B: the smallest I/O of sim:datacentre/1024 is 4 KiB.";
    assert_eq!(
        told(&["iops", "lat"], Edition::Enterprise),
        [format!("IOPS test {why}"), format!("Latency test {why}")]
    );
    assert_eq!(told(&["tp"], Edition::Tkperf), [format!("Throughput test {why}")]);
    assert!(told(&["tp", "wsat", "hir", "xsr", "dirth"], Edition::Enterprise).is_empty());
}

/// What the drive and the record of resumes tell is before all deviations from the standard.
#[test]
fn a_worn_drive_and_a_swapped_one_are_told_on_every_sheet() {
    let all = pts(&["iops"]);
    let mut of_drive = record("pts");
    let finding = |check: &str, says: &str| HostFinding {
        check: check.to_owned(),
        subject: "nvme0".to_owned(),
        weight: FindingWeight::Warn,
        says: says.to_owned(),
        path: String::new(),
        raw: String::new(),
    };
    of_drive.shared.audit = vec![
        finding("cpu.governor", "powersave"),
        finding("nvme.health", "104 % of its rated life are used"),
    ];
    let differences = vec!["the serial number of the disk of /dev/nvme0n1 was A and is B".to_owned()];
    of_drive.resumed = vec![ResumedOtherwise { sitting: 1, differences }];
    let report = all.standard_report(&of_drive, &History::new(&[]), &NoRuns).unwrap();
    let said = "After interruption 1 the tests went on under other conditions: the serial number of the disk of /dev/nvme0n1 was \
                A and is B.";
    assert_eq!(
        in_report(&report.deviations)[..2],
        ["The drive nvme0 is not sound: 104 % of its rated life are used.", said]
    );
}

/// A doubt about these rounds of a name, counted from 1.
fn doubt(steps: &mut [StepRecord], cell: &str, rounds: &[usize]) {
    let of_cell = steps.iter_mut().filter_map(|step| match &mut step.did {
        StepDone::Round(round) if round.cell == cell => Some(round),
        _ => None,
    });
    let doubted = (1..).zip(of_cell).filter(|(number, _)| rounds.contains(number));
    let one = finding("stalls");
    doubted.for_each(|(_, round): (usize, &mut RoundDone)| crate::fixture::doubt(round, &one));
}

#[test]
fn doubted_rounds_inside_the_window_stand_apart_with_name_number_and_time() {
    let all = pts(&["iops"]);
    // Steady from round 4 on: the window has the rounds 4 to 8.
    let rate = |_: &str, round: usize, _: &str| if round < 4 { 9_000.0 / round as f64 } else { 2_000.0 };
    let (mut steps, _) = driven(&all, rate);
    doubt(&mut steps, "iops-round", &[2, 4, 8]);
    let report = reported(&all, &steps);
    assert_eq!(report.determinations[0].rounds, (4, 8));
    let [inside] = report.doubted.as_slice() else { panic!("{:?}", report.doubted) };
    assert_eq!((inside.rounds_of.as_str(), inside.rounds.as_slice()), ("iops-round", &[4, 8][..]));
    assert_eq!(
        (report_part::doubt(inside).as_str(), inside.seconds.as_slice()),
        ("a later version of fathom found stalls", &[3360.0, 3360.0][..])
    );
    assert_eq!(remarks_of(&report), ["In round 2 of iops-round: a later version of fathom found stalls"]);
}

#[test]
fn rounds_of_a_fixed_number_have_no_window() {
    let all = pts(&["lat"]);
    let (mut steps, _) = driven(&all, |_, _, _| 2000.0);
    doubt(&mut steps, "lat-histogram", &[1]);
    let report = reported(&all, &steps);
    assert!(report.doubted.is_empty());
    assert_eq!(
        remarks_of(&report)[0],
        "In the round of lat-histogram: a later version of fathom found stalls"
    );
}

#[test]
fn the_parameters_say_how_long_everything_took() {
    let of = |test: &str| {
        let all = pts(&[test]);
        let (steps, _) = driven(&all, |_, _, _| 1000.0);
        reported(&all, &steps).parameters
    };
    let text = |all: &[(String, String)], name: &str| {
        let found = all.iter().find(|(known, _)| known == name);
        found.map_or_else(String::new, |(_, text)| text.clone())
    };
    let iops = of("iops");
    assert!(text(&iops, "Preconditioning 1 (WIPC)").starts_with("iops-fill: "), "{iops:?}");
    assert!(text(&iops, "Preconditioning 1 (WIPC)").contains(" in 34 rounds, "), "{iops:?}");
    assert_eq!(text(&iops, "Preconditioning 2 (WDPC)"), "iops-round: 5 rounds, 4.67 h");
    assert_eq!(text(&iops, "Time of the cells"), "iops-round: 56 × 60 s");
    assert_eq!(text(&iops, "Composite mix"), "");
    let cbw = of("cbw");
    assert!(text(&cbw, "Composite mix").contains("4 KiB 67 %, 8 KiB 10 %"), "{cbw:?}");
    assert_eq!(text(&cbw, "Preconditioning 1 (WIPC)"), "");
    assert_eq!(
        text(&cbw, "Preconditioning 2 (WDPC)"),
        "cbw-precondition: 5 rounds, 2.58 h; cbw-round: 5 rounds, 4.5 h"
    );
    let cells = "cbw-precondition: 30 min, 60 s; cbw-round: 5 min, 49 × 60 s; cbw-points: 60 min, 10 min, 60 min, 10 min, 60 \
                 min, 10 min";
    assert_eq!(text(&cbw, "Time of the cells"), cells);
    let wsat = of("wsat");
    assert_eq!(text(&wsat, "Preconditioning 2 (WDPC)"), "", "it begins on an empty device");
    let hir = text(&of("hir"), "Time of the cells");
    assert!(hir.contains("hir-wait-10: 30 × 5 s, each after 10 s without I/O"), "{hir}");
    assert!(
        hir.contains("hir-base-5, hir-base-10, hir-base-15, hir-base-25, hir-base-50: 30 × 5 s"),
        "{hir}"
    );
}

#[test]
fn the_recovery_of_cross_stimulus_is_a_column_of_its_table() {
    let all = pts(&["xsr"]);
    let (steps, _) = driven(&all, |_, _, _| 1000.0);
    let parts = reported(&all, &steps).parts;
    let table = parts.iter().find_map(|part| match part {
        ReportPart::Table(table) => Some(table),
        _ => None,
    });
    let table = table.unwrap();
    assert_eq!(table.columns.last().unwrap(), "Recovery (minutes)");
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table:?}");
}

#[test]
fn another_demand_is_a_deviation_where_the_standard_recommends_one() {
    let told = |tests: &[&str]| {
        let terms = PtsTerms { demand: Demand { threads: 8, depth: 2 }, ..terms(Edition::Enterprise) };
        let all = Pts { terms, ..pts(tests) };
        let said = sentences(&deviations(&all, &History::new(&[]), 0))
            .into_iter()
            .find(|said| said.contains("TC 8"));
        (said, all.answer(&History::new(&[])).unwrap().jobs.as_ref().map(measured_jobs).unwrap())
    };
    let (said, jobs) = told(&["iops", "lat", "hir"]);
    let says =
        "The demand of iops, hir is TC 8 / QD 2; the standard recommends TC 4 / QD 32 for the IOPS test.";
    assert_eq!(said.as_deref(), Some(says));
    assert!(jobs.contains("; TC 8 / QD 2 in iops, hir, 100 % of the device"), "{jobs}");
    assert!(told(&["wsat"]).0.is_none(), "the operator's choice");
    let (said, jobs) = told(&["lat", "tp"]);
    assert!(said.is_none() && !jobs.contains("TC"), "{jobs}");
}

#[test]
fn a_write_cache_that_is_not_as_asked_is_on_every_sheet() {
    let told = |edition: Edition, cache: WriteCache, setting: CacheSetting| {
        let terms = PtsTerms { write_cache: cache, cache_setting: setting, ..terms(edition) };
        let all = deviations(&Pts { terms, ..pts(&["iops"]) }, &History::new(&[]), 0);
        sentences(&all)
            .iter()
            .any(|said| said.starts_with("The write cache is on; the standard asks for it off"))
    };
    assert!(told(Edition::Enterprise, WriteCache::On, CacheSetting::Left));
    assert!(told(Edition::Enterprise, WriteCache::On, CacheSetting::Impossible));
    assert!(!told(Edition::Enterprise, WriteCache::On, CacheSetting::Set));
    assert!(!told(Edition::Client, WriteCache::On, CacheSetting::Left));
}
