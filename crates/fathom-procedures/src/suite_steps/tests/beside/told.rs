//! What is said beside the tables, with the runs that it is about.

use super::*;
use crate::fixture::{doubt, finding, in_report};
use fathom_results::finding::StallEvidence;
use fathom_results::procedure::Conclusion;
use fathom_results::{Evidence, Finding, Weight};
use fathom_results::{RunEnd, Verdict as Found};

/// Variables, repeats and ends that are not the same in all runs.
#[test]
fn what_the_command_lines_changed_is_told() {
    let engine = |name: &str| ("engine".to_owned(), name.to_owned());
    let as_it_is = suite_of(READS, &["/dev/a"], |terms| terms.variables = vec![engine("libaio")]);
    let other = suite_of(READS, &["/dev/a"], |terms| {
        terms.variables = vec![
            ("bs".to_owned(), "64k".to_owned()),
            engine("io_uring"),
            ("near".to_owned(), "0".to_owned()),
        ];
        (terms.repeat, terms.until) = (Some(5), Some(crate::suite::SettledWithin::of(0.02)));
    });
    let of = |suite: &Suite, name| run(suite, name, ran(suite, plain_rate));
    let told = in_report(&tables_of(&[of(&as_it_is, "W1"), of(&other, "W2")]).unwrap().deviations);
    for said in [
        "W2: bs is 64k, and it was 4k for W1.",
        "W2: engine is io_uring, and it was libaio for W1.",
        "W2: repeat is 5, and it was not given for W1.",
        "W2: until is confident=2.0 %, and it was not given for W1.",
    ] {
        assert!(told.iter().any(|line| line == said), "{said}: {told:?}");
    }
    assert!(!told.iter().any(|line| line.contains("near")), "no job has it: {told:?}");
    let same = in_report(&tables_of(&[of(&other, "W1"), of(&other, "W2")]).unwrap().deviations);
    assert_eq!(same, ["It is not finished."]);
}

/// What rounds say, and how far they spread, has the label of its run; the same for several is said once.
#[test]
fn doubts_have_their_runs() {
    let suite = suite_of(READS, &["/dev/a"], |_| ());
    // A long stall has its length in its claim.
    let stall = |seconds: f64| {
        let worker = "j.0".to_owned();
        let stall = StallEvidence {
            worker,
            longest_s: seconds,
            times: 1,
            seconds,
            of_seconds: 20.0,
            is_target: true,
            others_go_on: false,
        };
        Finding { evidence: Evidence::Stalls { workers: vec![stall] }, weight: Weight::Low, jobs: None }
    };
    let doubted = |rounds: usize, seconds: f64| {
        let mut steps = ran(&suite, plain_rate);
        let all = steps.iter_mut().filter_map(|step| match &mut step.did {
            StepDone::Round(round) => Some(round),
            _ => None,
        });
        for (place, round) in all.enumerate() {
            doubt(round, &finding("simulated"));
            if place < rounds {
                doubt(round, &stall(seconds));
            }
        }
        steps
    };
    let mut spread = doubted(2, 13.0);
    let StepDone::Round(round) = &mut spread[0].did else { panic!("no round") };
    round.figures[0].iops = 2_000.0;
    let runs =
        [run(&suite, "A", doubted(0, 1.0)), run(&suite, "B", doubted(2, 12.0)), run(&suite, "C", spread)];
    let report = tables_of(&runs).unwrap();
    let told = in_report(&report.deviations).join("\n");
    assert!(
        told.contains("Each run in every round: a later version of fathom found simulated [simulated]"),
        "{told}"
    );
    assert!(told.contains("B, C: in 2 of 6 rounds, such as: the target stood still for 12.0 of 20.0 s: a mean over that time says little [stalls]"), "{told}");
    let remarks = remarks_of(&report.tests[0]);
    assert!(
        remarks.len() == 1 && remarks[0].starts_with("C: The standard deviation of the rounds is above 5 %"),
        "{remarks:?}"
    );
    let headline = headline_of(&report.tests[0]);
    assert!(headline.starts_with("Most IOPS: A 1.00k IOPS ± 0.0 % (3 rounds); B"), "{headline}");
}

/// What a rule says has its run; of rules that are kept the number.
#[test]
fn verdicts_of_rules_have_their_runs() {
    let rule =
        "values=['sync-p99-us']\nrules=[{job='j',figure='sync-p99-us',at-most=10000.0,source='a text'}]";
    let suite = suite_with("", rule, &["/dev/a"]);
    let synced = |ns: u64| {
        let mut round: RoundDone = round_of("g", 50.0);
        round.figures[0].sync = Some(SyncFigures { count: 100, ns_p99: Some(ns), ..SyncFigures::default() });
        and_round(Vec::new(), round)
    };
    let runs = [run(&suite, "A", synced(9_000_000)), run(&suite, "B", synced(11_000_000))];
    let remarks = remarks_of(&tables_of(&runs).unwrap().tests.remove(0));
    assert_eq!(remarks[0], "A: 1 of 1 published limits are kept.");
    assert!(remarks[1].starts_with("B: g: ") && remarks[1].contains("does NOT pass"), "{remarks:?}");
}

/// A run that ended early, or that is not finished, says how much of the suite it lacks.
#[test]
fn what_was_not_measured_is_counted() {
    let suite = suite_of(READS, &["/dev/a"], |_| ());
    let concluded = |name: &str, steps: Vec<StepRecord>| {
        let (mut record, steps) = run(&suite, name, steps);
        let verdict = Found::default();
        record.conclusion =
            Some(Conclusion { at_unix_ns: 0, ended: RunEnd::ByItself, verdict, answer: None });
        (record, steps)
    };
    let all = ran(&suite, plain_rate);
    let failed = vec![ran(&suite, |_| None).remove(0)];
    let runs = [
        concluded("whole", all.clone()),
        concluded("early", all[..2].to_vec()),
        run(&suite, "cut", all[..3].to_vec()),
        concluded("failed", failed),
    ];
    let found = beside(&runs).unwrap();
    let told = in_report(&found.tables.deviations);
    for said in [
        "early: It ended early: 4 of 6 steps were not measured.",
        "cut: It is not finished: 3 of 6 steps were not measured.",
    ] {
        assert!(told.iter().any(|line| line == said), "{said}: {told:?}");
    }
    assert!(!told.iter().any(|line| line.contains("whole")), "{told:?}");
    let has: Vec<_> =
        found.columns.iter().map(|it| (it.steps_missing, it.has_figures, it.is_whole())).collect();
    assert_eq!(has, [(0, true, true), (4, true, false), (3, true, false), (5, false, false)]);
    let remarks = remarks_of(&found.tables.tests[0]).join(" ");
    assert!(remarks.contains("cut: The figures are of 1 to 2 rounds."), "{remarks}");
}
