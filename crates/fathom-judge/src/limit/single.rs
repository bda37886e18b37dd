//! One I/O at a time: its latency contains no wait for other I/Os.

use super::device::kind;
use super::{Found, hand_off, mean};
use crate::case::Case;
use crate::cell::Cell;
use fathom_results::Limit;
use fathom_results::answer::limit::{Against, OneIoLimit};
use fathom_results::finding::KernelWork;

/// From this share of CPU time on, a faster device would change little.
const SOFTWARE_MIN: f64 = 0.5;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    if !cell.is_alone() {
        return None;
    }
    let mean = mean(cell)?;
    // CPU time between two I/Os is part of neither latency, so the share may exceed what the
    // latency holds; but it is never more than all of it.
    // It includes that of the sync of each write.
    let sync_ns = cell.sync_ns_of_each_write();
    let cpu_share = cell.cpu_ns_per_io().map(|ns| (ns / (mean.ns + sync_ns.unwrap_or(0.0))).min(1.0));
    let threads = hand_off::work(case, cell);
    let by = limit_by(case, cell, cpu_share, threads.is_some());
    let limit = Limit::OneIo { by, mean, sync_ns, cpu_share, in_disk: case.in_disk(cell) };
    Some(Found { limit, against: against(case, cpu_share, threads) })
}

/// What one I/O spent its time on, as far as the CPU's share says it.
fn limit_by(case: &Case<'_>, cell: &Cell<'_>, cpu_share: Option<f64>, is_handed_over: bool) -> OneIoLimit {
    match cpu_share.map(|share| share >= SOFTWARE_MIN) {
        None => OneIoLimit::NotSaved,
        // CPU time may pass while the disk has the I/O, so both shares may be large.
        Some(true) if case.in_disk(cell).is_none() => match case.completes_inline(cell) && !is_handed_over {
            true => OneIoLimit::InlineCopies,
            false => OneIoLimit::Software,
        },
        Some(_) => OneIoLimit::Device { target: kind(case, cell) },
    }
}

/// What speaks against it: time that is neither the device's nor this worker's.
fn against(case: &Case<'_>, cpu_share: Option<f64>, threads: Option<KernelWork>) -> Vec<Against> {
    let is_software = cpu_share.is_some_and(|share| share >= SOFTWARE_MIN);
    let hypervisor = case.hypervisor().filter(|_| !is_software);
    let hypervisor = hypervisor.map(|name| Against::Hypervisor { name: name.to_owned() });
    threads.map(|threads| Against::HandOff { threads }).into_iter().chain(hypervisor).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::limit::fixture::{LATENCY, explain, of_rule, reads};
    use crate::surrounds::Surrounds;
    use fathom_results::KernelWorkerKind;

    #[test]
    fn device_or_software() {
        // 10,000 I/Os a second: 5 % of a core are 5 µs of each 100 µs.
        let device = explain(reads(80_000).cpu(LATENCY, 0.02, 0.03), &crate::fixture::surrounds(), LATENCY);
        assert_eq!(device.claim, "the device itself");
        assert!(
            device
                .evidence
                .ends_with("100 µs on average, of which 5.0 % is CPU time of this machine's worker"),
            "{device:?}"
        );
        let software = explain(reads(80_000).cpu(LATENCY, 0.3, 0.5), &crate::fixture::surrounds(), LATENCY);
        assert_eq!(software.claim, "software on this machine");
        let copied = reads(80_000).cpu(LATENCY, 0.3, 0.5);
        let copied = copied.fact("target./data/scratch.probe.direct.completes_inline", "true");
        let copied = explain(copied, &crate::fixture::surrounds(), LATENCY);
        assert_eq!(copied.claim, "CPU copy time: I/O completes inline");
    }

    #[test]
    fn what_the_disk_had_for_longer_is_the_disks() {
        // A probe of a file that is not written yet reads zeros of no disk, which complete inline.
        let job = "rw=write bs=4k ioengine=io_uring direct=1 fdatasync=1 filename=/data/f";
        let found = |ticks: u64, cpu: f64| {
            let flow = DirectionLoad::writes(5_000, 4096, 111_000);
            let mut delta = disk("sda", 0, 5 * 5_000 * 4096);
            delta.ticks_ms[1] = ticks;
            let scene = RunBuilder::of(job).all(5, flow).syncs(25_000).cpu(0, 0.1, cpu - 0.1).disk(delta);
            let run = scene.fact("target./data/f.probe.direct.completes_inline", "true").run();
            let surrounds = crate::fixture::surrounds();
            let case = Case::new(&run, &surrounds);
            of_rule(check(&case, &case.cells[0]).unwrap(), "t")
        };
        let limit = found(3_450, 0.6);
        assert_eq!(limit.claim, "the device itself");
        assert_eq!(
            limit.evidence,
            "t: 111 µs on average and 100 µs for its sync, of which 57 % is CPU time of this machine's \
             worker, 0.69 I/Os in the disk on average"
        );
        assert_eq!(found(1_000, 0.6).claim, "CPU copy time: I/O completes inline");
        assert_eq!(found(3_450, 0.8).claim, "CPU copy time: I/O completes inline", "memory that counts");
    }

    #[test]
    fn a_hand_off_to_the_kernel_is_no_copying_and_not_the_devices() {
        let scene = || reads(80_000).kernel_workers(LATENCY as u32, KernelWorkerKind::IoWq, 8, 420_000_000);
        let surrounds = crate::fixture::surrounds();
        let device = explain(scene().cpu(LATENCY, 0.02, 0.03), &surrounds, LATENCY);
        assert_eq!(device.claim, "the device itself");
        assert_eq!(
            device.counter.as_deref(),
            Some(
                "each I/O also waited for a thread of the kernel to take it over \
                 (8 io-wq threads used 6.00 µs of CPU for each I/O, the worker 5.00 µs)"
            )
        );
        let inline = "target./data/scratch.probe.direct.completes_inline";
        let software = explain(scene().cpu(LATENCY, 0.3, 0.5).fact(inline, "true"), &surrounds, LATENCY);
        assert_eq!(software.claim, "software on this machine");
    }

    #[test]
    fn without_cpu_time_it_is_not_known_whose_time_it_was() {
        let mut run = reads(80_000).run();
        run.jobs[LATENCY].outcome = None;
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        let limit = of_rule(check(&case, &case.cells[LATENCY]).unwrap(), "rand-read-latency");
        assert_eq!(limit.claim, "cannot be told: the CPU time was not saved");
        assert_eq!(limit.evidence, "rand-read-latency: 100 µs on average");
    }

    #[test]
    fn a_hypervisor_has_its_share() {
        let guest = Surrounds { hypervisor: Some("xen".to_owned()), ..crate::fixture::surrounds() };
        let limit = explain(reads(80_000).cpu(LATENCY, 0.0, 0.0), &guest, LATENCY);
        assert_eq!(limit.counter.as_deref(), Some("how much of it xen takes is not known here"));
    }
}
