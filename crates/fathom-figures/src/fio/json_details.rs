//! What fio's JSON has of a job beside its rates and latencies, and of the disks below it.

use super::details::{FioCpu, FioDisk, FioDiskSide, FioShare, FioShares, FioSpread};
use serde_json::Value;

/// Bytes of the unit of bandwidths.
const KIB: f64 = 1024.0;

/// Latencies by their units, ns.
const LATENCY_CLASSES: [(&str, u64); 3] =
    [("latency_ns", 1), ("latency_us", 1_000), ("latency_ms", 1_000_000)];

/// The processor time of a job; `None` where the file has none.
pub(super) fn cpu(job: &Value) -> Option<FioCpu> {
    let cpu = FioCpu {
        user_percent: number(job, "usr_cpu"),
        system_percent: number(job, "sys_cpu"),
        context_switches: count(job, "ctx"),
        major_faults: count(job, "majf"),
        minor_faults: count(job, "minf"),
    };
    (cpu != FioCpu::default()).then_some(cpu)
}

/// The distributions of a job. Latencies without I/Os are left out: fio 3 lists 42 of them.
pub(super) fn shares(job: &Value) -> FioShares {
    let of = |key: &str, unit: u64| job.get(key).map(|list| list_of(list, unit)).unwrap_or_default();
    let latencies = LATENCY_CLASSES.iter().flat_map(|(key, unit)| of(key, *unit));
    FioShares {
        depths: of("iodepth_level", 1),
        submits: of("iodepth_submit", 1),
        completes: of("iodepth_complete", 1),
        latencies: latencies.filter(|share| share.percent != 0.0).collect(),
    }
}

/// `{"1": 100.0, ">=64": 0.0}`, in the order of the bounds.
fn list_of(list: &Value, unit: u64) -> Vec<FioShare> {
    let share = |(key, percent): (&String, &Value)| {
        let (bound, is_open) = key.strip_prefix(">=").map_or((key.as_str(), false), |bound| (bound, true));
        Some(FioShare {
            bound: bound.parse::<u64>().ok()?.saturating_mul(unit),
            is_open,
            percent: percent.as_f64()?,
        })
    };
    let mut all: Vec<FioShare> = list.as_object().into_iter().flatten().filter_map(share).collect();
    all.sort_by_key(|share| (share.bound, share.is_open));
    all
}

/// The bandwidth of a direction as fio sampled it, bytes per second.
pub(super) fn bandwidth_spread(flow: &Value) -> Option<FioSpread> {
    let of = |key: &str| number(flow, key).map(|kib| kib * KIB);
    let spread = FioSpread {
        min: of("bw_min"),
        max: of("bw_max"),
        mean: of("bw_mean"),
        stddev: of("bw_dev"),
        n: count(flow, "bw_samples"),
        group_percent: number(flow, "bw_agg"),
    };
    spread.if_measured()
}

/// The IOPS of a direction as fio sampled them.
pub(super) fn iops_spread(flow: &Value) -> Option<FioSpread> {
    let spread = FioSpread {
        min: number(flow, "iops_min"),
        max: number(flow, "iops_max"),
        mean: number(flow, "iops_mean"),
        stddev: number(flow, "iops_stddev"),
        n: count(flow, "iops_samples"),
        group_percent: None,
    };
    spread.if_measured()
}

/// The disks of a tree.
pub(super) fn disks(list: &Value) -> Vec<FioDisk> {
    list.as_array().into_iter().flatten().map(disk).collect()
}

fn disk(of: &Value) -> FioDisk {
    let side = |name: &str| FioDiskSide {
        ios: count(of, &format!("{name}_ios")),
        merges: count(of, &format!("{name}_merges")),
        ticks_ms: count(of, &format!("{name}_ticks")),
    };
    FioDisk {
        name: of.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        reads: side("read"),
        writes: side("write"),
        queue_ms: count(of, "in_queue"),
        busy_percent: number(of, "util"),
    }
}

fn number(of: &Value, key: &str) -> Option<f64> {
    of.get(key)?.as_f64().filter(|number| *number >= 0.0)
}

fn count(of: &Value, key: &str) -> Option<u64> {
    of.get(key)?.as_u64()
}
