//! What a job reports, against what is known beforehand: the latencies of an
//! oracle, in virtual time, where every stamp can be calculated.

use crate::support::{Heard, run};
use fathom_engine::engine::oracle::{Latencies, Spec};
use fathom_engine::log::LogKind;
use fathom_job::direction::Direction::Read;
use fathom_results::{EndedBy, JobTotals, Phase};
use fathom_stats::{Histogram, Moments};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const SECOND: u64 = 1_000_000_000;

/// Percent times 1000: the percentiles of fio's list, every whole one, and some above 99.
fn percentiles() -> impl Iterator<Item = u64> {
    (1..100).map(|percent| percent * 1000).chain([100, 500, 99_500, 99_900, 99_950, 99_990, 99_999, 100_000])
}

/// The bound that the documentation states for percentiles.
const ERROR_MAX: f64 = 0.004;

/// Compares every percentile with the order statistic of rank ⌈q·n⌉ of the
/// exact values.
fn assert_percentiles(name: &str, got: &Histogram, exact: &mut [u64]) {
    exact.sort_unstable();
    assert_eq!(got.count(), exact.len() as u64, "{name}: count");
    for q in percentiles() {
        let rank = (exact.len() as u64 * q).div_ceil(100_000).max(1);
        let exact = exact[rank as usize - 1];
        let got = got.quantile(q as f64 / 100_000.0).expect("it is not empty");
        let error = got.abs_diff(exact) as f64;
        assert!(error <= exact as f64 * ERROR_MAX, "{name}: p{q}/1000 is {got}, should be {exact}");
    }
}

/// Count, minimum, maximum and sum, all exact.
fn assert_moments(name: &str, got: &Moments, exact: &[u64]) {
    let sum: u128 = exact.iter().map(|&ns| u128::from(ns)).sum();
    assert_eq!(
        (got.count(), got.min(), got.max(), got.sum()),
        (exact.len() as u64, exact.iter().min().copied(), exact.iter().max().copied(), sum),
        "{name}"
    );
}

/// Totals of a job that ended by the expected rule.
fn totals(heard: &Heard, ended_by: EndedBy) -> JobTotals {
    assert_eq!((heard.outcome(0).failure.clone(), heard.outcome(0).ended_by), (None, ended_by));
    heard.totals(0)
}

#[test]
fn every_percentile_is_the_order_statistic_of_what_was_injected() {
    const IOS: usize = 120_000;
    for latency in ["constant:100us", "bimodal:80us:2ms:1%", "pareto:50us:1.5", "lognormal:80us:0.8"] {
        for depth in [1, 16] {
            let heard = run(&format!(
                "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency={latency}\nrandseed=42\nrw=randread\n\
                 bs=4k\nsize=1g\nnorandommap\niodepth={depth}\nnumber_ios={IOS}\n"
            ));
            let spec: Spec = latency.parse().unwrap();
            let mut exact: Vec<u64> = Latencies::new(&spec, 42).take(IOS).collect();
            let reads = &totals(&heard, EndedBy::Ios).directions[Read];
            for (figure, got) in [("lat", &reads.total), ("clat", &reads.completion)] {
                let name = format!("{figure} of {latency} at depth {depth}");
                assert_moments(&name, &got.moments, &exact);
                assert_percentiles(&name, got.histogram.as_ref().expect("it is kept"), &mut exact);
            }
            assert_eq!(
                reads.submission.moments.max(),
                Some(0),
                "no time passes between taking and submitting"
            );
        }
    }
}

#[test]
fn throughput_and_length_follow_from_the_latency() {
    for (depth, ios) in [(1, 10_000), (16, 160_000)] {
        let heard = run(&format!(
            "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:100us\nrw=read\nsize=1g\n\
             iodepth={depth}\ntime_based\nruntime=1s\n"
        ));
        let (from, to) = heard.outcome(0).measured_ns.unwrap();
        assert_eq!((heard.moved(0, Read), to - from), ((ios, ios * 4096), SECOND), "depth {depth}");
    }
}

