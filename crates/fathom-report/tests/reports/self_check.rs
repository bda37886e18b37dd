//! A run's checks of itself are in its reports; what is broken is in all of them.

use crate::synthetic::{Recipe, fixture};
use fathom_job::direction::Direction;
use fathom_report::html::page;
use fathom_report::terminal::{Style, details};
use fathom_results::finding::{Law, LawProduct};
use fathom_results::self_check::{CeilingCompared, CountsOfDirection, KernelCounts};
use fathom_results::{
    Calibration, CheckEvidence, CheckOutcome, KernelWorkerKind, KernelWorkers, RunRecord, RunResult,
    SelfCheck, SelfKnowledge,
};

fn check(outcome: CheckOutcome, evidence: CheckEvidence) -> SelfCheck {
    SelfCheck { evidence, outcome }
}

/// The counts of reads of a disk, and those of fathom.
fn counts(disk: &str, requests: u64, ios: u64) -> CheckEvidence {
    let (disk_bytes, own_bytes) = (4096 * requests, 4096 * ios);
    let direction = Direction::Read;
    let reads = CountsOfDirection {
        direction,
        requests,
        disk_bytes,
        disk_bytes_own: None,
        ios,
        own_bytes,
        because: None,
    };
    let disks = vec![disk.to_owned()];
    CheckEvidence::KernelCounts(KernelCounts::Compared { disks, directions: vec![reads], unclear: None })
}

fn law(job: &str, iops: f64, latency_ns_mean: f64, in_flight: f64) -> CheckEvidence {
    let product = LawProduct { iops, unrated: None, latency_ns_mean, is_service: false };
    let (job, product) = (job.to_owned(), Some(product));
    let law =
        Law { job: job.clone(), product, in_flight_by_law: in_flight, in_flight, syncs: None, depth: 4 };
    CheckEvidence::LittlesLaw { job, law: Some(law) }
}

fn ceiling(job: &str, of: CeilingCompared) -> CheckEvidence {
    CheckEvidence::GeneratorCeiling { job: job.to_owned(), of }
}

fn rates() -> CeilingCompared {
    CeilingCompared::Rates { iops: 3_870.0, iops_max: 51_000_000.0, engine: "null".to_owned() }
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
            check(CheckOutcome::Holds, counts("loop7", 23_332, 23_332)),
            check(CheckOutcome::Holds, law("mix", 3_870.0, 68_500.0, 0.27)),
            check(
                CheckOutcome::Holds,
                CheckEvidence::ClockResolution {
                    job: "mix".to_owned(),
                    latency_ns_mean: Some(68_500.0),
                    is_service: false,
                    clock: "tsc".to_owned(),
                    latency_ns_min: Some(61),
                },
            ),
            check(CheckOutcome::Holds, ceiling("mix", rates())),
            check(CheckOutcome::Holds, law("trim", 1_990.0, 100_000.0, 0.2)),
            check(CheckOutcome::Unknown, ceiling("trim", CeilingCompared::NotMeasured)),
        ],
        ..SelfKnowledge::default()
    };
}

fn broken(record: &mut RunRecord) {
    well(record);
    record.self_knowledge.checks[0] = check(CheckOutcome::Broken, counts("<loop7>", 46_000, 23_332));
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
        first.contains("counts</th><td><span class=\"badge bad\">does not hold</span> &lt;loop7&gt;"),
        "{section}"
    );
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
    let one = |n: u32| check(CheckOutcome::Holds, law(&format!("job{n}"), 1_000.0, 1e6, 1.0));
    run.record.self_knowledge.checks = (0..1000).map(one).collect();
    let text = details(&run, Style::PLAIN);
    let of = "1.00k IOPS × 1.00 ms = 1.00 in flight, depth 4";
    let told = format!(
        "checks\n  Little     holds: job0: {of}\n             job1: {of}\n             job2: {of}\n             \
         and 997 more"
    );
    assert_eq!(block(&text), told);
}
