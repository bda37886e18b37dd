//! Paces: what was achieved, against what was asked. In virtual time, where counts are
//! exact; on the real clock only what the schedule guarantees on a machine of any speed.

use crate::support::{Heard, run};
use fathom_engine::log::LogKind;
use fathom_job::direction::Direction::{self, Read, Write};
use fathom_results::{DirectionTotals, EndedBy, Phase};

const SECOND: u64 = 1_000_000_000;

/// A job on an oracle in virtual time.
fn virtually(options: &str) -> Heard {
    let heard = run(&format!(
        "[j]\nioengine=oracle\noracle_clock=virtual\nsize=1g\nnorandommap\nbs=4k\nrandseed=11\ntime_based\n\
         {options}\n"
    ));
    assert_eq!(heard.outcomes.len(), 1);
    heard
}

fn of(heard: &Heard, direction: Direction) -> DirectionTotals {
    heard.totals(0).directions[direction].clone()
}

/// What is true for each I/O: its response time is no shorter than its service time.
fn assert_none_is_early(what: &str, totals: &DirectionTotals) {
    let (response, service) = (&totals.response.moments, &totals.total.moments);
    assert_eq!(response.count(), totals.ios, "{what}: each has a response");
    assert_eq!(service.count(), totals.ios, "{what}: each has a latency");
    assert!(response.min() >= service.min(), "{what}: {:?} after {:?}", response.min(), service.min());
    assert!(response.sum() >= service.sum(), "{what}");
}

#[test]
fn even_rates_are_kept_exactly_up_to_a_million() {
    for (rate, latency, depth, seconds) in [
        (1, "1us", 1, 5),
        (777, "0", 1, 3),
        (10_000, "100us", 4, 3),
        (333_333, "1us", 1, 1),
        (1_000_000, "0", 1, 1),
        (1_000_000, "1us", 4, 1),
    ] {
        let heard = virtually(&format!(
            "rw=randread\noracle_latency=constant:{latency}\niodepth={depth}\nrate_iops={rate}\nruntime={seconds}s"
        ));
        let reads = of(&heard, Read);
        assert_eq!(reads.ios, rate * seconds, "{rate} a second for {seconds} s");
        assert_none_is_early("even", &reads);
        assert_eq!(reads.response.moments, reads.total.moments, "{rate}: no start is late");
    }
}

#[test]
fn poisson_rates_are_kept_up_to_a_million() {
    // The standard deviation of the count is 1/√n: 0.05 % at four million. The
    // bound is twice that; the seed is fixed.
    for (rate, seconds) in [(300_000, 14), (1_000_000, 4)] {
        let heard = virtually(&format!(
            "rw=randread\noracle_latency=constant:1us\niodepth=64\nrate_iops={rate}\nrate_process=poisson\n\
             runtime={seconds}s"
        ));
        let ratio = of(&heard, Read).ios as f64 / (rate * seconds) as f64;
        assert!((ratio - 1.0).abs() < 0.001, "{rate}: {ratio}");
    }
}

/// The chance of a distance as large as `d` between `n` values and their
/// distribution (Kolmogorov 1933; Smirnov 1948).
fn kolmogorov_p(d: f64, n: usize) -> f64 {
    let x = d * (n as f64).sqrt();
    let term = |k: i32| (-1f64).powi(k - 1) * (-2.0 * f64::from(k * k) * x * x).exp();
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

#[test]
fn gaps_between_poisson_starts_are_exponential_at_300k() {
    // The starts as they were issued: a free slot is always there, and the log has the times.
    let heard = virtually(
        "rw=randread\noracle_latency=constant:1us\niodepth=64\nrate_iops=300000\nrate_process=poisson\n\
         runtime=1s\nwrite_lat_log=x",
    );
    let ends = heard.samples.iter().filter(|s| s.kind == LogKind::Total).map(|s| (s.at_ns, s.value));
    let starts: Vec<u64> = ends.map(|(at, took)| at - took).collect();
    assert!(starts.is_sorted());
    let mut gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    gaps.sort_by(f64::total_cmp);
    let (n, mean_ns) = (gaps.len(), 1e9 / 300_000.0);
    assert!(n > 298_000, "{n}");
    let distance = gaps.iter().enumerate().map(|(rank, gap)| {
        // The log has gaps in whole nanoseconds.
        let exact = 1.0 - (-(gap + 0.5) / mean_ns).exp();
        (exact - rank as f64 / n as f64).abs().max((exact - (rank + 1) as f64 / n as f64).abs())
    });
    let p = kolmogorov_p(distance.fold(0.0, f64::max), n);
    assert!(p > 0.001, "p = {p}");
    // Neighbours too: one long gap says nothing about the next.
    let gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / mean_ns - 1.0).collect();
    let product: f64 = gaps.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / n as f64;
    assert!(product.abs() < 4.0 / (n as f64).sqrt(), "correlation {product}");
}

