//! Targets that stop answering: the run ends, says why, and keeps what it has.
//!
//! Most of these tests only wait. Those in which the reads of one file of their own hang may wait at the same time. All others
//! have the machine for themselves.

use crate::support::fuse::Fuse;
use crate::support::throttle::Throttle;
use crate::support::{Loop, Mount, fathom, json, machine, own_devices, sh, text};
use fathom_results::Phase;
use fathom_tune::{self as tune, Lock};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A limit for every wait: nothing here takes longer than some seconds, so a test that
/// does has hung.
const LIMIT: Duration = Duration::from_secs(60);

/// A running fathom whose standard error is read.
struct Running {
    child: Child,
    run: PathBuf,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Running {
    /// `fathom run` of one job in `dir`.
    fn start(dir: &Path, job: &str, arguments: &[&str]) -> Running {
        std::fs::write(dir.join("j.fio"), format!("[j]\n{job}")).unwrap();
        let run = dir.join("run");
        let mut command = fathom(dir);
        command.args(["run", "-q", "j.fio", "-o", "report", "--output-dir", "run"]).args(arguments);
        Running::of(&mut command, run)
    }

    fn of(command: &mut Command, run: PathBuf) -> Running {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        Running { child, run, lines, said: Vec::new() }
    }

    /// Waits until it prints a line with `words`, and returns that line.
    fn says(&mut self, words: &str) -> String {
        let end = Instant::now() + LIMIT;
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.said.push(line.clone());
            if line.contains(words) {
                return line;
            }
        }
        panic!("{words} was not said, but: {:#?}", self.said);
    }

