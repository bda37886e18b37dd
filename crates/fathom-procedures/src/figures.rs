//! The figures of a round that decide the next step.

use fathom_figures::metric::{METRICS, Metric};
use fathom_figures::sampled::{Sampled, SampledSpan};
use fathom_figures::workload::sizes_and_depth;
use fathom_figures::{DirectionFigures, RateFall, Whole};
use fathom_job::direction::Direction;
use fathom_job::plan::Depth;
use fathom_judge::Cell;
use fathom_judge::Surrounds;
use fathom_judge::Witness;
use fathom_results::procedure::{
    AskedRate, DeviceCounts, FallFigures, RoundFigures, SyncFigures, UnreachedDepth,
};
use fathom_results::{DirectionTotals, Latency, RunResult, has_too_few, mean_of_enough};

/// The figures of each job of a round, its clones added up.
pub fn round_figures(run: &RunResult) -> Vec<RoundFigures> {
    let (cells, surrounds) = (Cell::all(run), Surrounds::of(run));
    let (witnesses, _) = Witness::call(run, &surrounds, &cells);
    let sampled = Sampled::of(run);
    let with_counts = |job: &Cell<'_>| RoundFigures {
        fall: fall(job).map(FallFigures::from),
        device: device(job, &witnesses),
        all_cpus_percent: sampled
            .as_ref()
            .and_then(|sampled| busy(&sampled.of_job(job.members.first()?)?, cpu_percent(job))),
        ..figures(job)
    };
    cells.iter().map(with_counts).collect()
}

/// The fall of the rate of this job.
fn fall(job: &Cell<'_>) -> Option<RateFall> {
    job.rate_fall().filter(|_| job.has_target())
}

/// What the kernel counted on the disks of this job, where no other job used them.
fn device(job: &Cell<'_>, witnesses: &[Witness]) -> Option<DeviceCounts> {
    let witness = witnesses.iter().find(|witness| witness.jobs == [job.planned().id])?;
    let sum = |of: &dyn Fn(Direction) -> u64| Direction::ALL.into_iter().map(of).fold(0, u64::saturating_add);
    Some(DeviceCounts {
        requests: sum(&|direction| witness.requests[direction].kernel),
        bytes: sum(&|direction| witness.kernel[direction]),
    })
}

/// The figures of all jobs of a round together.
pub fn whole_figures(run: &RunResult) -> RoundFigures {
    let whole = Whole::of(run);
    let seconds = whole.measured_ns as f64 / 1e9;
    let of_workers = workers(&Cell::all(run), seconds);
    RoundFigures {
        job: String::new(),
        seconds,
        ios: whole.ios,
        iops: whole.iops(),
        bytes_per_second: whole.bytes_per_second(),
        latency_ns_mean: mean_of_enough(&whole.latency),
        latency_ns_max: whole.latency.max(),
        all_cpus_percent: Sampled::of(run).and_then(|sampled| busy(&sampled.measured(), of_workers)),
        ..RoundFigures::default()
    }
}

/// The kernel counts the time of CPUs in ticks of a hundredth of a second (USER_HZ), each of them whole: what ran at its end has all of
/// it. With fewer ticks than these in all CPUs together, one tick more or less is more than 2 % of the figure.
const TICKS_MIN: f64 = 50.0;

/// Ticks of a CPU in a second.
const USER_HZ: f64 = 100.0;

/// Time in which CPUs worked, per cent of the time of all; at least the time of the workers, which the kernel knows exactly and gives in
/// per cent of one CPU. A CPU that waits for I/O does not work, which is why this is less than the 100 - %idle of a guide (contract
/// I-39): `%idle` of sysstat's programs leaves `%iowait` out.
fn busy(span: &SampledSpan<'_>, workers_percent: Option<f64>) -> Option<f64> {
    let cpus = span.cpus().len() as f64;
    let counted = span.all_cpus().filter(|_| span.seconds * cpus * USER_HZ >= TICKS_MIN)?;
    let busy = counted.busy().max(workers_percent.unwrap_or(0.0) / cpus).min(100.0);
    // What remains of a rounded sum is not CPU time.
    Some(if busy < 1e-9 { 0.0 } else { busy })
}

