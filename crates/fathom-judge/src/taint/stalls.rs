//! Seconds in which nothing completed.
//!
//! Each worker is judged alone first. Where other workers of the same target completed I/Os in these seconds, the target did not
//! stand still: it served some workers and let others wait. The rates of the job are true then, so that weighs less.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_job::direction::Direction;
use fathom_job::plan::Rate;
use fathom_results::finding::{StallCause, StallEvidence};
use fathom_results::{Evidence, Halt, JobRecord, JobResult, Phase, SeriesPoint, Weight};

/// The code of the rule.
pub(crate) const STALLS: &str = "stalls";

pub(super) const RULE: TaintRule = TaintRule { code: STALLS, weight: Weight::Medium, check };

const SECOND: u64 = 1_000_000_000;
/// A window shorter than this is the last one, cut by the end of the job.
const WINDOW_NS_MIN: u64 = SECOND / 2;
/// I/Os a second below which a second may be empty by chance alone, with the gaps of a Poisson
/// process: at 20 a second, one second in 500 million is empty.
const RARE: u64 = 20;
/// I/Os that are in flight together may complete together. Then nothing completes for one latency;
/// nothing for two latencies means a stall.
const LATENCIES: f64 = 2.0;
/// A worker stuck in one I/O closes the windows that it missed as one: this
/// long, it missed at least one.
const WINDOW_NS_STUCK: u64 = 19 * SECOND / 10;

/// Standing still for this share of the time decides what the mean is, so it is told before all that matters less. A mean
/// over the rest of the time would be higher by a ninth.
const SHARE_MAX: f64 = 0.1;

/// A window of another worker that lies within a stall by less than this share is that before or after it.
const EDGE: f64 = 0.1;

fn check(case: &Case<'_>) -> Option<Found> {
    let steady = case.run.jobs.iter().filter(|job| !is_meant_to_pause(&job.planned));
    let workers: Vec<StallEvidence> = steady.filter_map(|job| stalls(job, case)).collect();
    let share = |it: &StallEvidence| it.seconds / it.of_seconds.max(f64::MIN_POSITIVE);
    let still = || workers.iter().filter(|it| it.cause() != StallCause::UnequalService);
    let weight = match (still().next().is_some(), still().any(|it| share(it) >= SHARE_MAX)) {
        (_, true) => Weight::Low,
        (true, false) => RULE.weight,
        (false, false) => Weight::Aside,
    };
    let found = Found::where_any(workers, |workers| Evidence::Stalls { workers })?;
    Some(if weight == RULE.weight { found } else { found.weighing(weight) })
}

/// May a second pass without an I/O because the job was asked to do so?
fn is_meant_to_pause(planned: &JobRecord) -> bool {
    let pace = &planned.pace;
    let pauses = pace.think.is_some_and(|think| think.pause.0 >= WINDOW_NS_MIN);
    let is_rare = |rate| match rate {
        Rate::Ios(ios) => ios < RARE,
        Rate::Bytes(bytes) => bytes < RARE * planned.block_max().0,
    };
    let rates = || Direction::ALL.into_iter().filter_map(|d| pace.rate[d]);
    pauses || pace.flow.is_some() || rates().any(is_rare)
}

/// The stalls of a worker; `None` where it had none.
fn stalls(job: &JobResult, case: &Case<'_>) -> Option<StallEvidence> {
    let usual = Usual::of(job);
    let broken: Vec<Stretch> = stretches(job, &case.run.record.self_knowledge.halts)
        .into_iter()
        .filter(|stretch| usual.is_broken_by(stretch.seconds))
        .collect();
    let others: Vec<&JobResult> = if broken.is_empty() { Vec::new() } else { others(job, case) };
    // The time in which no other worker of the target completed anything either.
    let of_target = broken.iter().map(|stretch| stretch.seconds - stretch.served_s(&others));
    let of_target: Vec<f64> = of_target.filter(|seconds| usual.is_broken_by(*seconds)).collect();
    let others_go_on = of_target.is_empty();
    let lengths =
        if others_go_on { broken.iter().map(|stretch| stretch.seconds).collect() } else { of_target };
    let longest_s = lengths.iter().copied().reduce(f64::max)?;
    // Without latencies the target is assumed to be the cause.
    let slowest = slowest_ns(job).map_or(longest_s, |ns| ns as f64 / 1e9);
    let measured = job.series.iter().filter(|point| point.phase == Phase::Measure);
    Some(StallEvidence {
        worker: format!("{}.{}", job.planned.name, job.planned.subjob),
        longest_s,
        times: lengths.len() as u64,
        seconds: lengths.iter().sum(),
        of_seconds: measured.map(|point| point.end_ns - point.start_ns).sum::<u64>() as f64 / 1e9,
        is_target: slowest >= longest_s / 2.0,
        others_go_on,
    })
}

