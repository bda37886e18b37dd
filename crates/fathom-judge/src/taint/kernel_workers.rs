//! Kernel threads did part of the work: io_uring handed over I/O that the target cannot begin
//! without blocking (io-wq), or let a thread submit it (SQPOLL). Their CPU time is in no figure of
//! the worker, and with io-wq the hand-off is in every latency.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_figures::KernelThreads;
use fathom_results::finding::KernelWork;
use fathom_results::{Evidence, KernelWorkerKind, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "kernel-workers", weight: Weight::Medium, check };

/// With less than this share of the CPU time, what they did changes no figure.
const SHARE_MIN: f64 = 0.05;

fn check(case: &Case<'_>) -> Option<Found> {
    let of = |kind| case.cells.iter().filter_map(move |cell| work(case, cell, kind));
    let jobs = of(KernelWorkerKind::IoWq).chain(of(KernelWorkerKind::Sqpoll)).collect();
    Found::where_any(jobs, |jobs| Evidence::KernelWorkers { jobs })
}

/// What kernel threads of this kind did for each I/O, compared with the worker. `None` where it was
/// next to nothing, or the worker's own time is not known.
pub fn work(case: &Case<'_>, cell: &Cell<'_>, kind: KernelWorkerKind) -> Option<KernelWork> {
    let KernelThreads { threads, cpu_ns: cpu, cpu_ns_per_io, .. } = cell.kernel_threads(kind);
    let own = cell.worker_cpu_ns()?;
    if cell.ios() == 0 || cpu == 0 || (cpu as f64) < SHARE_MIN * (cpu + own) as f64 {
        return None;
    }
    let is_punted = kind == KernelWorkerKind::IoWq && case.probed(cell, "nowait") == Some("punts");
    Some(KernelWork {
        job: cell.name().to_owned(),
        kind,
        threads: u64::from(threads),
        cpu_ns_per_io,
        worker_ns_per_io: cell.worker_cpu_ns_per_io()?,
        is_punted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const JOB: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=32 filename=/dev/sda";

    fn found(kind: KernelWorkerKind, threads: u32, cpu_ns: u64) -> Option<Found> {
        let scene = RunBuilder::of(JOB).all(2, DirectionLoad::reads(500_000, 4096, 60_000)).cpu(0, 0.2, 0.3);
        let scene = scene.fact("target./dev/sda.probe.direct.nowait", "punts");
        let run = scene.kernel_workers(0, kind, threads, cpu_ns).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn a_hand_off_and_a_poller_are_told_apart() {
        let io_wq = found(KernelWorkerKind::IoWq, 8, 3_000_000_000).unwrap();
        assert!(io_wq.claim().starts_with("kernel worker path measured"));
        assert_eq!(
            io_wq.evidence(),
            "t: 8 io-wq threads used 3.00 µs of CPU for each I/O, the worker 1.00 µs; the target takes no RWF_NOWAIT"
        );
        let sqpoll = found(KernelWorkerKind::Sqpoll, 1, 2_000_000_000).unwrap();
        assert_eq!(
            sqpoll.evidence(),
            "t: 1 SQPOLL thread used 2.00 µs of CPU for each I/O, the worker 1.00 µs"
        );
    }

    #[test]
    fn a_little_help_changes_nothing() {
        assert_eq!(found(KernelWorkerKind::IoWq, 2, 10_000_000), None);
    }
}
