//! CPU time of a row: of its workers, of the kernel threads that worked for them, and the time in
//! which a worker had no CPU.

use crate::ratio;
use crate::row::Row;
use fathom_results::{JobResult, KernelWorkerKind, KernelWorkers, Usage};

/// CPU time as shares of the available time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuLoad {
    /// Of one core, by the busiest worker: 1 is a core used up.
    pub worker: f64,
    /// The same worker's share in the kernel.
    pub worker_system: f64,
    /// Of all cores, by all workers.
    pub machine: f64,
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

/// The kernel threads of one kind that worked for a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelThreads {
    /// How many were seen.
    pub threads: u32,
    /// Their CPU time, ns.
    pub cpu_ns: u64,
    /// Percent of one core, over the row's measured window.
    pub core_percent: f64,
    /// Their CPU time for each I/O of the row, ns.
    pub cpu_ns_per_io: f64,
}

impl<'a> Row<'a> {
    /// CPU time, switches and faults of the workers that ended; the others' are not known.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        self.ended().for_each(|(_, one)| usage.add(one));
        usage
    }

    /// Percent of one core that a worker spent in user space, on average. `None` when no worker ended, or they used more
    /// than the time that there was.
    pub fn user_percent(&self) -> Option<f64> {
        self.core_percent(self.usage().user_ns)
    }

    /// Percent of one core that a worker spent in the kernel, on average; `None` as for the former.
    pub fn system_percent(&self) -> Option<f64> {
        self.core_percent(self.usage().system_ns)
    }

    /// Percent of one core that each worker used, for itself and in the kernel, as far as both are known.
    pub fn worker_percent(&self) -> Option<f64> {
        Some(self.user_percent()? + self.system_percent()?)
    }

    /// Context switches of the workers, voluntary or not.
    pub fn switches(&self) -> u64 {
        let usage = self.usage();
        usage.switches_voluntary + usage.switches_involuntary
    }

    /// Context switches for each I/O.
    pub fn switches_per_io(&self) -> f64 {
        ratio(self.switches() as f64, self.ios() as f64)
    }

    /// A share of the time of the workers that ended. `None` where they used more than there was: such a count is of
    /// another time.
    fn core_percent(&self, cpu_ns: u64) -> Option<f64> {
        let time = self.ended().map(|(member, _)| member.runtime_ns()).reduce(|a, b| a + b)?;
        let usage = self.usage();
        (usage.user_ns + usage.system_ns <= time).then(|| ratio(100.0 * cpu_ns as f64, time as f64))
    }

    /// The workers whose end was recorded.
    fn ended(&self) -> impl Iterator<Item = (&'a JobResult, &'a Usage)> {
        self.members.iter().filter_map(|member| Some((member, &member.outcome.as_ref()?.usage)))
    }

    /// Of all workers together. `None` when one of them never ended.
    fn all_of(&self, part: fn(&Usage) -> u64) -> Option<u64> {
        self.members.iter().map(|member| Some(part(&member.outcome.as_ref()?.usage))).sum()
    }

    /// CPU time of its workers alone, ns. `None` when one of them never ended.
    pub fn worker_cpu_ns(&self) -> Option<u64> {
        self.all_of(|usage| usage.user_ns + usage.system_ns)
    }

    /// The part of it that was spent in the kernel, ns.
    pub fn worker_system_ns(&self) -> Option<u64> {
        self.all_of(|usage| usage.system_ns)
    }

    /// How often its workers slept. `None` when one of them never ended.
    pub fn sleeps(&self) -> Option<u64> {
        self.all_of(|usage| usage.switches_voluntary)
    }

    /// Time in which the workers made new data for writes, ns; 0 where all data was made before. `None` when one of them never
    /// ended.
    pub fn data_made_ns(&self) -> Option<u64> {
        self.all_of(|usage| usage.data_made_ns)
    }

    /// By how much I/Os for which a slot was free began late because their workers slept on, added up, ns. `None` when one of
    /// them never ended.
    pub fn woken_late_ns(&self) -> Option<u64> {
        self.all_of(|usage| usage.woken_late_ns)
    }

    /// CPU time that the workers spent on each I/O, ns. `None` when one of them never ended, or
    /// without I/O.
    pub fn worker_cpu_ns_per_io(&self) -> Option<f64> {
        let ns = self.worker_cpu_ns()?;
        (self.ios() > 0).then(|| ns as f64 / self.ios() as f64)
    }

    /// CPU time spent on each I/O by the workers and by the kernel threads that
    /// worked for them, ns.
    pub fn cpu_ns_per_io(&self) -> Option<f64> {
        let kernel: u64 = self.kernel_workers().map(|threads| threads.cpu_ns).sum();
        let sum = self.worker_cpu_ns()? + kernel;
        (self.ios() > 0).then(|| sum as f64 / self.ios() as f64)
    }

    /// CPU used by the workers, on a machine with `cpus` cores. `None` when no
    /// worker ended.
    pub fn cpu(&self, cpus: usize) -> Option<CpuLoad> {
        let shares = || self.ended().map(|(member, usage)| shares(member, usage));
        let (worker, worker_system) = shares().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let sum: f64 = shares().map(|(all, _)| all).sum();
        Some(CpuLoad { worker, worker_system, machine: sum / cpus.max(1) as f64 })
    }

    /// The kernel threads that worked for it, by clone and kind.
    pub fn kernel_workers(&self) -> impl Iterator<Item = &'a KernelWorkers> {
        let members = self.members;
        let is_ours = move |job| members.iter().any(|member| member.planned.id == job);
        self.known.kernel_workers.iter().filter(move |threads| is_ours(threads.job))
    }

    /// Those of one kind, added up.
    pub fn kernel_threads(&self, kind: KernelWorkerKind) -> KernelThreads {
        let same = || self.kernel_workers().filter(|seen| seen.kind == kind);
        let cpu_ns: u64 = same().map(|seen| seen.cpu_ns).sum();
        let threads = same().map(|seen| seen.threads).sum();
        KernelThreads {
            threads,
            cpu_ns,
            // Their time is read ten times a second, so that of a short window is not exact.
            core_percent: ratio(100.0 * cpu_ns as f64, self.runtime_ns() as f64)
                .min(100.0 * f64::from(threads)),
            cpu_ns_per_io: ratio(cpu_ns as f64, self.ios() as f64),
        }
    }

    /// Share of the measured window that its workers spent ready to run but
    /// without a CPU, on average; 0 where the kernel keeps no count.
    pub fn waiting_share_mean(&self) -> f64 {
        let share = |member: &JobResult| {
            let wait_ns = member.outcome.as_ref().map_or(0, |outcome| outcome.usage.wait_ns);
            wait_ns as f64 / member.runtime_ns().max(1) as f64
        };
        self.members.iter().map(share).sum::<f64>() / self.members.len() as f64
    }

    /// How long the worst-off worker waited for a CPU. `None` where the kernel
    /// keeps no count, or it never waited.
    pub fn waiting(&self) -> Option<Waiting> {
        let of = |(member, usage): (&JobResult, &Usage)| {
            let switches = usage.switches_voluntary + usage.switches_involuntary;
            let time = member.runtime_ns();
            (usage.wait_ns > 0 && time > 0).then(|| Waiting {
                share: usage.wait_ns as f64 / time as f64,
                switches,
                involuntary: usage.switches_involuntary,
                each_ns: usage.wait_ns as f64 / switches.max(1) as f64,
            })
        };
        self.ended().filter_map(of).max_by(|a, b| a.share.total_cmp(&b.share))
    }
}