#[test]
fn on_the_real_clock_a_rate_is_made_up_for_to_the_last_response() {
    for process in ["linear", "poisson"] {
        let heard = run(&format!(
            "[j]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\nnorandommap\niodepth=64\nrate_iops=10000\n\
             rate_process={process}\ntime_based\nruntime=1s\nwrite_lat_log=x\n"
        ));
        let last_ns = heard.samples.iter().map(|s| s.at_ns).max().unwrap();
        let reads = of(&heard, Read);
        assert_none_is_early(process, &reads);
        // The intended start of the last I/O is between its end and the longest response
        // before it; even starts are counted from there.
        let latest_ns = reads.response.moments.max().unwrap();
        let (least, most) = ((last_ns - latest_ns) / 100_000, last_ns / 100_000 + 1);
        if process == "linear" {
            assert!((least..=most).contains(&reads.ios), "{} of {least} to {most}", reads.ios);
        }
        assert!(reads.ios <= most + 450, "{} of {most}: four deviations", reads.ios);
    }
}

#[test]
fn each_direction_of_a_mix_keeps_its_own_rate() {
    for process in ["", "iodepth_batch=4\n", "compat=fio\niodepth_batch=2\n"] {
        let heard = virtually(&format!(
            "rw=randrw\noracle_latency=constant:100us\niodepth=8\nrate_iops=4000,1000\nruntime=2s\n{process}"
        ));
        assert_eq!((of(&heard, Read).ios, of(&heard, Write).ios), (8000, 2000), "{process:?}");
        assert_none_is_early(process, &of(&heard, Read));
        assert_none_is_early(process, &of(&heard, Write));
    }
}

#[test]
fn where_one_direction_has_a_rate_the_other_takes_what_is_left() {
    let heard = virtually("rw=randrw\noracle_latency=constant:100us\niodepth=4\nrate_iops=,500\nruntime=2s");
    let (reads, writes) = (of(&heard, Read), of(&heard, Write));
    assert!((998..=1000).contains(&writes.ios), "{}", writes.ios);
    assert_eq!(reads.ios + writes.ios, 80_000, "four places of 100 µs are never empty");
    assert_eq!(reads.response.moments.count(), 0, "reads have no schedule");
    assert_none_is_early("half", &writes);
    assert!(writes.response.moments.max() < Some(2_000_000), "{:?}", writes.response.moments.max());
}

#[test]
fn a_rate_in_bytes_counts_each_block_by_its_size() {
    for process in ["linear", "poisson"] {
        let heard = virtually(&format!(
            "rw=randwrite\nbsrange=4k-64k\noracle_latency=constant:10us\niodepth=8\nrate=20m\nruntime=4s\n\
             rate_process={process}"
        ));
        let (bytes, asked) = (of(&heard, Write).bytes, 80 << 20);
        // About 2,400 blocks: the sum of their exponential gaps is within 2 %, twice that here.
        let room = if process == "linear" { 64 << 10 } else { asked / 25 };
        assert!(bytes.abs_diff(asked) <= room, "{process}: {bytes} of {asked}");
        assert_none_is_early(process, &of(&heard, Write));
    }
}