/// CPU time of the workers of all jobs in the measured time, per cent of one core.
fn workers(cells: &[Cell<'_>], seconds: f64) -> Option<f64> {
    let used = cells.iter().filter(|job| !job.is_simulated()).filter_map(|job| job.worker_cpu_ns());
    (seconds > 0.0).then(|| used.sum::<u64>() as f64 / 1e7 / seconds)
}

fn figures(job: &Cell<'_>) -> RoundFigures {
    let is_response = job.is_paced();
    let all = RoundFigures {
        job: job.name().to_owned(),
        job_number: Some(job.planned().id + 1),
        does: sizes_and_depth(job.planned()),
        ios: job.ios(),
        is_too_short: job.ios() > 0 && job.is_too_short(),
        iops: job.iops(),
        bytes_per_second: job.bytes_per_second(),
        cpu_percent: cpu_percent(job),
        sync: syncs(job),
        directions: directions(job, is_response),
        unreached: unreached(job),
        asked: job.asked_rate().map(|rate| AskedRate { rate, is_kept: job.keeps_its_rate() }),
        ..RoundFigures::default()
    };
    timed(all, &latency(job, is_response), job.seconds(), is_response)
}

/// The depth that the job was to have and cannot.
fn unreached(job: &Cell<'_>) -> Option<UnreachedDepth> {
    let Depth { asked, reachable, .. } = job.planned().depth;
    (reachable < asked).then_some(UnreachedDepth { asked, reachable })
}

/// The figures of each direction, where the job mixes them.
fn directions(job: &Cell<'_>, is_response: bool) -> Vec<RoundFigures> {
    if job.flows().count() < 2 {
        return Vec::new();
    }
    let of = |direction: Direction, totals: &DirectionTotals| {
        let flow = job.flow(direction);
        let all = RoundFigures {
            job: direction.name().to_owned(),
            ios: totals.ios,
            is_too_short: job.is_too_short(),
            iops: flow.iops(),
            bytes_per_second: flow.bytes_per_second(),
            fall: fall(job).map(|fall| fall.of_direction(direction).into()),
            ..RoundFigures::default()
        };
        timed(all, kept(&flow, is_response), job.seconds(), is_response)
    };
    job.flows().map(|(direction, totals)| of(direction, totals)).collect()
}

/// The figures with these latencies and this time.
fn timed(figures: RoundFigures, latency: &Latency, seconds: f64, is_response: bool) -> RoundFigures {
    let moments = &latency.moments;
    let percents = METRICS.iter().filter_map(Metric::percentile);
    let percentiles = percentiles(latency, figures.ios, percents);
    RoundFigures {
        seconds,
        latency_ns_mean: mean_of_enough(moments),
        latency_percentiles: percentiles.into_iter().collect(),
        latency_ns_min: moments.min(),
        latency_ns_max: moments.max(),
        is_response,
        ..figures
    }
}

/// These percentiles of the latencies of so many I/Os; none of too few.
fn percentiles(latency: &Latency, ios: u64, percents: impl Iterator<Item = f64>) -> Vec<(f64, u64)> {
    let kept = latency.histogram.as_ref().filter(|_| !has_too_few(ios));
    let of = |percent: f64| Some((percent, kept?.quantile(percent / 100.0)?));
    percents.filter_map(of).collect()
}

/// Adds these percentiles to the figures of a round, from the latencies that its run kept.
pub fn add_percentiles(figures: &mut [RoundFigures], run: &RunResult, percents: &[f64]) {
    let add = |figures: &mut RoundFigures, latency: &Latency| {
        let more = percentiles(latency, figures.ios, percents.iter().copied());
        figures.latency_percentiles.add(more);
    };
    for (job, figures) in Cell::all(run).iter().zip(figures) {
        let is_response = figures.is_response;
        add(figures, &latency(job, is_response));
        for (direction, _) in job.flows() {
            let of_direction = figures.directions.iter_mut().find(|it| it.job == direction.name());
            of_direction.into_iter().for_each(|it| add(it, kept(&job.flow(direction), is_response)));
        }
    }
}

/// The latencies of all I/Os, whatever their direction.
fn latency(job: &Cell<'_>, is_response: bool) -> Latency {
    let mut all = Latency::default();
    job.flows().for_each(|(direction, _)| all.merge(kept(&job.flow(direction), is_response)));
    all
}

/// The latencies of one direction: mean, percentiles and extremes are all of these.
fn kept<'f>(flow: &'f DirectionFigures<'_>, is_response: bool) -> &'f Latency {
    let response = flow.response().filter(|_| is_response);
    response.unwrap_or_else(|| flow.latency())
}

/// The syncs of the job, if it made any.
fn syncs(job: &Cell<'_>) -> Option<SyncFigures> {
    let (moments, kept) = (&job.totals.sync.moments, job.totals.sync.histogram.as_ref());
    (moments.count() > 0).then(|| SyncFigures {
        count: moments.count(),
        ns_mean: mean_of_enough(moments),
        ns_p99: kept.filter(|_| !has_too_few(moments.count())).and_then(|histogram| histogram.quantile(0.99)),
        ns_max: kept.and_then(|histogram| histogram.max()),
    })
}

/// CPU time of the workers, per cent of one core. Where time is virtual, it says nothing.
fn cpu_percent(job: &Cell<'_>) -> Option<f64> {
    let used = job.worker_cpu_ns().filter(|_| !job.is_simulated())?;
    (job.seconds() > 0.0).then(|| used as f64 / 1e7 / job.seconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder, disk};
    use fathom_results::{Phase, Unrated};

    #[test]
    fn mean_and_percentiles_are_of_all_directions() {
        // Two slow writes in a hundred I/Os: the percentile of the reads alone would not show them.
        let mix = [DirectionLoad::reads(98, 4096, 100_000), DirectionLoad::writes(2, 4096, 9_000_000)];
        let scene = RunBuilder::of("rw=randrw bs=4k ioengine=psync direct=1 filename=/data/f");
        let figures = round_figures(&scene.seconds(0, 10, &mix).run()).remove(0);
        assert_eq!(figures.latency_ns_mean, Some(0.98 * 100_000.0 + 0.02 * 9_000_000.0));
        let p99 = figures.latency_percentiles.get(99.0).unwrap();
        assert!((8_900_000..=9_100_000).contains(&p99), "{p99}");
    }

    #[test]
    fn mean_and_extremes_are_of_the_latency_that_percentiles_are_of() {
        let scene = RunBuilder::of("rw=randread bs=4k ioengine=psync direct=1 filename=/data/f");
        let mut run = scene.seconds(0, 10, &[DirectionLoad::reads(100, 4096, 100_000)]).run();
        let totals = &mut run.jobs[0].totals.directions[Direction::Read];
        let histogram =
            [&totals.completion, &totals.total].into_iter().find_map(|kept| kept.histogram.clone());
        totals.completion = Latency { moments: totals.total.moments, histogram };
        totals.total = Latency::default();
        let figures = round_figures(&run).remove(0);
        assert_eq!((figures.latency_ns_mean, figures.latency_ns_max), (Some(100_000.0), Some(100_000)));
    }

    #[test]
    fn directions_of_a_rate_that_fell_have_rates_that_last() {
        let mix = |reads, writes| {
            [DirectionLoad::reads(reads, 4096, 9_000), DirectionLoad::writes(writes, 4096, 9_000)]
        };
        let scene = RunBuilder::of("rw=randrw bs=4k ioengine=psync direct=1 filename=/data/f");
        let scene = scene.seconds(0, 12, &mix(7_000, 3_000)).seconds(0, 12, &mix(700, 300));
        let figures = round_figures(&scene.run()).remove(0);
        let last: Vec<_> = figures.directions.iter().map(RoundFigures::lasting_rate).collect();
        assert_eq!((figures.lasting_rate(), last), (Some(1_000.0), vec![Some(700.0), Some(300.0)]));
        assert_eq!(figures.directions[0].iops, 3_850.0, "the mean of two rates");
    }

    #[test]
    fn a_job_behind_clones_has_its_number_in_the_run() {
        let text =
            "[global]\nioengine=sim\nfilename=sim:disk\nrw=randread\nbs=4k\n[a]\nnumjobs=2\n[b]\n[a]\n";
        let reads = [DirectionLoad::reads(100, 4096, 100_000)];
        let run = (0..4).fold(RunBuilder::text(text), |run, job| run.seconds(job, 5, &reads)).run();
        let of = |it: &RoundFigures| (it.job.clone(), it.job_number.unwrap(), it.ios);
        let expected = [("a", 1, 1_000), ("b", 3, 500), ("a", 4, 500)];
        let expected = expected.map(|(job, number, ios)| (job.to_owned(), number, ios));
        assert_eq!(round_figures(&run).iter().map(of).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn few_ios_are_a_number_and_no_figure() {
        let scene = || RunBuilder::of("rw=randread bs=4k ioengine=psync direct=1 filename=/data/f");
        let of = |ios| {
            round_figures(&scene().seconds(0, 1, &[DirectionLoad::reads(ios, 4096, 100_000)]).run()).remove(0)
        };
        let (few, enough) = (of(9), of(10));
        assert_eq!((few.unrated(), few.ios, few.rate()), (Some(Unrated::TooFew), 9, None));
        assert_eq!((few.latency_ns_mean, few.latency_percentiles.get(99.0)), (None, None));
        assert_eq!((few.latency_ns_min, few.latency_ns_max), (Some(100_000), Some(100_000)));
        assert_eq!((enough.rate(), enough.latency_ns_mean), (Some(10.0), Some(100_000.0)));
        assert!(enough.latency_percentiles.get(99.0).is_some());
    }

    #[test]
    fn counts_of_the_disk_belong_to_the_only_job_on_it() {
        let reads = DirectionLoad::reads(2_560, 4096, 1_000);
        let scene = |text: &str| RunBuilder::text(text).all(5, reads).disk(disk("sda", 1_121 * 4096, 0));
        let one = "[a]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n";
        let counted = round_figures(&scene(one).run()).remove(0).device.unwrap();
        assert_eq!(counted.bytes, 1_121 * 4096);
        let two = round_figures(
            &scene(&format!("{one}[b]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n")).run(),
        );
        assert_eq!((two.len(), two[0].device), (2, None));
    }

    /// I-39: the ramp does not count, and a CPU that waits for I/O does not work.
    #[test]
    fn the_use_of_all_cpus_is_that_of_the_measured_window() {
        let reads = DirectionLoad::reads(1_000, 4096, 100_000);
        let scene = RunBuilder::of("rw=read bs=4k ioengine=psync filename=/data/f");
        let mut scene = scene.ramp(0, 1, DirectionLoad::reads(10, 4096, 100_000)).seconds(0, 2, &[reads]);
        for (second, user) in [(0_u64, 60), (1, 20), (2, 30)] {
            let (begin, end) = (second * 1_000_000_000, (second + 1) * 1_000_000_000);
            let cpus: [(&str, &str, &[u64]); 2] = [
                ("cpu", "0", &[user, 0, 10, 70 - user, 20, 0, 0, 0, 0, 0]),
                ("cpu", "1", &[0, 0, 0, 100, 0, 0, 0, 0, 0, 0]),
            ];
            scene = scene.sampled(begin, end, &cpus);
        }
        let run = scene.run();
        let of_job = round_figures(&run)[0].all_cpus_percent.unwrap();
        // 30 and 40 ticks of work among 200 each second, and 20 of waiting.
        assert!((of_job - 17.5).abs() < 1e-9, "{of_job}");
        assert_eq!(whole_figures(&run).all_cpus_percent, Some(of_job));
    }

    /// The figures of a job that reads in windows of this length, on two CPUs whose ticks are these.
    fn all_cpus(window_ms: u64, cpus: [&[u64]; 2], user: f64) -> (Option<f64>, Option<f64>) {
        let reads = DirectionLoad::reads(1_000, 4096, 100_000);
        let end_ns = window_ms * 1_000_000;
        let ticks: [(&str, &str, &[u64]); 2] = [("cpu", "0", cpus[0]), ("cpu", "1", cpus[1])];
        let scene = RunBuilder::of("rw=read bs=4k ioengine=psync filename=/data/f");
        let scene = scene.window(0, Phase::Measure, end_ns, &[reads]).cpu(0, user, 0.0);
        let run = scene.sampled(0, end_ns, &ticks).run();
        (round_figures(&run)[0].all_cpus_percent, whole_figures(&run).all_cpus_percent)
    }

    const IDLE: [&[u64]; 2] = [&[0, 0, 0, 100, 0, 0, 0, 0, 0, 0], &[0, 0, 0, 100, 0, 0, 0, 0, 0, 0]];

    #[test]
    fn a_few_ticks_are_no_figure() {
        let short: [&[u64]; 2] = [&[1, 0, 0, 1, 0, 0, 0, 0, 0, 0], &[0, 0, 0, 2, 0, 0, 0, 0, 0, 0]];
        assert_eq!(all_cpus(20, short, 0.0), (None, None));
        assert_eq!(all_cpus(1_000, IDLE, 0.0), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn all_cpus_worked_at_least_as_long_as_the_workers() {
        let (of_job, of_whole) = all_cpus(1_000, IDLE, 0.2);
        let near = |percent: Option<f64>| (percent.unwrap() - 10.0).abs() < 0.1;
        assert!(near(of_job) && near(of_whole), "{of_job:?} {of_whole:?}");
    }
}
