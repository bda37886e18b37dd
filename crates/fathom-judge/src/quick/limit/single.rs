//! One I/O at a time: its latency contains no wait for other I/Os.

use super::Limit;
use super::device::noun;
use super::hand_off;
use super::proviso::inline;
use crate::case::Case;
use crate::cell::Cell;
use crate::quick::six::{Group, named};
use crate::quick::told::{Figure, Told, of, of_run};
use fathom_text::quantity::{latency, percent};

/// From this share of CPU time on, a faster device would change little.
const SOFTWARE_MIN: f64 = 0.5;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let is_alone = named(cell.name()).map_or(cell.is_alone(), |one| one.group == Group::Latency);
    if !is_alone {
        return None;
    }
    let mean = cell.latency_ns_mean()?;
    // CPU time between two I/Os is part of neither latency, so the share may exceed what the
    // latency holds; but it is never more than all of it.
    // It includes that of the sync of each write.
    let sync = cell.sync_ns_of_each_write();
    let software = cell.cpu_ns_per_io().map(|ns| (ns / (mean + sync.unwrap_or(0.0))).min(1.0));
    let hand_off = hand_off::told(case, cell);
    let sync = sync.map(|ns| format!(" and {} for its sync", latency(ns))).unwrap_or_default();
    let took = format!("{}: {} on average{sync}", cell.name(), cell.mean_told()?);
    let took = Told::new(took, of(cell, &[Figure::Latency]));
    let of_it = software.map(|share| of_it(cell, share)).unwrap_or_default();
    let waited = case
        .in_disk(cell)
        .map(|ios| Told::new(format!(", {ios:.2} I/Os in the disk on average"), of_run(&[Figure::Counters])));
    Some(Limit {
        claim: claim(case, cell, software, hand_off.is_some()),
        basis: None,
        evidence: took.and(of_it).and(waited.unwrap_or_default()),
        counter: against(case, software, hand_off),
    })
}

/// What one I/O spent its time on, as far as the CPU's share says it.
fn claim(case: &Case<'_>, cell: &Cell<'_>, software: Option<f64>, is_handed_over: bool) -> Told {
    let used = of(cell, &[Figure::Usage, Figure::Latency]);
    let is_software = software.map(|share| share >= SOFTWARE_MIN);
    match is_software {
        None => Told::new("cannot be told: the CPU time was not saved", Vec::new()),
        // CPU time may pass while the disk has the I/O, so both shares may be large.
        Some(true) if case.in_disk(cell).is_some() => {
            noun(case, cell).within(|noun| format!("{noun} itself")).and(Told::new("", used))
        }
        Some(false) => noun(case, cell).within(|noun| format!("{noun} itself")).and(Told::new("", used)),
        Some(true) if case.completes_inline(cell) && !is_handed_over => {
            Told::new("CPU copy time: I/O completes inline", [used, inline(cell)].concat())
        }
        Some(true) => Told::new("software on this machine", used),
    }
}

/// The CPU's share of the latency.
fn of_it(cell: &Cell<'_>, share: f64) -> Told {
    let text = format!(", of which {} is CPU time of this machine's worker", percent(share));
    let used = Told::new(text, of(cell, &[Figure::Usage, Figure::Latency]));
    let is_with_threads = cell.kernel_workers().next().is_some();
    let threads = if is_with_threads { of(cell, &[Figure::KernelThreads]) } else { Vec::new() };
    used.and(Told::new("", threads))
}

/// What speaks against it: time that is neither the device's nor this worker's.
fn against(case: &Case<'_>, software: Option<f64>, hand_off: Option<Told>) -> Option<Told> {
    let is_software = software.is_some_and(|share| share >= SOFTWARE_MIN);
    let stranger = case.hypervisor().filter(|_| !is_software).map(|name| {
        let text = format!("how much of it {name} takes is not known here");
        Told::new(text, of_run(&[Figure::Hypervisor]))
    });
    let hand_off = hand_off.map(|told| {
        told.within(|told| {
            format!("each I/O also waited for a thread of the kernel to take it over ({told})")
        })
    });
    let all: Vec<Told> = hand_off.into_iter().chain(stranger).collect();
    (!all.is_empty()).then(|| Told::joined(all, "; "))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::quick::limit::fixture::{LATENCY, explain, reads};
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
            let seen = crate::fixture::surrounds();
            let case = Case::new(&run, &seen);
            check(&case, &case.cells[0]).unwrap()
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
        let seen = crate::fixture::surrounds();
        let device = explain(scene().cpu(LATENCY, 0.02, 0.03), &seen, LATENCY);
        assert_eq!(device.claim, "the device itself");
        assert_eq!(
            device.counter.as_deref(),
            Some(
                "each I/O also waited for a thread of the kernel to take it over \
                 (8 io-wq threads used 6.00 µs of CPU for each I/O, the worker 5.00 µs)"
            )
        );
        let inline = "target./data/scratch.probe.direct.completes_inline";
        let software = explain(scene().cpu(LATENCY, 0.3, 0.5).fact(inline, "true"), &seen, LATENCY);
        assert_eq!(software.claim, "software on this machine");
    }

    #[test]
    fn without_cpu_time_it_is_not_known_whose_time_it_was() {
        let mut run = reads(80_000).run();
        run.jobs[LATENCY].outcome = None;
        let seen = crate::fixture::surrounds();
        let case = Case::new(&run, &seen);
        let limit = check(&case, &case.cells[LATENCY]).unwrap();
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
