//! The I/Os of a job, its latencies and the lines of its logs are one number, whatever ends the job: those that completed in
//! the measured window. What completes after it counts apart.

use crate::support::{Heard, run};
use fathom_engine::log::{LogHistogram, LogKind};
use fathom_job::direction::Direction::{self, Read};
use fathom_stats::{FIO_BUCKETS, fio_bucket};

const LOGS: &str = "write_bw_log=x\nwrite_iops_log=x\nwrite_lat_log=x\nwrite_hist_log=x\nlog_hist_msec=7\n";

/// How a job ends, and whether it has a ramp.
const ENDS: [&str; 7] = [
    "time_based\nruntime=40ms\n",
    "time_based\nruntime=40ms\nramp_time=15ms\n",
    "number_ios=300\n",
    "number_ios=300\nramp_time=15ms\n",
    "io_size=2m\n",
    "io_size=2m\nramp_time=15ms\n",
    "time_based\nruntime=40ms\nramp_time=15ms\nrate_iops=9000,5000\n",
];

/// Asserts it for each worker and direction; returns all I/Os.
fn assert_one_number(what: &str, heard: &Heard) -> u64 {
    let mut all = 0;
    for job in 0..heard.outcomes.len() as u32 {
        assert_eq!(heard.outcome(job).failure, None, "{what}");
        for direction in Direction::ALL {
            let totals = &heard.totals(job).directions[direction];
            let latencies = [&totals.total, &totals.completion].map(|latency| latency.moments.count());
            assert_eq!(latencies, [totals.ios; 2], "{what}, {direction:?} of {job}: latencies");
            all += totals.ios;
        }
    }
    let lines = |kind, direction| {
        heard.samples.iter().filter(|line| line.kind == kind && line.direction == direction).count() as u64
    };
    for direction in Direction::ALL {
        let ios: u64 = (0..heard.outcomes.len() as u32).map(|job| heard.moved(job, direction).0).sum();
        for kind in [LogKind::Bandwidth, LogKind::Iops, LogKind::Completion, LogKind::Total] {
            assert_eq!(lines(kind, direction), ios, "{what}: lines of {kind:?} of {direction:?}");
        }
        let histograms = heard.histograms.iter().filter(|line| line.direction == direction);
        let counted: u64 = histograms.flat_map(|line| &line.counts).sum();
        assert_eq!(counted, ios, "{what}: I/Os in histograms of {direction:?}");
    }
    all
}

#[test]
fn ios_latencies_and_lines_are_one_number_in_virtual_time() {
    for end in ENDS {
        // The oracle takes a millisecond for each, so that the queue is full at each edge.
        let heard = run(&format!(
            "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=lognormal:1ms:0.5\nrw=randrw\nbs=4k\nsize=1g\n\
             norandommap\niodepth=16\nnumjobs=2\n{LOGS}{end}"
        ));
        assert!(assert_one_number(end, &heard) > 100, "{end}");
    }
}

#[test]
fn ios_latencies_and_lines_are_one_number_for_every_engine() {
    let dir = tempfile::tempdir().unwrap();
    for engine in ["psync", "mmap", "libaio", "posixaio", "io_uring", "null", "sim"] {
        let target = match engine {
            "sim" => "sim:consumer/64".to_owned(),
            _ => dir.path().join("target").to_string_lossy().into_owned(),
        };
        for end in ENDS {
            let heard = run(&format!(
                "[j]\nioengine={engine}\nfilename={target}\nrw=randrw\nbs=4k\nsize=8m\niodepth=16\nnorandommap\n\
                 {LOGS}{end}"
            ));
            assert!(assert_one_number(&format!("{engine} {end}"), &heard) > 10, "{engine} {end}");
        }
    }
}

#[test]
fn what_completes_after_the_end_counts_apart() {
    // At depth 4 an I/O takes 300 ms, so that 12 complete in a second, and 4 are in flight at its end.
    let heard = run(&format!(
        "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:300ms\nrw=randread\nbs=4k\nsize=1g\n\
         norandommap\niodepth=4\ntime_based\nruntime=1s\n{LOGS}"
    ));
    assert_eq!(assert_one_number("in flight", &heard), 12);
    let reads = &heard.totals(0).directions[Read];
    let drained = &reads.drained;
    assert_eq!((drained.ios, drained.bytes, drained.latency.max()), (4, 4 * 4096, Some(300_000_000)));
    assert_eq!(reads.slowest_ns(), Some(300_000_000));
}

