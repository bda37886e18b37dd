//! Several jobs as one: rates are added, latencies are averaged by their I/Os.
//!
//! The jobs are laid on one grid of time. fio's own tools add the n-th lines of the files, whatever their times are.

use super::lines_are::LinesAre;
use super::log_name::FioLogKind;
use super::log_track::LogTrack;
use super::time_bins::{SECOND_SHIFT, shift_of};
use super::time_line::{RatePoint, TimeStep};
use fathom_stats::Histogram;
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
    /// Its time line, without a last step that is cut.
    pub points: Vec<RatePoint>,
    /// The steps that its figures are of, each with the length that is measured of it. Where rates are counted from single I/Os,
    /// they are whole seconds, as for each job alone; else they are all that the logs cover, as the figures of a job are.
    pub steps: Vec<RatePoint>,
    /// Length of a whole step, s.
    pub step_seconds: f64,
    /// Over all steps.
    pub mean: f64,
    /// The standard deviation: of all I/Os where each line is one, else of the steps. `None` for a single value.
    pub stddev: Option<f64>,
    /// What latencies are weighted by; `None` for rates, which are added.
    pub weight: Option<LatencyWeight>,
}

impl Aggregate {
    /// The smallest and the largest value: of the lines of latencies, and of the steps of rates. `None` without a step.
    pub fn extremes(&self) -> Option<(f64, f64)> {
        let all = self.steps.iter().map(RatePoint::extremes);
        all.reduce(|(low, high), (least, most)| (low.min(least), high.max(most)))
    }

    /// The time that is measured, s.
    pub fn seconds(&self) -> f64 {
        self.steps.iter().map(|step| step.length).sum()
    }
}

/// The sum of rates; `None` for fewer than two jobs.
pub(super) fn sum_over_jobs(tracks: &[&LogTrack]) -> Option<Aggregate> {
    let kind = tracks.first().filter(|_| tracks.len() > 1)?.kind();
    let shift = shift(tracks);
    let counts_ios = tracks.iter().any(|track| track.lines_are() == LinesAre::EachIo);
    let all = summed(tracks, shift);
    let points = without_cut(&all, tracks, shift);
    let (steps, step_shift) = if counts_ios {
        let shift = shift.max(SECOND_SHIFT);
        (without_cut(&summed(tracks, shift), tracks, shift), shift)
    } else {
        (all.into_values().collect(), shift)
    };
    let (seconds, amount) = steps.iter().fold((0.0, 0.0), |(seconds, amount), step| {
        (seconds + step.length, amount + step.value * step.length)
    });
    let mean = if seconds > 0.0 { amount / seconds } else { 0.0 };
    let stddev = deviation(&steps);
    let step_seconds = seconds_of(step_shift);
    Some(Aggregate { kind, jobs: tracks.len(), points, steps, step_seconds, mean, stddev, weight: None })
}

/// The steps of 2^shift ticks of all jobs, added, each with its number. A job that measures a part of a step adds what it did
/// in it.
fn summed(tracks: &[&LogTrack], shift: u32) -> BTreeMap<i64, RatePoint> {
    let mut sums: BTreeMap<i64, RatePoint> = BTreeMap::new();
    for step in tracks.iter().flat_map(|track| track.steps(shift)) {
        let empty = RatePoint { value: 0.0, range: None, ..step.point };
        sums.entry(number(&step.point)).or_insert(empty).value += step.point.value * step.covered.max(0.0);
    }
    let span = span(tracks);
    let per_second = |(at, sum): (i64, RatePoint)| {
        let length = measured(&sum, span);
        (length > 0.0).then(|| (at, RatePoint { value: sum.value / length, length, ..sum }))
    };
    sums.into_iter().filter_map(per_second).collect()
}

/// Steps without those at the end of all in which a job ends, because each would be a dip that nobody measured.
fn without_cut(steps: &BTreeMap<i64, RatePoint>, tracks: &[&LogTrack], shift: u32) -> Vec<RatePoint> {
    let all: Vec<TimeStep> = tracks.iter().flat_map(|track| track.steps(shift)).collect();
    let has_whole = all.iter().any(|step| step.is_whole);
    let is_cut = |step: &&TimeStep| has_whole && !step.is_whole;
    let cut: BTreeSet<i64> = all.iter().filter(is_cut).map(|step| number(&step.point)).collect();
    let mut steps = steps.clone();
    while steps.len() > 1 && steps.last_key_value().is_some_and(|(at, _)| cut.contains(at)) {
        steps.pop_last();
    }
    steps.into_values().collect()
}

