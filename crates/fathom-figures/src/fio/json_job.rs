//! One job of fio's JSON: its options and its figures.

use super::cut_rate::CountedIos;
use super::depth::depth_target;
use super::job_result::{FioFlow, FioJob, FioLatency, counted_read_percent, mean_block_bytes};
use super::json_details;
use super::oddities::Oddities;
use crate::DepthTarget;
use fathom_job::parse::read_size;
use serde_json::Value;

/// The objects of a job with I/Os; the last is that of `unified_rw_reporting`.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

/// A job of the tree of a result.
pub(super) fn job(tree: &Value, global: Option<&Value>) -> FioJob {
    let own = tree.get("job options");
    let option = |name: &str| [own, global].into_iter().flatten().find_map(|set| set.get(name)?.as_str());
    let flows: Vec<FioFlow> = DIRECTIONS
        .into_iter()
        .filter_map(|name| flow(name, tree.get(name)?))
        .filter(FioFlow::has_io)
        .collect();
    let name = tree.get("jobname").and_then(Value::as_str).unwrap_or_default().to_owned();
    let whole = |key: &str| tree.get(key).and_then(Value::as_i64);
    let percent = |name: &str| option(name).and_then(|text| text.parse::<f64>().ok());
    let shares = json_details::shares(tree);
    let mix_asked = percent("rwmixread").or_else(|| percent("rwmixwrite").map(|writes| 100.0 - writes));
    FioJob {
        name,
        group: whole("groupid").unwrap_or(0).max(0) as u64,
        error: whole("error").unwrap_or(0),
        errors: whole("total_err").and_then(|count| count.try_into().ok()),
        block_bytes: block_bytes(option("bs").or(option("blocksize")), &flows),
        several_blocks: several_blocks(option),
        read_percent: read_percent(option("rw").or(option("readwrite")), mix_asked, &flows),
        mix_asked,
        depth: option("iodepth").and_then(|text| text.parse().ok()),
        depth_is_assumed: (own.is_some() || global.is_some()) && option("iodepth").is_none(),
        direction: option("rw").or(option("readwrite")).map(str::to_owned),
        jobs: match option("numjobs") {
            Some(text) => text.parse().ok(),
            None => own.or(global).map(|_| 1),
        },
        host: tree.get("hostname").and_then(Value::as_str).map(str::to_owned),
        started_ms: tree.get("job_start").and_then(Value::as_u64),
        elapsed_s: tree.get("elapsed").and_then(Value::as_u64),
        depth_target: own
            .or(global)
            .map_or(DepthTarget::Unknown, |_| depth_target(option, shares.are_always_at_one() == Some(true))),
        cpu: json_details::cpu(tree),
        shares,
        flows,
    }
}

/// Reports the counts and latencies of a job that are not numbers, and those below zero.
pub(super) fn unusable(tree: &Value, job: &FioJob, oddities: &mut Oddities) {
    for direction in DIRECTIONS {
        let Some(flow) = tree.get(direction) else { continue };
        let mut look = |object: &Value, name: &str, keys: &[&str]| {
            for key in keys {
                let Some(value) = object.get(key) else { continue };
                let number = value.as_f64().ok_or_else(|| value.to_string());
                oddities.of_count(&job.name, || format!("{name} {key}"), number);
            }
        };
        look(flow, direction, &["total_ios", "io_bytes", "io_kbytes", "runtime", "iops", "bw_bytes", "bw"]);
        for kind in ["lat_ns", "clat_ns", "slat_ns", "lat", "clat", "slat"] {
            let Some(latency) = flow.get(kind) else { continue };
            look(
                latency,
                &format!("{direction} {}", kind.trim_end_matches("_ns")),
                &["N", "min", "max", "mean", "stddev"],
            );
        }
    }
}

/// The one block size of the options, else the mean size of all I/Os.
fn block_bytes(option: Option<&str>, flows: &[FioFlow]) -> Option<f64> {
    let asked = option.filter(|text| !text.contains([',', '-'])).and_then(|text| read_size(text).ok());
    asked.map(|bytes| bytes as f64).or_else(|| mean_block_bytes(flows))
}

/// The option by which a job has several block sizes. fio heeds them in this order, and `bs` last.
fn several_blocks<'a>(option: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let of = |names: [&str; 2], is_so: fn(&str) -> bool| {
        let text = names.iter().find_map(|name| option(name)).filter(|text| is_so(text))?;
        Some(format!("{}={text}", names[0]))
    };
    of(["bssplit"; 2], |_| true).or_else(|| of(["bsrange", "blocksize_range"], |text| text.contains('-')))
}

