//! A cell's part of what the run recorded about itself.

use crate::cell::Cell;
use fathom_results::{Calibration, JobResult, KernelWorkers};

/// The most that the generator can do with a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The engine that was measured instead of the job's: `null` or `nop`.
    pub engine: String,
    /// I/Os per second, clones added up.
    pub iops: f64,
}

/// A worker that was ready to run while others had its CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Share of the measured window.
    pub share: f64,
    /// How often it left its CPU, voluntarily or not.
    pub switches: u64,
    /// How many of these switches were involuntary.
    pub involuntary: u64,
    /// Mean wait at each of them, ns.
    pub each_ns: f64,
}

impl<'a> Cell<'a> {
    /// What the generator reached without a target: the lowest of what was
    /// tried, since the engine closest to the job's own is the slowest. `None`
    /// where a clone was not calibrated.
    pub fn ceiling(&self) -> Option<Ceiling> {
        let engines = ["null", "nop"];
        let reached = engines.into_iter().filter_map(|engine| self.ceiling_of(engine));
        reached.min_by(|a, b| a.iops.total_cmp(&b.iops))
    }

    fn ceiling_of(&self, engine: &str) -> Option<Ceiling> {
        let of = |clone: &JobResult| -> Option<&'a Calibration> {
            let all = self.known.calibrations.iter();
            all.filter(|one| one.engine == engine && one.ios > 0).find(|one| one.job == clone.planned.id)
        };
        let clones: Vec<&Calibration> = self.clones.iter().map(of).collect::<Option<_>>()?;
        Some(Ceiling { engine: engine.to_owned(), iops: clones.iter().map(|one| one.iops()).sum() })
    }

    /// The smallest latency that the generator can show, ns: that of an I/O that does nothing.
    pub fn latency_ns_shown_min(&self) -> Option<u64> {
        let is_ours = |job| self.clones.iter().any(|clone| clone.planned.id == job);
        let ours = self.known.calibrations.iter().filter(|one| is_ours(one.job));
        ours.filter_map(|one| one.latency_ns_min).min()
    }

    pub fn kernel_workers(&self) -> impl Iterator<Item = &'a KernelWorkers> {
        let clones = self.clones;
        let is_ours = move |job| clones.iter().any(|clone| clone.planned.id == job);
        self.known.kernel_workers.iter().filter(move |threads| is_ours(threads.job))
    }

    /// CPU time of its workers alone, ns. `None` when one of them never ended.
    pub fn worker_cpu_ns(&self) -> Option<u64> {
        let used = |clone: &JobResult| clone.outcome.as_ref().map(|o| o.usage.user_ns + o.usage.system_ns);
        self.clones.iter().map(used).sum()
    }

    /// The part of it that was spent in the kernel, ns.
    pub fn worker_system_ns(&self) -> Option<u64> {
        self.clones.iter().map(|clone| clone.outcome.as_ref().map(|o| o.usage.system_ns)).sum()
    }

    /// How often its workers slept. `None` when one of them never ended.
    pub fn sleeps(&self) -> Option<u64> {
        self.clones.iter().map(|clone| clone.outcome.as_ref().map(|o| o.usage.switches_voluntary)).sum()
    }

    /// Each of its workers has one I/O at a time.
    pub fn is_alone(&self) -> bool {
        self.clones.iter().all(|clone| clone.planned.depth.reachable == 1)
    }

    /// One I/O at a time, and the worker slept for fewer than one I/O in a hundred; a wait for a
    /// device would put it to sleep each time.
    pub fn never_sleeps_alone(&self) -> bool {
        self.is_alone() && !self.polls() && self.sleeps().is_some_and(|slept| slept * 100 < self.ios())
    }

    /// Share of the measured window that its workers spent ready to run but
    /// without a CPU, on average; 0 where the kernel keeps no count.
    pub fn waiting_share_mean(&self) -> f64 {
        let share = |clone: &JobResult| {
            let wait_ns = clone.outcome.as_ref().map_or(0, |outcome| outcome.usage.wait_ns);
            wait_ns as f64 / clone.runtime_ns().max(1) as f64
        };
        self.clones.iter().map(share).sum::<f64>() / self.clones.len() as f64
    }

    /// How long the worst-off worker waited for a CPU. `None` where the kernel
    /// keeps no count, or it never waited.
    pub fn waiting(&self) -> Option<Waiting> {
        let of = |clone: &JobResult| {
            let usage = clone.outcome.as_ref()?.usage;
            let switches = usage.switches_voluntary + usage.switches_involuntary;
            let time = clone.runtime_ns();
            (usage.wait_ns > 0 && time > 0).then(|| Waiting {
                share: usage.wait_ns as f64 / time as f64,
                switches,
                involuntary: usage.switches_involuntary,
                each_ns: usage.wait_ns as f64 / switches.max(1) as f64,
            })
        };
        self.clones.iter().filter_map(of).max_by(|a, b| a.share.total_cmp(&b.share))
    }
}

#[cfg(test)]
mod tests {
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::KernelWorkerKind;

    const TWO: &str = "numjobs=2 rw=randread bs=4k ioengine=io_uring direct=1 iodepth=4 filename=/data/f";

    fn scene() -> RunBuilder {
        RunBuilder::of(TWO).all(2, DirectionLoad::reads(1_000, 4096, 100_000))
    }

    #[test]
    fn the_slowest_stand_in_is_the_ceiling() {
        let run = scene().calibrated(0, "null", 9_000).calibrated(1, "null", 8_000);
        let run = run.calibrated(0, "nop", 5_000).calibrated(1, "nop", 6_000).run();
        let seen = RunBuilder::surrounds();
        let ceiling = Case::new(&run, &seen).cells[0].ceiling().unwrap();
        assert_eq!((ceiling.engine.as_str(), ceiling.iops), ("nop", 11_000.0));
        let one_clone = scene().calibrated(0, "null", 9_000).run();
        assert_eq!(Case::new(&one_clone, &seen).cells[0].ceiling(), None);
    }

    #[test]
    fn kernel_threads_are_part_of_the_cost() {
        let seen = RunBuilder::surrounds();
        let alone = scene().run();
        let cost = Case::new(&alone, &seen).cells[0].cpu_ns_per_io().unwrap();
        let helped = scene().kernel_workers(1, KernelWorkerKind::IoWq, 8, 4_000_000).run();
        let cell = &Case::new(&helped, &seen).cells[0];
        // 4,000 I/Os in all.
        assert!((cell.cpu_ns_per_io().unwrap() - cost - 1_000.0).abs() < 1e-6);
        assert_eq!(cell.kernel_workers().count(), 1);
    }

    #[test]
    fn waiting_is_the_worst_workers() {
        let run = scene().starved(0.4, 100).run();
        let seen = RunBuilder::surrounds();
        let waiting = Case::new(&run, &seen).cells[0].waiting().unwrap();
        assert!((waiting.share - 0.4).abs() < 1e-9 && (waiting.each_ns - 4e6).abs() < 1.0, "{waiting:?}");
        assert!(Case::new(&scene().run(), &seen).cells[0].waiting().is_none());
    }
}