/// The other workers that share a target with this one.
fn others<'a>(job: &JobResult, case: &Case<'a>) -> Vec<&'a JobResult> {
    let has = |path: &str, of: &JobResult| of.planned.files.iter().any(|file| file.path == path);
    let shares = |other: &JobResult| {
        let paths = job.planned.files.iter().map(|file| file.path.as_str());
        paths.filter(|path| !path.is_empty()).any(|path| has(path, other))
    };
    let is_self = |other: &JobResult| {
        (&other.planned.name, other.planned.subjob) == (&job.planned.name, job.planned.subjob)
    };
    case.run.jobs.iter().filter(|other| !is_self(other) && shares(other)).collect()
}

/// What a job does while it does not stand still.
struct Usual {
    /// I/Os a second in the windows that have some.
    iops: f64,
    /// Mean latency, seconds; 0 where it was not kept.
    latency: f64,
}

impl Usual {
    fn of(job: &JobResult) -> Self {
        let busy = job.series.iter().filter(|point| point.phase == Phase::Measure && ios(point) > 0);
        let (n, ns) =
            busy.fold((0, 0), |(n, ns), point| (n + ios(point), ns + point.end_ns - point.start_ns));
        let latencies = || job.totals.directions.iter().map(|(_, flow)| &flow.total.moments);
        let (sum, kept) = latencies().fold((0, 0), |(sum, n), one| (sum + one.sum(), n + one.count()));
        Usual { iops: n as f64 * 1e9 / ns.max(1) as f64, latency: sum as f64 / 1e9 / kept.max(1) as f64 }
    }

    /// Is a gap of that many seconds longer than the time between two completions explains, whether
    /// I/Os complete one by one or all at once?
    fn is_broken_by(&self, seconds: f64) -> bool {
        seconds * self.iops >= RARE as f64 && seconds > LATENCIES * self.latency
    }
}

fn ios(point: &SeriesPoint) -> u64 {
    point.ios.iter().map(|(_, ios)| *ios).sum()
}

/// A time in which a worker completed nothing.
struct Stretch {
    from_ns: u64,
    to_ns: u64,
    /// Its length without the time in which fathom did not run.
    seconds: f64,
}

impl Stretch {
    /// How much of it lies in windows in which these workers completed I/Os, seconds.
    fn served_s(&self, others: &[&JobResult]) -> f64 {
        let mut served: Vec<(u64, u64)> = others.iter().flat_map(|other| self.served_by(other)).collect();
        served.sort_unstable();
        let mut until = self.from_ns;
        let mut sum = 0;
        for (from, to) in served {
            sum += to.saturating_sub(from.max(until));
            until = until.max(to);
        }
        sum as f64 / 1e9
    }

    /// The windows of a worker in which it completed I/Os, as far as they lie within.
    fn served_by(&self, other: &JobResult) -> Vec<(u64, u64)> {
        let slow = slowest_ns(other).unwrap_or(0);
        let first = other.series.partition_point(|point| point.end_ns <= self.from_ns);
        let within = other.series[first..].iter().take_while(|point| point.start_ns < self.to_ns);
        let serves = within.filter(|point| ios(point) > 0 && !is_still(point, slow));
        let parts =
            serves.map(|point| (point, point.start_ns.max(self.from_ns), point.end_ns.min(self.to_ns)));
        // The windows of two workers do not begin in the same moment.
        let counts = |(point, from, to): &(&SeriesPoint, u64, u64)| {
            (to - from) as f64 > EDGE * (point.end_ns - point.start_ns) as f64
        };
        parts.filter(counts).map(|(_, from, to)| (from, to)).collect()
    }
}

/// The times without a completion in which fathom ran.
fn stretches(job: &JobResult, halts: &[Halt]) -> Vec<Stretch> {
    let slow = slowest_ns(job).unwrap_or(0);
    let measured: Vec<&SeriesPoint> =
        job.series.iter().filter(|point| point.phase == Phase::Measure).collect();
    let same = |a: &&SeriesPoint, b: &&SeriesPoint| is_still(a, slow) == is_still(b, slow);
    let still = measured.chunk_by(same).filter(|points| is_still(points[0], slow));
    let running_ns = |point: &&SeriesPoint| {
        let halted: u64 = halts.iter().map(|halt| halt.within_ns(point.start_ns, point.end_ns)).sum();
        (point.end_ns - point.start_ns).saturating_sub(halted)
    };
    let stretch = |points: &[&SeriesPoint]| Stretch {
        from_ns: points[0].start_ns,
        to_ns: points[points.len() - 1].end_ns,
        seconds: points.iter().map(running_ns).sum::<u64>() as f64 / 1e9,
    };
    still.map(stretch).collect()
}

