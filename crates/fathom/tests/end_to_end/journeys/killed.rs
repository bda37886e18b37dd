//! Runs that a signal or a kill ends: what is saved, and how they exit.

use super::results::{job, start, wait_for_spool};
use crate::support::{fathom, json, must, only_run, text};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn signal(child: &Child, name: &str) {
    must(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]));
}

/// Every directory that a killed run leaves is read, and none is believed that was not finished.
/// The last moments are those in which the result is judged and saved.
#[test]
fn kill_9_at_any_moment_leaves_a_run_that_is_incomplete() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=100ms\n");
    let begin = Instant::now();
    assert!(start(dir.path()).wait().unwrap().success());
    let undisturbed = begin.elapsed();
    std::fs::remove_dir_all(dir.path().join("fathom-runs")).unwrap();
    let (mut incomplete, mut before) = (0, 0);
    for moment in 0..24 {
        let mut child = start(dir.path());
        std::thread::sleep(undisturbed * moment / 22);
        child.kill().unwrap();
        let ended_by_itself = child.wait().unwrap().success();
        let runs = std::fs::read_dir(dir.path().join("fathom-runs")).into_iter().flatten().flatten();
        let is_run = |entry: &std::fs::DirEntry| {
            entry.file_type().unwrap().is_dir() && !entry.file_name().to_string_lossy().starts_with('.')
        };
        let runs: Vec<_> = runs.filter(is_run).map(|entry| entry.path()).collect();
        let Some(run) = runs.first() else {
            before += 1;
            continue;
        };
        let report = fathom(dir.path()).arg("report").arg(run).output().unwrap();
        let said = text(&report);
        match report.status.code() {
            // It was killed after its result was saved.
            Some(0) => assert!(!said.contains("· incomplete"), "{said}"),
            Some(7) => {
                assert!(said.contains("· incomplete") && !ended_by_itself, "moment {moment}: {said}");
                incomplete += 1;
            }
            code => panic!("moment {moment}: exit {code:?}: {said}"),
        }
        std::fs::remove_dir_all(dir.path().join("fathom-runs")).unwrap();
    }
    assert!(incomplete > 0 && before > 0, "{incomplete} incomplete, {before} before the run began");
}

#[test]
fn kill_9_keeps_everything_up_to_the_last_second() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=60s\n");
    let mut child = start(dir.path());
    std::thread::sleep(Duration::from_millis(3600));
    child.kill().unwrap();
    child.wait().unwrap();
    let run = only_run(dir.path());
    let output = fathom(dir.path()).arg("report").arg(&run).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(7), "{said}");
    // The first screen, made of what was saved.
    assert!(said.contains("· incomplete") && said.contains("\nresult   "), "{said}");
    assert!(
        said.contains("\ntrust    low: the run did not end by itself: it was killed, or it still runs"),
        "{said}"
    );
    let output = fathom(dir.path()).args(["report", "--output-format", "json"]).arg(&run).output().unwrap();
    let report = json(&String::from_utf8_lossy(&output.stdout));
    let runtime = report["jobs"][0]["read"]["runtime"].as_u64().unwrap();
    assert!((2_000..=4_000).contains(&runtime), "{runtime} ms of a run killed after 3.6 s");
}

/// With per_job_logs=0 the lines of all jobs are in the log while they run, and not only those of the first.
#[test]
fn kill_9_keeps_the_log_lines_of_every_job() {
    let dir = tempfile::tempdir().unwrap();
    let words = "fio --name=n --numjobs=3 --ioengine=null --rw=randread --size=64m --rate_iops=1000 --time_based --runtime=60 \
                 --per_job_logs=0 --write_lat_log=x";
    let mut child = fathom(dir.path()).args(words.split_whitespace()).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let lines = || std::fs::read_to_string(dir.path().join("x_clat.log")).unwrap_or_default().lines().count();
    // One job alone has at most one line a millisecond.
    let has_all = || lines() as f64 > 1.5 * begun.elapsed().as_secs_f64() * 1e3;
    while !has_all() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seen = lines();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30) && lines() >= seen, "{seen} lines, then {}", lines());
}

#[test]
fn one_ctrl_c_saves_and_reports_two_end_at_once() {
    for (signals, name, code) in [(1, "INT", 130), (1, "TERM", 143), (2, "INT", 130)] {
        let dir = tempfile::tempdir().unwrap();
        job(dir.path(), "time_based\nruntime=60s\n");
        let child = start(dir.path());
        std::thread::sleep(Duration::from_millis(1500));
        for _ in 0..signals {
            signal(&child, name);
            std::thread::sleep(Duration::from_millis(if signals == 2 { 1 } else { 0 }));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        let report = fathom(dir.path()).arg("report").arg(only_run(dir.path())).output().unwrap();
        assert_eq!(report.status.code(), Some(7), "{}", text(&report));
    }
}

/// The kernel hands a signal to the main thread if that one takes it, which runs
/// no handler while it waits for a disk: only the thread that watches takes them.
#[test]
fn a_signal_reaches_the_thread_that_watches_whatever_the_others_wait_for() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=60s\n");
    let mut child = start(dir.path());
    wait_for_spool(dir.path());
    let ending = 1 << (libc::SIGINT - 1) | 1 << (libc::SIGTERM - 1) | 1u64 << (libc::SIGHUP - 1);
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().flatten();
    let takes = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).unwrap();
        let of =
            |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim().to_owned();
        let blocked = u64::from_str_radix(&of("SigBlk:"), 16).unwrap();
        (blocked & ending != ending).then(|| of("Name:"))
    };
    // That other thread only sleeps.
    let mut takers: Vec<String> = tasks.filter_map(takes).filter(|name| name != "slow-look").collect();
    takers.sort();
    assert_eq!(takers, ["signals"]);
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_hangup_saves_and_ends_with_129() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=60s\n");
    let child = start(dir.path());
    wait_for_spool(dir.path());
    signal(&child, "HUP");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(129), "{}", text(&output));
    assert!(text(&output).contains("interrupted (SIGHUP)"), "{}", text(&output));
    let report = fathom(dir.path()).arg("report").arg(only_run(dir.path())).output().unwrap();
    assert_eq!(report.status.code(), Some(7), "{}", text(&report));
}

/// After the terminal has gone, the run is still saved.
#[test]
fn a_terminal_that_goes_away_ends_with_129() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=60s\n");
    let script = "import os, pty, sys, time\n\
        pid, terminal = pty.fork()\n\
        if pid == 0: os.execv(sys.argv[1], ['fathom', 'run', 'j.fio'])\n\
        while not os.path.exists('fathom-runs/latest/spool'): time.sleep(0.05)\n\
        os.close(terminal)\n\
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";
    let mut command = Command::new("python3");
    let output =
        command.args(["-c", script, env!("CARGO_BIN_EXE_fathom")]).current_dir(dir.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(129), "{}", text(&output));
}

#[test]
fn a_run_under_nohup_outlives_a_hangup() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=1s\n");
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "trap '' HUP; exec \"$0\" run -q --no-calibrate j.fio",
        env!("CARGO_BIN_EXE_fathom"),
    ]);
    command.current_dir(dir.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for_spool(dir.path());
    signal(&child, "HUP");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}
