//! The live view, in a real pseudo-terminal.

use crate::support::pty::{Pty, Seen};
use crate::support::{fathom, only_run, text};
use rustix::termios::{Action, tcflow};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Two jobs, one after the other, of which the second has a name that fills a row.
const JOBS: &str = "[global]\nioengine=null\nsize=1g\nrw=randrw\nrate_iops=2000\ntime_based\nruntime=2500ms\n\
    [first-job]\n\
    [日本語\x1b[2J-a-job-with-a-name-that-is-longer-than-a-line-of-a-narrow-terminal]\nstonewall\nnumjobs=4\n";

const ONE_JOB: &str = "[j]\nioengine=null\nsize=1g\nrw=read\nrate_iops=1000\ntime_based\nruntime=1500ms\n";

/// A run of these jobs, without anything that the terminal does not show.
fn run(dir: &Path, jobs: &str) -> Command {
    std::fs::write(dir.join("j.fio"), jobs).unwrap();
    let mut command = fathom(dir);
    command.args(["run", "--no-calibrate", "j.fio"]).stdin(Stdio::null()).stdout(Stdio::null());
    command.env_remove("NO_COLOR").envs([("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8")]);
    command
}

/// What a person sees of these jobs on a terminal of this size.
fn seen(columns: u16, rows: u16, jobs: &str, change: impl Fn(&mut Command)) -> Seen {
    let dir = tempfile::tempdir().unwrap();
    let mut command = run(dir.path(), jobs);
    change(&mut command);
    let pty = Pty::of(columns, rows);
    let mut child = pty.start(command, false);
    let seen = Seen::of(&pty.read(), columns, rows);
    assert!(child.wait().unwrap().success(), "{}", seen.last);
    seen
}

#[test]
fn the_view_keeps_its_place_at_every_size() {
    let sizes = [60, 80, 100, 200].into_iter().flat_map(|columns| [10, 24, 50].map(|rows| (columns, rows)));
    // Most of the time they sleep, so they can run at the same time.
    let threads: Vec<_> = sizes
        .map(|(columns, rows)| thread::spawn(move || (columns, rows, seen(columns, rows, JOBS, |_| {}))))
        .collect();
    for thread in threads {
        let (columns, rows, seen) = thread.join().unwrap();
        let size = format!("{columns} × {rows}");
        assert!(!seen.wrapped && !seen.scrolled, "{size}: {:#?}", seen.screens.last());
        assert_eq!(seen.last, "", "{size}");
        assert!(seen.writes_a_second() <= 10, "{size}: {}", seen.writes_a_second());
        assert!(seen.shows("measuring") && seen.shows("IOPS") && seen.shows("first-job"), "{size}");
        assert!(seen.shows("日本語\\x1b[2J") && seen.shows("s left"), "{size}: {:#?}", seen.screens);
        assert!(seen.shows("bandwidth"), "{size}: {:#?}", seen.screens);
        let height = |screen: &String| screen.lines().filter(|row| !row.is_empty()).count();
        let highest = seen.screens.iter().map(height).max().unwrap();
        assert!(highest <= 7, "{size}: {highest} rows");
    }
}

#[test]
fn what_the_terminal_cannot_show_is_not_sent() {
    let start = |change: fn(&mut Command)| thread::spawn(move || seen(80, 24, ONE_JOB, change));
    let plain = start(|command| {
        command.env("LC_ALL", "C");
    });
    let grey = start(|command| {
        command.env("NO_COLOR", "1");
    });
    let dumb = start(|command| {
        command.env("TERM", "dumb");
    });
    let quiet = start(|command| {
        command.arg("--quiet");
    });
    let plain = plain.join().unwrap();
    assert!(
        plain.bytes.is_ascii() && plain.shows("measuring") && plain.shows("##--"),
        "{:#?}",
        plain.screens
    );
    let colours = |seen: &Seen| {
        let sequences = seen.bytes.split(|byte| *byte == b'\x1b').skip(1);
        let mut ends = sequences.filter_map(|rest| rest.iter().find(|byte| byte.is_ascii_alphabetic()));
        ends.any(|end| *end == b'm')
    };
    assert!(colours(&plain));
    let grey = grey.join().unwrap();
    assert!(!colours(&grey) && grey.shows("measuring"), "{:#?}", grey.screens);
    let dumb = dumb.join().unwrap();
    assert!(dumb.bytes.is_empty(), "{:?}", dumb.last);
    let quiet = quiet.join().unwrap();
    assert!(quiet.bytes.is_empty(), "{:?}", quiet.last);
}

