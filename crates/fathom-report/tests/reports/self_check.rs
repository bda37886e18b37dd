//! A run's checks of itself are in its reports; what is broken is in all of them.

use crate::synthetic::{Recipe, fixture};
use fathom_report::html::page;
use fathom_report::terminal::{Style, details};
use fathom_results::{
    Calibration, CheckOutcome, KernelWorkerKind, KernelWorkers, RunRecord, RunResult, SelfCheck,
    SelfKnowledge,
};

fn check(name: &str, outcome: CheckOutcome, evidence: &str) -> SelfCheck {
    SelfCheck { name: name.into(), outcome, evidence: evidence.into() }
}

/// All is well except what could not be known.
fn well(record: &mut RunRecord) {
    record.self_knowledge = SelfKnowledge {
        calibrations: vec![Calibration {
            job: 0,
            engine: "null".into(),
            ios: 5_100_000,
            time_ns: 100_000_000,
            cpu_ns: 99_960_000,
            latency_ns_min: Some(61),
        }],
        kernel_workers: vec![
            KernelWorkers { job: 0, kind: KernelWorkerKind::IoWq, threads: 2, cpu_ns: 1_200_000_000 },
            KernelWorkers { job: 0, kind: KernelWorkerKind::Sqpoll, threads: 1, cpu_ns: 12_000_000_000 },
        ],
        checks: vec![
            check(
                "kernel-counts",
                CheckOutcome::Holds,
                "loop7 counted 23,332 reads of 95.6 MB, 100.00 %; fathom 23,332 of 95.6 MB",
            ),
            check("littles-law", CheckOutcome::Holds, "mix: 3.87k IOPS × 68.5 µs = 0.27 in flight, depth 4"),
            check(
                "clock-resolution",
                CheckOutcome::Holds,
                "mix: mean latency 68.5 µs by clock tsc, whose smallest latency is 61.0 ns",
            ),
            check(
                "generator-ceiling",
                CheckOutcome::Holds,
                "mix: 3.87k IOPS, <0.1 % of the 51.0M that the null engine reaches",
            ),
            check("littles-law", CheckOutcome::Holds, "trim: 1.99k IOPS × 100 µs = 0.20 in flight, depth 4"),
            check("generator-ceiling", CheckOutcome::Unknown, "trim: fathom's own top speed was not checked"),
        ],
        ..SelfKnowledge::default()
    };
}

fn broken(record: &mut RunRecord) {
    well(record);
    let checks = &mut record.self_knowledge.checks;
    checks[0].outcome = CheckOutcome::Broken;
    checks[0].evidence = "loop7 counted 46,000 reads of 188 MB, 197.2 %; fathom 23,332 of <95.6> MB".into();
}

fn run(edit: fn(&mut RunRecord)) -> RunResult {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = edit;
    recipe.run()
}

/// The block of the checks.
fn block(text: &str) -> &str {
    text.split("\n\n").find(|block| block.starts_with("checks\n")).expect("it has checks")
}

#[test]
fn a_sound_run_shows_why_it_may_be_believed() {
    insta::assert_snapshot!(block(&details(&run(well), Style::PLAIN)));
}

#[test]
fn what_is_broken_stands_first_and_on_a_narrow_terminal_too() {
    let text = details(&run(broken), Style { width: 72, ..Style::PLAIN });
    assert!(block(&text).lines().all(|line| line.chars().count() <= 72), "{text}");
    insta::assert_snapshot!(block(&text));
}

#[test]
fn the_page_shows_them_among_its_evidence() {
    let html = page(&run(broken));
    let section = html.split("<h3>Checks of the run itself</h3>").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    let first = section.split("<tr>").nth(1).unwrap();
    assert!(
        first.contains("counts</th><td><span class=\"badge bad\">does not hold</span> loop7"),
        "{section}"
    );
    assert!(first.contains("&lt;95.6&gt;"), "{section}");
    assert!(section.contains("threads</th><td>mix: 2 threads of io-wq used 1.2 s of CPU"), "{section}");
}

#[test]
fn a_run_that_did_not_look_tells_nothing() {
    let run = run(|_| ());
    assert!(!details(&run, Style::PLAIN).contains("checks") && !page(&run).contains("Checks of the run"));
}

#[test]
fn a_thousand_checks_are_a_few_lines() {
    let mut run = run(|_| ());
    let one = |n: u32| check("littles-law", CheckOutcome::Holds, &format!("job{n}: as it should be"));
    run.record.self_knowledge.checks = (0..1000).map(one).collect();
    let text = details(&run, Style::PLAIN);
    let told = "checks\n  Little     holds: job0: as it should be\n             job1: as it should be\n             \
                job2: as it should be\n             and 997 more";
    assert_eq!(block(&text), told);
}
