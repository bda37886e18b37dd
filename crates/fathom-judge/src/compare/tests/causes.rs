//! Other causes than what was changed: which side they favour, and where that is told.

use super::*;
use crate::compare::cell_runs::Doubt;
use crate::compare::cell_runs::{CellRuns, TaintedRuns};
use crate::compare::subject::{Property, UsedTarget};
use fathom_results::finding::{IoRate, LaterFinding, LoopTarget, RateSpreadEvidence};
use fathom_results::{
    Answer, ComparisonDoubt, DifferenceOf, Evidence, FailedJobs, Finding, Instead, Reason, Trust, TrustLevel,
    Weight, Why,
};

const LOW: [f64; 4] = [1_000.0, 1_010.0, 990.0, 1_005.0];
const HIGH: [f64; 4] = [1_200.0, 1_210.0, 1_190.0, 1_205.0];
/// Neither clearly more than [`LOW`] nor the same.
const WIDE: [f64; 4] = [800.0, 1_300.0, 900.0, 1_250.0];

/// Four runs with one figure, of which `tainted` have this taint.
fn subject(name: &str, values: &[f64], code: &str, tainted: u32) -> Subject {
    let mut subject = typed(name, &[("x", values)]);
    subject.about.trust = Some(TrustLevel::Low);
    subject.cells = vec![cell("", 4, code, tainted)];
    subject.properties = vec![scheduler(name)];
    subject
}

/// What this rule found, without what it saw.
pub(super) fn of_rule(code: &str) -> Finding {
    let evidence = Evidence::Later(LaterFinding { code: code.to_owned(), evidence: serde_json::Value::Null });
    Finding { evidence, weight: fathom_results::Weight::Medium, jobs: None }
}

/// A cell of so many runs, of which `tainted` have this taint.
fn cell(name: &str, runs: u32, code: &str, tainted: u32) -> CellRuns {
    let found = TaintedRuns { finding: of_rule(code), of_various_jobs: false, runs: tainted };
    CellRuns { name: name.to_owned(), runs, taints: [(code.to_owned(), found)].into() }
}

fn scheduler(value: &str) -> Property {
    Property {
        of: DifferenceOf::Target,
        job: None,
        target: None,
        what: "scheduler".to_owned(),
        value: Some(value.to_owned()),
        written: None,
        source: Some("/sys/devices/virtual/block/loop1/queue/scheduler".to_owned()),
    }
}

fn compared(a: Subject, b: Subject) -> Comparison {
    compare(vec![a, b], &Tolerances::USUAL)
}

/// What takes the headline's place, or the first doubt.
fn first(found: &Comparison) -> String {
    match words::not_shown(found) {
        Some((says, because)) => format!("{says} {because}"),
        None => format!("trust: {}", words::doubts(found)[0]),
    }
}

#[test]
fn a_cause_on_one_side_says_whom_it_favours_in_the_place_of_the_headline() {
    for (code, values, tainted, told) in [
        (
            "unknown-content",
            (HIGH, LOW),
            (4, 0),
            "Not proved: A (none) had an advantage besides the scheduler, which may be the whole reason why A is better. \
             A later version of fathom found unknown-content (A in 4 of 4 runs, B in 0 of 4 runs); reads of blocks that were \
             never written are faster than others.",
        ),
        (
            "unknown-content",
            (LOW, WIDE),
            (0, 4),
            "No answer yet: B (bfq) had an advantage besides the scheduler, which can hide a difference. A later version \
             of fathom found unknown-content (A in 0 of 4 runs, B in 4 of 4 runs); reads of blocks that were never written are faster than others.",
        ),
        (
            "host-disturbed",
            (HIGH, LOW),
            (1, 4),
            "Not proved: A (none) had an advantage besides the scheduler, which may be the whole reason why A is better. \
             A later version of fathom found host-disturbed (A in 1 of 4 runs, B in 4 of 4 runs); that takes time from the I/O.",
        ),
        (
            "host-disturbed",
            (LOW, HIGH),
            (0, 4),
            "trust: A (none) had an advantage besides the scheduler, but B (bfq) is better all the same, so without it the \
             difference would be larger: a later version of fathom found host-disturbed (A in 0 of 4 runs, B in 4 of 4 \
             runs); that takes time from the I/O",
        ),
        (
            "unstable",
            (LOW, HIGH),
            (0, 4),
            "trust: The differences may have another cause, and it is not known whom that favours: a later version of \
             fathom found unstable (A in 0 of 4 runs, B in 4 of 4 runs)",
        ),
    ] {
        let (a, b) = values;
        let found = compared(subject("none", &a, code, tainted.0), subject("bfq", &b, code, tainted.1));
        assert_eq!(first(&found), told);
        assert_eq!(found.causes[0].found.rule(), code);
    }
    // A difference of one run in four may be chance.
    let even = compared(subject("a", &LOW, "steal", 4), subject("b", &HIGH, "steal", 3));
    assert_eq!((even.causes.as_slice(), &even.not_shown), (&[][..], &None));
}

