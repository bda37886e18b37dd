//! Every example job runs on a loop device, does what it asks for, and
//! agrees with Debian's fio.

use crate::support::{Loop, fathom, json, key_paths, must, own_devices, workspace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Large enough for four files' worth of the T-61 example (64 MiB per clone).
const DISK_MIB: u64 = 256;

fn examples() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["vsl", "flash", "blog"]
        .iter()
        .flat_map(|d| std::fs::read_dir(workspace().join("examples").join(d)).expect("examples are there"))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "fio"))
        .collect();
    files.sort();
    assert!(files.len() >= 18, "only {} examples", files.len());
    files
}

/// Runs an example shortened, on the device; its JSON.
fn run(dir: &Path, disk: &Loop, file: &Path) -> Value {
    let consent = disk.consent();
    let mut command = fathom(dir);
    command
        .args(["run", "--quiet", "--output-format", "json", "--destroy", &consent, "--target", &disk.device])
        .args(["--no-calibrate", "--set", "runtime=150ms", "--set", "ramp_time=50ms"])
        .arg(file)
        .env("SIZE", "8m");
    json(&must(&mut command))
}

/// What `--plan=json` says of the same run.
fn plan(dir: &Path, disk: &Loop, file: &Path) -> Value {
    let mut command = fathom(dir);
    command.args(["run", "--plan=json", "--target", &disk.device]).arg(file).env("SIZE", "8m");
    json(&must(&mut command))
}

#[test]
fn every_example_runs_on_a_loop_device_and_moves_what_it_says() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), DISK_MIB);
    for file in examples() {
        let name = file.display();
        let plan = plan(dir.path(), &disk, &file);
        let planned = &plan["jobs"][0];
        let result = run(dir.path(), &disk, &file);
        for job in result["jobs"].as_array().expect("jobs") {
            assert_eq!(job["error"], 0, "{name}");
            let moved: u64 = ["read", "write"].iter().map(|d| job[d]["total_ios"].as_u64().unwrap()).sum();
            assert!(moved > 0, "{name} moved nothing");
            check_bytes(&name.to_string(), planned, job);
            check_mix(&name.to_string(), planned, job);
            check_depth(&name.to_string(), planned, job);
        }
    }
}

/// bytes = I/Os × size where the size is fixed; within 5 standard errors of
/// the mean size where it is drawn.
fn check_bytes(name: &str, planned: &Value, job: &Value) {
    for direction in ["read", "write"] {
        let (ios, bytes) =
            (job[direction]["total_ios"].as_u64().unwrap(), job[direction]["io_bytes"].as_u64().unwrap());
        let sizes = &planned["block"][direction];
        if let Some(size) = sizes["Fixed"].as_u64() {
            assert_eq!(bytes, ios * size, "{name} {direction}");
            continue;
        }
        let (mean, sd) = moments(sizes);
        if ios > 30 {
            let (seen, bound) = (bytes as f64 / ios as f64, 5.0 * sd / (ios as f64).sqrt());
            assert!(
                (seen - mean).abs() <= bound,
                "{name} {direction}: mean size {seen}, expected {mean} ± {bound}"
            );
        }
    }
}

/// Mean and standard deviation of drawn block sizes.
fn moments(sizes: &Value) -> (f64, f64) {
    let weighted: Vec<(f64, f64)> = match sizes["Split"].as_array() {
        Some(split) => {
            split.iter().map(|e| (e[0].as_f64().unwrap(), e[1].as_f64().unwrap() / 100.0)).collect()
        }
        None => {
            let (low, high) =
                (sizes["Range"]["low"].as_u64().unwrap(), sizes["Range"]["high"].as_u64().unwrap());
            (1..=high / low).map(|n| ((n * low) as f64, 1.0 / (high / low) as f64)).collect()
        }
    };
    let mean: f64 = weighted.iter().map(|(size, share)| size * share).sum();
    let variance: f64 = weighted.iter().map(|(size, share)| (size - mean).powi(2) * share).sum();
    (mean, variance.sqrt())
}

fn check_mix(name: &str, planned: &Value, job: &Value) {
    if planned["rw"]["mix"] != "readwrite" {
        return;
    }
    let percent = planned["read_percent"].as_f64().unwrap();
    let reads = job["read"]["total_ios"].as_u64().unwrap();
    let all = reads + job["write"]["total_ios"].as_u64().unwrap();
    let (low, high) = fathom_stats::binomial_bounds(all, percent / 100.0, 0.999_99).unwrap();
    assert!((low..=high).contains(&reads), "{name}: {reads} reads of {all}, expected {low} to {high}");
}

