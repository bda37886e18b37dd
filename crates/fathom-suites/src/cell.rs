//! A cell: one job with all its clones, and the figures that rules ask for.

use fathom_job::direction::Direction;
use fathom_job::options;
use fathom_job::plan::TargetKind;
use fathom_results::{DirectionTotals, JobResult, JobTotals, Latency, Phase, RunResult, SelfKnowledge};
use fathom_results::{JobRecord, RateRecord};
use fathom_stats::{Histogram, Series};

/// Share of a second that a window must cover for its rate to be a sample: a
/// worker's last window is some microseconds short of its second.
const WHOLE_NS: u64 = 950_000_000;

/// A rate counts as kept if it is reached within this share.
const RATE_WITHIN: f64 = 0.02;

/// One job, its clones added up.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// The clones, in plan order; at least one.
    pub clones: &'a [JobResult],
    /// All their measured I/O.
    pub totals: JobTotals,
    /// What the run recorded about itself.
    pub known: &'a SelfKnowledge,
}

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

impl<'a> Cell<'a> {
    /// The cells of a run, in plan order.
    pub fn all(run: &'a RunResult) -> Vec<Self> {
        let first_clone = |job: &JobResult| job.planned.id - job.planned.subjob;
        let groups = run.jobs.chunk_by(|a, b| first_clone(a) == first_clone(b));
        groups.map(|clones| Cell::of(clones, &run.record.self_knowledge)).collect()
    }

    fn of(clones: &'a [JobResult], known: &'a SelfKnowledge) -> Self {
        let mut totals = JobTotals::default();
        clones.iter().for_each(|clone| totals.merge(&clone.totals));
        Cell { clones, totals, known }
    }