#[test]
fn windows_of_an_averaged_log_hold_every_io_of_the_measured_time() {
    // 50 in each of 20 windows: the last I/Os complete exactly at the end.
    let heard = run(
        "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:1ms\nrw=randread\nbs=4k\nsize=1g\n\
         norandommap\niodepth=1\ntime_based\nruntime=1s\nramp_time=100ms\nwrite_iops_log=x\nwrite_lat_log=x\n\
         log_avg_msec=50\n",
    );
    let of = |kind| heard.samples.iter().filter(move |line| line.kind == kind);
    let rates: Vec<(u64, u64)> = of(LogKind::Iops).map(|line| (line.at_ns / 1_000_000, line.value)).collect();
    let expected: Vec<(u64, u64)> = (1..=20).map(|window| (window * 50, 1000)).collect();
    assert_eq!(rates, expected);
    assert_eq!(heard.moved(0, Read).0, 1000);
}

#[test]
fn a_log_of_histograms_alone_has_each_window_or_the_whole_job() {
    let bucket = fio_bucket(1_000_000);
    let lines = |options: &str| -> Vec<(u64, u64, usize, u64)> {
        let heard = run(&format!(
            "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:1ms\nrw=randread\nbs=4k\nsize=1g\n\
             norandommap\nnumber_ios=250\nwrite_hist_log=x\n{options}\n"
        ));
        assert!(heard.samples.is_empty(), "no other log was asked for");
        let line = |line: &LogHistogram| {
            let coarse = FIO_BUCKETS / line.counts.len();
            (line.at_ns / 1_000_000, line.bytes, line.counts.len(), line.counts[bucket / coarse])
        };
        heard.histograms.iter().map(line).collect()
    };
    let windows = [(100, 4096, 1856, 100), (200, 4096, 1856, 100), (250, 4096, 1856, 50)];
    assert_eq!(lines("log_hist_msec=100"), windows);
    assert_eq!(lines("log_hist_msec=100\nlog_hist_coarseness=6")[2], (250, 4096, 29, 50));
    assert_eq!(lines(""), [(250, 4096, 1856, 250)]);
}

#[test]
fn a_window_without_io_has_no_latency() {
    // An I/O every 300 ms: two of three windows have none.
    let heard = run(
        "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:300ms\nrw=randread\nbs=4k\nsize=1g\n\
         norandommap\niodepth=1\ntime_based\nruntime=1200ms\nwrite_bw_log=x\nwrite_iops_log=x\nwrite_lat_log=x\n\
         log_avg_msec=100\n",
    );
    let lines = |kind| -> Vec<(u64, u64)> {
        let of = heard.samples.iter().filter(|line| line.kind == kind);
        of.map(|line| (line.at_ns / 1_000_000, line.value)).collect()
    };
    let ends = [300, 600, 900, 1200];
    assert_eq!(lines(LogKind::Total), ends.map(|at| (at, 300_000_000)));
    assert_eq!(lines(LogKind::Completion), ends.map(|at| (at, 300_000_000)));
    let rates = lines(LogKind::Iops);
    assert_eq!(rates.len(), 12, "a window in which nothing completes has a rate of 0");
    assert_eq!(rates.iter().filter(|(_, rate)| *rate > 0).count(), 4);
    assert_eq!(lines(LogKind::Bandwidth).len(), 12);
}

/// Readings of the scheduler come in ticks of 4 to 10 ms; these jobs take less than one.
#[test]
fn no_worker_uses_more_of_a_cpu_than_the_time_of_its_job() {
    for at in 0..50 {
        let heard = run(&format!(
            "[j]\nioengine=null\nrw=randread\nbs=4k\nsize=1m\nnorandommap\nnumber_ios={}\n",
            1 + at * 20
        ));
        let (from, to) = heard.outcome(0).measured_ns.expect("it measured");
        let usage = &heard.outcome(0).usage;
        let used = usage.user_ns + usage.system_ns + usage.wait_ns;
        assert!(used <= to - from, "{used} ns of CPU and of waiting for one in {} ns", to - from);
    }
}
