//! fio's JSON (`--output-format=json` and `json+`), of fio 2 and 3.
//!
//! fio 2 has latencies in µs (`lat`, `clat`, `slat`), fio 3 in ns (`lat_ns` …). fio writes warnings into the same file
//! before the tree, other formats behind it, and one tree after the other with `--status-interval`; the last one counts.

use super::depth::depth_target;
use super::job_result::{
    FioFlow, FioJob, FioLatency, FioResult, FioResultError, counted_read_percent, mean_block_bytes,
};
use crate::DepthTarget;
use fathom_job::parse::read_size;
use serde_json::Value;

/// A tree without these keys is not fio's.
const VERSION: &str = "fio version";

/// Reads a file of fio's JSON.
///
/// # Errors
/// Where it is cut or not fio's, with line and column.
pub fn fio_json(text: &str) -> Result<FioResult, FioResultError> {
    let start = beginning(text).ok_or(FioResultError::NotFio)?;
    let mut trees = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let (mut last, mut count, mut first_error) = (None, 0_usize, None);
    for tree in trees.by_ref() {
        match tree {
            Ok(tree) if tree.is_object() => {
                count += 1;
                last = Some(tree);
            }
            // Behind a whole tree there may be other formats.
            Ok(_) => break,
            Err(error) => {
                first_error = Some(error);
                break;
            }
        }
    }
    let Some(tree) = last else {
        let before = text[..start].lines().count();
        return Err(match first_error {
            Some(error) => FioResultError::NotJson {
                line: before + error.line(),
                column: error.column(),
                why: words(&error),
            },
            None => FioResultError::NotFio,
        });
    };
    read(&tree).map(|result| FioResult { earlier_states: count - 1, ..result })
}

/// Where the tree begins: the first line that begins with a brace.
fn beginning(text: &str) -> Option<usize> {
    let mut braces = text.match_indices('{').map(|(at, _)| at);
    braces.find(|at| text[..*at].ends_with('\n') || text[..*at].trim().is_empty())
}

/// What is wrong, without the place, which is before it.
fn words(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.split(" at line ").next().unwrap_or_default().to_owned()
}

fn read(tree: &Value) -> Result<FioResult, FioResultError> {
    let version = tree.get(VERSION).and_then(Value::as_str).ok_or(FioResultError::NotFio)?;
    let listed = tree.get("jobs").or(tree.get("client_stats")).and_then(Value::as_array);
    let global = tree.get("global options");
    let jobs: Vec<FioJob> = listed.into_iter().flatten().map(|one| job(one, global)).collect();
    if jobs.is_empty() {
        return Err(FioResultError::NoJobs);
    }
    Ok(FioResult { version: version.to_owned(), jobs, earlier_states: 0 })
}

fn job(tree: &Value, global: Option<&Value>) -> FioJob {
    let own = tree.get("job options");
    let option = |name: &str| [own, global].into_iter().flatten().find_map(|set| set.get(name)?.as_str());
    let flows: Vec<FioFlow> = ["read", "write", "trim", "mixed"]
        .into_iter()
        .filter_map(|name| flow(name, tree.get(name)?))
        .filter(|flow| flow.ios > 0 || flow.bytes > 0)
        .collect();
    let name = tree.get("jobname").and_then(Value::as_str).unwrap_or_default().to_owned();
    let whole = |key: &str| tree.get(key).and_then(Value::as_i64);
    FioJob {
        name,
        group: whole("groupid").unwrap_or(0).max(0) as u64,
        error: whole("error").unwrap_or(0),
        errors: whole("total_err").and_then(|count| count.try_into().ok()),
        block_bytes: block_bytes(option("bs").or(option("blocksize")), &flows),
        read_percent: read_percent(option("rw").or(option("readwrite")), option("rwmixread"), &flows),
        depth: option("iodepth").and_then(|text| text.parse().ok()),
        depth_target: own.or(global).map_or(DepthTarget::Unknown, |_| depth_target(option, tree)),
        flows,
    }
}

/// The one block size of the options, else the mean size of all I/Os.
fn block_bytes(option: Option<&str>, flows: &[FioFlow]) -> Option<f64> {
    let asked = option.filter(|text| !text.contains([',', '-'])).and_then(|text| read_size(text).ok());
    asked.map(|bytes| bytes as f64).or_else(|| mean_block_bytes(flows))
}

/// The mix of the options, else the counted one. A mix that nobody gave is fio's default, 50.
fn read_percent(rw: Option<&str>, mix: Option<&str>, flows: &[FioFlow]) -> Option<f64> {
    match (rw, mix.and_then(|text| text.parse::<f64>().ok())) {
        (Some("rw" | "readwrite" | "randrw"), Some(mix)) => Some(mix),
        (Some("rw" | "readwrite" | "randrw"), None) => Some(50.0),
        _ => counted_read_percent(flows),
    }
}

fn flow(direction: &'static str, tree: &Value) -> Option<FioFlow> {
    let number = |key: &str| tree.get(key).and_then(Value::as_f64);
    // fio 2: `io_bytes` was KiB, and there was no `io_kbytes`.
    let is_newer = tree.get("io_kbytes").is_some();
    let bytes = number("io_bytes").unwrap_or(0.0) * if is_newer { 1.0 } else { 1024.0 };
    let rate = number("bw_bytes").or(number("bw").map(|kib| kib * 1024.0));
    let latencies = ["lat", "clat", "slat"].into_iter().filter_map(|kind| latency(kind, tree)).collect();
    Some(FioFlow {
        direction,
        ios: number("total_ios")? as u64,
        bytes: bytes as u64,
        runtime_ms: number("runtime").unwrap_or(0.0) as u64,
        iops: number("iops").unwrap_or(0.0),
        bytes_per_second: rate.unwrap_or(0.0),
        latencies,
    })
}