#[test]
fn a_pipe_gets_lines_without_control_characters() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = fathom(dir.path());
    let words = "fio --name=j --ioengine=null --size=1m --rw=read --rate_iops=1000 --time_based --runtime=3";
    let output = command.args(words.split(' ')).args(["--eta=always", "--output=out"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success()
            && output.stderr.is_empty()
            && !said.contains(|c: char| c.is_control() && c != '\n'),
        "{said:?}"
    );
    let lines: Vec<&str> = said.lines().collect();
    assert!((1..=3).contains(&lines.len()), "{said}");
    // The last one may come when the job has ended.
    assert!(
        said.starts_with("Jobs: 1 (f=1)") && lines.iter().all(|line| line.starts_with("Jobs: ")),
        "{said}"
    );
    let parts = [": [R(1)][", "%][r=", "KiB/s][r=", " IOPS][eta 00m:0"];
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
}

/// The window is made narrower and flatter while the view is shown.
#[test]
fn a_window_that_becomes_smaller_gets_a_smaller_view() {
    let dir = tempfile::tempdir().unwrap();
    let pty = Pty::of(200, 50);
    let mut child = pty.start(run(dir.path(), JOBS), false);
    thread::sleep(Duration::from_millis(2000));
    pty.resize(60, 5);
    let seen = Seen::of(&pty.read(), 200, 50);
    assert!(child.wait().unwrap().success());
    assert_eq!(seen.last, "");
    assert!(seen.shows("bandwidth"));
    let last = seen.screens.iter().rev().find(|screen| screen.contains("measuring")).unwrap();
    assert!(last.lines().count() == 4 && last.lines().all(|row| row.chars().count() < 60), "{last:?}");
}

/// The report is what `fathom report` prints later, and a message that comes during the run stands
/// above it.
#[test]
fn messages_and_the_report_stay() {
    let dir = tempfile::tempdir().unwrap();
    let pty = Pty::of(120, 30);
    let mut child = pty.start(
        run(dir.path(), "[j]\nioengine=null\nsize=1g\nrw=read\nrate_iops=1000\ntime_based\nruntime=60\n"),
        true,
    );
    let pid = child.id().to_string();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(2500));
        crate::support::sh("kill", &format!("-INT {pid}"));
    });
    let seen = Seen::of(&pty.read(), 120, 30);
    assert_eq!(child.wait().unwrap().code(), Some(130), "{}", seen.last);
    let said = "stopping: waiting for I/O in flight, then saving (again to stop at once)\n";
    let report = seen.last.strip_prefix(said).unwrap_or_else(|| panic!("{}", seen.last));
    let mut again = fathom(dir.path());
    again.arg("report").arg(only_run(dir.path())).envs([("COLUMNS", "120"), ("LC_ALL", "C.UTF-8")]);
    let again = String::from_utf8(again.output().unwrap().stdout).unwrap();
    let (report, page) = report.trim_end().rsplit_once('\n').unwrap();
    assert!(page.starts_with("page     make one: fathom report -o page.html "), "{page}");
    // The directory of the run is once a relative path.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines().map(|line| line.trim_end().to_owned());
        lines.filter(|line| !line.contains("fathom-runs/")).collect()
    };
    let (report, again) = (lines(report), lines(&again));
    assert!(report.len() > 5 && report == again, "{report:#?}\n{again:#?}");
}

