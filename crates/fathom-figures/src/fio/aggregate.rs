//! Several jobs as one: rates are added, latencies are averaged by their I/Os.
//!
//! The jobs are laid on one grid of time. fio's own tools add the n-th lines of the files, whatever their times are.

use super::lines_are::LinesAre;
use super::log_name::FioLogKind;
use super::log_track::LogTrack;
use super::time_bins::{SECOND_SHIFT, shift_of};
use super::time_line::{RatePoint, TimeStep};
use fathom_stats::Series;
use std::collections::{BTreeMap, BTreeSet};

/// From this length on, steps of a sum are at least a second, s.
const LONG: f64 = 8.0;

/// What the latencies of jobs are weighted by in their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyWeight {
    /// By I/Os.
    Ios,
    /// By time, because no log tells how many I/Os there were.
    Time,
}

/// Several jobs as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// What its values are.
    pub kind: FioLogKind,
    /// How many jobs it is made of.
    pub jobs: usize,
    /// Its time line.
    pub points: Vec<RatePoint>,
    /// The steps that its figures are of: those of the time line, but whole seconds where rates are counted from single I/Os, as
    /// for each job alone.
    pub steps: Vec<RatePoint>,
    /// Over all steps.
    pub mean: f64,
    /// What latencies are weighted by; `None` for rates, which are added.
    pub weight: Option<LatencyWeight>,
}

impl Aggregate {
    /// The values of the steps, for their extremes and their spread.
    pub fn values(&self) -> Series {
        Series { start_ns: 0, step_ns: 0, values: self.steps.iter().map(|point| point.value).collect() }
    }
}

/// The sum of rates; `None` for fewer than two jobs.
pub(super) fn sum_over_jobs(tracks: &[&LogTrack]) -> Option<Aggregate> {
    let kind = tracks.first().filter(|_| tracks.len() > 1)?.kind();
    let shift = shift(tracks);
    let points = summed(tracks, shift);
    let counts_ios = tracks.iter().any(|track| track.lines_are() == LinesAre::EachIo);
    let steps = if counts_ios { summed(tracks, shift.max(SECOND_SHIFT)) } else { points.clone() };
    let mean = steps.iter().map(|point| point.value).sum::<f64>() / steps.len().max(1) as f64;
    Some(Aggregate { kind, jobs: tracks.len(), points, steps, mean, weight: None })
}

/// The steps of 2^shift ticks of all jobs, added.
///
/// A job that ends in the middle of a step adds what it did in it. At the end of all, such a step is left out, because it would
/// be a dip that nobody measured.
fn summed(tracks: &[&LogTrack], shift: u32) -> Vec<RatePoint> {
    let all: Vec<TimeStep> = tracks.iter().flat_map(|track| track.steps(shift)).collect();
    let has_whole = all.iter().any(|step| step.is_whole);
    let is_cut = |step: &TimeStep| has_whole && !step.is_whole;
    let cut: BTreeSet<i64> = all.iter().filter(|step| is_cut(step)).map(|step| number(&step.point)).collect();
    let mut sums: BTreeMap<i64, RatePoint> = BTreeMap::new();
    for step in all {
        let part = if is_cut(&step) { step.covered / step.point.length } else { 1.0 };
        let empty = RatePoint { value: 0.0, range: None, ..step.point };
        sums.entry(number(&step.point)).or_insert(empty).value += step.point.value * part;
    }
    while sums.len() > 1 && sums.last_key_value().is_some_and(|(at, _)| cut.contains(at)) {
        sums.pop_last();
    }
    sums.into_values().collect()
}

/// The mean of latencies. With each track comes the log of IOPS of the same job, where there is one; `None` for fewer
/// than two jobs.
pub(super) fn latency_over_jobs(jobs: &[(&LogTrack, Option<&LogTrack>)]) -> Option<Aggregate> {
    let tracks: Vec<&LogTrack> = jobs.iter().map(|(track, _)| *track).collect();
    let kind = tracks.first().filter(|_| tracks.len() > 1)?.kind();
    let each_io = tracks.iter().all(|track| !matches!(track.lines_are(), LinesAre::Windows { .. }));
    let by_ios = each_io || jobs.iter().all(|(_, rate)| rate.is_some());
    let shift =
        jobs.iter().filter_map(|(_, rate)| rate.map(|it| it.bins().shift())).fold(shift(&tracks), u32::max);
    let mut steps: BTreeMap<i64, (RatePoint, f64)> = BTreeMap::new();
    for (track, rate) in jobs {
        let ios: BTreeMap<i64, f64> = match rate.filter(|_| !each_io) {
            Some(rate) => rate.points_with(shift).iter().map(|p| (number(p), p.value)).collect(),
            None => BTreeMap::new(),
        };
        let coarse = track.bins().coarser(shift);
        let (first, bins) = coarse.numbered();
        for point in track.points_with(shift) {
            let at = number(&point);
            let own = bins.get((at - first as i64).max(0) as usize).map_or(0.0, |bin| bin.weight);
            let weight = if by_ios && !each_io { ios.get(&at).copied().unwrap_or(0.0) } else { own };
            let (sum, weights) =
                steps.entry(at).or_insert((RatePoint { value: 0.0, range: None, ..point }, 0.0));
            sum.value += point.value * weight;
            *weights += weight;
        }
    }
    let total: (f64, f64) = steps.values().fold((0.0, 0.0), |(s, w), (sum, own)| (s + sum.value, w + own));
    let mean = if total.1 > 0.0 { total.0 / total.1 } else { 0.0 };
    let weighted = steps.into_values().filter(|(_, weight)| *weight > 0.0);
    let points: Vec<RatePoint> =
        weighted.map(|(sum, weight)| RatePoint { value: sum.value / weight, ..sum }).collect();
    let weight = Some(if by_ios { LatencyWeight::Ios } else { LatencyWeight::Time });
    Some(Aggregate { kind, jobs: jobs.len(), steps: points.clone(), points, mean, weight })
}

