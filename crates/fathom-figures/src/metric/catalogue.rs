//! The table. Outputs have the metrics in this order.

use super::Output::{Comparison, Details, Document, Import, Page, Rounds, Screen};
use super::{Better, Measure, Metric, MetricUnit, OverRounds};

/// A metric: what is measured; its id, its title and its words; its unit and which way is better; its name in a suite, which is empty
/// where a suite cannot show it; the rank of its column; the outputs that have it.
macro_rules! metric {
    ($measure:ident $names:expr, $unit:ident $better:ident, suite $suite:literal, rank $rank:literal, $outputs:expr) => {
        Metric {
            id: $names[0],
            title: $names[1],
            words: $names[2],
            unit: MetricUnit::$unit,
            better: Better::$better,
            over_rounds: OverRounds::Mean,
            rank: $rank,
            outputs: &$outputs,
            suite: $suite,
            measure: Measure::$measure,
        }
    };
}

/// A percentile of latency: per cent, the rank of its column, and the outputs that have it. Its id, its title and its name in a suite
/// come from the number.
macro_rules! percentile {
    ($percent:literal, rank $rank:literal, $outputs:expr) => {
        Metric {
            id: concat!("latency_p", $percent),
            title: concat!("p", $percent),
            words: concat!("p", $percent, " latency"),
            rank: $rank,
            outputs: &$outputs,
            measure: Measure::Percentile($percent as f64),
            ..PERCENTILE
        }
    };
}

/// What all percentiles are.
const PERCENTILE: Metric = Metric {
    over_rounds: OverRounds::Median,
    ..metric!(Mean ["", "", ""], Nanoseconds Less, suite "", rank 100, [])
};

