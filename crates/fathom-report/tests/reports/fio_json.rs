//! Our JSON has exactly the keys of fio 3.33's, for the same job file.

use crate::synthetic::{Recipe, disk, fixture};
use fathom_report::fio_json::{fio_json, to_text};
use fathom_results::RunResult;
use serde_json::Value;
use std::collections::BTreeSet;

/// The paths of all keys. Array elements share a path, except jobs, which have separate ones; the
/// bins of json+ depend on what was measured and count as one.
fn paths(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) if at.ends_with(".bins") => assert!(!map.is_empty()),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            let path = format!("{at}.{key}");
            paths(value, &path, found);
            found.insert(path);
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| {
            paths(item, &format!("{at}[{}]", if at == ".jobs" { n } else { 0 }), found);
        }),
        _ => {}
    }
}

fn order(value: &Value, key: &str) -> Vec<String> {
    value[key]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|job| job.as_object().unwrap().keys().cloned())
        .collect()
}

fn same_keys(job_file: &str, fixture_file: &str, plus: bool) -> (RunResult, Value) {
    let mut recipe = Recipe::new(&fixture(job_file));
    recipe.edit = |record| {
        if record.plan.jobs.iter().any(|job| job.files.iter().any(|f| f.path == "/dev/loop7")) {
            record.disks.push(disk("loop7", 24_000, 12_000));
        }
    };
    let run = recipe.run();
    let ours = fio_json(&run, plus);
    let theirs: Value = serde_json::from_str(&fixture(fixture_file)).unwrap();
    let (mut our_paths, mut their_paths) = (BTreeSet::new(), BTreeSet::new());
    paths(&ours, "", &mut our_paths);
    paths(&theirs, "", &mut their_paths);
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
    assert_eq!(only(&our_paths, &their_paths), Vec::<String>::new(), "{job_file}: only ours");
    assert_eq!(only(&their_paths, &our_paths), Vec::<String>::new(), "{job_file}: only fio's");
    assert_eq!(order(&ours, "jobs"), order(&theirs, "jobs"), "{job_file}: order of keys");
    (run, ours)
}

#[test]
fn keys_are_fios() {
    same_keys("randrw-null.fio", "randrw-null.json", false);
    same_keys("sync-read.fio", "sync-read.json", false);
    same_keys("fsync-write.fio", "fsync-write.json", false);
    same_keys("group-null.fio", "group-null.json", false);
    same_keys("group-null.fio", "group-null.plus.json", true);
    same_keys("unified-null.fio", "unified-null.json", false);
    same_keys("loop-mix.fio", "loop-mix.json", false);
}

#[test]
fn options_are_fios_word_for_word() {
    for name in ["randrw-null", "sync-read", "fsync-write", "group-null", "unified-null", "loop-mix"] {
        let ours = fio_json(&Recipe::new(&fixture(&format!("{name}.fio"))).run(), false);
        let theirs: Value = serde_json::from_str(&fixture(&format!("{name}.json"))).unwrap();
        assert_eq!(ours["global options"], theirs["global options"], "{name}");
        for (our, their) in ours["jobs"].as_array().unwrap().iter().zip(theirs["jobs"].as_array().unwrap()) {
            let text = |job: &Value| serde_json::to_string(&job["job options"]).unwrap();
            assert_eq!(text(our), text(their), "{name}");
        }
    }
}

