//! bench-fio and fio-plot of PyPI.
//!
//! bench-fio takes any word on standard error for a failure, and stops.

use super::{Tool, assert_near, number, tools};
use crate::support::{json, key_paths};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where `cargo xtask test` installs what is on PyPI only.
fn programs() -> PathBuf {
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../clients/bin");
    assert!(
        programs.join("bench-fio").exists(),
        "`cargo xtask clients` installs it in {}",
        programs.display()
    );
    programs
}

/// Two patterns, two depths and two numbers of clones, each over a file of a mebibyte, with a line in the logs for each I/O.
const BENCH: &str = "--type file --size 1m --output out --mode randread randrw --rwmixread 75 --destructive --iodepth 1 4 \
                     --numjobs 1 2 --loginterval 0 --direct 0 --engine psync --quiet";

/// Runs it; returns the directory of its results. It writes its job file to /tmp, under the name of the target: each call has its own.
fn benched(tool: &Tool, call: &str) -> String {
    let target = format!("t-{}-{call}", std::process::id());
    std::fs::write(tool.dir.join(&target), vec![7; 1 << 20]).unwrap();
    let bench = programs().join("bench-fio");
    let words = [bench.to_str().unwrap(), "--target", &target].into_iter().chain(BENCH.split_whitespace());
    tool.must(&words.collect::<Vec<_>>());
    std::fs::remove_file(format!("/tmp/{target}-tmpjobfile.fio")).unwrap();
    format!("out/{target}")
}

/// The keys of a document, but those of fathom alone.
fn keys(document: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    key_paths(document, "", &mut keys);
    keys.retain(|key| !key.starts_with("/fathom"));
    keys
}

/// What is one and the same in two results of bench-fio: the keys, the options, and the I/Os of each clone.
fn facts(document: &Value) -> (BTreeSet<String>, Vec<(Value, u64)>) {
    let jobs = document["jobs"].as_array().unwrap();
    let ios =
        |job: &Value| ["read", "write"].map(|side| job[side]["total_ios"].as_u64().unwrap()).iter().sum();
    let jobs = jobs.iter().map(|job| (job["job options"].clone(), ios(job))).collect();
    (keys(document), jobs)
}

#[test]
fn bench_fio_leaves_the_same_files_with_the_same_keys_and_counts() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let [theirs, ours] = tools(scratch.path());
    let [from_theirs, from_ours] =
        [(&theirs, "fio"), (&ours, "fathom")].map(|(tool, call)| benched(tool, call));
    let files = ours.files(&from_ours, "");
    assert_eq!(files, theirs.files(&from_theirs, ""));
    assert_eq!(files.len(), 2 * (4 + 2 * 5 * (1 + 2)));
    for name in &files {
        let one = theirs.read(&format!("{from_theirs}/{name}"));
        // The options name the target.
        let other = ours.read(&format!("{from_ours}/{name}")).replace(&from_ours[4..], &from_theirs[4..]);
        match name.ends_with(".json") {
            true => assert_eq!(facts(&json(&other)), facts(&json(&one)), "{name}"),
            // Empty where the engine has no submission, or else one line for each I/O.
            false => assert_eq!(other.lines().count(), one.lines().count(), "{name}"),
        }
    }
}

/// What the charts show, as fio-plot reads it: the sums and means of the jobs of each document.
#[test]
fn fio_plot_draws_each_kind_of_chart_from_the_figures_of_the_result() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let [_, tool] = tools(scratch.path());
    let out = benched(&tool, "plotted");
    let (reads, mix) = (format!("{out}/4k"), format!("{out}/randrw75/4k"));
    let programs = programs();
    let program = |name: &str| programs.join(name).display().to_string();
    let reader = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/end_to_end/clients/fio_plot_rows.py");
    for (dir, pattern) in [(&reads, "randread"), (&mix, "randrw")] {
        let rows = tool.must(&[&program("python3"), reader, dir, pattern]);
        let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
        assert_eq!(rows.len(), 4);
        for row in rows {
            let [depth, clones] = ["iodepth", "numjobs"].map(|key| row[key].as_str().unwrap().to_owned());
            let jobs = tool.jobs(&format!("{dir}/{pattern}-{depth}-{clones}.json"));
            assert_eq!(jobs.len().to_string(), clones);
            let sum = |pointer| jobs.iter().map(|job| number(job, pointer)).sum::<f64>();
            assert_near("iops", number(&row, "/iops"), sum("/read/iops"), 1e-9);
            assert_near("bw", number(&row, "/bw"), sum("/read/bw"), 1e-9);
            assert_near("lat", number(&row, "/lat"), sum("/read/lat_ns/mean") / jobs.len() as f64, 1e-9);
            assert!(number(&row, "/lat") > 0.0 && number(&row, "/iops") > 0.0, "{row}");
        }
    }
    let charts = [
        format!("-g -i {reads} -r randread -t bw iops lat -d 1 4 -n 1"),
        format!("-g -i {reads} -r randread -t clat -d 1 -n 2"),
        format!("-L -i {reads} -r randread -t iops"),
        format!("-l -i {mix} -r randrw -f read -d 1 4 -n 1 --show-cpu"),
        format!("-N -i {reads} -r randread -d 1 -n 1 2"),
        format!("-H -i {reads} -r randread -d 1 -n 1"),
        format!("-C -i {reads} {reads} -r randread -d 1 -n 1 --show-data"),
    ];
    for (n, words) in charts.iter().enumerate() {
        let (plot, chart) = (program("fio-plot"), format!("{n}.png"));
        let all = format!("{plot} {words} -T title -D 40 -o {chart}");
        let said = tool.must(&all.split(' ').collect::<Vec<_>>());
        let png = std::fs::read(tool.dir.join(&chart)).unwrap_or_else(|e| panic!("{words}: {e}: {said}"));
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5000, "{words}: {} bytes", png.len());
    }
}
