//! Runs whose rate fell: the rate that lasted is compared, and nothing that is of two rates.

use super::*;

const WRITES: &str = "rw=write bs=1m iodepth=8 ioengine=libaio direct=1 filename=/dev/sda";

/// A run of 40 s that writes 3,000 blocks of 1 MiB a second until its rate falls, if it does.
fn run_of(falls_at: Option<u64>, lasting: u64) -> RunResult {
    let rate = |second: u64| if falls_at.is_none_or(|at| second < at) { 3_000 } else { lasting } + second % 3;
    let scene = (0..40).fold(RunBuilder::of(WRITES), |scene, second| {
        scene.seconds(0, 1, &[DirectionLoad::writes(rate(second), 1 << 20, 1_000_000)])
    });
    let mut run = scene.run();
    crate::judge(&mut run, &crate::fixture::OWN);
    run
}

fn side(name: &str, falls_at: [Option<u64>; 3], lasting: u64) -> Subject {
    let runs: Vec<RunResult> =
        falls_at.iter().zip(0..).map(|(at, more)| run_of(*at, lasting + more)).collect();
    of(name, &runs)
}

/// Their caches have other sizes, so their means differ by a quarter, and what lasts does not.
#[test]
fn the_rate_that_lasted_is_compared_and_not_the_mean() {
    let (a, b) = (side("a", [Some(10); 3], 400), side("b", [Some(15); 3], 400));
    let found = compare(vec![a, b], &Tolerances::USUAL);
    let names: Vec<&str> = found.figures.iter().map(|figure| figure.metric.as_str()).collect();
    assert_eq!(names, ["bandwidth"], "latencies and CPU time are of two rates");
    let values: Vec<f64> =
        found.figures[0].values.iter().map(|side| side.value / f64::from(1 << 20)).collect();
    assert!(values.iter().all(|value| (value - 402.0).abs() < 1.0), "{values:?}");
    assert_eq!(verdict(&found), FigureVerdict::Same);
    let reason = "the rate of A and B fell during the run, so this is of the time before the fall and of that after it";
    let is_told = |left: String| left.starts_with("mean latency") && left.ends_with(reason);
    assert!(found.left_out.iter().map(words::left_out).any(is_told), "{:?}", found.left_out);
    let says = "The rate of t of B fell in 3 of 3 runs: the rate that lasted is compared there.";
    assert!(words::doubts(&found).iter().any(|said| said == says), "{:?}", words::doubts(&found));
    // A difference of what lasts is one, though the means are the other way round.
    let found =
        compare(vec![side("a", [Some(25); 3], 400), side("b", [Some(10); 3], 600)], &Tolerances::USUAL);
    assert_eq!(verdict(&found), FigureVerdict::Better);
    assert!((found.figures[0].against[0].ratio.unwrap() - 1.5).abs() < 0.01, "{:?}", found.figures);
}

/// Another run was measured when the cache was full already: it has the same rate.
#[test]
fn a_run_that_began_after_the_fall_of_the_others_has_their_rate() {
    let began_low = || {
        let scene = (0..40_u64).fold(RunBuilder::of(WRITES), |scene, second| {
            scene.seconds(0, 1, &[DirectionLoad::writes(401 + second % 3, 1 << 20, 1_000_000)])
        });
        scene.run()
    };
    let mixed = of("a", &[run_of(Some(10), 400), began_low(), began_low()]);
    let found = compare(vec![mixed, side("b", [Some(15); 3], 400)], &Tolerances::USUAL);
    assert_eq!(verdict(&found), FigureVerdict::Same);
}

/// A run of each has no interval, so nothing is firm.
#[test]
fn single_runs_whose_rate_fell_are_unclear() {
    let found = compare(
        vec![of("a", &[run_of(Some(10), 400)]), of("b", &[run_of(Some(10), 800)])],
        &Tolerances::USUAL,
    );
    assert_eq!(found.figures.len(), 1, "{:?}", found.figures);
    assert!(matches!(verdict(&found), FigureVerdict::Unknown { .. }), "{:?}", found.figures);
    assert_eq!(found.figures[0].against[0].basis, Basis::Nothing);
    let says = "The rate of t of A fell during the run: the rate that lasted is compared there.";
    assert!(words::doubts(&found).iter().any(|said| said == says), "{:?}", words::doubts(&found));
}

/// A side that did not fall may only have been measured too shortly.
#[test]
fn a_side_that_did_not_fall_is_not_said_to_be_better() {
    let found = compare(vec![side("a", [Some(10); 3], 400), side("b", [None; 3], 0)], &Tolerances::USUAL);
    let (says, because) = words::not_shown(&found).unwrap();
    assert!(says.starts_with("Not proved: B had an advantage"), "{says}");
    assert!(because.contains("may have been measured before its cache was full"), "{because}");
}
