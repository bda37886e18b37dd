//! The generator set the pace: a faster device would have shown the same
//! figure. Or it kept the rate that was asked for, but answered late.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{Sign, delay, sign, sign_evidence, wait_evidence};
use fathom_results::finding::{DelayedJob, GeneratorLimit, LimitedJob};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "generator-limited", weight: Weight::Low, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let signs: Vec<(&Cell<'_>, Sign)> =
        case.cells.iter().filter_map(|cell| Some((cell, sign(case, cell)?))).collect();
    // The rule of quotas reports those.
    if signs.iter().any(|(_, sign)| matches!(sign, Sign::Quota(_))) {
        return None;
    }
    let limited = signs.into_iter().filter_map(|(cell, sign)| {
        let (job, sign) = (cell.name().to_owned(), sign_evidence(case, cell, &sign)?);
        Some(LimitedJob { job, sign })
    });
    let delayed = case.cells.iter().filter_map(|cell| {
        let wait = wait_evidence(&delay(cell)?);
        Some(DelayedJob { job: cell.name().to_owned(), wait })
    });
    let (limited, delayed): (Vec<_>, Vec<_>) = (limited.collect(), delayed.collect());
    let is_any = !limited.is_empty() || !delayed.is_empty();
    is_any.then(|| Found::new(Evidence::GeneratorLimited(GeneratorLimit { limited, delayed })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const JOB: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=32 filename=/data/f";

    fn scene(options: &str) -> RunBuilder {
        RunBuilder::of(options).all(2, DirectionLoad::reads(500_000, 4096, 60_000))
    }

    fn judged(scene: RunBuilder) -> Option<String> {
        let run = scene.run();
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
    }

    fn found(options: &str, user: f64, system: f64) -> Option<String> {
        let scene = scene(options);
        let jobs = scene.jobs();
        judged((0..jobs).fold(scene, |scene, job| scene.cpu(job, user, system)))
    }

    #[test]
    fn a_core_used_up() {
        let full = found(JOB, 0.3, 0.68).unwrap();
        assert_eq!(full, "t: 98 % of one core (kernel 68 %) and 24 % of all 4, 1.96 µs for each I/O");
        assert_eq!(found(JOB, 0.3, 0.6), None);
    }

    #[test]
    fn many_workers_can_use_up_the_machine() {
        let many = "rw=randread bs=4k ioengine=psync direct=1 numjobs=8 filename=/data/f";
        // Eight workers on the four cores of the fixture.
        assert!(found(many, 0.1, 0.39).unwrap().contains("98 % of all 4"));
        assert_eq!(found(many, 0.1, 0.3), None);
    }

    #[test]
    fn time_in_the_kernel_is_the_targets_where_it_completes_inline() {
        let inline = |user, system| {
            let fact = "target./data/f.probe.direct.completes_inline";
            judged(scene(JOB).fact(fact, "true").cpu(0, user, system))
        };
        assert_eq!(inline(0.2, 0.79), None);
        assert!(inline(0.79, 0.2).unwrap().contains("99 % of one core (kernel 20 %)"));
    }

    #[test]
    fn nearly_what_the_generator_can_do() {
        let near = |ceiling| judged(scene(JOB).cpu(0, 0.3, 0.66).calibrated(0, "nop", ceiling));
        assert_eq!(
            near(600_000).unwrap(),
            "t: 500k IOPS are 83 % of the 600k that the generator reaches here without a target (nop engine)"
        );
        let full = near(800_000).unwrap();
        assert!(full.starts_with("t: 96 % of one core"), "{full}");
        assert_eq!(judged(scene(JOB).calibrated(0, "nop", 800_000)), None);
    }

    #[test]
    fn a_worker_without_its_cpu() {
        let starved = |share, switches| judged(scene(JOB).starved(share, switches));
        assert_eq!(
            starved(0.48, 250).unwrap(),
            "t: 48 % of the time fathom waited for a CPU (500 switches, 500 of them forced; 1.92 ms each)"
        );
        assert_eq!(starved(0.05, 20), None, "a twentieth");
        assert_eq!(starved(0.2, 40_000), None, "short waits of a wake-up");
    }

    #[test]
    fn polling_and_null_are_meant_to_be_busy() {
        assert_eq!(found(&format!("{JOB} hipri=1"), 0.5, 0.5), None);
        assert_eq!(found("rw=randread bs=4k ioengine=null size=1g", 1.0, 0.0), None);
    }

    #[test]
    fn a_wait_that_the_queue_outlasts_costs_nothing() {
        // Away 4 ms at a time, a fifth of the time, with 63 more I/Os in flight.
        let deep = "rw=randread bs=4k ioengine=libaio direct=1 iodepth=64 filename=/data/f";
        let away = |options: &str, ios: u64, latency_ns: u64| {
            let scene =
                RunBuilder::of(options).all(2, DirectionLoad::reads(ios, 4096, latency_ns)).starved(0.2, 50);
            judged(scene)
        };
        assert_eq!(away(deep, 4_000, 16_000_000), None, "the disk had work for 16 ms");
        assert!(away(deep, 100_000, 640_000).is_some(), "the disk had work for 0.6 ms");
        let alone = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        assert!(away(alone, 4_000, 250_000).is_some(), "one at a time: nothing goes on meanwhile");
    }

    #[test]
    fn many_short_waits_do_not_hide_the_long_ones() {
        let mut run = scene(JOB).cpu(0, 0.1, 0.25).starved(0.4, 150).run();
        // In addition woken 40,000 times, with hardly a wait.
        run.jobs[0].outcome.as_mut().unwrap().usage.switches_voluntary = 40_000;
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        let waiting = case.cells[0].waiting().unwrap();
        assert!(waiting.each_ns < 31.0 * 1e9 / 500_000.0, "{waiting:?}");
        assert!(check(&case).is_some());
    }

    #[test]
    fn a_rate_that_was_kept_is_no_limit() {
        let paced = |rate: u64| {
            let options = format!("{JOB} rate_iops={rate} rate_process=poisson");
            let scene = RunBuilder::of(&options).all(2, DirectionLoad::reads(500_000, 4096, 60_000));
            judged(scene.cpu(0, 0.9, 0.08).calibrated(0, "nop", 600_000)).is_some()
        };
        assert_eq!((paced(500_000), paced(800_000)), (false, true));
        // Away 4 ms at a time, a fifth of the time: late, though not slow.
        let options = format!("{JOB} rate_iops=4000");
        let run = RunBuilder::of(&options)
            .all(2, DirectionLoad::reads(4_000, 4096, 250_000))
            .starved(0.2, 50)
            .run();
        let late = check(&Case::new(&run, &crate::fixture::surrounds())).unwrap();
        assert_eq!(late.claim(), "fathom waited for a CPU: its waits are part of the latency");
    }

    #[test]
    fn a_worker_with_time_to_spare_waits_for_the_device() {
        let near = |user: f64| judged(scene(JOB).calibrated(0, "nop", 600_000).cpu(0, user, 0.2)).is_some();
        assert_eq!((near(0.3), near(0.77)), (false, true));
        // One at a time, its own cost is a part of every I/O.
        let alone = scene("rw=randread bs=4k ioengine=psync direct=1 filename=/data/f");
        assert!(judged(alone.calibrated(0, "null", 600_000).cpu(0, 0.5, 0.2)).is_some());
    }
}
