//! The table of `--output-format csv` is tidy: pandas reads it into one frame with a row for each job, direction and
//! metric, which can be grouped and pivoted as it is.

use crate::support::{fathom, must};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Several jobs in virtual time, with one and with several directions. A name has a comma and quotes.
const JOBS: &str = "[global]\nioengine=oracle\noracle_clock=virtual\noracle_latency=lognormal:100us:0.3\nbs=4k\n\
                    size=64m\ntime_based=1\nruntime=2s\n\
                    [reads]\nrw=randread\n\
                    [both, \"70 %\"]\nrw=randrw\nrwmixread=70\n\
                    [clones]\nrw=write\nnumjobs=2\n";

/// Reads two tables into one frame, and prints what the test compares.
const SCRIPT: &str = "\
import json, sys, pandas
tables = [pandas.read_csv(path) for path in sys.argv[1:]]
frame = pandas.concat(tables, ignore_index=True)
keys = ['run', 'job', 'job_number', 'direction', 'metric']
iops = frame[frame.metric == 'iops']
wide = frame.pivot(index=keys[:4], columns='metric', values='value')
print(json.dumps({
    'columns': [list(table.columns) for table in tables],
    'repeated': int(frame.duplicated(keys).sum()),
    'numbers': {name: bool(pandas.api.types.is_numeric_dtype(frame[name])) for name in ['value', 'n', 'low', 'high']},
    'without_value': int(frame.value.isna().sum()),
    'rows': len(frame),
    'wide': [len(wide), int(wide['iops'].notna().sum())],
    'iops': {f'{run} {job}': float(sum) for (run, job), sum in iops.groupby(['run', 'job']).value.sum().items()},
}))
";

/// Debian's Python, which has Debian's pandas.
const PYTHON: &str = "/usr/bin/python3";

fn saved(dir: &Path, name: &str) -> Value {
    must(fathom(dir).args(["run", "-q", "--no-calibrate", "--output-dir", name, "jobs.fio"]));
    let table = format!("{name}.csv");
    must(fathom(dir).args(["report", name, "--output-format", "csv", "-o", &table]));
    serde_json::from_str(&must(fathom(dir).args(["report", name, "--json"]))).unwrap()
}

#[test]
fn pandas_reads_the_table_into_one_tidy_frame() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    std::fs::write(dir.join("jobs.fio"), JOBS).unwrap();
    let documents = ["one", "two"].map(|name| saved(dir, name));
    let mut python = Command::new(PYTHON);
    python.current_dir(dir).args(["-c", SCRIPT, "one.csv", "two.csv"]);
    let frame: Value = serde_json::from_str(&must(&mut python)).unwrap();
    assert_eq!(frame["columns"][0], frame["columns"][1]);
    assert_eq!(frame["repeated"], 0, "a row for each job, direction and metric");
    assert_eq!(frame["without_value"], 0);
    assert!(frame["numbers"].as_object().unwrap().values().all(|is_number| is_number == true), "{frame}");

    let figures = || {
        documents.iter().flat_map(|document| {
            let figures = document["figures"].as_array().unwrap();
            figures.iter().map(|figure| (document["id"].as_str().unwrap(), figure))
        })
    };
    assert_eq!(frame["rows"], figures().count(), "every figure of the document is a row");
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (run, figure) in figures().filter(|(_, figure)| figure["metric"] == "iops") {
        *sums.entry(format!("{run} {}", figure["job"].as_str().unwrap())).or_default() +=
            figure["value"].as_f64().unwrap();
    }
    assert_eq!(sums.len(), 2 * 3, "{sums:?}");
    let grouped = frame["iops"].as_object().unwrap();
    assert_eq!(grouped.len(), sums.len(), "{grouped:?}");
    for (key, sum) in &sums {
        let read = grouped[key].as_f64().unwrap();
        assert!((read / sum - 1.0).abs() < 1e-9, "{key}: {read} and {sum}");
    }
    // Of each run: reads, both in two directions, two clones; and what the directions of each share.
    assert_eq!(frame["wide"], serde_json::json!([2 * (5 + 4), 2 * 5]));
}