/// From the beginning of the first job to the end of the last, s.
fn span(tracks: &[&LogTrack]) -> (f64, f64) {
    let spans = tracks.iter().map(|track| track.span_ms());
    let (begin, end) =
        spans.reduce(|(begin, end), (first, last)| (begin.min(first), end.max(last))).unwrap_or_default();
    (begin / 1e3, end / 1e3)
}

/// How much of a step is measured, s.
fn measured(step: &RatePoint, (begin, end): (f64, f64)) -> f64 {
    end.min(step.start + step.length) - begin.max(step.start)
}

/// The standard deviation of steps, weighted by their length: the sum of weighted squares ÷ (W − ΣW² ÷ W), which for n steps of
/// one length is the usual division by n − 1. `None` for one step.
fn deviation(steps: &[RatePoint]) -> Option<f64> {
    let sum = |of: fn(&RatePoint) -> f64| steps.iter().map(of).sum::<f64>();
    let weight = sum(|step| step.length);
    let mean = sum(|step| step.value * step.length) / weight;
    let squares = steps.iter().map(|step| (step.value - mean).powi(2) * step.length).sum::<f64>();
    let free = weight - sum(|step| step.length * step.length) / weight;
    (steps.len() > 1 && free > 0.0).then(|| (squares / free).sqrt())
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
    let mut sums: BTreeMap<i64, Latencies> = BTreeMap::new();
    for (track, rate) in jobs {
        let rate = rate.filter(|_| by_ios && !each_io);
        for (point, weight) in weighted(track, rate, shift) {
            sums.entry(number(&point)).or_insert_with(|| Latencies::new(point)).add(&point, weight);
        }
    }
    sums.retain(|_, latencies| latencies.weight > 0.0);
    let total: (f64, f64) = sums.values().fold((0.0, 0.0), |(s, w), it| (s + it.sum, w + it.weight));
    let mean = if total.1 > 0.0 { total.0 / total.1 } else { 0.0 };
    let span = span(&tracks);
    let steps: BTreeMap<i64, RatePoint> =
        sums.into_iter().map(|(at, latencies)| (at, latencies.mean(span))).collect();
    let points = without_cut(&steps, &tracks, shift);
    let points = points.into_iter().map(|point| RatePoint { range: None, ..point }).collect();
    let steps: Vec<RatePoint> = steps.into_values().collect();
    let stddev = if each_io { deviation_of_ios(&tracks) } else { deviation(&steps) };
    let weight = Some(if by_ios { LatencyWeight::Ios } else { LatencyWeight::Time });
    let step_seconds = seconds_of(shift);
    Some(Aggregate { kind, jobs: jobs.len(), points, steps, step_seconds, mean, stddev, weight })
}

/// The steps of a job, each with the weight of its latency: its I/Os where the rate tells them, else what its own lines weigh.
fn weighted(track: &LogTrack, rate: Option<&LogTrack>, shift: u32) -> Vec<(RatePoint, f64)> {
    let ios: Option<BTreeMap<i64, f64>> = rate.map(|rate| {
        let steps = rate.steps(shift).into_iter();
        steps.map(|step| (number(&step.point), step.point.value * step.covered.max(0.0))).collect()
    });
    let coarse = track.bins().coarser(shift);
    let (first, bins) = coarse.numbered();
    let weight = |at: i64| match &ios {
        Some(ios) => ios.get(&at).copied().unwrap_or(0.0),
        None => bins.get((at - first as i64).max(0) as usize).map_or(0.0, |bin| bin.weight),
    };
    track.steps(shift).into_iter().map(|step| (step.point, weight(number(&step.point)))).collect()
}

/// The latencies of all jobs in one step.
struct Latencies {
    step: RatePoint,
    /// Of the means of the jobs, each times its weight.
    sum: f64,
    weight: f64,
}

impl Latencies {
    fn new(step: RatePoint) -> Latencies {
        Latencies { step, sum: 0.0, weight: 0.0 }
    }

    fn add(&mut self, point: &RatePoint, weight: f64) {
        self.sum += point.value * weight;
        self.weight += weight;
        let ((low, high), (least, most)) = (self.step.extremes(), point.extremes());
        self.step.range = Some((low.min(least), high.max(most)));
    }

    /// The mean of the step, of which only this time is measured.
    fn mean(self, span: (f64, f64)) -> RatePoint {
        let length = measured(&self.step, span).max(0.0);
        RatePoint { value: self.sum / self.weight, length, ..self.step }
    }
}

/// The standard deviation of all I/Os.
fn deviation_of_ios(tracks: &[&LogTrack]) -> Option<f64> {
    let mut all = Histogram::new();
    tracks.iter().for_each(|track| all.merge(&track.histogram));
    all.totals().stddev()
}

