//! A job second by second: what each of its directions did in each step of its time line.

use crate::row::Row;
use fathom_job::direction::Direction;

/// What one direction of a job did in one step of its time line: a second, or several in a very long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesStep {
    /// The direction.
    pub direction: Direction,
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// Its start in seconds of the measured window; those of the ramp are negative.
    pub second: i64,
    /// The part of it in which the job worked, s: rates are of that.
    pub covered_s: f64,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
    /// Mean total latency, ns; `None` without I/O.
    pub latency_ns_mean: Option<f64>,
    /// 99th percentile of latency, ns, where a distribution was kept; of several clones the largest.
    pub latency_ns_p99: Option<u64>,
}

impl Row<'_> {
    /// Its seconds in order, each with the directions in which it did I/O.
    pub fn series(&self) -> Vec<SeriesStep> {
        let grid = self.grid();
        let first_ns = grid.steps.iter().find(|step| step.measured).map_or(0, |step| step.start_ns) as i64;
        let directions: Vec<Direction> = self.flows().map(|(direction, _)| direction).collect();
        let mut series = Vec::with_capacity(grid.steps.len() * directions.len());
        for step in &grid.steps {
            series.extend(directions.iter().map(|&direction| {
                SeriesStep {
                    direction,
                    start_ns: step.start_ns,
                    second: (step.start_ns as i64 - first_ns).div_euclid(1_000_000_000),
                    covered_s: step.covered_seconds(),
                    iops: step.ios[direction] / step.covered_seconds(),
                    bytes_per_second: step.bytes[direction] / step.covered_seconds(),
                    latency_ns_mean: (step.ios[direction] > 0.0)
                        .then(|| step.latency_ns[direction] / step.ios[direction])
                        .filter(|mean| *mean > 0.0),
                    latency_ns_p99: step.latency_ns_p99[direction],
                }
            }));
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;
    use fathom_job::direction::Direction;

    /// Two clones: three seconds of 1,000 reads each, then one with 50 that take twenty times as long, in one of them only.
    #[test]
    fn clones_are_one_line_with_the_mean_of_all_their_ios() {
        let job = "numjobs=2 rw=randread bs=4k ioengine=io_uring direct=1 filename=/data/f";
        let fast = [DirectionLoad::reads(1_000, 4096, 100_000)];
        let slow = [DirectionLoad::reads(50, 4096, 2_000_000)];
        let run = RunBuilder::of(job).seconds(0, 4, &fast).seconds(1, 3, &fast).seconds(1, 1, &slow).run();
        let series = jobs(&run)[0].series();
        let told: Vec<(i64, f64, f64)> =
            series.iter().map(|step| (step.second, step.iops, step.bytes_per_second)).collect();
        let whole = |second| (second, 2_000.0, 2_000.0 * 4096.0);
        assert_eq!(told, [whole(0), whole(1), whole(2), (3, 1_050.0, 1_050.0 * 4096.0)]);
        assert!(series.iter().all(|step| step.direction == Direction::Read && step.covered_s == 1.0));
        let mean = series[3].latency_ns_mean.unwrap();
        assert!((mean - (1_000.0 * 100_000.0 + 50.0 * 2_000_000.0) / 1_050.0).abs() < 1.0, "{mean}");
        let p99 = |at: usize| series[at].latency_ns_p99.unwrap();
        assert!(p99(2) < 110_000 && p99(3) > 1_900_000, "{} {}", p99(2), p99(3));
    }
}