/// All metrics.
pub static METRICS: &[Metric] = &[
    metric!(Iops ["iops", "IOPS", "IOPS"], PerSecond More, suite "iops", rank 0,
        [Screen, Page, Document, Rounds, Comparison, Import]),
    metric!(Bandwidth ["bandwidth", "MB/s", "bandwidth"], BytesPerSecond More, suite "mbps", rank 10,
        [Screen, Page, Document, Rounds, Comparison, Import]),
    metric!(Ios ["ios", "I/Os", "I/Os"], Count More, suite "", rank 100, [Document]),
    metric!(Bytes ["bytes", "bytes", "bytes"], Bytes More, suite "", rank 100, [Document]),
    metric!(Errors ["errors", "errors", "I/Os that failed"], Count Less, suite "", rank 100, [Document]),
    metric!(Least ["latency_min", "min", "shortest latency"], Nanoseconds Less, suite "", rank 100, [Details, Document]),
    metric!(Mean ["latency_mean", "mean", "mean latency"], Nanoseconds Less, suite "mean-us", rank 20,
        [Screen, Details, Page, Document, Rounds, Comparison, Import]),
    metric!(Deviation ["latency_stddev", "± sd", "standard deviation of latency"], Nanoseconds Less, suite "", rank 100,
        [Details, Document, Import]),
    percentile!(50, rank 40, [Screen, Details, Page, Document, Comparison, Import]),
    percentile!(90, rank 90, [Details, Document]),
    percentile!(95, rank 92, [Document]),
    percentile!(99, rank 30, [Screen, Details, Page, Document, Rounds, Comparison, Import]),
    percentile!(99.9, rank 50, [Screen, Details, Page, Document, Comparison, Import]),
    percentile!(99.99, rank 94, [Details, Document]),
    percentile!(99.999, rank 96, [Document]),
    Metric {
        over_rounds: OverRounds::Largest,
        ..metric!(Most ["latency_max", "max", "longest latency"], Nanoseconds Less, suite "max-us", rank 80,
            [Screen, Details, Page, Document, Rounds, Import])
    },
    metric!(CpuPerIo ["cpu_per_io", "CPU", "CPU time per I/O"], Nanoseconds Less, suite "", rank 100,
        [Page, Document, Comparison]),
    metric!(InFlight ["in_flight", "in flight", "I/Os in flight"], Count More, suite "", rank 100, [Page, Document]),
    metric!(Runtime ["runtime", "runtime", "measured time"], Nanoseconds Less, suite "", rank 100, [Document]),
    // Of rounds only: what a suite can show. The time of all CPUs has that of kernel threads and other programs (contract I-39), and
    // the share of the cache is that of the bytes that the disks did not see, because memory answered (contract T-49).
    metric!(WorkerCpu ["worker_cpu", "CPU %", "CPU time of the workers, per cent of one core"], Percent Less,
        suite "cpu", rank 100, []),
    metric!(AllCpus ["all_cpus", "all CPUs %", "time in which CPUs worked, per cent of that of all CPUs"], Percent Less,
        suite "all-cpus", rank 100, []),
    metric!(SyncMean ["sync_mean", "sync mean", "mean time of a sync"], Nanoseconds Less, suite "sync-mean-us", rank 100, []),
    Metric {
        over_rounds: OverRounds::Median,
        ..metric!(SyncP99 ["sync_p99", "sync p99", "p99 of the time of a sync"], Nanoseconds Less,
            suite "sync-p99-us", rank 100, [])
    },
    metric!(Syncs ["syncs", "syncs/s", "syncs per second"], PerSecond More, suite "syncs", rank 100, []),
    metric!(Seconds ["seconds", "s", "measured time"], Seconds Less, suite "seconds", rank 100, []),
    metric!(DeviceIos ["device_ios", "device I/Os", "requests that the disks completed"], Count Less,
        suite "device-ios", rank 100, []),
    metric!(DeviceSize ["device_size", "KiB per device I/O", "mean size of a request of the disks"], Bytes More,
        suite "device-kib", rank 100, []),
    metric!(CacheShare ["cache_share", "cache %", "share of the bytes that memory answered"], Percent More,
        suite "cache-percent", rank 100, []),
    // What other programs print and fathom does not measure itself; no output has it by itself (docs/adr/0030).
    metric!(Printed ["busy", "busy %", "time in which the disk was not idle"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_user", "user %", "CPU time in programs"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_system", "system %", "CPU time in the kernel"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_iowait", "iowait %", "CPU time in which I/O was waited for"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_irq", "irq %", "CPU time in interrupts"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_softirq", "softirq %", "CPU time in soft interrupts"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_steal", "steal %", "CPU time that the host gave to others"], Percent Less, suite "", rank 100, []),
    metric!(Printed ["cpu_idle", "idle %", "CPU time without work"], Percent More, suite "", rank 100, []),
    metric!(Printed ["interrupts", "interrupts/s", "interrupts per second"], PerSecond Less, suite "", rank 100, []),
    metric!(Printed ["context_switches", "switches/s", "context switches per second"], PerSecond Less, suite "", rank 100, []),
    metric!(Printed ["runnable", "runnable", "tasks that run or wait for a CPU"], Count Less, suite "", rank 100, []),
    metric!(Printed ["blocked", "blocked", "tasks that wait for I/O"], Count Less, suite "", rank 100, []),
    metric!(Printed ["nopm", "NOPM", "new orders per minute"], PerMinute More, suite "", rank 100, []),
    metric!(Printed ["tpm", "TPM", "transactions per minute"], PerMinute More, suite "", rank 100, []),
];

/// A percentile that is no entry: no output has it by itself.
pub(super) fn other_percentile(percent: f64) -> Metric {
    let leaked = |text: String| -> &'static str { text.leak() };
    Metric {
        id: leaked(format!("latency_p{percent}")),
        title: leaked(format!("p{percent}")),
        words: leaked(format!("p{percent} latency")),
        measure: Measure::Percentile(percent),
        ..PERCENTILE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_percentiles_rise() {
        let mut names = HashSet::new();
        for metric in METRICS {
            assert!(names.insert(metric.id.to_owned()), "{metric:?}");
            let suite = metric.suite_name();
            assert!(suite.is_empty() || suite == metric.id || names.insert(suite.to_string()), "{suite}");
        }
        let percentiles: Vec<f64> = METRICS.iter().filter_map(Metric::percentile).collect();
        assert!(percentiles.is_sorted(), "{percentiles:?}");
        // The key of a percentile in a round has two digits before the point.
        assert!(percentiles.iter().all(|percent| (10.0..100.0).contains(percent)));
    }

    #[test]
    fn a_percentile_has_its_names_from_its_number() {
        let names = |id: &str| {
            let metric = super::super::of_id(id);
            (metric.title, metric.words, metric.suite_name().into_owned())
        };
        assert_eq!(names("latency_p50"), ("p50", "p50 latency", "p50-us".to_owned()));
        assert_eq!(names("latency_p99.9"), ("p99.9", "p99.9 latency", "p999-us".to_owned()));
    }
}
