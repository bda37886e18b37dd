//! The figures of a whole run, all jobs together.
//!
//! Jobs of one stage run at the same time, and their rates add up. Stages run one after the other
//! (`stonewall`), and so do jobs of one stage that wait for others: there the amounts add up, and so
//! do the times. So a rate of the whole run is all that was moved, over the time in which it was
//! moved: of each stage the longest window of its jobs; where its jobs measured apart in time, the
//! union of their windows.

use crate::measured_time::measured_ns;
use crate::{per_second, reported};
use fathom_results::RunResult;
use fathom_stats::Moments;
use std::collections::BTreeMap;

/// All jobs of a run, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Whole {
    /// I/Os completed.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Total latency of all I/Os, ns; empty where it was not kept.
    pub latency: Moments,
    /// The time in which this was measured, ns.
    pub measured_ns: u64,
}

impl Whole {
    /// Adds up the jobs of a run.
    pub fn of(run: &RunResult) -> Self {
        let mut whole = Whole::default();
        let mut stages: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        for job in reported(run) {
            for (_, flow) in job.totals.directions.iter() {
                whole.ios += flow.ios;
                whole.bytes += flow.bytes;
                whole.latency.merge(&flow.total.moments);
            }
            stages.entry(job.planned.stage).or_default().extend(job.window_ns());
        }
        whole.measured_ns = stages.into_values().map(|windows| measured_ns(windows.into_iter())).sum();
        whole
    }

    /// I/Os per second; 0 without a measured window.
    pub fn iops(&self) -> f64 {
        per_second(self.ios, self.measured_ns)
    }

    /// Bytes per second; 0 without a measured window.
    pub fn bytes_per_second(&self) -> f64 {
        per_second(self.bytes, self.measured_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;

    const SECOND: u64 = 1_000_000_000;
    const GLOBAL: &str = "[global]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n";

    fn reads(ios: u64) -> [DirectionLoad; 1] {
        [DirectionLoad::reads(ios, 4096, 100_000)]
    }

    #[test]
    fn jobs_at_the_same_time_add_their_rates() {
        let two = RunBuilder::text(&format!("{GLOBAL}[a]\n[b]\n"));
        let run = two.seconds(0, 10, &reads(1_000)).seconds(1, 10, &reads(500)).run();
        let whole = Whole::of(&run);
        assert_eq!((whole.measured_ns, whole.iops()), (10 * SECOND, 1_500.0));
        assert_eq!(whole.bytes_per_second(), 1_500.0 * 4096.0);
    }

    #[test]
    fn stages_add_their_times() {
        let two = RunBuilder::text(&format!("{GLOBAL}[a]\n[b]\nstonewall\n"));
        let run = two.seconds(0, 10, &reads(1_000)).after(1, 10 * SECOND).seconds(1, 30, &reads(200)).run();
        let whole = Whole::of(&run);
        // 10,000 I/Os in 10 s and 6,000 in 30 s; the sum of the rates would be 1,200.
        assert_eq!((whole.measured_ns, whole.iops()), (40 * SECOND, 400.0));
        assert_eq!(whole.latency.mean(), Some(100_000.0));
    }

    #[test]
    fn jobs_of_one_stage_apart_in_time_are_the_union_of_their_windows() {
        let two = || RunBuilder::text(&format!("{GLOBAL}[a]\n[b]\nwait_for=a\n"));
        let after = |from| {
            let run = two().seconds(0, 10, &reads(100)).after(1, from).seconds(1, 10, &reads(100)).run();
            Whole::of(&run).measured_ns
        };
        assert_eq!(after(60 * SECOND), 20 * SECOND, "the pause between them is not measured time");
        assert_eq!(after(6 * SECOND), 16 * SECOND);
        assert_eq!(after(SECOND / 2), 10 * SECOND, "together, but for their starts");
        let short = two().seconds(0, 1, &reads(100)).after(1, SECOND).seconds(1, 1, &reads(100)).run();
        assert_eq!(Whole::of(&short).iops(), 100.0, "one second after the other");
    }

    #[test]
    fn a_run_of_one_job_has_its_figures() {
        let clones = RunBuilder::text(&format!("{GLOBAL}[a]\nnumjobs=3\n"));
        let run = clones.all(7, reads(300)[0]).run();
        let (whole, job) = (Whole::of(&run), &jobs(&run)[0]);
        assert_eq!((whole.iops(), whole.bytes_per_second()), (job.iops(), job.bytes_per_second()));
        assert_eq!(whole.latency, job.latency());
        let nothing = RunBuilder::text(&format!("{GLOBAL}[a]\n")).run();
        assert_eq!(Whole::of(&nothing).iops(), 0.0);
    }
}