    fn exit_code(&mut self) -> Option<i32> {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end; it said {:#?}", self.said);
    }

    /// Checks that the report says that the run failed; returns the ms that it measured.
    fn reported_ms(&self, direction: &str) -> u64 {
        let report = |format: &str| {
            fathom(&self.run).args(["report", "--output-format", format]).arg(&self.run).output().unwrap()
        };
        let summary = report("summary");
        assert_eq!(summary.status.code(), Some(7), "{}", text(&summary));
        assert!(text(&summary).contains(" · failed ·"), "{}", text(&summary));
        let flow = &json(&String::from_utf8_lossy(&report("json").stdout))["jobs"][0][direction];
        assert!(flow["total_ios"].as_u64().unwrap() > 0, "{flow}");
        flow["runtime"].as_u64().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// A frozen filesystem, on which all writes wait; thawed when dropped.
struct Frozen<'a>(&'a Path);

impl<'a> Frozen<'a> {
    fn new(mount: &'a Path) -> Self {
        sh("fsfreeze", &format!("--freeze {}", mount.display()));
        Frozen(mount)
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        let _ = Command::new("fsfreeze").arg("--unfreeze").arg(self.0).status();
    }
}

/// Lets the run measure for two seconds.
fn measure_a_while(run: &Running) {
    within_limit("it does not measure", || measured(&run.run) >= Duration::from_secs(2));
}

/// For how long the first job has measured so far.
fn measured(run: &Path) -> Duration {
    // The directory is made some time after the start.
    let Ok(run) = fathom_results::load(run) else { return Duration::ZERO };
    let parts = run.jobs[0].series.iter().filter(|part| part.phase == Phase::Measure);
    Duration::from_nanos(parts.map(|part| part.end_ns - part.start_ns).sum())
}

const FUSE_JOB: &str = "rw=randread\nbs=4k\nsize=64m\ntime_based\nruntime=60s\nfilename=";

fn a_file_that_hangs(engine: &str) {
    let dir = tempfile::tempdir().unwrap();
    let fuse = Fuse::mount(&dir.path().join("fuse"), 64 << 20);
    let target = fuse.file().display().to_string();
    let job = format!("ioengine={engine}\niodepth=4\n{FUSE_JOB}{target}\n");
    let mut run = Running::start(dir.path(), &job, &["--stuck-after", "3s"]);
    measure_a_while(&run);
    fuse.hold();
    let warning = run.says("has not answered");
    assert!(warning.contains(&target) && warning.starts_with("j.0: "), "{warning}");
    let error = run.says("error: job j: ");
    assert!(error.contains(&target) && error.contains("given up"), "{error}");
    run.says("/stack");
    let measured = run.reported_ms("read");
    assert!((1_500..20_000).contains(&measured), "{measured} ms");
    fuse.release();
    assert_eq!(run.exit_code(), Some(7), "{:#?}", run.said);
}

#[test]
fn a_file_that_hangs_ends_a_synchronous_run() {
    let _file = own_devices();
    a_file_that_hangs("psync");
}

#[test]
fn a_file_that_hangs_ends_a_queued_run() {
    let _file = own_devices();
    a_file_that_hangs("io_uring");
}

#[test]
fn a_file_that_hangs_ends_a_run_at_fios_door() {
    let _file = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let fuse = Fuse::mount(&dir.path().join("fuse"), 64 << 20);
    fuse.hold();
    let target = format!("--filename={}", fuse.file().display());
    let mut run = Running::of(
        fathom(dir.path()).args([
            "fio",
            "--stuck-after=2s",
            "--name=j",
            "--ioengine=psync",
            "--rw=read",
            &target,
        ]),
        dir.path().join("none"),
    );
    let error = run.says("error: job j: ");
    assert!(error.contains("given up"), "{error}");
    fuse.release();
    assert_eq!(run.exit_code(), Some(7), "{:#?}", run.said);
}

#[test]
fn a_file_that_answers_again_is_measured_on() {
    let _file = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let fuse = Fuse::mount(&dir.path().join("fuse"), 64 << 20);
    let target = fuse.file().display().to_string();
    let job = format!("ioengine=psync\n{FUSE_JOB}{target}\nruntime=10s\n");
    let mut run = Running::start(dir.path(), &job, &["--stuck-after", "8s"]);
    measure_a_while(&run);
    fuse.hold();
    // Reported after half of the limit.
    run.says("has not answered");
    fuse.release();
    let line = run.says("answered again after");
    assert!(line.contains(&target), "{line}");
    assert_eq!(run.exit_code(), Some(0), "{:#?}", run.said);
}

fn a_device_whose_backing_is_frozen(engine: &str) {
    let dir = tempfile::tempdir().unwrap();
    let below = Loop::blank(dir.path(), 96);
    sh("mkfs.ext4", &format!("-q {}", below.device));
    let mount = Mount::on(&below.device, &dir.path().join("mnt"));
    let device = Loop::blank(&mount.path, 32);
    let job = format!(
        "ioengine={engine}\niodepth=4\ndirect=1\nrw=randwrite\nbs=4k\ntime_based\nruntime=60s\nfilename={}\n",
        device.device
    );
    let consent = device.consent();
    let mut run = Running::start(dir.path(), &job, &["--stuck-after", "3s", "--write", &consent]);
    measure_a_while(&run);
    let frozen = Frozen::new(&mount.path);
    let warning = run.says("has not answered");
    assert!(warning.contains(&device.device), "{warning}");
    let error = run.says("error: job j: ");
    assert!(error.contains(&device.device) && error.contains("given up"), "{error}");
    run.says("/stack");
    let measured = run.reported_ms("write");
    assert!((1_500..20_000).contains(&measured), "{measured} ms");
    // The kernel keeps the process until the file system is thawed.
    drop(frozen);
    assert_eq!(run.exit_code(), Some(7), "{:#?}", run.said);
}

#[test]
fn a_device_with_a_frozen_backing_ends_a_synchronous_run() {
    let _machine = machine();
    a_device_whose_backing_is_frozen("psync");
}

#[test]
fn a_device_with_a_frozen_backing_ends_a_queued_run() {
    let _machine = machine();
    a_device_whose_backing_is_frozen("io_uring");
}

/// A kill cannot end the worker's thread, and with it every descriptor of the process stays open.
/// The settings are put back anyway, and others may tune the host while the process cannot end.
#[test]
fn a_killed_tuned_run_with_a_frozen_backing_is_put_back() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let below = Loop::blank(dir.path(), 96);
    sh("mkfs.ext4", &format!("-q {}", below.device));
    let mount = Mount::on(&below.device, &dir.path().join("mnt"));
    let device = Loop::blank(&mount.path, 32);
    let sysfs = PathBuf::from("/sys/block").join(device.device.trim_start_matches("/dev/"));
    let read = |file: &str| std::fs::read_to_string(sysfs.join(file)).unwrap();
    std::fs::write(sysfs.join("queue/nomerges"), "0").unwrap();
    let job = format!(
        "ioengine=psync\ndirect=1\nrw=randwrite\nbs=4k\ntime_based\nruntime=60s\nfilename={}\n",
        device.device
    );
    let consent = device.consent();
    let tune = ["--tune=iops", "--tune-only", "--tune-knob", "blk.nomerges=1", "--tune-state-dir", "state"];
    let mut run = Running::start(dir.path(), &job, &[&tune[..], &["--write", &consent]].concat());
    let writes = || read("stat").split_whitespace().nth(4).unwrap().parse::<u64>().unwrap();
    let before = writes();
    within_limit("it writes nothing", || writes() > before);
    assert_eq!(read("queue/nomerges").trim(), "1");
    let frozen = Frozen::new(&mount.path);
    let pid = run.child.id();
    within_limit("no thread waits in the kernel", || waits_uninterruptibly(pid));
    run.child.kill().unwrap();
    let state = dir.path().join("state");
    let is_put_back =
        || read("queue/nomerges").trim() == "0" && tune::open_journals(&state).unwrap().is_empty();
    within_limit("it is not put back", is_put_back);
    within_limit("the lock is still held", || Lock::take(&state).is_ok());
    assert!(run.child.try_wait().unwrap().is_none(), "the kernel keeps the process until it is thawed");
    drop(frozen);
    run.exit_code();
}

#[track_caller]
fn within_limit(else_: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < end, "{else_}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a worker of the process waits for I/O that does not end. It looks twice, because a
/// worker waits for every I/O in this way.
fn waits_uninterruptibly(pid: u32) -> bool {
    let waits = || {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let mut stats = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok());
        stats.any(|stat| stat.contains("(worker") && stat.contains(") D "))
    };
    waits() && {
        std::thread::sleep(Duration::from_millis(200));
        waits()
    }
}

/// The kernel asks the file system behind a loop device for the numbers of the
/// file. If it does not answer, that must not affect runs with another target.
#[test]
fn a_file_system_elsewhere_that_does_not_answer_holds_nobody_up() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let fuse = Fuse::mount(&dir.path().join("mnt"), 16 << 20);
    let disk = Loop::over(&fuse.file(), 16 << 20);
    fuse.hold_all();
    let job = "--name=a --rw=write --size=64k --filename=f";
    let words = [format!("fio {job}"), "topology".to_owned(), "doctor".to_owned(), "devices".to_owned()];
    let mut runs: Vec<(String, Running)> = words
        .map(|words| {
            let mut command = fathom(dir.path());
            command.args(words.split(' '));
            (words, Running::of(&mut command, dir.path().to_owned()))
        })
        .into();
    for (words, running) in &mut runs {
        let code = running.exit_code();
        let is_expected = code == Some(0) || words == "doctor" && code == Some(5);
        assert!(is_expected, "{words}: {code:?}: {:?}", running.lines.iter().collect::<Vec<_>>());
    }
    fuse.release();
    drop(disk);
}