/// The mix of the options, else the counted one. A mix that nobody gave is fio's default, 50.
fn read_percent(rw: Option<&str>, mix: Option<f64>, flows: &[FioFlow]) -> Option<f64> {
    match (rw, mix) {
        (Some("rw" | "readwrite" | "randrw"), Some(mix)) => Some(mix),
        (Some("rw" | "readwrite" | "randrw"), None) => Some(50.0),
        _ => counted_read_percent(flows),
    }
}

fn flow(direction: &'static str, tree: &Value) -> Option<FioFlow> {
    // What is below zero is told, and is no figure.
    let number = |key: &str| tree.get(key).and_then(Value::as_f64).filter(|number| *number >= 0.0);
    // fio 2: `io_bytes` was KiB, and there was no `io_kbytes`.
    let is_newer = tree.get("io_kbytes").is_some();
    let bytes = number("io_bytes").map(|bytes| bytes * if is_newer { 1.0 } else { 1024.0 });
    let rate = number("bw_bytes").or(number("bw").map(|kib| kib * 1024.0));
    let whole = |key: &str| tree.get(key).and_then(Value::as_u64);
    let latencies = ["lat", "clat", "slat"].into_iter().filter_map(|kind| latency(kind, tree)).collect();
    let (runtime_ms, iops) = (number("runtime").map(|ms| ms as u64), number("iops"));
    let counted = match tree.get("total_ios") {
        // In an altered file it may be no number.
        Some(_) => CountedIos {
            ios: number("total_ios").map(|it| it as u64),
            bytes: bytes.map(|it| it as u64),
            iops,
            cut: None,
        },
        None => without_total(bytes, iops, runtime_ms),
    };
    Some(FioFlow {
        direction,
        ios: counted.ios,
        bytes: counted.bytes,
        runtime_ms,
        iops: counted.iops,
        bytes_per_second: rate,
        cut: counted.cut,
        latencies,
        short: whole("short_ios"),
        dropped: whole("drop_ios"),
        bandwidth_spread: json_details::bandwidth_spread(tree),
        iops_spread: json_details::iops_spread(tree),
    })
}

/// fio 2.1 has no `total_ios`, and only whole I/Os per second.
fn without_total(bytes: Option<f64>, iops: Option<f64>, runtime_ms: Option<u64>) -> CountedIos {
    let known = CountedIos { ios: None, bytes: bytes.map(|it| it as u64), iops, cut: None };
    let Some((iops, runtime_ms)) = iops.zip(runtime_ms) else { return known };
    match bytes {
        Some(bytes) if iops.fract() == 0.0 => {
            CountedIos::of((bytes / 1024.0) as u64, iops as u64, runtime_ms)
        }
        _ => CountedIos { ios: Some((iops * runtime_ms as f64 / 1e3).round() as u64), ..known },
    }
}

/// A latency that was measured: one without values is left out.
fn latency(kind: &'static str, tree: &Value) -> Option<FioLatency> {
    let in_ns = tree.get(format!("{kind}_ns"));
    let (object, unit_ns) = match in_ns {
        Some(object) => (object, 1.0),
        None => (tree.get(kind)?, 1000.0),
    };
    let number = |key: &str| object.get(key).and_then(Value::as_f64).filter(|number| *number >= 0.0);
    let n = object.get("N").and_then(Value::as_u64);
    // fio writes zeros for a latency that it did not measure.
    let is_set = |key: &str| number(key).is_some_and(|number| number > 0.0);
    if n == Some(0) || !(is_set("max") || is_set("mean")) {
        return None;
    }
    let time = |key: &str| number(key).map(|number| number * unit_ns);
    let listed = object.get("percentile").and_then(Value::as_object);
    let percentile = |(percent, value): (&String, &Value)| {
        // fio 2 fills the list with 0.00.
        let percent: f64 = percent.parse().ok().filter(|percent| *percent > 0.0)?;
        Some((percent, value.as_f64()? * unit_ns))
    };
    Some(FioLatency {
        kind,
        n,
        min_ns: time("min"),
        max_ns: time("max"),
        mean_ns: time("mean"),
        stddev_ns: time("stddev"),
        percentiles: listed.into_iter().flatten().filter_map(percentile).collect(),
    })
}