    /// The plan of the first clone, which is the same for all.
    pub fn planned(&self) -> &'a JobRecord {
        &self.clones[0].planned
    }

    pub fn name(&self) -> &'a str {
        &self.planned().name
    }

    /// Does it reach a target at all (not the null engine)?
    pub fn has_target(&self) -> bool {
        let files = &self.planned().files;
        files.iter().any(|file| file.kind != TargetKind::None)
    }

    /// Does it reach a disk: a device, or a file on one?
    pub fn is_on_disk(&self) -> bool {
        let on_disk = |kind| matches!(kind, TargetKind::Block | TargetKind::File | TargetKind::Missing);
        self.planned().files.iter().any(|file| on_disk(file.kind))
    }

    pub fn is_on_file(&self) -> bool {
        self.is_on_disk() && self.planned().files.iter().all(|file| file.kind != TargetKind::Block)
    }

    /// Does it poll for completions, which takes a whole core by design?
    pub fn polls(&self) -> bool {
        self.planned().job.get(&options::HIPRI)
    }

    /// Is it meant to go slower than it could: at a rate, with pauses, in a ratio
    /// to others, or below a latency?
    pub fn is_held_back(&self) -> bool {
        let pace = &self.planned().pace;
        let has_rate = Direction::ALL.into_iter().any(|d| pace.rate[d].is_some());
        has_rate || pace.think.is_some() || pace.flow.is_some() || pace.goal.is_some()
    }

    /// Does it have a rate, and did it reach it? Chance alone makes the count of a Poisson process
    /// differ from its rate by up to three times its root.
    pub fn keeps_its_rate(&self) -> bool {
        let rates: Vec<(Direction, RateRecord)> =
            self.planned().pace.rate.iter().filter_map(|(d, rate)| Some((d, (*rate)?))).collect();
        let clones = self.clones.len() as f64;
        let is_kept = |(d, rate): &(Direction, RateRecord)| {
            let flow = &self.totals.directions[*d];
            let (asked, reached) = match rate {
                RateRecord::Ios(ios) => (*ios, flow.ios),
                RateRecord::Bytes(bytes) => (*bytes, flow.bytes),
            };
            let chance = 3.0 / (flow.ios.max(1) as f64).sqrt();
            reached as f64 >= asked as f64 * clones * self.seconds() * (1.0 - RATE_WITHIN - chance)
        };
        !rates.is_empty() && rates.iter().all(is_kept)
    }

    /// Length of the measured window: the longest of the clones', seconds.
    pub fn seconds(&self) -> f64 {
        let longest = self.clones.iter().map(JobResult::runtime_ns).max();
        longest.unwrap_or(0) as f64 / 1e9
    }

    /// Directions with I/O.
    pub fn flows(&self) -> impl Iterator<Item = (Direction, &DirectionTotals)> {
        self.totals.directions.iter().filter(|(_, flow)| flow.ios > 0)
    }

    /// I/Os completed, all directions.
    pub fn ios(&self) -> u64 {
        self.flows().map(|(_, flow)| flow.ios).sum()
    }

    /// I/Os per second, all directions; 0 without a window.
    pub fn iops(&self) -> f64 {
        per(self.ios() as f64, self.seconds())
    }

    /// Bytes per second, all directions; 0 without a window.
    pub fn bytes_per_second(&self) -> f64 {
        let bytes: u64 = self.flows().map(|(_, flow)| flow.bytes).sum();
        per(bytes as f64, self.seconds())
    }

    /// Mean total latency of all I/Os, ns; `None` where it was not kept.
    pub fn latency_ns_mean(&self) -> Option<f64> {
        let sum: u128 = self.flows().map(|(_, flow)| flow.total.moments.sum()).sum();
        let n: u64 = self.flows().map(|(_, flow)| flow.total.moments.count()).sum();
        (n > 0).then(|| sum as f64 / n as f64)
    }

    /// Share of total latency that passed in this process, before the I/O was
    /// submitted. `None` where either was not kept.
    pub fn submission_share(&self) -> Option<f64> {
        let sum = |latency: fn(&DirectionTotals) -> &Latency| -> u128 {
            self.flows().map(|(_, flow)| latency(flow).moments.sum()).sum()
        };
        let (inside, total) = (sum(|flow| &flow.submission), sum(|flow| &flow.total));
        (inside > 0 && total > 0).then(|| inside as f64 / total as f64)
    }

    pub fn latency_ns_max(&self) -> Option<u64> {
        self.flows().filter_map(|(_, flow)| flow.total.moments.max()).max()
    }

    /// I/Os in flight on average, by Little's law: the sum of their latencies
    /// over the time they took. `None` where latency was not kept.
    pub fn in_flight(&self) -> Option<f64> {
        self.latency_ns_mean()?;
        let of = |clone: &JobResult| {
            let sum: u128 = clone.totals.directions.iter().map(|(_, flow)| flow.total.moments.sum()).sum();
            per(sum as f64, clone.runtime_ns() as f64)
        };
        Some(self.clones.iter().map(of).sum())
    }

    /// Most I/Os that can be in flight: reachable depth, clones added up.
    pub fn depth(&self) -> u32 {
        self.clones.iter().map(|clone| clone.planned.depth.reachable).sum()
    }

    pub fn latency_ns_min(&self) -> Option<u64> {
        self.flows().filter_map(|(_, flow)| flow.total.moments.min()).min()
    }

    /// `= 31.9 of 32 in flight`. The mean by Little's law may exceed the depth, because I/Os that
    /// began before the window bring latency from outside it; then the depth is shown. `None` where
    /// latency was not kept.
    pub fn in_flight_told(&self) -> Option<String> {
        let (mean, depth) = (self.in_flight()?, self.depth());
        Some(match mean > f64::from(depth) {
            true => format!("≈ {depth} of {depth} in flight"),
            false => format!("= {mean:.1} of {depth} in flight"),
        })
    }

    /// CPU used by the workers, on a machine with `cpus` cores. `None` when no
    /// worker ended.
    pub fn cpu(&self, cpus: usize) -> Option<CpuLoad> {
        let shares: Vec<(f64, f64)> = self.clones.iter().filter_map(cpu_shares).collect();
        let (worker, worker_system) = shares.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let sum: f64 = shares.iter().map(|(all, _)| all).sum();
        Some(CpuLoad { worker, worker_system, machine: sum / cpus.max(1) as f64 })
    }

    /// CPU time spent on each I/O by the workers and by the kernel threads that
    /// worked for them, ns.
    pub fn cpu_ns_per_io(&self) -> Option<f64> {
        let kernel: u64 = self.kernel_workers().map(|threads| threads.cpu_ns).sum();
        let sum = self.worker_cpu_ns()? + kernel;
        (self.ios() > 0).then(|| sum as f64 / self.ios() as f64)
    }

    /// IOPS of each whole second of the measured window. Clones start together,
    /// so their n-th windows are the same second.
    pub fn rates(&self) -> Series {
        let rows: Vec<Vec<f64>> = self.clones.iter().map(whole_seconds).collect();
        let shortest = rows.iter().map(Vec::len).min().unwrap_or(0);
        let values = (0..shortest).map(|n| rows.iter().map(|row| row[n]).sum()).collect();
        let start_ns = self.clones[0].measured_from_ns().unwrap_or(0);
        Series { start_ns, step_ns: 1_000_000_000, values }
    }
}