/// A device that does not answer is one line of the list, and no reason to wait for it.
#[test]
fn a_device_that_does_not_answer_is_listed() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let fuse = Fuse::mount(&dir.path().join("mnt"), 16 << 20);
    let disk = Loop::over(&fuse.file(), 16 << 20);
    fuse.hold();
    let listed = fathom(dir.path()).args(["devices", "--json"]).output().unwrap();
    fuse.release();
    let document: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let devices = document["devices"].as_array().unwrap();
    let found = devices.iter().find(|device| device["path"] == disk.device.as_str()).unwrap();
    assert_eq!(found["unreadable"]["why"], "silent", "{found:#}");
    assert_eq!(found["writing"]["verdict"], "unknown", "{found:#}");
}

/// No signal ends a process that the kernel holds on such a file system, so the
/// person must learn what it waits for.
#[test]
fn who_waits_for_a_named_target_says_for_which() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let fuse = Fuse::mount(&dir.path().join("mnt"), 16 << 20);
    fuse.hold_all();
    std::fs::write(dir.path().join("null.fio"), "[n]\nioengine=null\nsize=1m\n").unwrap();
    let commands = [
        &["fio", "--name=a", "--rw=read", "--filename"][..],
        &["report"],
        &["tune", "status", "--state-dir"],
        &["run", "null.fio", "--output-dir"],
    ];
    let mut runs = commands.map(|words| {
        let mut command = fathom(dir.path());
        command.args(words).arg(fuse.file());
        Running::of(&mut command, dir.path().to_owned())
    });
    for running in &mut runs {
        running.says(&format!("still waiting for {}", fuse.file().display()));
    }
    fuse.release();
    let codes = runs.each_mut().map(Running::exit_code);
    assert_eq!(codes[0], Some(0));
    assert!(codes.iter().all(Option::is_some), "{commands:?}: {codes:?}");
}