#[test]
fn figures_are_those_of_the_windows() {
    let run = Recipe::new(&fixture("group-null.fio")).run();
    let json = fio_json(&run, true);
    let (job, read) = (&json["jobs"][0], &json["jobs"][0]["read"]);
    let ios: u64 = run.jobs.iter().map(|j| j.totals.directions.read.ios).sum();
    assert_eq!(run.jobs.len(), 4);
    assert_eq!(read["total_ios"], ios);
    assert_eq!(read["io_bytes"], ios * 4096);
    assert_eq!(read["io_kbytes"], ios * 4);
    assert_eq!(read["runtime"], 12_000);
    assert_eq!(read["bw_bytes"], ios * 4096 / 12);
    assert_eq!(read["bw"], ios * 4096 / 12 / 1024);
    assert_eq!(read["iops"], ios as f64 / 12.0);
    assert_eq!(job["job_runtime"], 48_000);
    assert_eq!((&job["usr_cpu"], &job["sys_cpu"]), (&6.0.into(), &14.0.into()));
    assert_eq!(job["ctx"], 4 * 5_012);
    // The group's windows are those of its workers together.
    assert_eq!(read["iops_samples"], 12);
    let (mean, iops) = (read["iops_mean"].as_f64().unwrap(), read["iops"].as_f64().unwrap());
    assert!((mean - iops).abs() < 1e-6 * iops, "{mean} {iops}");
    let bins: u64 = read["clat_ns"]["bins"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(bins, ios);
}

#[test]
fn percentiles_ascend_and_stay_within_the_extremes() {
    let json = fio_json(&Recipe::new(&fixture("sync-read.fio")).run(), false);
    let clat = &json["jobs"][0]["read"]["clat_ns"];
    let values: Vec<u64> =
        clat["percentile"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).collect();
    assert!(values.is_sorted(), "{values:?}");
    assert!(values[0] >= clat["min"].as_u64().unwrap());
    assert!(*values.last().unwrap() <= clat["max"].as_u64().unwrap());
}

#[test]
fn shares_add_up_to_one_hundred() {
    let json = fio_json(&Recipe::new(&fixture("fsync-write.fio")).run(), false);
    let job = &json["jobs"][0];
    let sum = |key: &str| job[key].as_object().unwrap().values().map(|v| v.as_f64().unwrap()).sum::<f64>();
    assert_eq!((sum("iodepth_level"), sum("iodepth_submit")), (100.0, 100.0));
    let classes = sum("latency_ns") + sum("latency_us") + sum("latency_ms");
    assert!((classes - 100.0).abs() < 0.1, "{classes}");
}

#[test]
fn a_run_without_io_has_zeros_and_no_nan() {
    let mut recipe = Recipe::new(&fixture("randrw-null.fio"));
    recipe.seconds = (1, 0);
    let text = to_text(&fio_json(&recipe.run(), true));
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["jobs"][0]["read"]["iops"], 0.0);
    assert!(!text.contains("null,") && !text.contains("NaN"), "{text}");
}

#[test]
fn names_are_escaped_and_the_layout_is_fios() {
    let run = Recipe::new("[a \"quoted\" \\ name]\nioengine=null\nsize=1m\n").run();
    let text = to_text(&fio_json(&run, false));
    assert!(
        text.starts_with(
            "{\n  \"fio version\" : \"fio-3.33-fathom-0.1.0\",\n  \"timestamp\" : 1795232339,\n"
        ),
        "{text}"
    );
    assert!(text.contains("\"time\" : \"Sat Nov 21 03:38:59 2026\""), "{text}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["jobs"][0]["jobname"], "a \"quoted\" \\ name");
}

/// A run that went on after an I/O error.
pub fn outlived_error() -> RunResult {
    let mut recipe = Recipe::new("[x]\nioengine=null\nsize=1m\ncontinue_on_error=all\n");
    recipe.end = |outcome| {
        outcome.first_error = Some(fathom_results::JobFailure {
            errno: 121,
            message: "read of /dev/sdx at 4096: Remote I/O error".into(),
            direction: None,
            offset: Some(4096),
        });
    };
    let mut run = recipe.run();
    run.jobs[0].totals.directions.read.errors = 3;
    run
}

#[test]
fn an_error_that_was_outlived_is_fios_error_too() {
    let json = fio_json(&outlived_error(), false);
    let job = &json["jobs"][0];
    assert_eq!(
        (&job["error"], &job["total_err"], &job["first_error"]),
        (&121.into(), &3.into(), &121.into())
    );
}

#[test]
fn the_error_that_ended_a_job_is_its_error_and_the_first_stays_the_first() {
    let mut run = outlived_error();
    let outcome = run.jobs[0].outcome.as_mut().unwrap();
    let last = fathom_results::JobFailure { errno: 28, ..outcome.first_error.clone().unwrap() };
    outcome.failure = Some(last);
    let json = fio_json(&run, false);
    assert_eq!((&json["jobs"][0]["error"], &json["jobs"][0]["first_error"]), (&28.into(), &121.into()));
}

#[test]
fn a_job_of_the_command_line_begins_with_its_name() {
    // fio 3.33: --ioengine=null --size=1m --name=x --rw=read
    let mut recipe = Recipe::new("[global]\nioengine=null\nsize=1m\n[x]\nrw=read\n[y]\nrw=read\nname=foo\n");
    recipe.edit = |record| {
        let span = &mut std::sync::Arc::make_mut(&mut record.plan.jobs[0].job).span;
        (span.file, span.line, span.text) = ("command line".into(), 0, "--name=x".into());
    };
    let json = fio_json(&recipe.run(), false);
    let text = |n: usize| json["jobs"][n]["job options"].to_string();
    assert_eq!(text(0), r#"{"name":"x","rw":"read"}"#);
    assert_eq!(text(1), r#"{"rw":"read","name":"foo"}"#);
}
