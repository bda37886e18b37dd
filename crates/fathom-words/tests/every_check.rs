//! What each check of a run by itself compares, side by side: one sample of each kind.

use fathom_results::{CheckEvidence, SelfCheck};
use serde_json::{Value, json};

/// Counts of one direction; `because` explains that they differ.
fn direction(name: &str, requests: u64, ios: u64, because: Option<Value>) -> Value {
    let mut of = json!({ "direction": name, "requests": requests, "disk_bytes": 4096 * requests, "ios": ios,
        "own_bytes": 4096 * ios });
    if let Some(because) = because {
        of["because"] = because;
    }
    of
}

fn counts(directions: &[Value], unclear: Option<&str>) -> Value {
    let mut of = json!({ "is": "compared", "disks": ["sda"], "directions": directions });
    if let Some(why) = unclear {
        of["unclear"] = json!(why);
    }
    json!({ "name": "kernel-counts", "evidence": of })
}

fn not_counted(why: Value) -> Value {
    json!({ "name": "kernel-counts", "evidence": { "is": "not-counted", "why": why } })
}

fn members(own: [u64; 2], all: [u64; 2], with_flushes: bool) -> Value {
    json!({ "name": "members", "evidence": { "disks": ["sdb", "sdc"], "own_reads": own[0], "own_writes": own[1],
        "reads": all[0], "writes": all[1], "with_flushes": with_flushes } })
}

fn of_job(name: &str, mut evidence: Value) -> Value {
    evidence["job"] = json!("j");
    json!({ "name": name, "evidence": evidence })
}

fn all() -> Vec<Value> {
    let requests = |more: Value| {
        let mut because = json!({ "is": "requests" });
        because.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        direction("write", 10_000, 5_000, Some(because))
    };
    let mut shared = direction("read", 200_000, 200_000, None);
    shared["disk_bytes_own"] = json!(311_296_000);
    let split = json!({ "is": "split", "requests_each": 2.0 });
    let law = json!({ "job": "j", "in_flight_by_law": 7.96, "in_flight": 7.96, "syncs": null, "depth": 8,
        "product": { "iops": 40_000.0, "unrated": null, "latency_ns_mean": 199_000.0, "is_service": false } });
    let clock = |mean: Value, is_service: bool, least: Value| {
        let evidence = json!({ "latency_ns_mean": mean, "is_service": is_service, "clock": "tsc", "latency_ns_min": least });
        of_job("clock-resolution", evidence)
    };
    let ceiling = |of: Value| of_job("generator-ceiling", json!({ "of": of }));
    let reads = || direction("read", 200_010, 200_000, None);
    let writes = |because: Value| direction("write", 15_000, 5_000, Some(because));
    vec![
        counts(&[reads()], None),
        counts(&[shared], None),
        counts(&[reads(), writes(json!({ "is": "file-system-journal" }))], None),
        counts(&[direction("trim", 5_000, 0, Some(json!({ "is": "file-system-trims" })))], None),
        counts(&[writes(json!({ "is": "ramps", "bytes": 8_192_000 }))], None),
        counts(&[direction("read", 2_614, 1, None)], None),
        counts(&[requests(json!({ "flushes": 5_000 }))], None),
        counts(&[requests(json!({ "data": split }))], None),
        counts(&[requests(json!({ "flushes": 5_000, "data": split }))], None),
        counts(&[requests(json!({ "data": { "is": "merged", "requests": 3_750 } }))], None),
        counts(&[requests(json!({ "data": { "is": "adjacent" } }))], None),
        counts(&[reads()], Some("page-cache")),
        counts(&[reads()], Some("too-little")),
        counts(&[reads()], Some("too-short")),
        not_counted(json!({ "is": "no-counters" })),
        not_counted(json!({ "is": "no-job-on-disk" })),
        not_counted(json!({ "is": "disk-unknown" })),
        not_counted(json!({ "is": "not-counting", "disk": "sda" })),
        not_counted(json!({ "is": "not-read", "disk": "sda" })),
        not_counted(json!({ "is": "loop-may-be-backed", "disks": ["loop0", "sda"] })),
        not_counted(json!({ "is": "several-disks", "disks": ["sda", "sdb"] })),
        not_counted(json!({ "is": "part-of-target", "part": "sdb", "whole": "md0" })),
        members([0, 1_000], [2_000, 2_000], false),
        members([0, 1_000], [0, 3_000], true),
        members([1_000, 0], [1_000, 0], false),
        members([1_000, 500], [1_500, 1_000], false),
        of_job("littles-law", json!({ "law": law })),
        of_job("littles-law", json!({ "law": null })),
        clock(json!(199_000.0), false, json!(40)),
        clock(json!(199_000.0), true, json!(null)),
        clock(json!(null), false, json!(40)),
        ceiling(json!({ "is": "rates", "iops": 40_000.0, "iops_max": 10_000_000.0, "engine": "null" })),
        ceiling(json!({ "is": "not-measured" })),
        ceiling(json!({ "is": "too-short" })),
        json!({ "name": "of-a-later-version", "evidence": { "disks": 3 } }),
    ]
}

#[test]
fn every_check_in_words() {
    let line = |value: &Value| {
        let evidence: CheckEvidence = serde_json::from_value(value.clone()).unwrap();
        format!("{}: {}\n", evidence.name(), fathom_words::check(&evidence))
    };
    insta::assert_snapshot!(all().iter().map(line).collect::<String>());
}

/// The name is beside the outcome, also of a check that only a later version knows.
#[test]
fn each_check_is_read_as_it_was_saved() {
    for mut value in all() {
        value["outcome"] = json!("unknown");
        let check: SelfCheck = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&check).unwrap(), value);
    }
}