/// Both read blocks that may be unwritten, and the jobs write: what ran first found more of them.
#[test]
fn what_was_measured_first_found_more_blocks_that_were_never_written() {
    let of = |name: &str, values: &[f64], started, is_written| {
        let mut subject = subject(name, values, "unknown-content", 4);
        subject.about.started_unix_ns = Some(started);
        subject.targets = vec![UsedTarget { path: "/dev/loop1".to_owned(), is_written }];
        subject
    };
    let found = compared(of("old", &LOW, 9, true), of("new", &HIGH, 5, true));
    assert_eq!(found.causes[0].favours, ["B"]);
    let told = first(&found);
    assert!(told.starts_with("Not proved: B (new) had an advantage"), "{told}");
    assert!(
        told.contains("B read more blocks that were perhaps never written, because it was measured first"),
        "{told}"
    );
    // Jobs that only read leave all as it was.
    let found = compared(of("old", &LOW, 5, false), of("new", &HIGH, 9, false));
    assert_eq!(found.causes, []);
    // A run beside itself was not measured before itself.
    let one = of("old", &LOW, 5, true);
    let same = compared(one.clone(), one);
    assert_eq!((same.causes.as_slice(), &same.not_shown), (&[][..], &None));
    // In turn, each is first as often as the other.
    let in_turn = |subject: Subject| subject.in_turn("p");
    let found = compared(in_turn(of("old", &LOW, 5, true)), in_turn(of("new", &HIGH, 9, true)));
    assert_eq!(found.causes, []);
}

#[test]
fn several_properties_that_differ_share_the_blame() {
    let with = |name: &str, more: &[(&str, &str)]| {
        let mut subject = subject(name, &LOW, "steal", 0);
        let more = more.iter().map(|(what, value)| Property {
            of: DifferenceOf::Machine,
            what: (*what).to_owned(),
            ..scheduler(value)
        });
        subject.properties.extend(more);
        subject
    };
    let said = |more: [&[(&str, &str)]; 2]| {
        let found = compared(with("none", more[0]), with("bfq", more[1]));
        words::doubts(&found).into_iter().find(|said| said.contains("properties differ"))
    };
    // The kernel sets the number of requests with the scheduler.
    assert_eq!(said([&[("nr requests", "64")], &[("nr requests", "256")]]), None);
    // They are one property and its opposite: a job that sets one of them has set both.
    let with_direct = |name: &str, direct: [&str; 2]| {
        let mut subject = subject(name, &LOW, "steal", 0);
        let options = ["direct", "buffered"].into_iter().zip(direct);
        subject.properties = options
            .map(|(what, value)| Property {
                of: DifferenceOf::Job,
                job: Some("j".to_owned()),
                what: what.to_owned(),
                ..scheduler(value)
            })
            .collect();
        subject
    };
    let found = compared(with_direct("on", ["1", "0"]), with_direct("off", ["0", "1"]));
    let own: Vec<&str> = found.own_differences().map(|it| it.what.as_str()).collect();
    assert_eq!(own, ["direct"]);
    let told = said([&[("governor", "powersave")], &[("governor", "performance")]]);
    let expected =
        "2 properties differ (scheduler, governor): the figures do not tell which of them is the cause";
    assert_eq!(told.as_deref(), Some(expected));
}

fn loop_device() -> Finding {
    let (device, file) = (Some("loop1".to_owned()), Some("/data/f".to_owned()));
    let target = LoopTarget { device, file, only_trims: true, is_direct: None };
    Finding { evidence: Evidence::LoopDevice(target), weight: Weight::Instead, jobs: None }
}

fn spread(variation: f64) -> RateSpreadEvidence {
    let [min, max] = [900.0, 1_100.0].map(|iops| IoRate { iops, bytes_per_second: 4096.0 * iops });
    RateSpreadEvidence { job: "j".to_owned(), in_bytes: false, min, max, window_s: 1, variation }
}

/// The rates of two runs that were not steady differ, and so do their times by less than a hundredth.
#[test]
fn subjects_with_the_same_reason_share_a_doubt_whatever_their_numbers() {
    let of = |name: &str, seconds: f64, variation: f64| {
        let evidence = Evidence::Unstable { jobs: vec![spread(variation)], is_only: true };
        let unsteady = Finding { evidence, weight: Weight::Medium, jobs: None };
        let short = Reason::new(Why::Short { seconds }, TrustLevel::Medium);
        let reasons = vec![Reason::of(&unsteady), short];
        let trust = Trust { level: TrustLevel::Medium, reasons, shortest_s: None };
        let answer = Answer { trust, ..Answer::default() };
        let mut subject = subject(name, &LOW, "unstable", 4);
        subject.doubts = Doubt::of(&answer, "").into_iter().collect();
        subject
    };
    let shared = |seconds: f64| {
        let found = compared(of("a", 10.001, 0.2), of("b", seconds, 0.3));
        let of = found.doubts.into_iter().filter_map(|doubt| match doubt {
            ComparisonDoubt::LessTrust { subjects, .. } => Some(subjects.join(" ")),
            _ => None,
        });
        of.collect::<Vec<String>>()
    };
    assert_eq!(shared(10.003), ["A B"]);
    assert_eq!(shared(20.0), ["A", "B"]);
}