#[test]
fn nothing_starts_before_its_time_between_syncs() {
    // A sync has no schedule of its own, and no I/O after it starts early.
    for engine in ["", "compat=fio\n"] {
        let heard = virtually(&format!(
            "rw=write\nfsync=7\noracle_latency=constant:10us\niodepth=32\nrate_iops=1000\nruntime=2s\n{engine}"
        ));
        let writes = of(&heard, Write);
        assert_eq!(writes.ios, 2000);
        assert_none_is_early("synced", &writes);
    }
    // The same with one I/O at a time; and with trims and writes of one range, where
    // the one with the lower rate determines the pace.
    let dir = tempfile::tempdir().unwrap();
    let synced = format!(
        "ioengine=psync\nfilename={}\nrw=write\nfsync=7\nrate_iops=1000\nsize=1m",
        dir.path().join("t").display()
    );
    let trimmed = "ioengine=null\nrw=trimwrite\niodepth=32\nrate_iops=,500,2000\nsize=1m";
    for (job, rate) in [(synced.as_str(), 1000), (trimmed, 500)] {
        let heard = run(&format!("[j]\n{job}\nbs=4k\ntime_based\nruntime=300ms\n"));
        let (from, to) = heard.outcome(0).measured_ns.unwrap();
        let writes = of(&heard, Write);
        assert!(writes.ios <= (to - from) * rate / SECOND + 1, "{job}: {} in {} ns", writes.ios, to - from);
        assert_none_is_early(job, &writes);
    }
}

#[test]
fn a_ramp_has_a_schedule_of_its_own() {
    for process in ["linear", "poisson"] {
        let heard = virtually(&format!(
            "rw=randread\noracle_latency=constant:3ms\niodepth=64\nrate_iops=1000\nrate_process={process}\n\
             ramp_time=500ms\nruntime=2s"
        ));
        let reads = of(&heard, Read);
        // What was in flight when the ramp ended was meant to start in the ramp.
        let carried = reads.ios - reads.response.moments.count();
        assert!(carried > 0 && carried < 10, "{process}: {carried}");
        assert_eq!(reads.total.moments.count(), reads.ios, "{process}");
        assert_eq!(reads.response.moments.max(), Some(3_000_000));
        if process == "linear" {
            assert_eq!((reads.ios, carried), (2000, 2));
        }
        let ramp = heard.windows.iter().filter(|w| w.phase == Phase::Ramp);
        let in_ramp: u64 = ramp.flat_map(|w| w.directions.iter().map(|(_, d)| d.ios)).sum();
        assert!((400..=600).contains(&in_ramp), "{in_ramp}");
    }
}

#[test]
fn pauses_come_as_often_and_last_as_long_as_asked() {
    let each = "oracle_latency=constant:100us\nthinktime=900us\n";
    let by_time = "oracle_latency=constant:100us\nthinktime=500ms\nthinktime_iotime=500ms\n";
    let cases = [
        // A cycle has 100 µs of I/O and 900 µs of pause.
        (format!("{each}iodepth=1\n"), 2000),
        (format!("{each}iodepth=1\nthinktime_spin=400us\n"), 2000),
        // Four at a time; a deep queue does not skip the pause.
        (format!("{each}iodepth=16\nthinktime_blocks=4\n"), 8000),
        // The pause counts from issue to issue: 900 µs.
        (format!("{each}iodepth=1\nthinktime_blocks_type=issue\n"), 2223),
        (format!("{each}iodepth=16\nthinktime_blocks=4\nthinktime_blocks_type=issue\n"), 8892),
        // I/O for half of the time.
        (format!("{by_time}iodepth=1\n"), 10_000),
        (format!("{by_time}iodepth=4\n"), 40_000),
        // A pause comes after ten I/Os or after half a second, whichever is first.
        (format!("{by_time}iodepth=1\nthinktime_blocks=10\n"), 40),
    ];
    for (options, ios) in cases {
        let heard = virtually(&format!("rw=randread\nruntime=2s\n{options}"));
        assert_eq!(of(&heard, Read).ios, ios, "{options}");
    }
}

#[test]
fn the_spinning_part_of_a_pause_never_sleeps() {
    let pauses = |spin: &str| {
        let heard = run(&format!(
            "[j]\nioengine=null\nrw=read\nsize=1g\nthinktime=4ms\nthinktime_spin={spin}\ntime_based\nruntime=600ms\n"
        ));
        (of(&heard, Read).ios, heard.outcome(0).usage.switches_voluntary)
    };
    let (asleep, spinning) = (pauses("0"), pauses("4ms"));
    assert!(asleep.1 * 2 >= asleep.0, "a sleep for each pause: {asleep:?}");
    assert!(spinning.1 * 4 <= spinning.0, "no sleep at all: {spinning:?}");
    assert!(asleep.0 <= 151 && spinning.0 <= 151, "{asleep:?} {spinning:?}");
}