/// I/Os that complete in `window` at `depth`, in theory and without an engine: each
/// slot goes on with the next latency as soon as it is free.
fn completed(latencies: &mut Latencies, depth: usize, window: (u64, u64)) -> f64 {
    let mut places: BinaryHeap<Reverse<u64>> = latencies.take(depth).map(Reverse).collect();
    let mut count = 0;
    while let Some(Reverse(end)) = places.pop() {
        if end > window.1 {
            break;
        }
        count += u64::from(end > window.0);
        places.push(Reverse(end + latencies.next().unwrap_or(0)));
    }
    count as f64
}

/// IOPS in theory at a depth: for a queue its own rate, for others depth / mean.
type Theory = fn(f64) -> f64;

const LATENCIES: [(&str, Theory); 3] = [
    ("queue:10us", |_| 100_000.0),
    ("constant:100us", |depth| depth / 100e-6),
    ("bimodal:80us:2ms:1%", |depth| depth / (0.99 * 80e-6 + 0.01 * 2e-3)),
];

/// The largest depth takes a million I/Os, and is tried with one latency only.
const DEPTHS: [u32; 4] = [1, 32, 256, 1024];

#[test]
fn throughput_has_no_edges_at_any_depth_with_or_without_a_ramp() {
    for (latency, iops) in LATENCIES {
        for depth in DEPTHS.into_iter().filter(|&depth| depth < 1024 || latency.starts_with("constant")) {
            let theory = iops(f64::from(depth));
            // A thousand I/Os for each slot, and 10^5 at least.
            let us = (1e6 * f64::from(depth * 1000).max(1e5) / theory) as u64;
            for ramp_us in [0, us / 3] {
                assert_throughput(latency, theory, depth, (ramp_us, us));
            }
        }
    }
}

fn assert_throughput(latency: &str, theory: f64, depth: u32, (ramp_us, us): (u64, u64)) {
    let heard = run(&format!(
        "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency={latency}\nrandseed=42\nrw=randread\nbs=4k\n\
         size=1g\nnorandommap\niodepth={depth}\ntime_based\nramp_time={ramp_us}us\nruntime={us}us\n"
    ));
    let reads = &totals(&heard, EndedBy::Time).directions[Read];
    let (from, to) = heard.outcome(0).measured_ns.unwrap();
    let name = format!("{latency} at depth {depth} after a ramp of {ramp_us} us");
    assert_eq!(to - from, us * 1000, "{name}");
    let seconds = us as f64 / 1e6;
    let spec: Spec = latency.parse().unwrap();
    let exact = match spec {
        // The draws of this seed are used, so that chance does not add to the error.
        Spec::Bimodal { .. } => {
            let window = (ramp_us * 1000, (ramp_us + us) * 1000);
            completed(&mut Latencies::new(&spec, 42), depth as usize, window) / seconds
        }
        _ => theory,
    };
    let got = reads.ios as f64 / seconds;
    assert!((got / exact - 1.0).abs() <= 0.001, "{name}: {got:.0} IOPS, in theory {exact:.0}");
    assert!((exact / theory - 1.0).abs() <= 0.02, "{name}: the draws are what was asked for");
}

/// A device that does `depth` I/Os at a time and stops for a while.
struct Device {
    depth: usize,
    latency_ns: u64,
    stall_ns: std::ops::Range<u64>,
}

/// Latencies from the intended start and from the real one.
#[derive(Default)]
struct Waits {
    response: Vec<u64>,
    service: Vec<u64>,
    ends: Vec<u64>,
}

