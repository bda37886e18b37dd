//! The generator set the pace: a faster device would have shown the same
//! figure.

use super::{Found, Rule};
use crate::case::Case;
use crate::generator::{sign, told};
use crate::quantity::listed;

pub(super) const RULE: Rule = Rule {
    code: "generator-limited",
    hint: "numjobs=2 or more, on cores of their own (cpus_allowed) that nothing else uses",
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let limited = case.cells.iter().filter_map(|cell| Some(told(case, cell, &sign(case, cell)?)));
    let limited: Vec<String> = limited.collect();
    match limited.is_empty() {
        true => None,
        false => Found::new("the generator was the limit, not the device", listed(&limited)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene};

    const JOB: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=32 filename=/data/f";

    fn scene(options: &str) -> Scene {
        Scene::of(options).all(2, Flow::reads(500_000, 4096, 60_000))
    }

    fn judged(scene: Scene) -> Option<String> {
        let run = scene.run();
        check(&Case::new(&run, &Scene::surrounds())).map(|found| found.evidence)
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
        let near = |ceiling| judged(scene(JOB).calibrated(0, "nop", ceiling));
        assert_eq!(
            near(600_000).unwrap(),
            "t: 500k IOPS are 83 % of the 600k that the generator reaches here without a target (nop engine)"
        );
        assert_eq!(near(800_000), None);
    }

    #[test]
    fn a_worker_without_its_cpu() {
        let starved = |share, switches| judged(scene(JOB).starved(share, switches));
        assert_eq!(
            starved(0.48, 250).unwrap(),
            "t: ready to run but without a CPU 48 % of the time (500 switches, 500 of them forced; 1.92 ms each)"
        );
        assert_eq!(starved(0.05, 20), None, "a twentieth");
        assert_eq!(starved(0.2, 40_000), None, "short waits of a wake-up");
    }

    #[test]
    fn polling_and_null_are_meant_to_be_busy() {
        assert_eq!(found(&format!("{JOB} hipri=1"), 0.5, 0.5), None);
        assert_eq!(found("rw=randread bs=4k ioengine=null size=1g", 1.0, 0.0), None);
    }
}
