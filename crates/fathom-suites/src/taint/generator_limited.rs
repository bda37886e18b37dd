//! The generator used up its CPU: a faster device would have shown the same
//! figure (research: a worker at 95 % of a core is generator-bound).

use super::{Found, Rule};
use crate::case::Case;
use crate::cell::{Cell, CpuLoad};
use crate::quantity::{latency, listed, percent};

pub(super) const RULE: Rule = Rule {
    code: "generator-limited",
    hint: "numjobs=2 or more, on cores of their own (cpus_allowed)",
    check,
};

/// Share of one core, or of all, above which a worker has no time left to wait.
pub const CPU_FULL: f64 = 0.95;

fn check(case: &Case<'_>) -> Option<Found> {
    let cells = case.cells.iter().filter(|cell| cell.has_target());
    let full: Vec<String> =
        cells.filter_map(|cell| Some(told(cell, full_load(cell, case.seen.cpus)?))).collect();
    match full.is_empty() {
        true => None,
        false => Found::new("the generator's CPU was the limit, not the device", listed(&full)),
    }
}

/// The load, if it left no room. Polling takes a core whatever the device does.
pub fn full_load(cell: &Cell<'_>, cpus: usize) -> Option<CpuLoad> {
    let load = cell.cpu(cpus).filter(|_| cell.ios() > 0 && !cell.polls())?;
    (load.worker >= CPU_FULL || load.machine >= CPU_FULL).then_some(load)
}

fn told(cell: &Cell<'_>, load: CpuLoad) -> String {
    let whose = match load.worker >= CPU_FULL {
        true => format!("{} of one core (kernel {})", percent(load.worker), percent(load.worker_system)),
        false => format!("{} of all cores", percent(load.machine)),
    };
    let cost = cell.cpu_ns_per_io().map(|ns| format!(", {} for each I/O", latency(ns))).unwrap_or_default();
    format!("{}: {whose}{cost}", cell.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene};

    const JOB: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=32 filename=/data/f";

    fn found(options: &str, user: f64, system: f64) -> Option<Found> {
        let mut scene = Scene::of(options).all(2, Flow::reads(500_000, 4096, 60_000));
        for job in 0..scene.jobs() {
            scene = scene.cpu(job, user, system);
        }
        let run = scene.run();
        check(&Case::new(&run, &Scene::surrounds()))
    }

    #[test]
    fn a_core_used_up() {
        let full = found(JOB, 0.3, 0.68).unwrap();
        assert_eq!(full.evidence, "t: 98 % of one core (kernel 68 %), 1.96 µs for each I/O");
        assert_eq!(found(JOB, 0.3, 0.6), None);
    }

    #[test]
    fn many_workers_can_use_up_the_machine() {
        let many = "rw=randread bs=4k ioengine=psync direct=1 numjobs=8 filename=/data/f";
        // Eight workers on the four cores of the fixture.
        assert!(found(many, 0.1, 0.39).unwrap().evidence.contains("98 % of all cores"));
        assert_eq!(found(many, 0.1, 0.3), None);
    }

    #[test]
    fn polling_and_null_are_meant_to_be_busy() {
        assert_eq!(found(&format!("{JOB} hipri=1"), 0.5, 0.5), None);
        assert_eq!(found("rw=randread bs=4k ioengine=null size=1g", 1.0, 0.0), None);
    }
}
