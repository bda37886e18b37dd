//! A drive with its generic character device, jobs of fathom and of fio on it, and the commands that the kernel sends.

use std::fs;

use fathom_lab::{Drive, Run, fathom, sh, try_sh};
use serde_json::Value;

const SAVED: &str = "/tmp/passthrough";
const EVENT: &str = "/sys/kernel/tracing/events/nvme/nvme_setup_cmd/enable";
const TRACE: &str = "/sys/kernel/tracing/trace";

/// The generic character device of a drive's namespace.
pub fn generic(drive: &Drive) -> String {
    drive.node.replacen("/dev/nvme", "/dev/ng", 1)
}

/// Runs jobs with commands one after another. They may write.
#[track_caller]
pub fn run(drive: &Drive, jobs: &[&str]) -> Run {
    let file = "/tmp/passthrough.fio";
    let node = generic(drive);
    let mut text = format!("[global]\nthread\nioengine=io_uring_cmd\nfilename={node}\nbs=4k\nsize=1m\n");
    for (at, options) in jobs.iter().enumerate() {
        text += &format!("[job{at}]\nstonewall\n{}\n", options.replace(' ', "\n"));
    }
    fs::write(file, text).expect("/tmp is ours");
    let _ = fs::remove_dir_all(SAVED);
    let consent = ["--destroy", &drive.serial];
    fathom(
        &[&["run", file, "-q", "--no-calibrate", "--json"], &consent[..], &["--output-dir", SAVED]].concat(),
    )
}

/// The I/Os of each job, all of which went well; a job that reads back what another wrote is one of its own.
#[track_caller]
pub fn ios(run: &Run) -> Vec<u64> {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let result: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let figures = result["figures"].as_array().expect("it has figures");
    let counts = figures.iter().filter(|figure| figure["metric"] == "ios" && figure["job"].is_string());
    counts.map(|figure| figure["value"].as_f64().expect("a count") as u64).collect()
}

/// The run did not go well, and says this.
#[track_caller]
pub fn says(run: &Run, word: &str) {
    assert_ne!(run.code, Some(0), "{word}");
    assert!(run.stderr.contains(word), "no {word:?} in {}", run.stderr);
}

/// Runs jobs of Debian's fio on a node one after another, and returns the reads and writes that it counts for each.
#[track_caller]
pub fn fio(node: &str, jobs: &[&str]) -> Vec<u64> {
    let name = format!("--filename={node}");
    let mut words = vec!["fio", "--output-format=json"];
    for options in jobs {
        words.extend(["--name=job", "--stonewall", "--thread", "--bs=4k", "--size=1m", &name]);
        words.extend(options.split(' '));
    }
    let run = try_sh(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = &run.stdout[run.stdout.find('{').expect("it is JSON")..];
    let result: Value = serde_json::from_str(text).expect("it is JSON");
    let count = |job: &Value, side: &str| job[side]["total_ios"].as_u64().expect("a count");
    let jobs = result["jobs"].as_array().expect("it has jobs");
    jobs.iter().map(|job| count(job, "read") + count(job, "write") + count(job, "trim")).collect()
}

/// What `act` returns, and how many commands of this name the kernel sends to drives meanwhile.
#[track_caller]
pub fn sent<T>(command: &str, act: impl FnOnce() -> T) -> (T, usize) {
    fs::write(TRACE, "").expect("tracefs is mounted");
    fs::write(EVENT, "1").expect("the driver has this event");
    let done = act();
    fs::write(EVENT, "0").expect("the driver has this event");
    let trace = fs::read_to_string(TRACE).expect("tracefs is mounted");
    let name = format!("cmd=({command} ");
    (done, trace.lines().filter(|line| line.contains(&name)).count())
}

/// The first bytes of the block device, read past the page cache.
#[track_caller]
pub fn bytes(drive: &Drive, count: u64) -> Vec<u8> {
    let (from, copy) = (format!("if={}", drive.node), "/tmp/passthrough.bytes");
    sh(&["dd", &from, &format!("of={copy}"), "bs=64k", &format!("count={}", count >> 16), "iflag=direct"]);
    fs::read(copy).expect("dd has made it")
}
