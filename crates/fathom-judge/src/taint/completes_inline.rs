//! I/O that is complete when the submitting call returns: the latency is the time of a copy by this
//! CPU, and nothing waited for a device.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_results::finding::{InlineIo, InlineSign};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "completes-inline", weight: Weight::Medium, check };

/// A worker that slept for most of the time waited for a device, whatever the probe found.
const AWAKE_MIN: f64 = 0.5;
/// I/O whose latency is a copy spends it in the kernel, awake. Less than half of
/// the latency as CPU time means that the rest was a wait.
const COPYING_MIN: f64 = 0.5;
/// One I/O at a time that is waited for puts the worker to sleep each time. With
/// fewer sleeps than this for each I/O, most were not waited for.
const SLEEPS_MAX: f64 = 0.5;
/// The pace itself puts the worker to sleep once for each I/O at most (measured:
/// 1.0 at 2, 20 and 400 I/Os a second).
const SLEEPS_OF_PACE: f64 = 1.0;

fn check(case: &Case<'_>) -> Option<Found> {
    let inline = case.cells.iter().filter_map(|cell| {
        let sign = sign(case, cell)?;
        Some(InlineIo { job: cell.name().to_owned(), sign })
    });
    Found::where_any(inline.collect(), |jobs| Evidence::CompletesInline { jobs })
}

fn sign(case: &Case<'_>, cell: &Cell<'_>) -> Option<InlineSign> {
    // The times of a simulated drive are computed: no CPU copies anything.
    if cell.ios() == 0 || !cell.has_target() || cell.is_simulated() || !case.completes_inline(cell) {
        return None;
    }
    if cell.is_held_back() { paced(cell) } else { steady(case, cell) }
}

/// The worker has nothing to do but I/O.
fn steady(case: &Case<'_>, cell: &Cell<'_>) -> Option<InlineSign> {
    let load = cell.cpu(case.surrounds.cpus)?;
    let queued = cell.waiting().map_or(0.0, |waiting| waiting.share);
    let is_awake = load.worker + queued >= AWAKE_MIN;
    let cpu_ns_per_io = cell.cpu_ns_per_io().filter(|_| is_awake)?;
    Some(InlineSign::Busy { cpu_ns_per_io, worker: load.worker })
}