/// CPU and its part in the kernel, as shares of one core.
fn shares(member: &JobResult, usage: &Usage) -> (f64, f64) {
    let time = member.runtime_ns() as f64;
    let (user, system) = (usage.user_ns as f64, usage.system_ns as f64);
    (ratio(user + system, time), ratio(system, time))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;
    use fathom_results::KernelWorkerKind;

    const TWO: &str = "numjobs=2 rw=randread bs=4k ioengine=io_uring direct=1 iodepth=4 filename=/data/f";

    fn scene() -> RunBuilder {
        RunBuilder::of(TWO).all(2, DirectionLoad::reads(1_000, 4096, 100_000))
    }

    #[test]
    fn kernel_threads_are_part_of_the_cost() {
        let (alone, helped) =
            (scene().run(), scene().kernel_workers(1, KernelWorkerKind::IoWq, 8, 4_000_000).run());
        let cost = jobs(&alone)[0].cpu_ns_per_io().unwrap();
        let row = &jobs(&helped)[0];
        // 4,000 I/Os in all.
        assert!((row.cpu_ns_per_io().unwrap() - cost - 1_000.0).abs() < 1e-6);
        assert_eq!(row.worker_cpu_ns_per_io(), Some(cost), "the workers alone");
        let threads = row.kernel_threads(KernelWorkerKind::IoWq);
        assert_eq!((threads.threads, threads.cpu_ns, threads.cpu_ns_per_io), (8, 4_000_000, 1_000.0));
        assert_eq!(threads.core_percent, 0.2, "4 ms in 2 s");
        assert_eq!(row.kernel_threads(KernelWorkerKind::Sqpoll).threads, 0);
    }

    #[test]
    fn waiting_is_the_worst_workers() {
        let run = scene().starved(0.4, 100).run();
        let waiting = jobs(&run)[0].waiting().unwrap();
        assert!((waiting.share - 0.4).abs() < 1e-9 && (waiting.each_ns - 4e6).abs() < 1.0, "{waiting:?}");
        assert!(jobs(&scene().run())[0].waiting().is_none());
    }

    #[test]
    fn no_share_is_above_the_time_that_there_was() {
        let run = scene().cpu(0, 0.7, 0.3).cpu(1, 0.2, 0.3).run();
        assert_eq!(jobs(&run)[0].user_percent(), Some(45.0), "all of it is possible");
        let mut run = scene().cpu(0, 15.3, 0.3).cpu(1, 0.2, 0.3).run();
        let row = &jobs(&run)[0];
        assert_eq!((row.user_percent(), row.system_percent()), (None, None));
        run.record.self_knowledge.kernel_workers.clear();
        let run = scene().kernel_workers(1, KernelWorkerKind::Sqpoll, 1, 5_000_000_000).run();
        assert_eq!(jobs(&run)[0].kernel_threads(KernelWorkerKind::Sqpoll).core_percent, 100.0);
    }

    #[test]
    fn a_worker_without_an_end_has_no_part_in_the_shares() {
        let mut run = scene().cpu(0, 0.2, 0.3).cpu(1, 0.2, 0.3).run();
        run.jobs[1].outcome = None;
        let row = &jobs(&run)[0];
        assert_eq!((row.user_percent(), row.system_percent()), (Some(20.0), Some(30.0)));
        assert_eq!(row.worker_cpu_ns_per_io(), None, "its CPU time is not known, its I/Os are");
    }
}