#[test]
fn a_schedule_makes_up_for_pauses_unless_told_otherwise() {
    for counts in ["complete", "issue"] {
        for extra in ["", "rwmixread=100\n", "fsync=100000\nrw=write\n"] {
            let job = |ignores: u32| {
                let heard = virtually(&format!(
                    "rw=randread\noracle_latency=constant:10us\niodepth=8\nrate_iops=1000\nthinktime=500ms\n\
                     thinktime_blocks=1000\nthinktime_blocks_type={counts}\nrate_ignore_thinktime={ignores}\n\
                     runtime=9s\n{extra}"
                ));
                of(&heard, if extra.contains("write") { Write } else { Read })
            };
            let (ignores, makes_up) = (job(1), job(0));
            assert_none_is_early(counts, &ignores);
            assert_none_is_early(counts, &makes_up);
            // 1,000 I/Os take 999 gaps and then the pause, at whose end the next one is due: 1,499 ms. No I/O is late.
            assert_eq!(ignores.ios, 6006, "{counts} {extra}");
            assert_eq!(ignores.response.moments.max(), Some(10_000), "{counts} {extra}");
            assert_eq!(makes_up.ios, 9000, "{counts} {extra}");
            assert!(makes_up.response.moments.max() > Some(490_000_000), "{counts} {extra}");
        }
    }
}

/// fio 3.33 with the null engine, I/Os a second: 200 with pauses of 5 ms 198.6, 100 with pauses of 20 ms 49.9. Where the pause is
/// shorter than the gap, it adds the two (100 with pauses of 5 ms: 66.9, of 9 ms: 52.9): docs/differences.md.
#[test]
fn a_pause_that_is_not_made_up_for_takes_the_place_of_a_gap() {
    for (rate, pause_ms, ios_in_3_s) in
        [(200, 5, 600), (100, 20, 150), (100, 10, 300), (100, 9, 300), (100, 5, 300)]
    {
        for counts in ["complete", "issue"] {
            let heard = virtually(&format!(
                "rw=randread\noracle_latency=constant:0\nrate_iops={rate}\nthinktime={pause_ms}ms\n\
                 thinktime_blocks_type={counts}\nrate_ignore_thinktime=1\nruntime=3s"
            ));
            let reads = of(&heard, Read);
            // At the end of the last pause the time is over.
            assert!(reads.ios.abs_diff(ios_in_3_s) <= 1, "{rate} a second, {pause_ms} ms: {}", reads.ios);
            assert!(reads.response.moments.max() < Some(1_000), "{rate}, {pause_ms} ms: no I/O is late");
        }
    }
}

#[test]
fn what_is_in_flight_when_a_schedule_is_moved_keeps_its_start() {
    // The pause is longer than all the time before it.
    let heard = virtually(
        "rw=randread\noracle_latency=constant:3ms\niodepth=8\nrate_iops=1000\nthinktime=500ms\n\
         thinktime_blocks=100\nthinktime_blocks_type=issue\nrate_ignore_thinktime=1\nruntime=6s",
    );
    let reads = of(&heard, Read);
    assert_none_is_early("moved", &reads);
    // 100 I/Os in 99 ms and a pause, ten times in 5,990 ms; of the next ones, those that start by 5,997 ms complete.
    assert_eq!((reads.ios, reads.response.moments.max()), (1008, Some(3_000_000)));
}

#[test]
fn one_at_a_time_starts_are_meant_before_the_pause_that_they_bring() {
    let dir = tempfile::tempdir().unwrap();
    let heard = run(&format!(
        "[j]\nioengine=psync\nfilename={}\nrw=randwrite\nbs=4k\nsize=1m\nrate_iops=2000\nthinktime=20ms\n\
         thinktime_blocks=20\nthinktime_blocks_type=issue\nrate_ignore_thinktime=1\ntime_based\nruntime=300ms\n",
        dir.path().join("t").display()
    ));
    let writes = of(&heard, Write);
    assert!(writes.ios > 20);
    assert_none_is_early("psync", &writes);
}

#[test]
fn an_io_beyond_max_latency_ends_the_job_and_what_was_measured_is_kept() {
    let heard = virtually(
        "rw=randread\noracle_latency=constant:100us\noracle_stall=1s:100ms\nmax_latency=50ms\nruntime=9s",
    );
    let failure = heard.outcome(0).failure.clone().expect("it fails");
    assert_eq!((failure.errno, heard.outcome(0).ended_by), (libc::ETIMEDOUT, EndedBy::Error));
    assert_eq!(failure.message, "a read took 100.100 ms, more than max_latency=50.000 ms allows");
    let reads = of(&heard, Read);
    // The limit is checked before the next completion is taken.
    assert!((10_000..=10_001).contains(&reads.ios), "{}", reads.ios);
    assert_eq!(reads.total.moments.max(), Some(100_100_000));
}

