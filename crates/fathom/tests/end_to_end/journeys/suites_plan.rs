//! Every suite of fathom is planned to its last cell, on simulated drives or in a directory, and the forecast of one is that of its
//! guide. Planning is what finds an option that is wrong.

use crate::support::{fathom, json, must};
use serde_json::Value;
use std::path::Path;

/// Suites of files, with values that leave little to write.
const OF_FILES: [(&str, &[&str]); 2] = [
    ("ai-train", &["unet3d_size=4m-8m", "resnet50_size=2m", "cosmoflow_files=4", "retinanet_files=4"]),
    ("big-stream", &["part=16m"]),
];

fn planned(dir: &Path, suite: &str, targets: usize, target: &str, variables: &[&str]) -> Value {
    let mut words = vec!["suite", "check", suite, "--json"];
    // Simulated drives of one name are one drive.
    let name = |at: usize| {
        if target.starts_with("sim:") { format!("{target},op={}", 10 + at) } else { target.to_owned() }
    };
    let names: Vec<String> = (0..targets).map(name).collect();
    names.iter().for_each(|name| words.extend(["--target", name]));
    variables.iter().for_each(|variable| words.extend(["--with", variable]));
    json(&must(fathom(dir).args(words)))
}

#[test]
fn every_cell_of_every_suite_can_be_planned() {
    let dir = tempfile::tempdir().unwrap();
    let list = json(&must(fathom(dir.path()).args(["suite", "list", "--json"])));
    let suites = list["suites"].as_array().unwrap();
    assert!(suites.len() >= 20, "{suites:?}");
    for suite in suites {
        let name = suite["name"].as_str().unwrap();
        let least: usize = suite["targets"].as_str().unwrap().split(' ').next().unwrap().parse().unwrap();
        let plan = match OF_FILES.iter().find(|(of_files, _)| *of_files == name) {
            Some((_, variables)) => planned(dir.path(), name, least, ".", variables),
            None => planned(dir.path(), name, least, "sim:datacentre/1024", &[]),
        };
        let groups = plan["groups"].as_array().unwrap();
        assert!(groups.iter().any(|group| group["is_measured"] == true), "{name}: {plan}");
        assert!(plan["rounds"].as_u64() >= Some(1), "{name}: {plan}");
    }
}

/// I-48: twice four hours, six and 108 rounds of twenty minutes; the guide says 46 hours, and two ramps of 30 s come to them.
#[test]
fn the_forecast_of_vroc_is_the_46_hours_of_its_guide() {
    let dir = tempfile::tempdir().unwrap();
    let plan = planned(dir.path(), "vroc", 1, "sim:datacentre/1024", &[]);
    assert_eq!(plan["time_ns"].as_u64(), Some((46 * 3_600 + 60) * 1_000_000_000));
    assert_eq!(plan["rounds"].as_u64(), Some(2 + 6 + 108));
}
