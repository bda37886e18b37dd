//! A rate that fell while it was measured, and stayed low: a cache was full, a limit set in, garbage collection began.
//!
//! The mean of such a time is the rate of no part of it, and an interval around it says nothing. What lasts is the rate after
//! the fall.

use crate::grid::{Grid, GridStep};
use fathom_job::direction::{Direction, PerDirection};
use fathom_results::procedure::FallFigures;
use fathom_stats::fall;

/// A fall of the rate of a job to a level that lasted until its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateFall {
    /// Seconds of the measured window until it began to fall.
    pub at_s: u64,
    /// Seconds until the level was reached that lasted; the same where it fell from one second to the next.
    pub lasts_from_s: u64,
    /// Bytes that were moved before it began to fall.
    pub bytes_before: f64,
    /// The rate before, without the seconds in which it rose at first.
    pub before: LevelRate,
    /// The rate that lasted.
    pub lasting: LevelRate,
    directions: PerDirection<FlowFall>,
}

/// The part of one direction in a fall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct FlowFall {
    bytes_before: f64,
    before: LevelRate,
    lasting: LevelRate,
}

/// The mean rate of a part of a run, all directions together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelRate {
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
}

impl RateFall {
    /// The fall of a time line, in the steps in which so many workers measured.
    pub(crate) fn of(grid: &Grid, workers: u32) -> Option<RateFall> {
        let steps: Vec<&GridStep> = grid.samples().filter(|step| step.workers == workers).collect();
        let rates: Vec<f64> = steps.iter().map(|step| step.all_ios() / step.covered_seconds()).collect();
        let fall = fall(&rates)?;
        let from_ns = steps[0].start_ns;
        let seconds = |at: usize| (steps[at].start_ns - from_ns) / 1_000_000_000;
        let covered = |steps: &[&GridStep]| steps.iter().map(|step| step.covered_seconds()).sum::<f64>();
        let level = |steps: &[&GridStep], directions: &[Direction]| LevelRate {
            iops: sum(steps, directions, |step| &step.ios) / covered(steps),
            bytes_per_second: sum(steps, directions, |step| &step.bytes) / covered(steps),
        };
        let flow = |directions: &[Direction]| FlowFall {
            bytes_before: sum(&steps[..fall.begins], directions, |step| &step.bytes),
            before: level(&steps[fall.from..fall.begins], directions),
            lasting: level(&steps[fall.ends..], directions),
        };
        let FlowFall { bytes_before, before, lasting } = flow(&Direction::ALL);
        let directions = PerDirection::from_fn(|direction| flow(&[direction]));
        let (at_s, lasts_from_s) = (seconds(fall.begins), seconds(fall.ends));
        Some(RateFall { at_s, lasts_from_s, bytes_before, before, lasting, directions })
    }

    /// The part that one direction had in it: what it moved in the same seconds.
    pub fn of_direction(&self, direction: Direction) -> RateFall {
        let FlowFall { bytes_before, before, lasting } = self.directions[direction];
        RateFall { bytes_before, before, lasting, ..*self }
    }
}

impl From<RateFall> for FallFigures {
    fn from(fall: RateFall) -> FallFigures {
        FallFigures {
            at_s: fall.at_s,
            lasts_from_s: fall.lasts_from_s,
            bytes_before: fall.bytes_before,
            iops_before: fall.before.iops,
            bytes_per_second_before: fall.before.bytes_per_second,
            iops_lasting: fall.lasting.iops,
            bytes_per_second_lasting: fall.lasting.bytes_per_second,
        }
    }
}