#[test]
fn a_doubt_about_the_kind_of_target_favours_no_side() {
    let of = |name: &str, is_no_disk| {
        let mut subject = subject(name, &LOW, "loop-device", 4);
        let instead = Some(Instead { findings: vec![loop_device()], ..Instead::default() });
        let answer = Answer { instead, ..Answer::default() };
        subject.doubts = Doubt::of(&answer, "").into_iter().collect();
        subject.is_no_disk = is_no_disk;
        subject
    };
    let said = |is_no_disk| words::doubts(&compared(of("a", is_no_disk), of("b", is_no_disk)));
    let doubt = "A loop device was measured, not a disk: ";
    let even = format!("Low trust in A and B alike, which gives no side an advantage: {doubt}");
    let has = |said: Vec<String>, words: &str| said.iter().any(|it| it.starts_with(words));
    assert!(has(said(true), &even), "{:?}", said(true));
    assert!(has(said(false), &format!("Low trust in A and B: {doubt}")));
}

/// A suite of three cells with three runs each, of which the runs of `x` are `times` faster; all its runs of `x` have the taint
/// if `is_tainted`.
fn suite(name: &str, times: f64, code: &str, is_tainted: bool) -> Subject {
    let values = [[1_000.0, 1_010.0, 990.0], [500.0, 501.0, 499.0], [700.0, 701.0, 699.0]];
    let figures = ["x", "y", "z"].into_iter().zip(values).map(|(cell, values)| {
        let values = if cell == "x" { values.map(|value| times * value) } else { values };
        let mut figure = typed("", &[("IOPS", &values)]).figures.remove(0);
        (figure.key.job, figure.cell) = (cell.to_owned(), cell.to_owned());
        figure
    });
    let tainted = |of: &str| if is_tainted && of == "x" { 3 } else { 0 };
    Subject {
        figures: figures.collect(),
        cells: ["x", "y", "z"].map(|of| cell(of, 3, code, tainted(of))).into(),
        ..subject(name, &[], code, 0)
    }
}

/// Three of nine rounds are a small share, and all of those of the cell.
#[test]
fn a_cell_that_was_disturbed_in_all_its_runs_is_named() {
    let found = compared(suite("old", 1.0, "page-cache", false), suite("new", 21.0, "page-cache", true));
    assert_eq!(found.causes[0].cells, ["x"]);
    assert_eq!(
        first(&found),
        "Not proved in the cell x: B (new) had an advantage besides the scheduler, which may be the whole reason why B is \
         better there. A later version of fathom found page-cache (A in 0 of 3 runs, B in 3 of 3 runs); memory is faster than a disk."
    );
    // Other cells differ too, and nothing explains that.
    let mut other = suite("new", 21.0, "page-cache", true);
    other.figures[1].values.iter_mut().for_each(|value| *value *= 2.0);
    let found = compared(suite("old", 1.0, "page-cache", false), other);
    assert_eq!(found.not_shown, None);
    let told = words::doubts(&found).remove(0);
    assert!(told.starts_with("Not proved in the cell x: B (new) had an advantage"), "{told}");
    // What all cells have is said of none.
    let all = |tainted| {
        let mut all = suite("s", 1.0, "page-cache", false);
        all.cells = ["x", "y", "z"].map(|of| cell(of, 3, "page-cache", tainted)).into();
        all
    };
    let found = compared(all(0), all(3));
    assert_eq!((found.causes.len(), found.causes[0].cells.len()), (1, 0));
    assert!(first(&found).contains("(A in 0 of 9 runs, B in 9 of 9 runs)"), "{:?}", found.causes);
}

/// The reason is that of the worst run, whichever was first.
#[test]
fn the_trust_is_told_with_the_reason_of_its_level() {
    let mut subject = SubjectOfRuns::default();
    let failed = FailedJobs { are_workers: false, failed: 1, of: 1, first: "no space".to_owned() };
    for (cell, level, instead) in [
        ("x", TrustLevel::Medium, None),
        ("y", TrustLevel::Low, Some(Instead { failed: Some(failed.clone()), ..Instead::default() })),
    ] {
        let mut run = run(JOB, 1_000, 100_000);
        crate::judge(&mut run, &crate::fixture::OWN);
        let answer = run.record.answer.as_mut().unwrap();
        let reasons = vec![Reason { level: Some(level), ..Reason::new(Why::OneRound, None) }];
        answer.trust = Trust { level, reasons, shortest_s: None };
        answer.instead = instead;
        subject.add_cell(cell, &run);
    }
    let doubted = subject.done();
    assert_eq!(doubted.about.doubts[0].instead.as_ref().unwrap().failed, Some(failed));
    let found = compared(doubted, of("b", &[run(JOB, 1_000, 100_000)]));
    let expected = "Low trust in A in the cell y: The job failed: no space".to_owned();
    assert!(words::doubts(&found).contains(&expected), "{:?}", words::doubts(&found));
}