impl Device {
    /// First come, first served: an arrival starts when one of the slots is
    /// free.
    fn serve(&self, arrivals: impl Iterator<Item = u64>) -> Waits {
        let mut waits = Waits::default();
        let mut free: BinaryHeap<Reverse<u64>> = (0..self.depth).map(|_| Reverse(0)).collect();
        for arrival in arrivals {
            let Some(Reverse(place)) = free.pop() else { unreachable!("there is a place") };
            let start = place.max(arrival);
            let mut end = start + self.latency_ns;
            if self.stall_ns.contains(&end) {
                end = self.stall_ns.end;
            }
            free.push(Reverse(end));
            waits.response.push(end - arrival);
            waits.service.push(end - start);
            waits.ends.push(end);
        }
        waits
    }
}

const RATE: u64 = 10_000;
const RUN_SECONDS: u64 = 6;

/// A job of 10,000 I/Os a second on a device with that stall.
fn stalled(depth: usize, stall: &str) -> Heard {
    run(&format!(
        "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:100us\noracle_stall={stall}\n\
         rw=randread\nbs=4k\nsize=1g\nnorandommap\niodepth={depth}\nrate_iops={RATE}\ntime_based\n\
         runtime={RUN_SECONDS}s\n"
    ))
}

fn arrivals() -> impl Iterator<Item = u64> {
    (0..RUN_SECONDS * RATE).map(|k| k * SECOND / RATE)
}

#[test]
fn a_stall_under_a_fixed_rate_is_what_theory_says() {
    for depth in [2, 16] {
        let heard = stalled(depth, "2s:1s");
        let device = Device { depth, latency_ns: 100_000, stall_ns: 2 * SECOND..3 * SECOND };
        let mut exact = device.serve(arrivals());
        let reads = &totals(&heard, EndedBy::Time).directions[Read];
        let response = reads.response.histogram.as_ref().expect("a paced job has responses");
        let service = reads.total.histogram.as_ref().expect("it is kept");
        assert_moments("response", &reads.response.moments, &exact.response);
        assert_moments("service", &reads.total.moments, &exact.service);
        assert_percentiles("response", response, &mut exact.response);
        assert_percentiles("service", service, &mut exact.service);
        // Coordinated omission: a sixth of the I/Os waited, up to a second; the target
        // itself was slow only for as many I/Os as it does at a time.
        let p99 = |histogram: &Histogram| histogram.quantile(0.99).unwrap();
        assert!(p99(service) <= 100_400, "{}", p99(service));
        assert!(p99(response) > 900_000_000, "{}", p99(response));
        let slow = service.count() - service.estimated_below(1_000_000);
        assert_eq!(slow, depth as u64, "slow in service: one for each place");
    }
}

#[test]
fn one_place_that_is_just_fast_enough_never_makes_up_for_the_stall() {
    let heard = stalled(1, "2s:1s");
    let device = Device { depth: 1, latency_ns: 100_000, stall_ns: 2 * SECOND..3 * SECOND };
    let mut exact = device.serve(arrivals());
    // An I/O that was due and was not complete when the time was over is in no figure.
    let complete = exact.ends.iter().filter(|end| **end <= RUN_SECONDS * SECOND).count();
    assert!(complete < exact.ends.len());
    exact.response.truncate(complete);
    let reads = &totals(&heard, EndedBy::Time).directions[Read];
    assert_percentiles("response", reads.response.histogram.as_ref().unwrap(), &mut exact.response);
    let last = exact.response.last().copied().unwrap();
    assert!(last >= SECOND, "the last is as late as the stall was long: {last}");
}

#[test]
fn the_series_shows_the_stall_as_windows_of_nothing() {
    let heard = stalled(16, "1900ms:2200ms");
    let device = Device { depth: 16, latency_ns: 100_000, stall_ns: 1_900_000_000..4_100_000_000 };
    let mut exact = vec![0u64; RUN_SECONDS as usize];
    for end in device.serve(arrivals()).ends {
        // An I/O that ends exactly at the end of a window belongs to it.
        exact[((end - 1) / SECOND) as usize] += 1;
    }
    let of = |w: &fathom_results::Window| w.directions.iter().map(|(_, d)| d.ios).sum::<u64>();
    let measured: Vec<_> = heard.windows.iter().filter(|w| w.phase == Phase::Measure).collect();
    let counts: Vec<u64> = measured.iter().map(|w| of(w)).collect();
    assert_eq!(counts, exact);
    assert_eq!(counts[2..4], [0, 0]);
    let edges: Vec<(u64, u64)> = measured.iter().map(|w| (w.start_ns, w.end_ns)).collect();
    let second = |n: u64| (n * SECOND, (n + 1) * SECOND);
    assert_eq!(edges[..5], [second(0), second(1), second(2), second(3), second(4)]);
}