#[test]
fn a_job_below_its_floor_ends_after_the_cycle() {
    let stalls = "rw=randread\noracle_latency=constant:100us\noracle_stall=3500ms:60s\nrate_iops=5000\n";
    for (floor, message, at_ns) in [
        ("rate_iops_min=4900", "read: 2500 I/Os per second over 1.0 s, below rate_iops_min=4900", 4 * SECOND),
        (
            "rate_min=20000000\nrate=21000000\nrate_iops=0",
            "read: 10498048 bytes per second over 1.0 s, below rate_min=20000000",
            4 * SECOND,
        ),
        // Two seconds of grace, then whole cycles: from 2 s to 5 s.
        (
            "rate_iops_min=4900\nrate_cycle=3000",
            "read: 2500 I/Os per second over 3.0 s, below rate_iops_min=4900",
            5 * SECOND,
        ),
    ] {
        let heard = virtually(&format!("{stalls}iodepth=4\nruntime=90s\n{floor}"));
        let failure = heard.outcome(0).failure.clone().expect("it fails");
        assert_eq!(failure.message, message);
        assert!(heard.outcome(0).at_ns >= at_ns, "{floor}: ended at {}", heard.outcome(0).at_ns);
        assert!(of(&heard, Read).ios > 15_000, "what was measured is kept");
    }
    let heard = virtually("rw=randread\noracle_latency=constant:100us\nrate_iops_min=9999\nruntime=6s");
    assert_eq!(heard.outcome(0).failure, None, "10,000 a second is enough");
}

/// A note in the job's result.
fn note(heard: &Heard, name: &str) -> String {
    let notes = &heard.outcome(0).notes;
    notes.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone()).expect("it is noted")
}

#[test]
fn the_depth_for_a_latency_is_the_one_that_theory_knows() {
    // The queue does one I/O at a time, 100 µs each. With d in flight each takes d times
    // that, so 1,050 µs allow ten.
    for percentile in ["100", "99"] {
        let heard = virtually(&format!(
            "rw=randread\noracle_latency=queue:100us\niodepth=64\nlatency_target=1050us\nlatency_window=500ms\n\
             latency_percentile={percentile}\nramp_time=100ms\nruntime=60s"
        ));
        assert_eq!(note(&heard, "latency_target.depth"), "10");
        let tried = note(&heard, "latency_target.tried");
        let depths: Vec<&str> = tried.split(", ").map(|t| t.split(':').next().unwrap()).collect();
        assert_eq!(depths, ["1", "2", "4", "8", "16", "12", "10", "11"], "{tried}");
        // The search is not a measurement. The depth that it found is measured for a window
        // of its own.
        let reads = of(&heard, Read);
        assert_eq!(heard.outcome(0).ended_by, EndedBy::Goal);
        assert_eq!(
            (reads.total.moments.min(), reads.total.moments.max()),
            (Some(1_000_000), Some(1_000_000))
        );
        assert!((9_990..=10_020).contains(&reads.ios), "a second of it: {}", reads.ios);
    }
}

#[test]
fn a_search_that_has_no_time_or_no_answer_says_so() {
    let search = "rw=randread\noracle_latency=queue:100us\niodepth=64\nlatency_window=500ms\n";
    let late = virtually(&format!("{search}latency_target=1050us\nruntime=1800ms"));
    assert_eq!(note(&late, "latency_target.depth"), "4, when the time was over");
    assert_eq!(of(&late, Read).total.moments.max(), Some(400_000), "the best so far is measured");
    let none = virtually(&format!("{search}latency_target=90us\nruntime=60s"));
    assert_eq!(note(&none, "latency_target.depth"), "none: not even one I/O at a time keeps it");
}