/// A latency that was measured: one without values is left out.
fn latency(kind: &'static str, tree: &Value) -> Option<FioLatency> {
    let in_ns = tree.get(format!("{kind}_ns"));
    let (object, unit_ns) = match in_ns {
        Some(object) => (object, 1.0),
        None => (tree.get(kind)?, 1000.0),
    };
    let number = |key: &str| object.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    let n = object.get("N").and_then(Value::as_u64);
    if n == Some(0) || (number("max") == 0.0 && number("mean") == 0.0) {
        return None;
    }
    let listed = object.get("percentile").and_then(Value::as_object);
    let percentile = |(percent, value): (&String, &Value)| {
        // fio 2 fills the list with 0.00.
        let percent: f64 = percent.parse().ok().filter(|percent| *percent > 0.0)?;
        Some((percent, value.as_f64()? * unit_ns))
    };
    Some(FioLatency {
        kind,
        n,
        min_ns: number("min") * unit_ns,
        max_ns: number("max") * unit_ns,
        mean_ns: number("mean") * unit_ns,
        stddev_ns: number("stddev") * unit_ns,
        percentiles: listed.into_iter().flatten().filter_map(percentile).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIO_3: &str = r#"fio: a warning in the same file
{
  "fio version" : "fio-3.33",
  "global options" : { "bs" : "4k", "iodepth" : "32" },
  "jobs" : [ { "jobname" : "a", "groupid" : 0, "error" : 0, "total_err" : 2,
    "job options" : { "rw" : "randrw", "rwmixread" : "70" },
    "read" : { "io_bytes" : 4096000, "io_kbytes" : 4000, "bw_bytes" : 409600, "bw" : 400, "iops" : 100.0,
      "runtime" : 10000, "total_ios" : 1000,
      "slat_ns" : { "min" : 0, "max" : 0, "mean" : 0.0, "stddev" : 0.0, "N" : 0 },
      "clat_ns" : { "min" : 10, "max" : 13505000, "mean" : 344000.0, "stddev" : 5.0, "N" : 1000,
        "percentile" : { "50.000000" : 300000, "99.000000" : 1192000 } } },
    "write" : { "io_bytes" : 0, "io_kbytes" : 0, "total_ios" : 0 } },
    { "jobname" : "a", "read" : { "io_bytes" : 512, "io_kbytes" : 0, "total_ios" : 1 } } ]
}
{ "what follows": "another form
"#;

    const FIO_2: &str = r#"{ "fio version" : "fio-2.2.10", "jobs" : [ { "jobname" : "b", "write" :
        { "io_bytes" : 4000, "bw" : 400, "iops" : 100.0, "runtime" : 10000, "total_ios" : 1000,
          "clat" : { "min" : 1, "max" : 13505, "mean" : 344.26, "stddev" : 5.0,
            "percentile" : { "99.000000" : 1192, "0.00" : 0 } } } } ] }"#;

    #[test]
    fn fio_3_with_warnings_before_and_another_form_behind() {
        let result = fio_json(FIO_3).unwrap();
        assert_eq!(result.version, "fio-3.33");
        let job = &result.jobs[0];
        assert_eq!((job.block_bytes, job.read_percent, job.depth), (Some(4096.0), Some(70.0), Some(32)));
        assert_eq!(job.depth_target, DepthTarget::Of(32), "no engine is named, and the levels are not told");
        assert_eq!((job.errors, job.flows.len()), (Some(2), 1));
        let flow = &job.flows[0];
        assert_eq!((flow.ios, flow.bytes, flow.bytes_per_second), (1000, 4_096_000, 409_600.0));
        assert_eq!(flow.latencies.len(), 1, "a latency without values is none");
        assert_eq!(flow.latencies[0].percentile_ns(99.0), Some(1_192_000.0));
        assert_eq!((result.label(0), result.label(1)), ("a #1".to_owned(), "a #2".to_owned()));
    }

    #[test]
    fn fio_2_has_microseconds_and_kib() {
        let result = fio_json(FIO_2).unwrap();
        let (job, flow) = (&result.jobs[0], &result.jobs[0].flows[0]);
        assert_eq!((flow.bytes, flow.bytes_per_second), (4_096_000, 409_600.0));
        assert_eq!((job.block_bytes, job.read_percent), (Some(4096.0), Some(0.0)));
        assert_eq!(job.depth_target, DepthTarget::Unknown, "it has no options");
        let clat = &flow.latencies[0];
        assert_eq!((clat.max_ns, clat.mean_ns.round()), (13_505_000.0, 344_260.0));
        assert_eq!(clat.percentiles, [(99.0, 1_192_000.0)]);
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        let cut = &FIO_3[..FIO_3.find("\"bw_bytes\"").unwrap()];
        match fio_json(cut) {
            Err(FioResultError::NotJson { line: 7, .. }) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(fio_json("no tree"), Err(FioResultError::NotFio));
        assert_eq!(fio_json("{\"a\": 1}"), Err(FioResultError::NotFio));
        assert_eq!(fio_json("{\"fio version\": \"fio-3\", \"jobs\": []}"), Err(FioResultError::NoJobs));
    }

    #[test]
    fn of_several_states_the_last_counts() {
        let two = format!("{FIO_2}\n{}", FIO_2.replace("\"b\"", "\"c\""));
        let result = fio_json(&two).unwrap();
        assert_eq!((result.jobs[0].name.as_str(), result.earlier_states), ("c", 1));
    }
}