/// Poisson arrivals at 80 % of what one slot can do, with a depth of `depth`.
fn poisson(depth: usize) -> Heard {
    run(&format!(
        "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:100us\nrandseed=3\nrw=randread\n\
         bs=4k\nsize=1g\nnorandommap\niodepth={depth}\nrate_iops=8000\nrate_process=poisson\ntime_based\n\
         runtime=10s\nwrite_lat_log=x\n"
    ))
}

#[test]
fn poisson_arrivals_queue_as_calculated() {
    // With 64 slots no I/O waits, and the log shows the arrivals. The same
    // arrivals at a single slot make a queue that can be calculated.
    let free = poisson(64);
    let ends = free.samples.iter().filter(|s| s.kind == LogKind::Total).map(|s| s.at_ns);
    let arrivals: Vec<u64> = ends.map(|end| end - 100_000).collect();
    assert_eq!(free.totals(0).directions[Read].response.moments.max(), Some(100_000));
    assert!(arrivals.len().abs_diff(80_000) < 1_200, "{}: four standard deviations", arrivals.len());

    let queued = poisson(1);
    let reads = &totals(&queued, EndedBy::Time).directions[Read];
    let device = Device { depth: 1, latency_ns: 100_000, stall_ns: 0..0 };
    let mut exact = device.serve(arrivals.into_iter());
    exact.response.truncate(reads.ios as usize);
    assert_moments("response", &reads.response.moments, &exact.response);
    assert_percentiles("response", reads.response.histogram.as_ref().unwrap(), &mut exact.response);
    assert_eq!(reads.total.moments.max(), Some(100_000), "the device itself is never slow");
    // A queue of this kind waits for ρ/(2(1-ρ)) services on average: 200 µs.
    let wait = reads.response.moments.mean().unwrap() - 100_000.0;
    assert!((150_000.0..250_000.0).contains(&wait), "{wait}");
}

#[test]
fn on_the_real_clock_no_latency_is_below_the_one_injected() {
    for latency in ["constant:200us", "bimodal:50us:1ms:5%"] {
        for depth in [1, 8] {
            let heard = run(&format!(
                "[j]\nioengine=oracle\noracle_latency={latency}\nrandseed=5\nrw=randread\nbs=4k\nsize=1g\n\
                 norandommap\niodepth={depth}\nnumber_ios=400\n"
            ));
            let mut exact: Vec<u64> = Latencies::new(&latency.parse().unwrap(), 5).take(400).collect();
            exact.sort_unstable();
            let reads = &totals(&heard, EndedBy::Ios).directions[Read];
            for got in [&reads.total, &reads.completion] {
                assert_eq!(got.moments.count(), 400);
                assert!(got.moments.min() >= exact.first().copied(), "{latency}");
                assert!(got.moments.sum() >= exact.iter().map(|&ns| u128::from(ns)).sum(), "{latency}");
                for q in percentiles() {
                    let rank = (400 * q).div_ceil(100_000).max(1) as usize;
                    let seen = got.histogram.as_ref().unwrap().quantile(q as f64 / 100_000.0).unwrap();
                    let least = exact[rank - 1] as f64 * (1.0 - ERROR_MAX);
                    assert!(seen as f64 >= least, "{latency} at depth {depth}: p{q}/1000 is {seen}");
                }
            }
        }
    }
}
