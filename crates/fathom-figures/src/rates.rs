//! A row over time: its time line, whether its clones measured together, and how steady its rate
//! was.

use crate::grid::{Grid, GridStep};
use crate::rate_fall::RateFall;
use crate::row::Row;
use crate::spread::RateSpread;
use fathom_job::direction::Direction;
use fathom_job::plan::TargetKind;
use fathom_results::{EndedBy, JobResult};
use fathom_stats::Series;

/// Clones whose windows differ by no more than this share measured for the same time.
const EQUAL: f64 = 0.05;

/// The same where the figures of the clones are multiplied: a figure is printed with three digits, whose last one is a
/// thousandth at least.
const EQUAL_IN_PRINT: f64 = 0.001;

/// Workers of a row that measured for different times: the rate of the row is that of the longest time, in which some were
/// already done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnevenTimes {
    /// Workers that measured.
    pub workers: usize,
    /// Those that measured for less than the longest time.
    pub shorter: usize,
    /// The shortest time, ns.
    pub shortest_ns: u64,
    /// I/Os per second of all directions while all of them measured; `None` where that was for no whole second.
    pub iops_of_all: Option<f64>,
}

impl Row<'_> {
    /// How the times of its workers differ; `None` where they measured for the same time.
    pub fn uneven_times(&self) -> Option<UnevenTimes> {
        let times =
            || self.members.iter().filter(|m| m.measured_from_ns().is_some()).map(JobResult::runtime_ns);
        let least = (1.0 - EQUAL) * times().max()? as f64;
        let shorter = times().filter(|ns| (*ns as f64) < least).count();
        let rates = self.rates().values;
        let mean = || rates.iter().sum::<f64>() / rates.len() as f64;
        Some(UnevenTimes {
            workers: times().count(),
            shorter,
            shortest_ns: times().min().filter(|_| shorter > 0)?,
            iops_of_all: (!rates.is_empty()).then(mean),
        })
    }

    /// Did the clones measure at different times, as with start delays? Then the
    /// windows of the group are not windows of the rate that it is given.
    pub fn is_staggered(&self) -> bool {
        let longest = self.members.iter().map(JobResult::runtime_ns).max().unwrap_or(0);
        self.window_ns().is_some_and(|(from, to)| to - from > longest + self.grid().step_ns)
    }

    /// Its time line.
    pub fn grid(&self) -> &Grid {
        self.grid.get_or_init(|| Grid::of(self.members))
    }

    /// Length of the steps of its time line, s: 1, except in very long runs.
    pub fn window_seconds(&self) -> u64 {
        self.grid().step_seconds()
    }

    /// Did all its clones measure for the same time, within a thousandth? Else I/Os in flight are not
    /// its IOPS times its mean latency: each clone has a window of its own, and the digits that are printed show the difference.
    pub fn has_equal_windows(&self) -> bool {
        let shortest = self.members.iter().map(JobResult::runtime_ns).min().unwrap_or(0);
        shortest as f64 >= (1.0 - EQUAL_IN_PRINT) * self.runtime_ns() as f64
    }

    /// IOPS of each whole step of the grid in which all its clones measured, all directions
    /// together: what shows whether the rate was steady. Clones that start or end apart change the
    /// rate in the other steps by themselves.
    pub fn rates(&self) -> Series {
        let workers = self.workers_measuring();
        self.grid().series(|step| step.workers == workers, GridStep::all_ios)
    }

    /// How these rates varied.
    pub fn rate_spread(&self) -> RateSpread {
        let workers = self.workers_measuring();
        let mut steps = self.grid().samples().filter(|step| step.workers == workers);
        RateSpread::of(&self.rates(), steps.any(GridStep::has_standstill))
    }

    /// The fall of its rate, all directions together. `None` where it did not fall; where its clones measured at different
    /// times; and where it searches for a depth, which changes its rate by itself.
    pub fn rate_fall(&self) -> Option<RateFall> {
        *self.fall.get_or_init(|| {
            let is_by_itself = self.is_staggered() || self.first().pace.goal.is_some();
            if is_by_itself { None } else { RateFall::of(self.grid(), self.workers_measuring()) }
        })
    }

    /// Does any of its clones have a target?
    pub fn has_target(&self) -> bool {
        self.members.iter().flat_map(|it| &it.planned.files).any(|it| it.kind != TargetKind::None)
    }

    /// Did it write to a target, and no rule found its rate steady? Then an interval is that of the mean of this time, and of no
    /// later one: new drives, and caches, write faster than they can for long.
    pub fn has_unsettled_writes(&self) -> bool {
        let is_steady = |member: &JobResult| {
            member.outcome.as_ref().is_some_and(|outcome| outcome.ended_by == EndedBy::Steady)
        };
        self.has_target() && self.moved(Direction::Write).ios > 0 && !self.members.iter().all(is_steady)
    }

    fn workers_measuring(&self) -> u32 {
        self.members.iter().filter(|member| member.measured_from_ns().is_some()).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;
    use fathom_job::direction::{Direction, PerDirection};
    use fathom_results::{EndedBy, Phase, RunResult, SeriesPoint};

    const SECOND: u64 = 1_000_000_000;
    const TWO: &str = "numjobs=2 rw=randread bs=4k ioengine=psync filename=/data/f";

    fn reads(ios: u64) -> [DirectionLoad; 1] {
        [DirectionLoad::reads(ios, 4096, 100_000)]
    }

    #[test]
    fn a_worker_that_ended_early_is_told_with_the_rate_of_all() {
        let two = RunBuilder::of(TWO).seconds(0, 10, &reads(1_000)).seconds(1, 4, &reads(500)).run();
        let row = &jobs(&two)[0];
        let uneven = row.uneven_times().unwrap();
        let told = (uneven.workers, uneven.shorter, uneven.shortest_ns, uneven.iops_of_all);
        assert_eq!(told, (2, 1, 4 * SECOND, Some(1_500.0)));
        assert_eq!(row.iops(), 1_200.0, "the rate of ten seconds, in six of which one worker was done");
        let even = RunBuilder::of(TWO).all(10, reads(1_000)[0]).run();
        assert_eq!(jobs(&even)[0].uneven_times(), None);
    }

    #[test]
    fn writes_are_unsettled_until_a_rule_finds_them_steady() {
        let job = |rw: &str, engine: &str| format!("rw={rw} bs=4k {engine} filename=/data/f size=1m");
        let is_unsettled = |job: &str, load: DirectionLoad, ended_by: EndedBy| {
            let mut run = RunBuilder::of(job).seconds(0, 12, &[load]).run();
            run.jobs[0].outcome.as_mut().unwrap().ended_by = ended_by;
            jobs(&run)[0].has_unsettled_writes()
        };
        let writes = DirectionLoad::writes(1_000, 4096, 100_000);
        assert!(is_unsettled(&job("write", "ioengine=psync"), writes, EndedBy::Time));
        assert!(!is_unsettled(&job("write", "ioengine=psync"), writes, EndedBy::Steady));
        assert!(!is_unsettled(&job("read", "ioengine=psync"), reads(1_000)[0], EndedBy::Time));
        assert!(!is_unsettled("rw=write bs=4k ioengine=null size=1m", writes, EndedBy::Time));
    }

    #[test]
    fn rates_are_those_of_the_seconds_in_which_all_clones_measured() {
        let apart = RunBuilder::of(TWO).seconds(0, 6, &reads(1_000)).after(1, 2 * SECOND);
        let run = apart.seconds(1, 6, &reads(500)).run();
        let row = &jobs(&run)[0];
        let rates = row.rates();
        assert_eq!((rates.start_ns, rates.values), (2 * SECOND, vec![1_500.0; 4]));
        assert_eq!(row.rate_spread().variation(), Some(0.0), "a start delay is no change of the rate");
        let all = row.flow(Direction::Read).iops_series().values;
        assert_eq!(all, [1_000.0, 1_000.0, 1_500.0, 1_500.0, 1_500.0, 1_500.0, 500.0, 500.0]);
    }

    #[test]
    fn a_clone_that_ramps_longer_is_laid_beside_the_other_by_time() {
        let run = RunBuilder::of(TWO)
            .window(0, Phase::Ramp, SECOND, &reads(9))
            .seconds(0, 5, &reads(1_000))
            .window(1, Phase::Ramp, 3 * SECOND, &reads(9))
            .seconds(1, 2, &reads(100))
            .seconds(1, 3, &reads(700))
            .run();
        assert_eq!(jobs(&run)[0].rates().values, [1_100.0, 1_100.0, 1_700.0], "seconds 3 to 6");
    }

    #[test]
    fn merged_windows_give_rates_per_second_and_show_a_standstill() {
        let mut run = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f")
            .seconds(0, 16, &reads(1_000))
            .run();
        let second = run.jobs[0].series[0].clone();
        let point = |from: u64, windows: u32, ios: u64| SeriesPoint {
            start_ns: from * SECOND,
            end_ns: (from + u64::from(windows)) * SECOND,
            windows,
            ios: PerDirection { read: ios * u64::from(windows), ..second.ios },
            ..second.clone()
        };
        run.jobs[0].series = vec![point(0, 4, 1_000), point(4, 4, 900), point(8, 4, 1_100)];
        let spread = |run: &RunResult| jobs(run)[0].rate_spread();
        let rates = jobs(&run)[0].rates();
        assert_eq!((rates.step_ns, rates.values), (4 * SECOND, vec![1_000.0, 900.0, 1_100.0]));
        assert_eq!((spread(&run).min, spread(&run).max, spread(&run).samples), (900.0, 1_100.0, 3));
        run.jobs[0].series.extend([point(12, 2, 0), point(14, 2, 1_000)]);
        assert_eq!(spread(&run).min, 0.0, "two seconds without I/O in a window of four");
    }
}
