//! Long runs and many workers: memory does not grow, the start does not take
//! long, and a result can be read while it is written.

use crate::support::{fathom, json, machine, must, text};
use fathom_results::{Phase, RunResult};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// An hour of windows on the run's clock, ns.
const HOUR: u64 = 3_600_000_000_000;

/// 24 hours in 12 seconds.
const SPEED: u64 = 7200;
const DAY: Duration = Duration::from_secs(24 * 3600 / SPEED);

/// Resident memory of a process, KiB; `None` once it is gone.
fn resident_kib(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How far a run has come, ns on its clock. The test is that it can be read.
fn reached_ns(run: &Path) -> u64 {
    fathom_results::load(run).unwrap_or_else(|e| panic!("a run can be read at any moment: {e}")).reaches_ns
}

#[test]
fn a_day_of_windows_takes_no_more_memory_than_an_hour() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let job = format!(
        "[j]\nioengine=null\nrw=randrw\nbs=4k\nsize=1g\niodepth=8\ntime_based\nruntime=24h\nclock_speed={SPEED}\n"
    );
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "--no-calibrate", "j.fio", "-o", "report", "--output-dir", "run"]);
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let run = dir.path().join("run");
    let after_an_hour = sample(&child, &run, start);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let (first, samples) = after_an_hour.split_first().expect("it was seen after the first hour");
    let farthest = samples.iter().map(|kib| kib.abs_diff(*first)).max().expect("more than once");
    assert!(farthest <= 1024, "{farthest} KiB from {first} KiB: {after_an_hour:?}");
    let result = fathom_results::load(&run).unwrap();
    assert!(result.reaches_ns >= 24 * HOUR && result.incomplete.is_none(), "{:?}", result.incomplete);
    // A reader that is late merges windows, which loses no time.
    let covered: u64 = result.jobs[0].series.iter().map(|p| p.end_ns - p.start_ns).sum();
    assert!(covered >= 24 * HOUR - 1_000_000_000, "{covered}");
}

/// Resident memory from the first hour to the last minutes, and reports of the
/// run in between by another process.
fn sample(child: &Child, run: &Path, start: Instant) -> Vec<u64> {
    while !run.join("spool").exists() || reached_ns(run) < HOUR {
        std::thread::sleep(Duration::from_millis(200));
        assert!(start.elapsed() < DAY, "an hour at {SPEED} times the speed has not passed");
    }
    let (mut samples, mut reports) = (Vec::new(), 0);
    // It cannot end before a day has passed; then it reads its own result.
    while start.elapsed() < DAY - Duration::from_secs(1) {
        samples.extend(resident_kib(child));
        if start.elapsed() > DAY / 4 * reports {
            reports += 1;
            read_by_another(run);
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    assert!(samples.len() > 10, "{samples:?}");
    samples
}

fn read_by_another(run: &Path) {
    let report = fathom(run).args(["report", "--output-format", "json"]).arg(run).output().unwrap();
    assert_eq!(report.status.code(), Some(7), "{}", text(&report));
    let ios = &json(&String::from_utf8_lossy(&report.stdout))["jobs"][0]["read"]["total_ios"];
    assert!(ios.as_u64().unwrap() > 0);
}

/// The measured spans of all workers, ns since the run began.
fn measured(run: &RunResult) -> Vec<(u64, u64)> {
    run.jobs
        .iter()
        .map(|job| {
            let outcome = job.outcome.as_ref().expect("every worker ended");
            assert_eq!(outcome.failure, None);
            // On few processors a worker may get its turn when its time is over.
            let reads = &job.totals.directions.read;
            assert!(reads.ios + reads.drained.ios > 0, "job {} did nothing", job.planned.id);
            outcome.measured_ns.expect("every worker measured")
        })
        .collect()
}

fn a_thousand_workers(job: &str) {
    let _machine = machine();
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    std::fs::write(
        dir.path().join("j.fio"),
        format!("[j]\nnumjobs=1024\nrw=randread\nbs=4k\nsize=16m\n{job}"),
    )
    .unwrap();
    // Fewer files than workers, as a shell allows by default.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 256; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_fathom")]);
    command.args(["run", "-q", "--no-calibrate", "j.fio", "--output-dir", "run"]);
    must(command.current_dir(dir.path()));
    let run = fathom_results::load(&dir.path().join("run")).unwrap();
    let spans = measured(&run);
    assert_eq!(spans.len(), 1024);
    let (last_begin, first_end) =
        (spans.iter().map(|s| s.0).max().unwrap(), spans.iter().map(|s| s.1).min().unwrap());
    assert!(last_begin < first_end, "the last began at {last_begin}, the first ended at {first_end}");
    let measuring = |job: &fathom_results::JobResult| job.series.iter().any(|p| p.phase == Phase::Measure);
    assert!(run.jobs.iter().all(measuring));
}

#[test]
fn a_thousand_workers_without_a_device_measure_together() {
    a_thousand_workers("ioengine=null\ntime_based\nruntime=3s\n");
}

#[test]
fn a_thousand_workers_on_one_file_measure_together() {
    a_thousand_workers("ioengine=psync\nfilename=f\ntime_based\nruntime=3s\n");
}