/// The length of a step of 2^shift ticks, s.
fn seconds_of(shift: u32) -> f64 {
    (1_u64 << shift) as f64 / f64::from(1_u32 << SECOND_SHIFT)
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
        assert_eq!((sum.steps.len(), sum.mean), (3, 500.0));
        assert_eq!((sum.extremes(), sum.stddev), (Some((500.0, 500.0)), Some(0.0)));
        assert!(sum.points.len() > 100, "the chart keeps its short steps: {}", sum.points.len());
    }

    #[test]
    fn an_end_in_the_middle_of_a_second_is_no_dip_of_the_sum() {
        // One job ends just late enough for a whole second, the other does not.
        let together = sum_over_jobs(&[&ios(1, 3_000), &ios(1, 2_900)]).unwrap();
        assert_eq!((together.steps.len(), together.extremes().unwrap().0), (2, 2000.0));
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

    /// Lines each 100 ms, the last of them long after the last whole step.
    fn rising(kind: FioLogKind, lines: u64, rises_after: u64, (low, high): (u64, u64)) -> LogTrack {
        let value = |at: u64| if at > rises_after { high } else { low };
        track(kind, &(1..=lines).map(|at| format!("{}, {}, 0, 0\n", at * 100, value(at))).collect::<String>())
    }

    fn mean_of(track: &LogTrack) -> f64 {
        track.figures().unwrap().mean.unwrap()
    }

    #[test]
    fn what_follows_the_last_whole_step_counts_in_the_sum_as_in_its_jobs() {
        let job = rising(FioLogKind::Iops, 89, 80, (100, 10_000));
        let sum = sum_over_jobs(&[&job, &job]).unwrap();
        // 80 windows of 100 and 9 of 10,000.
        assert!((mean_of(&job) - 98_000.0 / 89.0).abs() < 1e-6, "{}", mean_of(&job));
        assert!((sum.mean - 2.0 * 98_000.0 / 89.0).abs() < 1e-6, "{}", sum.mean);
        assert_eq!((sum.steps.len(), sum.points.len(), sum.step_seconds), (9, 8, 1.0));
        assert!((sum.seconds() - 8.9).abs() < 1e-9, "{}", sum.seconds());
        let (least, most) = sum.extremes().unwrap();
        assert!((least - 200.0).abs() < 1e-6 && (most - 20_000.0).abs() < 1e-6, "{least} {most}");
        let short = rising(FioLogKind::Iops, 3, 2, (100, 1_000));
        let sum = sum_over_jobs(&[&short, &short]).unwrap();
        assert!((mean_of(&short) - 400.0).abs() < 1e-6 && (sum.mean - 800.0).abs() < 1e-6, "{}", sum.mean);
        // One job ends before the other.
        let early = rising(FioLogKind::Iops, 84, 84, (100, 100));
        let sum = sum_over_jobs(&[&job, &early]).unwrap();
        assert!((sum.mean - (98_000.0 + 8_400.0) / 89.0).abs() < 1e-6, "{}", sum.mean);
    }

    #[test]
    fn latencies_after_the_last_whole_step_count_in_the_mean_of_the_jobs() {
        let job = |number: u64| {
            let ns = |at: u64| if at > 900 { 100_000 * number } else { 1_000 * number };
            let lines = (1..=990).map(|at| format!("{}, {}, 0, 4096\n", at * 10, ns(at)));
            track(FioLogKind::Latency, &lines.collect::<String>())
        };
        let (one, two) = (job(1), job(2));
        let mean = latency_over_jobs(&[(&one, None), (&two, None)]).unwrap();
        assert!((mean_of(&one) - 10_000.0).abs() < 1e-6 && (mean_of(&two) - 20_000.0).abs() < 1e-6);
        assert!((mean.mean - 15_000.0).abs() < 1e-6, "{}", mean.mean);
        assert_eq!(mean.extremes(), Some((1_000.0, 200_000.0)));
        assert!(mean.points.iter().all(|point| point.range.is_none()), "a chart has the mean alone");
        // Windows: their I/Os are rate times time, also of the last part.
        let (fast, slow) = (
            rising(FioLogKind::Latency, 89, 80, (100, 1_000)),
            rising(FioLogKind::Latency, 89, 89, (100, 100)),
        );
        let (many, few) =
            (rising(FioLogKind::Iops, 89, 89, (900, 900)), rising(FioLogKind::Iops, 89, 89, (100, 100)));
        let by_ios = latency_over_jobs(&[(&fast, Some(&many)), (&slow, Some(&few))]).unwrap();
        let exact = (0.9 * (80.0 * 100.0 + 9.0 * 1_000.0) + 0.1 * 89.0 * 100.0) / 89.0;
        assert!((by_ios.mean - exact).abs() < 1e-6, "{} {exact}", by_ios.mean);
    }
}