fn slowest_ns(job: &JobResult) -> Option<u64> {
    job.totals.directions.iter().filter_map(|(_, flow)| flow.slowest_ns()).max()
}

fn is_still(point: &SeriesPoint, slowest_ns: u64) -> bool {
    let length = point.end_ns - point.start_ns;
    let empty = ios(point) == 0;
    let window = length / u64::from(point.windows.max(1));
    (empty && length >= WINDOW_NS_MIN) || (window >= WINDOW_NS_STUCK && slowest_ns >= SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const FLOW: DirectionLoad = DirectionLoad::reads(1_000, 4096, 100_000);
    const SLOW: DirectionLoad = DirectionLoad::reads(1, 4096, 2_500_000_000);

    fn found(windows: &[(u64, &[DirectionLoad])]) -> Option<Found> {
        found_at("", windows)
    }

    fn found_at(pace: &str, windows: &[(u64, &[DirectionLoad])]) -> Option<Found> {
        let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f {pace}");
        let mut scene = RunBuilder::of(job.trim_end()).seconds(0, 3, &[FLOW]);
        for (ms, flows) in windows {
            scene = scene.window(0, Phase::Measure, ms * 1_000_000, flows);
        }
        let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &surrounds))
    }

    #[test]
    fn empty_seconds_and_stuck_ones() {
        assert_eq!(
            found(&[(1_000, &[]), (1_000, &[FLOW])]).unwrap().evidence(),
            "t.0: up to 1.0 s at a time, seen 1 ×"
        );
        assert!(found(&[(3_000, &[FLOW, SLOW])]).unwrap().evidence().contains("up to 3.0 s"));
    }

    /// Thirteen of twenty seconds, and one of sixty.
    #[test]
    fn a_long_stall_is_told_with_its_length_and_before_lesser_reasons() {
        let late = DirectionLoad::reads(1, 4096, 13_000_000_000);
        let long = found(&[
            (13_000, &[]),
            (1_000, &[FLOW, late]),
            (1_000, &[FLOW]),
            (1_000, &[FLOW]),
            (1_000, &[FLOW]),
        ])
        .unwrap();
        assert_eq!(long.weight, Some(Weight::Low));
        let said = "the target stood still for 13.0 of 20.0 s: a mean over that time says little";
        assert_eq!(long.claim(), said);
        let (flow, none): (&[DirectionLoad], &[DirectionLoad]) = (&[FLOW], &[]);
        let mut seconds = vec![(1_000, flow); 56];
        seconds[0].1 = none;
        let short = found(&seconds).unwrap();
        assert_eq!(short.weight, None);
        assert!(short.claim().contains("for a while"), "{}", short.claim());
    }

    #[test]
    fn a_gap_without_an_io_in_flight_is_not_the_targets() {
        // At 1,000 I/Os a second of 100 µs, two seconds are empty.
        let own = found(&[(2_000, &[]), (1_000, &[FLOW])]).unwrap();
        assert!(own.claim().contains("fathom itself stood still"), "{}", own.claim());
        let late = DirectionLoad::reads(1, 4096, 2_000_000_000);
        let targets = found(&[(2_000, &[]), (1_000, &[FLOW, late])]).unwrap();
        assert!(targets.claim().starts_with("the target stood still"), "{}", targets.claim());
    }

    /// Two workers, each with its windows of a second: the number of I/Os, and the slowest of them in seconds.
    fn found_of(paths: [&str; 2], windows: [&[(u64, u64)]; 2]) -> Option<Found> {
        let job = |path: &str| format!("rw=randread\nbs=4k\nioengine=psync\nfilename={path}\n");
        let text = format!("[a]\n{}[b]\n{}", job(paths[0]), job(paths[1]));
        let mut scene = RunBuilder::text(&text);
        for (worker, windows) in windows.into_iter().enumerate() {
            for (ios, slowest_s) in windows {
                let mut flows = vec![DirectionLoad::reads(*ios, 4096, 100_000); usize::from(*ios > 0)];
                let slow = DirectionLoad::reads(1, 4096, slowest_s * SECOND);
                flows.extend((*slowest_s > 0).then_some(slow));
                scene = scene.window(worker, Phase::Measure, SECOND, &flows);
            }
        }
        let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &surrounds))
    }

    #[test]
    fn a_target_that_serves_others_does_not_stand_still() {
        let (busy, waits) =
            ([(1_000, 0); 12], [[(1_000, 0); 4].as_slice(), &[(0, 0); 7], &[(1_000, 7)]].concat());
        let one = found_of(["/data/f", "/data/f"], [&busy, &waits]).unwrap();
        assert_eq!(one.weight, Some(Weight::Aside), "the rate of both together is true");
        assert!(
            one.claim().starts_with("the target served some workers and let others wait"),
            "{}",
            one.claim()
        );
        assert_eq!(one.evidence(), "b.0: up to 7.0 s at a time, seen 1 ×, while others went on");
        // Another target says nothing of this one.
        let apart = found_of(["/data/f", "/data/g"], [&busy, &waits]).unwrap();
        assert_eq!(apart.weight, Some(Weight::Low));
        assert!(apart.claim().starts_with("the target stood still for 7.0 of 12.0 s"), "{}", apart.claim());
        // It stood still for the two seconds in which neither completed anything.
        let both = [[(1_000, 0); 6].as_slice(), &[(0, 0); 2], &[(1_000, 2)], &[(1_000, 0); 3]].concat();
        let part = found_of(["/data/f", "/data/f"], [&both, &waits]).unwrap();
        assert!(part.claim().starts_with("the target stood still for 2.0 of 12.0 s"), "{}", part.claim());
        let items = "a.0: up to 2.0 s at a time, seen 1 ×; b.0: up to 2.0 s at a time, seen 1 ×";
        assert_eq!((part.weight, part.evidence().as_str()), (Some(Weight::Low), items));
    }

    #[test]
    fn a_pause_that_was_asked_for_is_no_stall() {
        let empty: &[(u64, &[DirectionLoad])] = &[(1_000, &[]), (1_000, &[FLOW])];
        for pace in ["thinktime=2s", "rate_iops=5", "rate=8k"] {
            assert_eq!(found_at(pace, empty), None, "{pace}");
        }
        for pace in ["thinktime=10ms", "rate_iops=500", "rate=8m"] {
            assert!(found_at(pace, empty).is_some(), "{pace}");
        }
    }

    #[test]
    fn steady_windows_and_a_short_last_one() {
        assert_eq!(found(&[(1_000, &[FLOW]), (80, &[])]), None);
        assert_eq!(found(&[(2_000, &[FLOW])]), None, "a late reader of windows is not a stall");
    }

    #[test]
    fn seconds_that_are_empty_by_arithmetic_are_no_stall() {
        const BLOCK: u64 = 64 << 20;
        // 20 MB/s: an I/O of 64 MiB every 3.4 s, one at a time or four.
        let found = |engine: &str, latency_ns: u64, windows: &[(u64, u64)]| {
            let job = format!("rw=read bs=64m direct=1 {engine} filename=/data/f");
            let scene = windows.iter().fold(RunBuilder::of(&job), |scene, (ms, ios)| {
                let flows = vec![DirectionLoad::reads(*ios, BLOCK, latency_ns); usize::from(*ios > 0)];
                scene.window(0, Phase::Measure, ms * 1_000_000, &flows)
            });
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            check(&Case::new(&run, &surrounds)).is_some()
        };
        assert!(!found("ioengine=psync", 3_355_000_000, &[(4_000, 1); 5]));
        let one_in_four: Vec<(u64, u64)> = (0..20).map(|n| (1_000, u64::from(n % 4 == 3))).collect();
        assert!(!found("ioengine=libaio iodepth=4", 13_400_000_000, &one_in_four));
        // 2 GB/s: 30 I/Os a second, and then none.
        let mut fast = [(1_000, 30); 8];
        fast[4].1 = 0;
        assert!(found("ioengine=libaio iodepth=4", 130_000_000, &fast));
    }

    #[test]
    fn queues_that_complete_all_at_once_have_gaps() {
        let found = |latency_ns: u64| {
            let job = "rw=randread bs=1m ioengine=libaio iodepth=256 direct=1 filename=/data/f";
            let flow = DirectionLoad::reads(256, 1 << 20, latency_ns);
            let scene =
                (0..4).fold(RunBuilder::of(job), |scene, _| scene.seconds(0, 1, &[flow]).seconds(0, 1, &[]));
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            check(&Case::new(&run, &surrounds)).is_some()
        };
        assert_eq!((found(2_000_000_000), found(100_000_000)), (false, true));
    }
}