/// A worker with a rate or pauses spins for a part of them, so only the I/O's own share is
/// compared: a worker that waits for a device sleeps for each I/O, in addition to the sleeps of the
/// pace, and a copy takes its latency as CPU time in the kernel.
fn paced(cell: &Cell<'_>) -> Option<InlineSign> {
    let ios = cell.ios() as f64;
    let (latency_ns_mean, sleeps_per_io) = (cell.latency_ns_mean()?, cell.sleeps()? as f64 / ios);
    let kernel_ns_per_io = cell.worker_system_ns()? as f64 / ios;
    let is_alone = cell.is_alone() && !cell.polls();
    if is_alone && sleeps_per_io >= SLEEPS_OF_PACE + SLEEPS_MAX {
        return None;
    }
    let is_inline =
        (is_alone && sleeps_per_io < SLEEPS_MAX) || kernel_ns_per_io >= COPYING_MIN * latency_ns_mean;
    is_inline.then_some(InlineSign::Paced { latency_ns_mean, kernel_ns_per_io, sleeps_per_io })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;

    fn found(fact: &str, value: &str, busy: f64) -> Option<String> {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        let scene =
            RunBuilder::of(job).all(2, DirectionLoad::reads(500_000, 4096, 1_900)).cpu(0, 0.1, busy - 0.1);
        let run = scene.fact(&format!("target./dev/sda.probe.{fact}"), value).run();
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
    }

    #[test]
    fn memory_and_sleepless_workers_need_no_probe() {
        let found = |job: &str, sleeps: bool, surrounds: &Surrounds| {
            let scene =
                RunBuilder::of(job).all(2, DirectionLoad::reads(500_000, 4096, 1_900)).cpu(0, 0.1, 0.86);
            let run = if sleeps { scene.run() } else { scene.never_sleeps().run() };
            check(&Case::new(&run, surrounds)).is_some()
        };
        const ALONE: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        const DEEP: &str = "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 filename=/dev/sda";
        let disk = crate::fixture::surrounds();
        assert_eq!((found(ALONE, false, &disk), found(ALONE, true, &disk)), (true, false));
        assert!(!found(DEEP, false, &disk), "a deep queue always has something ready");
        let memory = Surrounds { disk_name: Some("zram0".to_owned()), ..crate::fixture::surrounds() };
        assert!(found(DEEP, true, &memory));
        assert!(!found(&DEEP.replace("libaio", "io_uring"), true, &memory), "handed to kernel threads");
    }

    #[test]
    fn a_copy_is_called_a_copy() {
        assert_eq!(
            found("direct.completes_inline", "true", 0.96).as_deref(),
            Some("t: 1.92 µs of CPU for each I/O, worker busy 96 % of the time")
        );
        assert_eq!(found("direct.completes_inline", "false", 0.96), None);
        assert_eq!(found("buffered.completes_inline", "true", 0.96), None, "opened another way");
        assert_eq!(found("direct.completes_inline", "true", 0.2), None, "it slept");
    }

    #[test]
    fn a_paced_worker_that_never_sleeps_waits_for_nobody() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f rate_iops=20000";
        let scene = RunBuilder::of(job).all(2, DirectionLoad::reads(20_000, 4096, 3_000)).cpu(0, 0.98, 0.01);
        let (run, surrounds) = (scene.never_sleeps().run(), crate::fixture::surrounds());
        assert!(check(&Case::new(&run, &surrounds)).is_some());
        let null = "rw=randread bs=4k ioengine=null size=1g rate_iops=20000";
        let none = RunBuilder::of(null).all(2, DirectionLoad::reads(20_000, 4096, 100)).never_sleeps().run();
        assert_eq!(check(&Case::new(&none, &surrounds)), None, "there is no target");
        let drive = "rw=randread bs=4k ioengine=sim filename=sim:datacentre/64 size=64m rate_iops=20000";
        let drive =
            RunBuilder::of(drive).all(2, DirectionLoad::reads(20_000, 4096, 100)).never_sleeps().run();
        assert_eq!(check(&Case::new(&drive, &surrounds)), None, "its times are computed");
    }

    #[test]
    fn a_sleep_beside_that_of_the_pace_is_a_wait_for_a_device() {
        // CPU time is counted in ticks: that of a wake-up may look like a copy's.
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f rate_iops=400";
        let found = |sleeps: u64| {
            let scene =
                RunBuilder::of(job).all(2, DirectionLoad::reads(400, 4096, 110_000)).cpu(0, 0.02, 0.03);
            let mut run = scene.fact("target./data/f.probe.buffered.completes_inline", "true").run();
            run.jobs[0].outcome.as_mut().unwrap().usage.switches_voluntary = sleeps;
            check(&Case::new(&run, &crate::fixture::surrounds())).is_some()
        };
        assert_eq!((found(800), found(1_590)), (true, false));
    }

    #[test]
    fn time_in_pacing_is_no_time_in_io() {
        // 5,000 I/Os of 120 µs are 60 % of the time: what they waited for a disk.
        let found = |pace: &str, latency_ns: u64, system: f64| {
            let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f {pace}");
            let scene = RunBuilder::of(&job)
                .all(2, DirectionLoad::reads(5_000, 4096, latency_ns))
                .cpu(0, 0.7, system);
            let run = scene.fact("target./data/f.probe.buffered.completes_inline", "true").run();
            check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        for pace in ["rate_iops=5000", "thinktime=80us thinktime_spin=80us"] {
            assert_eq!(found(pace, 120_000, 0.05), None, "{pace}: a disk was waited for");
            let copied = found(pace, 2_000, 0.01).unwrap();
            assert_eq!(
                copied,
                "t: latency 2.00 µs, CPU time in the kernel 2.00 µs, 1.00 sleeps for each I/O"
            );
        }
    }
}