/// Steps that fit all tracks, and of at least a second in a log that is long enough.
fn shift(tracks: &[&LogTrack]) -> u32 {
    let longest = tracks.iter().map(|track| track.span_ms().1 / 1e3).fold(0.0, f64::max);
    let least = if longest >= LONG { SECOND_SHIFT } else { 0 };
    let fits = |track: &&LogTrack| match track.lines_are() {
        LinesAre::EachIo | LinesAre::Histograms { .. } => track.bins().shift(),
        // A shorter step than a window would show steps that nobody measured.
        LinesAre::Windows { length_ms } => track.bins().shift().max(shift_of(length_ms)),
    };
    tracks.iter().map(fits).fold(least, u32::max)
}

/// The number of a step, counted from time zero.
fn number(point: &RatePoint) -> i64 {
    (point.start / point.length).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::{LogReader, LogTerms};
    use fathom_job::direction::Direction;

    fn track(kind: FioLogKind, lines: &str) -> LogTrack {
        let mut reader = LogReader::new(LogTerms::of(kind));
        reader.feed(lines.as_bytes());
        reader.finish().parts.remove(0).tracks[Direction::Read].take().expect("reads")
    }

    fn windows(kind: FioLogKind, value: u64, shift_ms: u64) -> LogTrack {
        let line = |at: u64| format!("{}, {value}, 0, 0\n", at * 1000 + shift_ms);
        track(kind, &(1..=20).map(line).collect::<String>())
    }

    #[test]
    fn rates_are_added_at_the_same_time() {
        let (one, two) = (windows(FioLogKind::Bandwidth, 100, 0), windows(FioLogKind::Bandwidth, 300, 250));
        let sum = sum_over_jobs(&[&one, &two]).unwrap();
        let inner = &sum.points[1..19];
        assert!(inner.iter().all(|point| (point.value - 400.0 * 1024.0).abs() < 1e-6), "{inner:?}");
        assert!(sum_over_jobs(&[&one]).is_none());
    }

    fn ios(per_ms: u64, until_ms: u64) -> LogTrack {
        let line = |at: u64| format!("{}, 1, 0, 4096\n", at / per_ms);
        track(FioLogKind::Iops, &(0..per_ms * until_ms).map(line).collect::<String>())
    }

    /// Steps of a millisecond would have a minimum of 0 wherever no I/O completed in one.
    #[test]
    fn single_ios_are_added_by_the_second_as_those_of_one_job() {
        let slow: String = (0..=3_000).step_by(4).map(|ms| format!("{ms}, 1, 0, 4096\n")).collect();
        let slow = track(FioLogKind::Iops, &slow);
        let sum = sum_over_jobs(&[&slow, &slow]).unwrap();
        let values = sum.values();
        assert_eq!((sum.steps.len(), sum.mean), (3, 500.0));
        assert_eq!((values.min(), values.max(), values.stddev()), (Some(500.0), Some(500.0), Some(0.0)));
        assert!(sum.points.len() > 100, "the chart keeps its short steps: {}", sum.points.len());
    }

    #[test]
    fn an_end_in_the_middle_of_a_second_is_no_dip_of_the_sum() {
        // One job ends just late enough for a whole second, the other does not.
        let together = sum_over_jobs(&[&ios(1, 3_000), &ios(1, 2_900)]).unwrap();
        assert_eq!((together.steps.len(), together.values().min()), (2, Some(2000.0)));
        // Long before the other, the end of one is measured.
        let early = sum_over_jobs(&[&ios(1, 4_000), &ios(1, 1_501)]).unwrap();
        let values: Vec<f64> = early.steps.iter().map(|step| step.value.round()).collect();
        assert_eq!(values, [2000.0, 1501.0, 1000.0, 1001.0]);
    }

    #[test]
    fn latencies_are_weighted_by_the_ios_of_their_jobs() {
        let (fast, slow) = (windows(FioLogKind::Latency, 100, 0), windows(FioLogKind::Latency, 1000, 0));
        let (many, few) = (windows(FioLogKind::Iops, 9000, 0), windows(FioLogKind::Iops, 1000, 0));
        let by_ios = latency_over_jobs(&[(&fast, Some(&many)), (&slow, Some(&few))]).unwrap();
        assert_eq!(by_ios.weight, Some(LatencyWeight::Ios));
        assert!((by_ios.mean - 190.0).abs() < 1e-6, "{}", by_ios.mean);
        let by_time = latency_over_jobs(&[(&fast, Some(&many)), (&slow, None)]).unwrap();
        assert_eq!(by_time.weight, Some(LatencyWeight::Time));
        assert!((by_time.mean - 550.0).abs() < 1e-6, "{}", by_time.mean);
    }
}
