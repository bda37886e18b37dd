//! All that fathom can say of a finding, in one file that a person can read: `snapshots/words_all__every_sentence__sentences.snap`.

use fathom_results::finding::LateStart;
use fathom_results::{Evidence, Finding, JobsPart, Weight};
use fathom_words::of_finding;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A finding of each rule, in each of its forms. The weight is the one at which the most is said.
fn samples() -> Vec<Value> {
    let rate = |iops: f64| json!({ "iops": iops, "bytes_per_second": iops * 4096.0 });
    let fall = |job: &str, lasts_from_s: u64| {
        json!({ "job": job, "in_bytes": true, "at_s": 11, "lasts_from_s": lasts_from_s, "bytes_before": 1.18e9,
            "before": rate(26_000.0), "lasting": rate(7_000.0) })
    };
    let spread = |job: &str| json!({ "job": job, "in_bytes": false, "min": rate(800.0), "max": rate(3_200.0), "window_s": 1, "variation": 0.31 });
    let wait = json!({ "share": 0.25, "switches": 1200, "involuntary": 900, "each_ns": 180_000.0 });
    let stall = |is_target: bool, seconds: f64| {
        json!({ "worker": "a.0", "longest_s": seconds, "times": 1, "seconds": seconds, "of_seconds": 20.0,
            "is_target": is_target })
    };
    let of = |code: &str, evidence: Value| json!({ "code": code, "evidence": evidence, "weight": "instead" });
    let low = |code: &str, evidence: Value| json!({ "code": code, "evidence": evidence, "weight": "low" });
    let medium =
        |code: &str, evidence: Value| json!({ "code": code, "evidence": evidence, "weight": "medium" });
    let moved = |direction: &str, bytes: Option<u64>, ios: Option<u64>| json!({ "direction": direction, "bytes": bytes, "ios": ios });
    vec![
        of(
            "foreign-io",
            json!({ "others": { "disk": "sda", "others": [moved("read", Some(2_290_000_000), Some(113_736)),
                moved("write", None, Some(1))], "own": [moved("read", Some(20_500_000), None)],
                "has_file_system": true, "busiest": ["randread", 600_000_000] } }),
        ),
        low(
            "foreign-io",
            json!({ "more_than_held": { "disk": "sda", "read_bytes": 9_000_000, "more_bytes": 4_000_000 } }),
        ),
        of(
            "page-cache",
            json!({ "fewer_bytes": { "disk": "sda", "directions": [{ "direction": "read", "own_bytes": 20_500_000,
                "reached_bytes": 102_000, "disk_bytes": 20_500_000 }] } }),
        ),
        of(
            "page-cache",
            json!({ "fewer_requests": { "disk": "sda", "direction": "write", "ios": 655_361, "requests": 5_152 } }),
        ),
        of(
            "page-cache",
            json!({ "sooner": { "disk": "sda", "direction": "write", "io_ns_mean": 3_000.0, "request_ns_mean": 100_000.0 } }),
        ),
        of(
            "page-cache",
            json!({ "fits": { "job": "a", "region_bytes": 1_073_741_824, "memory_bytes": 17_179_869_184_u64 } }),
        ),
        of(
            "memory-backed",
            json!({ "is": { "disk": "zram0" }, "only_trims": true, "memory_bytes": 1_u64 << 34 }),
        ),
        of(
            "memory-backed",
            json!({ "is": { "beneath": { "device": "loop7", "memory": "tmpfs" } }, "only_trims": false,
                "memory_bytes": 1_u64 << 34 }),
        ),
        of(
            "memory-backed",
            json!({ "is": { "file_system": "tmpfs" }, "only_trims": false, "memory_bytes": 1_u64 << 34 }),
        ),
        of("no-target", json!({ "engine": "null" })),
        of("simulated", json!({ "drive": "sim:consumer/64", "scale": 64, "unwritten_bytes": 4_096 })),
        of(
            "unwritten-range",
            json!({ "read_bytes": 20_500_000, "volume": "dm-0", "disks": ["sda", "sdb"], "disk_bytes": 0 }),
        ),
        low(
            "unknown-content",
            json!({ "job": "a", "path": "/dev/sda", "region_bytes": 1_000_000, "content": { "partly_written":
                { "by": "fill", "bytes": 500_000 } } }),
        ),
        low(
            "unknown-content",
            json!({ "job": "a", "path": "/dev/sda", "region_bytes": 1_000_000, "content": { "never_written": 4_096 } }),
        ),
        low(
            "unknown-content",
            json!({ "job": "a", "path": "/dev/sda", "region_bytes": 1_000_000, "content": { "nothing":
                { "block_bytes": 4_096, "latency_ns_mean": 90_000.0 } } }),
        ),
        low(
            "cpu-quota",
            json!({ "quota": { "quota_ns": 20_000_000, "period_ns": 100_000_000, "periods": 50, "stopped": 49 }, "jobs": ["a"] }),
        ),
        low(
            "generator-limited",
            json!({ "limited": [{ "job": "a", "sign": { "starved": wait } }], "delayed": [] }),
        ),
        low(
            "generator-limited",
            json!({ "limited": [{ "job": "a", "sign": { "ceiling": { "iops": 9e5, "iops_max": 1e6, "engine": "nop" } } },
                { "job": "b", "sign": { "full": { "worker": 0.99, "worker_system": 0.4, "machine": 0.5, "cpus": 2,
                "cpu_ns_per_io": 900.0 } } }], "delayed": [] }),
        ),
        low("generator-limited", json!({ "limited": [], "delayed": [{ "job": "a", "wait": wait }] })),
        low("data-limited", json!({ "jobs": [{ "job": "a", "share": 0.32, "each_ns": 700.0 }] })),
        low("log-limited", json!({ "workers": [{ "worker": "a.0", "share": 0.1, "lost_ios": 12 }] })),
        low(
            "kernel-workers",
            json!({ "jobs": [{ "job": "a", "kind": "io-wq", "threads": 1, "cpu_ns_per_io": 900.0, "worker_ns_per_io": 700.0,
                "is_punted": true }] }),
        ),
        low(
            "kernel-workers",
            json!({ "jobs": [{ "job": "a", "kind": "sqpoll", "threads": 2, "cpu_ns_per_io": 900.0, "worker_ns_per_io": 700.0,
                "is_punted": false }] }),
        ),
        low(
            "registration-differs",
            json!({ "jobs": [{ "job": "a", "what": "ring", "registered": 3, "of": 4 }] }),
        ),
        low("rate-fell", json!({ "jobs": [fall("a", 11)], "is_only": true })),
        low("rate-fell", json!({ "jobs": [fall("a", 20)], "is_only": false })),
        low("rate-fell", json!({ "jobs": [fall("a", 11), fall("b", 11)], "is_only": false })),
        low("unstable", json!({ "jobs": [spread("a")], "is_only": true })),
        low("unstable", json!({ "jobs": [spread("a")], "is_only": false })),
        low("unstable", json!({ "jobs": [spread("a"), spread("b")], "is_only": false })),
        low("unstable", json!({ "jobs": [spread("a"), spread("b"), spread("c")], "is_only": false })),
        low(
            "errors-continued",
            json!({ "jobs": [{ "job": "a", "direction": "write", "failed": 5, "ios": 1_000 }] }),
        ),
        low(
            "interrupted",
            json!({ "workers": [{ "worker": "a.0", "end": "never", "measured_s": 1.0 }, { "worker": "b.0", "end": "interrupted",
                "measured_s": 2.0 }, { "worker": "c.0", "end": { "failed": "no space left" }, "measured_s": 3.0 },
                { "worker": "d.0", "end": { "failed": "no such file" }, "measured_s": null }], "none_started": false, "why": null }),
        ),
        low(
            "interrupted",
            json!({ "workers": [{ "worker": "a.0", "end": "interrupted", "measured_s": null }], "none_started": true, "why": null }),
        ),
        low(
            "interrupted",
            json!({ "workers": [], "none_started": false, "why": { "is": "ended", "by": "interrupted" } }),
        ),
        low(
            "rate-missed",
            json!({ "jobs": [{ "job": "a", "direction": "read", "in_bytes": false, "reached": 44_777.0, "asked": 900_000 },
                { "job": "a", "direction": "write", "in_bytes": true, "reached": 5e6, "asked": 9_000_000 }] }),
        ),
        low(
            "blocks-cut",
            json!({ "jobs": [{ "job": "a", "direction": "read", "bytes_mean": 10_100.0, "bytes_asked": 13_900.0 }] }),
        ),
        low(
            "counts-disagree",
            json!({ "own": { "job": "a", "direction": "read", "ios": 1_000, "block_bytes": 4_096, "bytes": 4_000_000 } }),
        ),
        low(
            "counts-disagree",
            json!({ "kernel": { "disk": "sda", "direction": "write", "own_bytes": 4_096_000, "disk_bytes": 409_600, "share": 0.1 } }),
        ),
        low(
            "too-fast",
            json!({ "job": "a", "reads": 1_000, "block_bytes": 4_096, "latency_ns_mean": 900.0 }),
        ),
        low(
            "host-disturbed",
            json!({ "findings": [{ "check": "cpu.throttle", "subject": "cpu1", "weight": "warn", "says": "it was throttled" }] }),
        ),
        low(
            "host-disturbed",
            json!({ "findings": [{ "check": "pcie.errors", "subject": "nvme0", "weight": "bad", "says": "errors were corrected" }] }),
        ),
        low("clock-low", json!({ "cpus": [{ "cpu": "3", "mhz": 1_200.0, "nominal_mhz": 3_000.0 }] })),
        low("too-hot", json!({ "throttled": 12.0 })),
        low("too-hot", json!({ "sensors": [{ "name": "nvme0", "celsius": 84.0, "limit_celsius": 80.0 }] })),
        low("stopped", json!({ "halts": [{ "start_ns": 1_200_000_000_u64, "end_ns": 2_400_000_000_u64 }] })),
        low("stalls", json!({ "workers": [stall(true, 13.0)] })),
        medium("stalls", json!({ "workers": [stall(false, 1.5)] })),
        low("steal", json!({ "percent": 3.25, "percent_max": 1.0 })),
        low(
            "cpus-missing",
            json!({ "jobs": [
                { "job": "a", "missing": [9, 10], "present": [2, 3], "of_machine": 8 },
                { "job": "b", "missing": [1], "present": [0], "of_machine": 1 },
            ] }),
        ),
        low(
            "woken-late",
            json!({ "jobs": [{ "job": "a", "late_ns_mean": 72_000.0, "response_ns_mean": 100_000.0 }] }),
        ),
        low(
            "littles-law",
            json!({ "is_impossible": true, "law": { "job": "a", "product": { "iops": 8e4, "unrated": null,
                "latency_ns_mean": 399_000.0, "is_service": true }, "in_flight_by_law": 31.92, "in_flight": 31.92,
                "syncs": 0.5, "depth": 16 } }),
        ),
        low(
            "littles-law",
            json!({ "is_impossible": false, "law": { "job": "a", "product": null, "in_flight_by_law": 12.0, "in_flight": 12.0,
                "syncs": null, "depth": 16 } }),
        ),
        low(
            "completes-inline",
            json!({ "jobs": [{ "job": "a", "sign": { "busy": { "cpu_ns_per_io": 900.0, "worker": 0.97 } } }, { "job": "b",
                "sign": { "paced": { "latency_ns_mean": 900.0, "kernel_ns_per_io": 700.0, "sleeps_per_io": 0.1 } } }] }),
        ),
        low("clock-resolution", json!({ "job": "a", "latency_ns_mean": 90.0, "clock": "tsc" })),
        of(
            "loop-device",
            json!({ "device": "loop0", "file": "/data/image", "only_trims": false, "is_direct": false }),
        ),
        low(
            "virtual-disk",
            json!({ "disk": { "name": { "disk": "vda", "provider": "virtio" } }, "hypervisor": "KVM" }),
        ),
        low("virtual-disk", json!({ "disk": { "model": "QEMU HARDDISK" } })),
        low("virtual-disk", json!({ "disk": { "made_of": null } })),
        low("same-filesystem", json!({ "writes": 10 })),
        low(
            "few-samples",
            json!({ "jobs": [{ "job": "a", "direction": "read", "ios": 5_000 }, { "job": "b",
            "direction": "write", "ios": 500 }] }),
        ),
        low("part-measured", json!({ "path": "/data/f", "part_bytes": 1 << 30, "whole_bytes": 1_u64 << 34 })),
        low("short-run", json!({ "job": "a", "windows": 10, "window_s": 1, "varied_most": ["b", 0.2] })),
        low(
            "tuning-drifted",
            json!({ "id": "blk.scheduler@sda", "path": "/sys/block/sda/queue/scheduler", "made": "none",
                "found": "mq-deadline", "when": { "before_phase": { "phase": 2, "jobs": ["b"], "more": 0 } } }),
        ),
        low("of-a-later-version", json!({ "any": [1, 2] })),
    ]
}