/// What was done in these steps and directions.
fn sum(steps: &[&GridStep], directions: &[Direction], of: fn(&GridStep) -> &PerDirection<f64>) -> f64 {
    steps.iter().flat_map(|step| directions.iter().map(|direction| of(step)[*direction])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;
    use fathom_job::direction::Direction;

    fn run(job: &str, rates: &[(usize, u64)]) -> Option<RateFall> {
        let job = format!("rw=write bs=4k ioengine=libaio iodepth=8 direct=1 filename=/data/f {job}");
        let seconds = rates.iter().flat_map(|(n, ios)| std::iter::repeat_n(*ios, *n));
        let run = seconds
            .enumerate()
            .fold(RunBuilder::of(job.trim_end()), |scene, (at, ios)| {
                // A little noise.
                scene.seconds(0, 1, &[DirectionLoad::writes(ios + at as u64 % 3, 4096, 90_000)])
            })
            .run();
        let all = jobs(&run);
        let intervals = all[0].mixed();
        assert_eq!(intervals.iops_estimate().is_none(), all[0].rate_fall().is_some(), "{rates:?}");
        all[0].rate_fall()
    }

    #[test]
    fn when_after_how_many_bytes_from_what_to_what() {
        let fall = run("", &[(12, 10_000), (8, 3_000)]).unwrap();
        assert_eq!((fall.at_s, fall.lasts_from_s), (12, 12));
        assert!((fall.bytes_before / (12.0 * 10_001.0 * 4096.0) - 1.0).abs() < 1e-6, "{fall:?}");
        assert!(
            (fall.before.iops - 10_001.0).abs() < 1.0 && (fall.lasting.iops - 3_001.0).abs() < 1.0,
            "{fall:?}"
        );
        assert!((fall.lasting.bytes_per_second / fall.lasting.iops - 4096.0).abs() < 1e-6, "{fall:?}");
    }

    /// The rate of a direction after the fall is its own, also where its share of the I/Os changed.
    #[test]
    fn each_direction_has_the_rate_that_lasted() {
        let job = "rw=randrw bs=4k ioengine=libaio iodepth=8 direct=1 filename=/data/f";
        let scene = (0..20_u64).fold(RunBuilder::of(job), |scene, at| {
            let (reads, writes) = if at < 12 { (6_000, 4_000) } else { (900, 300) };
            let loads = [
                DirectionLoad::reads(reads + at % 3, 4096, 90_000),
                DirectionLoad::writes(writes, 4096, 90_000),
            ];
            scene.seconds(0, 1, &loads)
        });
        let run = scene.run();
        let all = jobs(&run);
        let lasting = |direction| all[0].flow(direction).lasting_rate().unwrap();
        let (reads, writes) = (lasting(Direction::Read), lasting(Direction::Write));
        assert!(
            (reads.iops - 901.0).abs() < 1.0 && (writes.iops - 300.0).abs() < 1e-6,
            "{reads:?} {writes:?}"
        );
        assert!((writes.bytes_per_second - 300.0 * 4096.0).abs() < 1e-3, "{writes:?}");
        let both = all[0].mixed().lasting_rate().unwrap();
        assert!((both.iops - all[0].rate_fall().unwrap().lasting.iops).abs() < 1e-6, "{both:?}");
    }

    #[test]
    fn without_a_target_no_rate_of_a_direction_fell() {
        let scene = (0..20_u64).fold(RunBuilder::of("rw=write bs=4k size=1g ioengine=null"), |scene, at| {
            let ios = if at < 12 { 10_000 } else { 3_000 } + at % 3;
            scene.seconds(0, 1, &[DirectionLoad::writes(ios, 4096, 90_000)])
        });
        let run = scene.run();
        assert_eq!(jobs(&run)[0].flow(Direction::Write).lasting_rate(), None);
    }

    #[test]
    fn each_direction_has_its_part_of_a_fall() {
        let second = |trims: u64, writes: u64| {
            let trim =
                DirectionLoad { direction: Direction::Trim, ..DirectionLoad::reads(trims, 4096, 90_000) };
            [trim, DirectionLoad::writes(writes, 8192, 90_000)]
        };
        let scene = RunBuilder::of("rw=trimwrite bs=4k ioengine=libaio iodepth=8 direct=1 filename=/dev/sda");
        let run = scene.seconds(0, 12, &second(6_000, 4_000)).seconds(0, 10, &second(100, 200)).run();
        let fall = jobs(&run)[0].rate_fall().unwrap();
        let [trims, writes, reads] =
            [Direction::Trim, Direction::Write, Direction::Read].map(|d| fall.of_direction(d));
        let rates = |fall: RateFall| (fall.at_s, fall.before.iops, fall.lasting.iops);
        assert_eq!((rates(trims), rates(writes)), ((12, 6_000.0, 100.0), (12, 4_000.0, 200.0)));
        assert_eq!((rates(fall), rates(reads)), ((12, 10_000.0, 300.0), (12, 0.0, 0.0)));
        assert_eq!(writes.bytes_before, 12.0 * 4_000.0 * 8192.0);
        assert_eq!(writes.lasting.bytes_per_second, 200.0 * 8192.0);
    }

    /// What a cold cache did at first counts in the bytes, and not in the rate before.
    #[test]
    fn a_rate_that_rose_at_first_fell_from_where_it_was() {
        let fall = run("", &[(3, 1_000), (9, 10_000), (13, 2_000)]).unwrap();
        assert_eq!((fall.at_s, fall.lasts_from_s), (12, 12));
        assert!((fall.before.iops - 10_001.0).abs() < 1.0, "{fall:?}");
        let ios = 3.0 * 1_001.0 + 9.0 * 10_001.0;
        assert!((fall.bytes_before / (ios * 4096.0) - 1.0).abs() < 1e-4, "{fall:?}");
    }

    #[test]
    fn a_steady_rate_and_one_that_looks_for_its_depth_do_not_fall() {
        assert_eq!(run("", &[(20, 10_000)]), None);
        assert_eq!(run("", &[(10, 3_000), (10, 10_000)]), None);
    }
}