/// The distribution of a direction's latency: completion latency, which most tools report, else
/// total latency.
pub fn distribution(flow: &DirectionTotals) -> Option<&Histogram> {
    let kept = [&flow.completion, &flow.total];
    kept.into_iter().filter_map(|latency| latency.histogram.as_ref()).find(|h| !h.is_empty())
}

/// CPU and its part in the kernel, as shares of one core.
fn cpu_shares(clone: &JobResult) -> Option<(f64, f64)> {
    let usage = clone.outcome.as_ref()?.usage;
    let time = clone.runtime_ns() as f64;
    let (user, system) = (usage.user_ns as f64, usage.system_ns as f64);
    Some((per(user + system, time), per(system, time)))
}

fn whole_seconds(clone: &JobResult) -> Vec<f64> {
    let windows = clone.series.iter().filter(|point| point.phase == Phase::Measure);
    let whole = windows.filter(|point| point.end_ns - point.start_ns >= WHOLE_NS);
    whole
        .map(|point| {
            let ios: u64 = point.ios.iter().map(|(_, n)| n).sum();
            per(ios as f64 * 1e9, (point.end_ns - point.start_ns) as f64)
        })
        .collect()
}

/// `part / whole`, 0 where there is no whole.
fn per(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const FLOW: DirectionLoad = DirectionLoad::reads(1_000, 4096, 4_000_000);

    #[test]
    fn clones_are_one_cell_and_add_up() {
        let run =
            RunBuilder::of("numjobs=2 rw=randread bs=4k ioengine=psync filename=/data/f").all(5, FLOW).run();
        let seen = RunBuilder::surrounds();
        let case = Case::new(&run, &seen);
        assert_eq!(case.cells.len(), 1);
        let cell = &case.cells[0];
        assert_eq!((cell.ios(), cell.depth()), (10_000, 2));
        assert!((cell.iops() - 2_000.0).abs() < 1e-6);
        assert!((cell.bytes_per_second() - 2_000.0 * 4096.0).abs() < 1e-3);
        assert_eq!(cell.rates().values, [2_000.0; 5]);
        // 1,000 I/Os a second of 4 ms each are 4 in flight, for each clone.
        assert!((cell.in_flight().unwrap() - 8.0).abs() < 1e-9);
        let cpu = cell.cpu(4).unwrap();
        assert!((cpu.worker - 0.3).abs() < 1e-9 && (cpu.machine - 0.15).abs() < 1e-9, "{cpu:?}");
        assert!((cell.cpu_ns_per_io().unwrap() - 300_000.0).abs() < 1e-6);
    }

    #[test]
    fn never_more_in_flight_than_asked() {
        let told = |latency_ns| {
            let job = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=8 filename=/data/f";
            let run = RunBuilder::of(job).all(5, DirectionLoad::reads(1_000, 4096, latency_ns)).run();
            let seen = RunBuilder::surrounds();
            Case::new(&run, &seen).cells[0].in_flight_told().unwrap()
        };
        assert_eq!(told(8_090_000), "≈ 8 of 8 in flight");
        assert_eq!(told(7_900_000), "= 7.9 of 8 in flight");
    }

    #[test]
    fn nothing_measured_has_no_figures() {
        let run = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f").run();
        let seen = RunBuilder::surrounds();
        let case = Case::new(&run, &seen);
        let cell = &case.cells[0];
        assert_eq!((cell.iops(), cell.latency_ns_mean(), cell.in_flight()), (0.0, None, None));
        assert!(cell.cpu(1).is_none() && cell.rates().values.is_empty());
    }
}
