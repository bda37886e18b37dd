//! Shapes of applications: what is compared with what, and what published limits judge.

use super::*;

/// The history of a suite whose jobs have these figures; `None` ends it.
fn with_syncs(suite: &Suite, ns: impl Fn(&str) -> u64) -> Vec<StepRecord> {
    let mut steps = Vec::new();
    while let Step::Run(round) = suite.next(&History::new(&steps)) {
        let mut done = round_of(&round.cell, 500.0);
        let job = if round.cell == "busy" { "etcd" } else { round.cell.split('-').next().unwrap() };
        done.figures[0].job = job.to_owned();
        done.figures[0].seconds = 20.0;
        let sync = SyncFigures { count: 10_030, ns_p99: Some(ns(&round.cell)), ..SyncFigures::default() };
        done.figures[0].sync = Some(sync);
        if round.cell == "busy" {
            let mut neighbour = done.figures[0].clone();
            (neighbour.job, neighbour.sync) = ("neighbour".to_owned(), None);
            done.figures.push(neighbour);
        }
        done.answer = Some(Box::new(round_answer()));
        steps = and_round(steps, done);
    }
    steps
}

/// The sync is judged and never the write; the busy log is beside the quiet one.
#[test]
fn a_log_is_judged_by_its_syncs_and_beside_its_neighbour() {
    let suite = guide("wal-sync", &["/dev/a"]);
    let steps = with_syncs(&suite, |cell| if cell == "busy" { 12_000_000 } else { 1_500_000 });
    let answer = suite.answer(&History::new(&steps)).unwrap();
    let result = fathom_words::result(&answer);
    assert!(
        result.starts_with("busy etcd: sync p99 12.0 ms does NOT pass (at most 10.0 ms: etcd"),
        "{result}"
    );
    assert!(result.contains("7 of 8 published limits are kept"), "{result}");
    let jobs = answer.jobs.as_ref().map(fathom_words::measured_jobs).unwrap();
    assert!(jobs.contains("a shape, and no result of the application's own benchmark"));
    let tests = reported(&suite, &steps);
    let busy = part(&tests, "busy");
    assert!(
        remarks_of(busy).iter().any(|said| said == "etcd: sync p99 µs is 8.00 times that of etcd-long."),
        "{:?}",
        remarks_of(busy)
    );
    let rows = &table(busy, 0).rows;
    assert_eq!(rows[1][0], TableCell::from("neighbour"));
    assert_eq!(numbers(&rows[0])[..2], [12_000.0, 8.0]);
    // Exactly as it is copied.
    let etcd = &suite.steps.cells[0].text;
    for option in ["rw=write", "ioengine=sync", "fdatasync=1", "size=22m", "bs=2300"] {
        assert!(etcd.lines().any(|line| line == option), "{option}: {etcd}");
    }
}

/// What the cache of a drive gave: the same tests over half of it, job by job.
#[test]
fn half_of_the_drive_is_compared_job_by_job() {
    let suite = guide("desktop", &["/dev/a"]);
    let mut steps = Vec::new();
    loop {
        steps = match suite.next(&History::new(&steps)) {
            Step::Run(round) => {
                let rate = if round.cell == "half" { 400.0 } else { 1_000.0 };
                let mut done = round_of(&round.cell, rate);
                let of = |job: &str| {
                    let mut figures = done.figures[0].clone();
                    figures.job = job.to_owned();
                    figures
                };
                done.figures = vec![of("SEQ1M-Q8T1-read"), of("RND4K-Q1T1-write")];
                and_round(steps, done)
            }
            Step::Wait(_) => done(steps, StepDone::Waited { until: WaitedFor::Built, reached: true }),
            _ => break,
        };
    }
    let order = told(&steps);
    assert_eq!(order.iter().filter(|step| *step == "sets").count(), 5, "five loops");
    assert_eq!(order[..3], ["prepare", "wait", "sets"], "five seconds between them");
    let tests = reported(&suite, &steps);
    let ratios: Vec<f64> = table(part(&tests, "half"), 0).rows.iter().map(|row| numbers(row)[2]).collect();
    assert_eq!(ratios, [0.4, 0.4], "after the rate and its interval");
}

/// The map of rates is measured in a random order, so that a drift does not look like an effect.
#[test]
fn the_map_of_rates_is_a_map() {
    let suite = guide("latency-map", &["/dev/a"]);
    let steps = ran(&suite, |_| Some(1_000.0));
    let cells = suite.steps.cells.iter().filter(|cell| cell.group.is_some()).count();
    assert_eq!(cells, 30);
    let in_order: Vec<&str> = suite.steps.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_ne!(told(&steps)[1..].to_vec(), in_order[..30].to_vec());
    let text = &suite.steps.cells[0].text;
    for option in ["rate_process=poisson", "iodepth=1000", "bs=128k"] {
        assert!(text.lines().any(|line| line == option), "{option}: {text}");
    }
}
