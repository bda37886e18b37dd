//! Two sets of runs of one job seldom differ: real runs, saved and read again, in virtual time.
//!
//! `FATHOM_PAIRS=2000 cargo test --release -p fathom --test end_to_end compare_many::` is the long form of it.

use crate::support::{fathom, text};
use fathom_judge::compare::{Subject, SubjectOfRuns, Tolerances, compare};
use fathom_results::procedure::{RoundDone, load_procedure};
use fathom_results::{Comparison, FigureVerdict};
use std::io::Write;

/// Runs of each side of a pair, as many as `--repeat` is advised for.
const RUNS: usize = 3;

const JOB: &str = "[j]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nbs=4k\niodepth=32\nsize=1g\nruntime=1\n\
    time_based=1\noracle_latency=lognormal:1ms:1.0\n";

fn is_different(comparison: &Comparison) -> bool {
    let mut against = comparison.figures.iter().flat_map(|figure| &figure.against);
    against.any(|against| matches!(against.verdict, FigureVerdict::Better | FigureVerdict::Worse))
}

#[test]
fn two_sets_of_runs_of_one_job_seldom_differ() {
    let pairs: usize = std::env::var("FATHOM_PAIRS").map_or(20, |pairs| pairs.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), JOB).unwrap();
    let rounds = (2 * RUNS * pairs).to_string();
    let output = fathom(dir.path())
        .args(["run", "-q", "j.fio", "--seed", "1", "--repeat", &rounds, "--output-dir", "saved"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let saved = load_procedure(&dir.path().join("saved")).unwrap();
    let rounds: Vec<_> = saved.rounds().collect();
    let mut different = 0;
    for pair in rounds.chunks(2 * RUNS) {
        let subject = |rounds: &[&RoundDone]| -> Subject {
            let mut subject = SubjectOfRuns::default();
            rounds.iter().for_each(|round| subject.add(&saved.load_round(round).unwrap()));
            subject.done()
        };
        let (first, second) = pair.split_at(RUNS);
        // Every difference counts, however small it is.
        let tolerances = Tolerances { rate: 0.0, percentile: 0.0 };
        let compared = compare(vec![subject(first), subject(second)], &tolerances);
        assert_eq!(compared.figures.len(), 5, "{compared:?}");
        different += usize::from(is_different(&compared));
    }
    // At a level of 5 %: three standard deviations above 5 %, which is 6.5 % of 2,000 pairs.
    let most = 0.05 * pairs as f64 + 3.0 * (0.05 * 0.95 * pairs as f64).sqrt();
    writeln!(std::io::stderr(), "{different} of {pairs} pairs differ").unwrap();
    assert!(different as f64 <= most, "{different} of {pairs} pairs differ");
}
