//! One direction of a job object, and its `sync` object.

use fathom_figures::{DirectionFigures, StatisticsOptions};
use fathom_job::priorities;
use fathom_results::{Latency, PriorityLatency};
use fathom_stats::Histogram;
use serde_json::{Map, Value, json};

/// `read`, `write`, `trim` or `mixed`; `agg` is its share of the group, percent.
pub(super) fn object(flow: &DirectionFigures<'_>, asked: &StatisticsOptions, agg: f64, plus: bool) -> Value {
    let totals = &flow.totals;
    let bytes_per_second = flow.bytes_per_second() as u64;
    let (bw, iops) = (flow.bandwidth_spread_kib(), flow.iops_spread());
    let latency = |shown: bool, percentiles: bool, kept: &Latency| {
        if shown {
            latency_object(kept, percentiles, asked, plus)
        } else {
            latency_object(&Latency::default(), false, asked, plus)
        }
    };
    let mut object = json!({
        "io_bytes": totals.bytes,
        "io_kbytes": totals.bytes >> 10,
        "bw_bytes": bytes_per_second,
        "bw": bytes_per_second / 1024,
        "iops": flow.iops(),
        "runtime": flow.runtime_ms(),
        "total_ios": totals.ios,
        "short_ios": totals.short_ios,
        "drop_ios": 0,
        "slat_ns": latency(asked.submission, asked.submission_percentiles, &flow.submission()),
        "clat_ns": latency(asked.completion, asked.completion_percentiles, &totals.completion),
        "lat_ns": latency(asked.total, asked.total_percentiles, &totals.total),
        "bw_min": bw.min.round() as u64,
        "bw_max": bw.max.round() as u64,
        "bw_agg": agg,
        "bw_mean": bw.mean,
        "bw_dev": bw.stddev,
        "bw_samples": bw.samples,
        "iops_min": iops.min.round() as u64,
        "iops_max": iops.max.round() as u64,
        "iops_mean": iops.mean,
        "iops_stddev": iops.stddev,
        "iops_samples": iops.samples,
    });
    let priorities = flow.priorities();
    if !priorities.is_empty() {
        let list = priorities.iter().map(|one| priority_object(one, asked, plus)).collect();
        insert_before(&mut object, "bw_min", "prios", list);
    }
    // A key that fio does not have; readers of fio's output ignore it.
    if let Some(response) = flow.response() {
        object["response_ns"] = latency_object(response, true, asked, plus);
    }
    object
}

/// The latency of the I/Os of one priority. fio 3.33 knows no hints.
fn priority_object(one: &PriorityLatency, asked: &StatisticsOptions, plus: bool) -> Value {
    let (class, hint, level) = priorities::parts(one.ioprio);
    let mut object = Map::new();
    object.insert("prioclass".into(), class.into());
    object.insert("prio".into(), level.into());
    if hint > 0 {
        object.insert("priohint".into(), hint.into());
    }
    let key = if asked.total_by_priority { "lat_ns" } else { "clat_ns" };
    let percentiles = asked.total_percentiles || asked.completion_percentiles;
    object.insert(key.into(), latency_object(&one.latency, percentiles, asked, plus));
    Value::Object(object)
}

/// Puts a key before another one, which is there.
fn insert_before(object: &mut Value, before: &str, key: &str, value: Value) {
    let Value::Object(map) = object else { return };
    let place = map.keys().position(|other| other == before).unwrap_or(map.len());
    map.shift_insert(place, key.into(), value);
}

/// `sync`: the fsync family. fio gives its percentiles where it gives any.
pub(super) fn sync_object(sync: &Latency, asked: &StatisticsOptions, plus: bool) -> Value {
    let percentiles = asked.total_percentiles || asked.completion_percentiles;
    json!({
        "total_ios": sync.moments.count(),
        "lat_ns": latency_object(sync, percentiles, asked, plus),
    })
}

fn latency_object(latency: &Latency, percentiles: bool, asked: &StatisticsOptions, plus: bool) -> Value {
    let moments = &latency.moments;
    let mut object = Map::new();
    object.insert("min".into(), moments.min().unwrap_or(0).into());
    object.insert("max".into(), moments.max().unwrap_or(0).into());
    object.insert("mean".into(), moments.mean().unwrap_or(0.0).into());
    object.insert("stddev".into(), moments.stddev().unwrap_or(0.0).into());
    object.insert("N".into(), moments.count().into());
    let kept = latency.histogram.as_ref().filter(|h| percentiles && !h.is_empty());
    if let Some(histogram) = kept {
        object.insert("percentile".into(), percentile_object(histogram, asked).into());
        if plus {
            object.insert("bins".into(), bins_object(histogram).into());
        }
    }
    Value::Object(object)
}

fn percentile_object(histogram: &Histogram, asked: &StatisticsOptions) -> Map<String, Value> {
    let value = |p: f64| histogram.quantile(p / 100.0).unwrap_or(0);
    asked.percentiles.iter().map(|p| (format!("{p:.6}"), value(*p).into())).collect()
}

/// Middle and count of each bucket that is not empty, as in fio; fathom's buckets are twice as
/// fine.
fn bins_object(histogram: &Histogram) -> Map<String, Value> {
    let middle = |low: u64, high: u64| low + (high - low) / 2;
    histogram.buckets().map(|b| (middle(b.low_ns, b.high_ns).to_string(), b.count.into())).collect()
}