/// Nearly all I/Os see at least their batch in flight, and without explicit
/// batches the depth that the plan calls reachable. (A target that answers
/// faster than a small batch is made cannot be kept full.)
fn check_depth(name: &str, planned: &Value, job: &Value) {
    let depth = &planned["depth"];
    let reachable = depth["reachable"].as_u64().unwrap();
    let batch = depth["submit_batch"].as_u64().unwrap_or(reachable);
    let levels = job["iodepth_level"].as_object().unwrap();
    let at = |floor: u64| -> f64 {
        let level = |(key, share): (&String, &Value)| {
            let class: u64 = key.trim_start_matches(">=").parse().unwrap();
            if class * 2 > floor || class >= 64 { share.as_f64().unwrap() } else { 0.0 }
        };
        levels.iter().map(level).sum()
    };
    assert!(at(batch.min(64)) >= 95.0, "{name}: {depth} but {levels:?}");
}

/// The same job file for fio, with the device, and without CPUs that fio would refuse.
fn for_fio(dir: &Path, disk: &Loop, file: &Path) -> PathBuf {
    let text = std::fs::read_to_string(file).expect("the example can be read");
    let kept: Vec<String> = text
        .lines()
        .filter(|l| !l.starts_with("cpus_allowed") && !l.starts_with("directory"))
        .map(|l| if l.starts_with("filename") { format!("filename={}", disk.device) } else { l.to_owned() })
        .collect();
    let mut text = kept.join("\n");
    if !text.contains("filename=") {
        text.push_str(&format!("\nfilename={}", disk.device));
    }
    let path = dir.join("for-fio.fio");
    std::fs::write(&path, text + "\n").expect("it can be written");
    path
}

fn fio(dir: &Path, file: &Path) -> Value {
    let mut command = Command::new("fio");
    command.args(["--output-format=json", "--eta=never"]).arg(file).current_dir(dir).env("SIZE", "8m");
    json(&must(&mut command))
}

fn total_ios(result: &Value) -> u64 {
    let jobs = result["jobs"].as_array().expect("jobs");
    jobs.iter().flat_map(|j| ["read", "write"].map(|d| j[d]["total_ios"].as_u64().unwrap())).sum()
}

#[test]
fn jobs_bounded_by_size_do_as_many_ios_as_under_fio() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let mut compared = 0;
    for file in examples() {
        let plan = plan(dir.path(), &disk, &file);
        let planned = plan["jobs"].as_array().expect("jobs");
        let is_drawn =
            planned.iter().any(|j| ["read", "write"].iter().any(|d| j["block"][d]["Fixed"].is_null()));
        let is_mixed = planned.iter().any(|j| j["block"]["read"] != j["block"]["write"]);
        if planned.iter().any(|j| !j["end"]["time"].is_null()) || is_drawn || is_mixed {
            // Ended by time, or the number of I/Os depends on what is drawn.
            continue;
        }
        let consent = disk.consent();
        let mut ours = fathom(dir.path());
        ours.args([
            "run",
            "--quiet",
            "--no-calibrate",
            "--output-format",
            "json",
            "--destroy",
            &consent,
            "--target",
            &disk.device,
        ]);
        let ours = json(&must(ours.arg(&file).env("SIZE", "8m")));
        let theirs = fio(dir.path(), &for_fio(dir.path(), &disk, &file));
        assert_eq!(total_ios(&ours), total_ios(&theirs), "{}", file.display());
        compared += 1;
    }
    assert!(compared >= 5, "only {compared} examples are bounded by size");
}

/// Makes the job a tenth of a second long, which is enough for every key.
fn short(job: PathBuf) -> PathBuf {
    let text = std::fs::read_to_string(&job).unwrap();
    let text: Vec<String> = text
        .lines()
        .map(|l| if l.starts_with("runtime") { "runtime=100ms".into() } else { l.to_owned() })
        .map(|l| if l.starts_with("ramp_time") { "ramp_time=20ms".into() } else { l })
        .collect();
    std::fs::write(&job, text.join("\n") + "\n").unwrap();
    job
}

#[test]
fn the_json_tree_has_the_keys_of_fio() {
    let _own = own_devices();
    let [dir, fios_dir] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [disk, fios_disk] = [&dir, &fios_dir].map(|dir| Loop::blank(dir.path(), 64));
    for file in examples() {
        let job = short(for_fio(dir.path(), &disk, &file));
        let fios_job = short(for_fio(fios_dir.path(), &fios_disk, &file));
        let mut ours = fathom(dir.path());
        ours.args(["fio", "--output-format=json", "--eta=never", "--destroy"]).arg(disk.consent()).arg(&job);
        // Only the keys are compared, not the figures, so the two need not wait for each other.
        let (mut ours, theirs) = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| fio(fios_dir.path(), &fios_job));
            (json(&must(ours.env("SIZE", "8m"))), theirs.join().unwrap())
        });
        // Values for which fio has no key are under a key of fathom.
        ours.as_object_mut().unwrap().remove("fathom");
        let [mut a, mut b] = [BTreeSet::new(), BTreeSet::new()];
        key_paths(&ours, "", &mut a);
        key_paths(&theirs, "", &mut b);
        let only_ours: Vec<_> = a.difference(&b).collect();
        let only_theirs: Vec<_> = b.difference(&a).collect();
        assert!(
            only_ours.is_empty() && only_theirs.is_empty(),
            "{}: ours {only_ours:?}, fio's {only_theirs:?}",
            file.display()
        );
    }
}