/// The codes that the schema of a finding knows.
fn known() -> BTreeSet<String> {
    let schema = serde_json::to_value(schemars::schema_for!(Evidence)).unwrap();
    let mut codes = BTreeSet::new();
    let variants = ["oneOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    for variant in variants.flat_map(|it| it["oneOf"].as_array().cloned().unwrap_or_else(|| vec![it.clone()]))
    {
        codes.extend(variant["properties"]["code"]["const"].as_str().map(str::to_owned));
    }
    codes
}

#[test]
fn sentences() {
    let findings: Vec<Finding> = samples()
        .into_iter()
        .map(|it| serde_json::from_value(it.clone()).unwrap_or_else(|e| panic!("{e}: {it}")))
        .collect();
    let codes: BTreeSet<String> = findings.iter().map(|it| it.code().to_owned()).collect();
    let missing: Vec<String> = known().difference(&codes).cloned().collect();
    assert!(known().len() > 35 && missing.is_empty(), "{missing:?} of {:?}", known());
    let mut text = String::new();
    for finding in &findings {
        let is_known = !matches!(finding.evidence, Evidence::Later(_));
        assert_eq!(is_known, known().contains(finding.code()), "{finding:?}");
        let words = fathom_words::of_finding(finding);
        text += &words.sentence(finding);
        text += &words.brief.as_ref().map(|brief| format!("\n    brief: {brief}")).unwrap_or_default();
        let instead = fathom_words::measured_instead(finding);
        let line = |(claim, meaning): (&str, fathom_words::Claim)| {
            format!("\n    instead: {claim}; {}", meaning.whole())
        };
        text += &instead.map(line).unwrap_or_default();
        text += "\n\n";
    }
    insta::assert_snapshot!(text);
}

/// The evidence of this rule begins with the name of its job, also where the finding is about one job of several.
#[test]
fn a_job_is_named_once() {
    let late = LateStart { job: "rated".to_owned(), late_ns_mean: 30_300.0, response_ns_mean: 90_900.0 };
    let finding = Finding {
        evidence: Evidence::WokenLate { jobs: vec![late] },
        weight: Weight::Medium,
        jobs: Some(JobsPart { names: vec!["rated".to_owned()], of: 2 }),
    };
    let sentence = of_finding(&finding).sentence(&finding);
    assert!(sentence.contains("[woken-late]: rated: 30.3 µs of 90.9 µs"), "{sentence}");
}