/// If nobody reads what is printed, a signal ends fathom like any other program. The
/// run is already saved then.
#[test]
fn a_result_that_nobody_reads_can_be_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let jobs: String = (0..12).map(|n| format!("[j{n}]\nioengine=null\nsize=1m\n")).collect();
    std::fs::write(dir.path().join("j.fio"), jobs).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "--no-calibrate", "--output-format", "html", "--output-dir", "run", "j.fio"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let end = Instant::now() + LIMIT;
    let waits_in = || std::fs::read_to_string(format!("/proc/{}/wchan", child.id())).unwrap_or_default();
    while !waits_in().contains("pipe_write") {
        assert!(Instant::now() < end, "it waits in {}", waits_in());
        std::thread::sleep(Duration::from_millis(20));
    }
    sh("kill", &format!("-TERM {}", child.id()));
    let mut running = Running { child, run: dir.path().join("run"), lines: channel().1, said: Vec::new() };
    assert_eq!(running.exit_code(), None, "the signal ended it");
    let report = fathom(dir.path()).args(["report", "run"]).output().unwrap();
    assert_eq!(report.status.code(), Some(0), "{}", text(&report));
}

/// A device of which a control group lets 20 kB/s through is slow from the first read.
fn slow(dir: &Path) -> (Loop, Throttle) {
    let disk = Loop::blank(dir, 16);
    let group = Throttle::read_bytes_per_second(&disk.device, 20_000);
    (disk, group)
}

/// What the audit and the guard read of a device would take minutes there. A job that only reads waits for none of it.
#[test]
fn a_job_that_reads_begins_at_once_on_a_slow_device() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let (disk, group) = slow(dir.path());
    let job = format!(
        "[j]\nioengine=psync\nfilename={}\nrw=randread\nbs=4k\ndirect=1\ntime_based\nruntime=1\n",
        disk.device
    );
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "j.fio", "-o", "report", "--output-dir", "run"]);
    let mut run = Running::of(&mut group.command(&command), dir.path().join("run"));
    assert_eq!(run.exit_code(), Some(0), "{:#?}", run.said);
    let record = json(&std::fs::read_to_string(dir.path().join("run/run.json")).unwrap());
    assert_eq!(record["finish"]["ended"], "by-itself");
    assert!(group.read_bytes() < 1 << 20, "{} bytes were read", group.read_bytes());
}

/// A job that writes waits until the guard has read both ends of the device, and a signal ends that.
#[test]
fn a_signal_ends_what_comes_before_the_first_write() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let (disk, group) = slow(dir.path());
    let job = format!("[j]\nioengine=psync\nfilename={}\nrw=write\nbs=4k\nsize=1m\n", disk.device);
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "j.fio", "--output-dir", "run", "--destroy", &disk.consent()]);
    let mut run = Running::of(&mut group.command(&command), dir.path().join("run"));
    within_limit("it reads the ends of the device", || group.read_bytes() > 0);
    sh("kill", &format!("-INT {}", run.child.id()));
    assert_eq!(run.exit_code(), Some(130), "{:#?}", run.said);
    assert!(group.read_bytes() < 1 << 20, "it did not read them to the end");
    assert!(!run.run.join("run.json").exists(), "nothing was measured");
}