#[test]
fn latency_run_goes_on_adapting_to_the_end() {
    let heard = virtually(
        "rw=randread\noracle_latency=queue:100us\niodepth=64\nlatency_target=1050us\nlatency_window=100ms\n\
         latency_run=1\nruntime=4s",
    );
    let (from, to) = heard.outcome(0).measured_ns.unwrap();
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Time);
    assert!((to - from).abs_diff(4 * SECOND) < 10_000_000, "all of it is measured: {}", to - from);
    assert!(note(&heard, "latency_target.depth").ends_with(" when the job ended"));
    let tried = note(&heard, "latency_target.tried");
    assert!(tried.split(", ").count() >= 30, "{tried}");
    assert!(
        tried.split(", ").filter(|t| t.starts_with("10: 100")).count() >= 2,
        "found more than once: {tried}"
    );
}

#[test]
fn jobs_of_a_flow_share_by_their_weights() {
    let heard = run("[global]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\nnorandommap\niodepth=4\n\
         time_based\nruntime=4s\n[heavy]\nflow=3\n[light]\nflow=1\n[apart]\nflow=1\nflow_id=7\nrate_iops=1000\n");
    // Whole windows in which both jobs ran; the windows of the two begin within
    // milliseconds of each other.
    let ios = |job: u32, second: u64| {
        let windows = heard.windows.iter().filter(|w| w.job == job);
        let mut inside = windows.filter(|w| w.start_ns / SECOND == second);
        inside.next().map_or(0, |w| w.directions.iter().map(|(_, d)| d.ios).sum::<u64>())
    };
    let began = heard.windows.iter().map(|w| w.start_ns / SECOND).min().unwrap();
    let counts: Vec<(u64, u64)> = (began + 1..began + 3).map(|s| (ios(0, s), ios(1, s))).collect();
    let (heavy, light): (u64, u64) = (counts.iter().map(|c| c.0).sum(), counts.iter().map(|c| c.1).sum());
    let ratio = heavy as f64 / light as f64;
    assert!((2.7..3.3).contains(&ratio), "{counts:?}");
    let (low, high) = (3_900, 4_001);
    assert!((low..=high).contains(&heard.moved(2, Read).0), "a flow of its own: {}", heard.moved(2, Read).0);
}

/// What fio gives to other threads to keep its schedule, a worker keeps by itself: 1,000 starts in a second, each on time,
/// although every I/O takes 5 ms.
#[test]
fn offload_keeps_the_schedule_while_ios_are_in_flight() {
    let job = "oracle_latency=constant:5ms\nrate_iops=1000\niodepth=32\ntime_based\nruntime=2\n";
    for mode in ["inline", "offload"] {
        let heard = virtually(&format!("{job}io_submit_mode={mode}"));
        let reads = of(&heard, Read);
        assert_eq!((reads.ios, reads.drained.ios), (1996, 4), "{mode}");
        assert_none_is_early(mode, &reads);
    }
}

/// Two jobs of a flow with equal weights, of which the first one has a rate. The log is that of the second one.
fn of_a_flow(options: [&str; 2]) -> Heard {
    run(&format!(
        "[global]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:10us\nrw=randread\nbs=4k\nsize=1g\n\
         norandommap\nflow=1\ntime_based\nruntime=1s\n[slow]\nrate_iops=1000\n{}\n[other]\nwrite_lat_log=x\n{}\n",
        options[0], options[1]
    ))
}

#[test]
fn a_flow_of_its_own_keeps_pace_with_no_other_job() {
    let ios = |options| [0, 1].map(|job| of_a_flow(options).moved(job, Read).0);
    let [slow, other] = ios(["", ""]);
    assert!(slow == 1000 && other.abs_diff(slow) <= 64, "{slow} {other}");
    assert_eq!(ios(["flow_id=3", "flow_id=3"]), [slow, other]);
    assert_eq!(ios(["", "flow_id=3"]), [1000, 100_000], "it does all that 10 us each allow");
}

/// The longest time between two ends is that of a job that was ahead and has looked again.
#[test]
fn a_job_that_is_ahead_looks_again_after_its_flow_sleep() {
    let longest_us = |option: &str| {
        let heard = of_a_flow(["", option]);
        let ends = heard.samples.iter().filter(|io| io.kind == LogKind::Total).map(|io| io.at_ns / 1000);
        let ends: Vec<u64> = ends.collect();
        assert!(ends.len() > 200, "{option}: {}", ends.len());
        ends.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
    };
    let usual = longest_us("");
    for sleep in [50_000, 130_000] {
        let longest = longest_us(&format!("flow_sleep={sleep}"));
        assert!(usual < sleep && longest.abs_diff(sleep) < 100, "{longest} us, usually {usual}");
    }
}