/// Reads of a file that was never written: at fio's door a person is told behind the result what was measured, and a script gets
/// nothing beside the result.
#[test]
fn fio_s_door_says_on_a_terminal_what_was_measured_instead_of_a_disk() {
    let dir = tempfile::tempdir().unwrap();
    File::create(dir.path().join("never-written")).unwrap().set_len(64 << 20).unwrap();
    let fio = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.current_dir(dir.path()).args([
            "fio",
            "--name=a",
            "--filename=never-written",
            "--rw=randread",
        ]);
        command.args(["--bs=4k", "--direct=1", "--ioengine=libaio", "--iodepth=8", "--norandommap"]);
        command.args(["--runtime=1", "--time_based"]);
        command
    };
    let pty = Pty::of(120, 60);
    let mut child = pty.start(fio(), true);
    let seen = Seen::of(&pty.read(), 120, 60);
    assert!(child.wait().unwrap().success(), "{}", seen.last);
    let (result, behind) = seen.last.split_once("warning: ").unwrap_or_else(|| panic!("{}", seen.last));
    assert!(result.contains("Run status group") && behind.contains("hint: "), "{}", seen.last);
    let output = fio().output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// The I/Os of the only job of a result in fio's JSON.
fn ios(output: &Output) -> u64 {
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    result["jobs"][0]["read"]["total_ios"].as_u64().unwrap()
}

/// Ctrl-S, or a program that shows the terminal and was stopped.
#[test]
fn a_terminal_that_takes_nothing_holds_up_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = "[j]\nioengine=null\nsize=1g\nrw=read\nrate_iops=2000\nnumber_ios=5000\n";
    let pty = Pty::of(80, 24);
    let program = pty.program.try_clone().unwrap();
    let mut child = pty.start(run(dir.path(), jobs), false);
    thread::sleep(Duration::from_millis(1000));
    tcflow(&program, Action::OOff).unwrap();
    // The terminal still takes nothing when the run is saved.
    let began = Instant::now();
    let saved = || {
        let record = std::fs::read(only_run(dir.path()).join("run.json")).unwrap_or_default();
        serde_json::from_slice(&record).ok().filter(|record: &serde_json::Value| record["seal"].is_object())
    };
    let record = loop {
        match saved() {
            Some(record) => break record,
            None if began.elapsed() > Duration::from_secs(30) => panic!("the run does not end"),
            None => thread::sleep(Duration::from_millis(50)),
        }
    };
    assert_eq!(record["finish"]["complete"], true, "{record:#}");
    tcflow(&program, Action::OOn).unwrap();
    drop(program);
    let seen = Seen::of(&pty.read(), 80, 24);
    assert!(child.wait().unwrap().success());
    assert_eq!(seen.last, "");
    let report = fathom(dir.path()).args(["report", "--output-format=json"]).output().unwrap();
    assert_eq!(ios(&report), 5000);
}

/// A pipe that nobody reads: progress is lost, and the run ends with its result.
#[test]
fn a_full_pipe_holds_up_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let (reads, writes) = std::io::pipe().unwrap();
    let fill = rustix::fs::fcntl_getfl(&writes).unwrap();
    rustix::fs::fcntl_setfl(&writes, fill | rustix::fs::OFlags::NONBLOCK).unwrap();
    while rustix::io::write(&writes, &[b'x'; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writes, fill).unwrap();
    let mut command = fathom(dir.path());
    let words = "fio --name=j --ioengine=null --size=1g --rw=read --rate_iops=1000 --number_ios=2500";
    command.args(words.split(' ')).args(["--eta=always", "--output-format=json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(writes).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(30), "the run does not end");
        thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().unwrap();
    drop(reads);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(ios(&output), 2500);
}
