//! Every sentence about a part of a report: what it came to, and what to know before its figures are used.

use fathom_results::{ReportHeadline, ReportRemark};
use fathom_words::report_part;
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn headlines() -> Vec<Value> {
    let best = json!({ "value": 51_200.0, "half_share": 0.01, "rounds": 3 });
    let test = json!({ "test": "IOPS test", "not_run": null, "rounds": 3, "loops": [], "stopped": null });
    let mut tested = json!({ "came_to": "test" });
    tested.as_object_mut().unwrap().extend(test.as_object().unwrap().clone());
    vec![
        json!({ "came_to": "nothing" }),
        json!({ "came_to": "too-short" }),
        tested,
        json!({ "came_to": "recovery", "bytes_per_second_mean": 1e8, "minutes": 3.0, "bytes_per_second_least_later": 6e7 }),
        json!({ "came_to": "recovery", "bytes_per_second_mean": 1e8 }),
        json!({ "came_to": "group", "group": "reads", "metric": "iops", "value": 51_200.0, "of": "array", "share": 0.94 }),
        json!({ "came_to": "best", "metric": "iops", "best": best }),
        json!({ "came_to": "best", "metric": "latency_p99", "best": { "value": 8e4, "rounds": 1 }, "row": "iodepth=4" }),
        json!({ "came_to": "of-runs", "metric": "iops", "runs": [{ "run": "A", "best": best }, { "run": "B" }] }),
    ]
}

fn remarks() -> Vec<Value> {
    let finding = json!({ "code": "clock-low", "weight": "low",
        "evidence": { "cpus": [{ "cpu": "3", "mhz": 1_200.0, "nominal_mhz": 3_000.0 }] } });
    let doubted = |rounds: &[u64], of: u64| {
        json!({ "remark": "doubted", "of": of, "doubted": { "rounds_of": "iops-round", "rounds": rounds, "seconds": [],
            "cells": [], "finding": finding } })
    };
    let parts = |because: Value, are_members: bool| {
        json!({ "remark": "of-parts", "values": "bs=8k", "share": 0.536, "targets": 3, "are_members": are_members,
            "because": because })
    };
    let knee = |at: Option<u64>, falls: bool, adds_latency: bool| {
        json!({ "remark": "knee", "line": "reads", "option": "iodepth", "metric": "iops", "at": at, "most": 1e5,
            "most_at": 32, "falls": falls, "adds_latency": adds_latency })
    };
    let drift =
        |job: Option<&str>| json!({ "remark": "drift", "job": job, "times": 4, "last": 0.5, "most": 0.6 });
    let spread: Vec<Value> =
        (1..=6).map(|n| json!({ "row": format!("iodepth={n}"), "deviation_share": 0.07 })).collect();
    vec![
        doubted(&[1], 1),
        doubted(&[2], 9),
        doubted(&[1, 2, 3], 3),
        doubted(&[1, 2, 3, 4, 5, 6, 8], 9),
        json!({ "remark": "window-incomplete", "cell": "iops-round", "rounds": 3 }),
        json!({ "remark": "few-for-five-nines" }),
        json!({ "remark": "no-demand-is-below" }),
        json!({ "remark": "histograms-apart" }),
        json!({ "remark": "no-cpu-use" }),
        json!({ "remark": "link-holds", "target": 2, "share": 0.84, "link_bytes_per_second": 1.6e9 }),
        json!({ "remark": "rule", "cell": "busy", "metric": "sync_p99", "value": 9e6, "passes": true, "at_most": 1e7,
            "source": "its manual" }),
        json!({ "remark": "limits-kept", "kept": 1, "of": 2 }),
        json!({ "remark": "times", "row": "size=80%", "metric": "iops", "times": 1.8 }),
        json!({ "remark": "times", "row": "etcd", "metric": "latency_p99", "times": 8.0, "group": "etcd-long" }),
        json!({ "remark": "of-members", "values": "bs=8k", "share": 0.941, "members": 2 }),
        json!({ "remark": "of-members", "share": 1.01, "members": 2 }),
        parts(json!({ "cause": "add-up" }), false),
        parts(json!({ "cause": "slowest", "share": 1.01, "target": 2 }), false),
        parts(json!({ "cause": "shared" }), true),
        knee(Some(16), true, true),
        knee(Some(16), false, true),
        knee(Some(16), false, false),
        knee(None, false, false),
        json!({ "remark": "depth-not-reached", "line": "reads", "asked": 8, "reachable": 1 }),
        json!({ "remark": "fell", "rows": [{ "row": "g", "falls": 2, "rounds": 3, "at_s": 12, "iops_before": 9e4,
            "bytes_per_second_before": 3.7e8, "bytes_before": 4.4e9 }] }),
        json!({ "remark": "spread", "rows": spread }),
        drift(None),
        drift(Some("k")),
        json!({ "remark": "failed", "cells": ["g iodepth=2"] }),
        json!({ "remark": "over-rounds" }),
        json!({ "remark": "rounds-differ", "least": 1, "most": 2 }),
        json!({ "remark": "of-runs", "runs": ["A", "C"], "of": { "remark": "over-rounds" } }),
    ]
}

/// The variants that the schema knows.
fn known<T: JsonSchema>(tag: &str) -> BTreeSet<String> {
    let schema = serde_json::to_value(schemars::schema_for!(T)).unwrap();
    let variants = schema["oneOf"].as_array().unwrap();
    variants.iter().map(|it| it["properties"][tag]["const"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn parts() {
    let tags = |all: &[Value], tag: &str| -> BTreeSet<String> {
        all.iter().map(|it| it[tag].as_str().unwrap().to_owned()).collect()
    };
    let (headlines, remarks) = (headlines(), remarks());
    assert_eq!(tags(&headlines, "came_to"), known::<ReportHeadline>("came_to"));
    assert_eq!(tags(&remarks, "remark"), known::<ReportRemark>("remark"));
    let of_headline = |it: Value| report_part::headline(&serde_json::from_value(it).unwrap());
    let of_remark = |it: Value| report_part::remark(&serde_json::from_value(it).unwrap());
    let lines: Vec<String> =
        headlines.into_iter().map(of_headline).chain(remarks.into_iter().map(of_remark)).collect();
    assert!(lines.iter().all(|line| !line.is_empty()), "{lines:#?}");
    insta::assert_snapshot!(lines.join("\n\n"));
}
