//! Tuning from end to end, on loop devices that the test makes: what is applied is in force, and
//! everything is put back, however the process ends.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Loop, Mount, fathom, json, machine, must, only_run, sh, text};
use fathom_device::Root;
use fathom_tune as tune;

const KNOBS: [&str; 4] = ["blk.nomerges=1", "blk.iostats=0", "blk.max_sectors=64", "blk.read_ahead=64"];

/// A loop device, and a directory for journals.
struct Bench {
    dir: tempfile::TempDir,
    device: Loop,
}

impl Bench {
    /// Writes `j.fio`, which reads the device at random for so many seconds.
    fn write_job(&self, seconds: u32) {
        let job = format!(
            "[r]\nfilename={}\nrw=randread\ndirect=1\nruntime={seconds}\ntime_based\n",
            self.device.device
        );
        std::fs::write(self.dir().join("j.fio"), job).unwrap();
    }

    fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let device = Loop::blank(dir.path(), 32);
        let bench = Bench { device, dir };
        // A loop device keeps settings of its last use. The read-ahead comes last: others reset it.
        let hardware = bench.queue("max_hw_sectors_kb");
        for (file, value) in
            [("nomerges", "0"), ("iostats", "1"), ("max_sectors_kb", &hardware), ("read_ahead_kb", "100")]
        {
            bench.set(file, value);
        }
        bench
    }

    fn set(&self, file: &str, value: &str) {
        let name = self.device.device.trim_start_matches("/dev/");
        std::fs::write(format!("/sys/block/{name}/queue/{file}"), value).unwrap();
    }

    fn dir(&self) -> &Path {
        self.dir.path()
    }

    fn tune(&self, words: &[&str]) -> Command {
        let mut command = fathom(self.dir());
        command.arg("tune").args(words).args(["--state-dir", "state"]);
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.tune(words).output().unwrap()
    }

    /// A plan of `KNOBS` in `plan.json`.
    fn plan(&self) {
        self.plan_for(&self.device.device, &KNOBS);
    }

    fn plan_for(&self, target: &str, knobs: &[&str]) {
        let mut command = self.tune(&["plan", target, "-o", "plan.json", "--only"]);
        for knob in knobs {
            command.args(["--knob", knob]);
        }
        must(&mut command);
    }

    /// Every setting of the device that any knob knows.
    fn settings(&self) -> BTreeMap<String, String> {
        let all = tune::settings(&Root::live(), &[PathBuf::from(&self.device.device)]).unwrap();
        let name = self.device.device.trim_start_matches("/dev/");
        let ours = format!("/sys/block/{name}/");
        all.into_iter().filter(|(place, _)| place.starts_with(&ours)).collect()
    }

    fn queue(&self, file: &str) -> String {
        let name = self.device.device.trim_start_matches("/dev/");
        let path = format!("/sys/block/{name}/queue/{file}");
        std::fs::read_to_string(path).unwrap().trim().to_owned()
    }

    /// `tune apply --hold`, in force when this returns, in a process group of
    /// its own.
    fn hold(&self) -> Child {
        let mut command = self.tune(&["apply", "plan.json", "--yes", "--hold", "--knob", "blk.read_ahead"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        if !lines.any(|line| line.contains("in force until Ctrl-C")) {
            panic!("it ended: {:?}", child.wait());
        }
        child
    }

    /// Waits until the guardian has put everything back.
    fn comes_back(&self, before: &BTreeMap<String, String>) {
        let ends = Instant::now() + Duration::from_secs(20);
        while self.settings() != *before || self.has_open_journal() {
            assert!(Instant::now() < ends, "{:?} is not {before:?}", self.settings());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn has_open_journal(&self) -> bool {
        !tune::open_journals(&self.dir().join("state")).unwrap().is_empty()
    }
}

#[track_caller]
fn ends(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", text(output));
}

fn signal(pid: i32, number: i32) {
    // SAFETY: takes no pointers; the process, or the group, is our own child's.
    unsafe { libc::kill(pid, number) };
}

/// A setting that hangs like that of a device that does not answer: its file is replaced by a
/// FIFO, which nobody opens at the other end.
struct Hanging {
    file: PathBuf,
}

impl Hanging {
    fn new(bench: &Bench, file: &str) -> Self {
        let name = bench.device.device.trim_start_matches("/dev/");
        let (fifo, file) =
            (bench.dir().join("fifo"), PathBuf::from(format!("/sys/block/{name}/queue/{file}")));
        must(Command::new("mkfifo").arg(&fifo));
        must(Command::new("mount").arg("--bind").args([&fifo, &file]));
        Self { file }
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.file).status();
    }
}

/// One file of the device takes no value: the other settings are put back, and the command ends
/// and says which one is left and what puts it back. That command works once the device answers.
#[test]
fn a_device_that_does_not_answer_keeps_nothing_else_from_going_back() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.plan();
    ends(&bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]), 0);
    let hanging = Hanging::new(&bench, "iostats");
    let undone = bench.run(&["revert", "--device-limit", "300ms"]);
    ends(&undone, 5);
    let said = text(&undone);
    let by_hand = format!("by hand: echo 1 > {}", hanging.file.display());
    assert!(said.contains("did not answer within 300ms") && said.contains(&by_hand), "{said}");
    assert!(said.contains("1 of 4 settings not put back") && said.contains("fathom tune revert"), "{said}");
    assert_eq!((bench.queue("nomerges"), bench.queue("max_sectors_kb")), ("0".into(), before_of(&before)));
    assert!(bench.has_open_journal());
    drop(hanging);
    ends(&bench.run(&["revert"]), 0);
    assert_eq!(bench.settings(), before);
    ends(&bench.run(&["revert", "--device-limit", "0"]), 2);
}

fn before_of(settings: &BTreeMap<String, String>) -> String {
    let place = settings.keys().find(|place| place.ends_with("/max_sectors_kb")).unwrap();
    settings[place].clone()
}

/// A queue has only one session, whatever the state directory is; a second one is refused with a
/// message that names the first.
#[test]
fn two_state_directories_do_not_tune_one_queue() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    let apply = |dir: &str| {
        let mut command = fathom(bench.dir());
        command.args(["tune", "apply", "plan.json", "--yes", "--knob", "blk.read_ahead", "--state-dir", dir]);
        command.output().unwrap()
    };
    bench.plan_for(&bench.device.device, &["blk.iostats=0"]);
    ends(&apply("state"), 0);
    bench.plan_for(&bench.device.device, &["blk.nomerges=1"]);
    let second = apply("other");
    ends(&second, 3);
    let name = bench.device.device.trim_start_matches("/dev/");
    let (said, state) = (text(&second), bench.dir().canonicalize().unwrap().join("state"));
    assert!(said.contains(&format!("{name} is tuned already")), "{said}");
    assert!(said.contains(&format!("fathom tune revert --state-dir {}", state.display())), "{said}");
    assert_eq!(bench.queue("nomerges"), "0");
    ends(&bench.run(&["revert"]), 0);
    ends(&apply("other"), 0);
    ends(&fathom(bench.dir()).args(["tune", "revert", "--state-dir", "other"]).output().unwrap(), 0);
    assert_eq!(bench.settings(), before);
}

#[test]
fn plan_apply_verify_revert() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    assert!(before.len() > 8, "{before:?}");
    bench.plan();
    ends(&bench.run(&["apply", "plan.json"]), 0);
    assert_eq!(bench.settings(), before, "a dry run changes nothing");
    ends(&bench.run(&["apply", "plan.json", "--yes"]), 3);
    assert_eq!(bench.settings(), before, "risk 2 was not named");
    ends(&bench.run(&["apply", "plan.json", "--yes", "--hash", "00", "--knob", "blk.read_ahead"]), 3);
    let applied = bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]);
    ends(&applied, 0);
    assert_eq!((bench.queue("nomerges"), bench.queue("read_ahead_kb")), ("1".into(), "64".into()));
    ends(&bench.run(&["verify"]), 0);
    let again = bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]);
    ends(&again, 3);
    assert!(text(&bench.run(&["status"])).contains("4 open changes"));
    ends(&bench.run(&["revert"]), 0);
    assert_eq!(bench.settings(), before);
    assert!(text(&bench.run(&["status"])).contains("fathom has changed no setting"));
}

/// Without its journal nothing can be put back, and every command says that.
#[test]
fn a_session_whose_journal_was_lost_is_named() {
    let _machine = machine();
    let bench = Bench::new();
    bench.plan();
    ends(&bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]), 0);
    let journals = || fs::read_dir(bench.dir().join("state")).unwrap().flatten().map(|entry| entry.path());
    let journal = journals().find(|path| path.extension().is_some_and(|end| end == "journal")).unwrap();
    let kept = fs::read(&journal).unwrap();
    fs::remove_file(&journal).unwrap();
    for verb in ["status", "verify", "revert"] {
        let told = bench.run(&[verb]);
        ends(&told, 5);
        let (told, named) = (text(&told), journal.display().to_string());
        assert!(told.contains(&named) && told.contains("queue/nomerges was 0 before"), "{verb}: {told}");
        assert!(!told.contains("fathom has changed no setting"), "{verb}: {told}");
    }
    fs::write(&journal, kept).unwrap();
    ends(&bench.run(&["revert"]), 0);
    assert!(text(&bench.run(&["status"])).contains("fathom has changed no setting"));
}

/// The command that `apply` prints undoes it, also with another state directory.
#[test]
fn the_command_that_is_told_undoes_it() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.plan();
    let applied = bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]);
    ends(&applied, 0);
    assert_ne!(bench.settings(), before);
    let said = text(&applied);
    let command = said.lines().find_map(|line| line.split_once("in force until: fathom ")).unwrap().1;
    ends(&fathom(bench.dir()).args(command.split(' ')).output().unwrap(), 0);
    assert_eq!(bench.settings(), before);
}

#[test]
fn a_third_partys_write_is_left_and_told() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.plan();
    ends(&bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]), 0);
    bench.set("nomerges", "2");
    ends(&bench.run(&["verify"]), 5);
    ends(&bench.run(&["revert"]), 5);
    assert_eq!(bench.queue("nomerges"), "2");
    ends(&bench.run(&["revert", "--force-knob", "blk.nomerges"]), 0);
    assert_eq!(bench.settings(), before);
}

/// SIGKILL goes to fathom and to its whole process group. The guardian is not in that group,
/// and puts everything back.
#[test]
fn a_kill_is_undone_by_the_guardian() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    for is_group in [false, true] {
        bench.plan();
        let mut child = bench.hold();
        assert_ne!(bench.settings(), before);
        let pid = child.id() as i32;
        signal(if is_group { -pid } else { pid }, libc::SIGKILL);
        child.wait().unwrap();
        bench.comes_back(&before);
    }
}

/// INT, TERM and HUP make fathom put everything back; a second one does not interrupt that.
#[test]
fn signals_mean_to_put_back() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    for (number, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        bench.plan();
        let mut child = bench.hold();
        let pid = child.id() as i32;
        signal(pid, number);
        signal(pid, number);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_eq!(bench.settings(), before);
        assert!(!bench.has_open_journal());
    }
}

/// A loop device that was detached while settings were in force: its queue and the
/// settings stay for the next file that is attached to it.
#[test]
fn a_loop_device_that_was_attached_again_is_put_back() {
    let _machine = machine();
    let bench = Bench::new();
    bench.plan();
    ends(&bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.read_ahead"]), 0);
    let other = Loop::blank(bench.dir(), 16);
    sh("losetup", &format!("-d {}", bench.device.device));
    let words = format!("{} {}", bench.device.device, bench.device.backing.display());
    sh("losetup", &words);
    let undone = bench.run(&["revert"]);
    ends(&undone, 0);
    assert!(text(&undone).contains("restored"), "{}", text(&undone));
    assert_eq!(bench.queue("nomerges"), "0");
    drop(other);
}

#[test]
fn options_of_a_mount_there_and_back() {
    let _machine = machine();
    let bench = Bench::new();
    sh("mkfs.ext4", &format!("-q {}", bench.device.device));
    let mount = Mount::on(&bench.device.device, &bench.dir().join("mnt"));
    sh("mount", &format!("-o remount,nosuid,discard {}", mount.path.display()));
    let options = || {
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let point = mount.path.canonicalize().unwrap().display().to_string();
        let line = table.lines().find(|line| line.contains(&format!(" {point} "))).unwrap().to_owned();
        line.split_once(' ').unwrap().1.to_owned()
    };
    let before = options();
    assert!(before.contains("relatime") && before.contains("discard") && before.contains("nosuid"));
    bench.plan_for(mount.path.to_str().unwrap(), &["fs.atime", "fs.discard"]);
    ends(&bench.run(&["apply", "plan.json", "--yes", "--knob", "fs.atime", "--knob", "fs.discard"]), 0);
    let tuned = options();
    assert!(tuned.contains("noatime") && !tuned.contains(",discard") && tuned.contains("nosuid"), "{tuned}");
    ends(&bench.run(&["verify"]), 0);
    ends(&bench.run(&["revert"]), 0);
    assert_eq!(options(), before);
}

/// A handle is read back from the kernel while it is held, and is gone after a kill.
#[test]
fn a_held_limit_ends_with_its_process() {
    let _machine = machine();
    let limit = || {
        let bytes = std::fs::read("/dev/cpu_dma_latency").unwrap();
        i32::from_ne_bytes(bytes[..4].try_into().unwrap())
    };
    let before = limit();
    let bench = Bench::new();
    bench.plan_for(&bench.device.device, &["cpu.cstates=7"]);
    let mut child = bench.hold();
    assert_eq!(limit(), 7);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(limit(), before);
}

#[test]
fn a_run_is_tuned_and_says_so() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.write_job(1);
    let words = ["run", "j.fio", "--quiet", "--no-calibrate", "--tune=iops", "--tune-only"];
    let tune = ["--tune-knob", "blk.nomerges=1", "--tune-knob", "blk.iostats=0", "--tune-state-dir", "state"];
    let output = fathom(bench.dir()).args(words).args(tune).output().unwrap();
    ends(&output, 0);
    assert_eq!(bench.settings(), before);
    assert!(!bench.has_open_journal());
    let record = json(&std::fs::read_to_string(only_run(bench.dir()).join("run.json")).unwrap());
    let host = record["host"].as_array().unwrap();
    let fact = |name: &str| host.iter().find(|fact| fact["name"] == name).map(|fact| fact["value"].clone());
    assert_eq!(fact("tune.blk.nomerges"), Some("0 -> 1".into()));
    assert_eq!(fact("tune.blk.iostats"), Some("1 -> 0".into()));
    assert_eq!(fact("tune.blk.nomerges.drift"), None);
}

/// A run without the setting that was asked for is another run.
#[test]
fn a_run_does_not_go_on_without_a_knob_that_was_named() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    let job = format!("[r]\nfilename={}\nrw=randread\nsize=1m\n", bench.device.device);
    fs::write(bench.dir().join("j.fio"), job).unwrap();
    let words = ["run", "j.fio", "--quiet", "--no-calibrate", "--tune=iops", "--tune-only"];
    let tune = ["--tune-knob", "blk.scheduler=nope", "--tune-knob", "blk.nomerges=1"];
    let output = fathom(bench.dir()).args(words).args(tune).args(["--tune-state-dir", "state"]).output();
    let output = output.unwrap();
    ends(&output, 1);
    let said = text(&output);
    assert!(
        said.contains("the kernel refused blk.scheduler at ") && said.contains("Invalid argument"),
        "{said}"
    );
    assert!(!bench.dir().join("fathom-runs").exists(), "nothing was measured");
    assert_eq!(bench.settings(), before);
    assert!(!bench.has_open_journal());
}

/// A run that is killed leaves nothing tuned; one whose settings drift is not
/// valid and says so in its record.
#[test]
fn a_tuned_run_that_is_killed_and_one_that_drifts() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.write_job(30);
    let start = |extra: &[&str]| {
        let mut command = fathom(bench.dir());
        command.args(["run", "j.fio", "--quiet", "--no-calibrate", "--tune=iops", "--tune-only"]);
        command.args(["--tune-knob", "blk.nomerges=1", "--tune-state-dir", "state"]).args(extra);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ends = Instant::now() + Duration::from_secs(20);
        while bench.queue("nomerges") != "1" {
            assert!(Instant::now() < ends, "it was never tuned");
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    };
    let mut killed = start(&["--output-dir", "killed"]);
    killed.kill().unwrap();
    killed.wait().unwrap();
    bench.comes_back(&before);

    let mut drifting = start(&["--set", "runtime=4s", "--output-dir", "drifted"]);
    // Wait until the setting was read back. Before that, it is not known who has set the value.
    let ends_at = Instant::now() + Duration::from_secs(20);
    while !bench.dir().join("drifted/spool").exists() {
        assert!(Instant::now() < ends_at, "the run did not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    bench.set("nomerges", "2");
    assert_eq!(drifting.wait().unwrap().code(), Some(5));
    assert_eq!(bench.queue("nomerges"), "2", "theirs is left");
    let record = json(&std::fs::read_to_string(bench.dir().join("drifted/run.json")).unwrap());
    let taints = record["findings"].as_array().unwrap();
    assert!(taints.iter().any(|taint| taint["code"] == "tuning-drifted"), "{taints:?}");
    ends(&bench.run(&["revert", "--force-knob", "blk.nomerges"]), 0);
    assert_eq!(bench.settings(), before);
}

/// The guardian of a process: its child that was started with that command.
fn guardian_of(pid: u32) -> i32 {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let is_guardian = |child: &&str| {
        let command = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        command.split(|byte| *byte == 0).any(|word| word == b"guardian")
    };
    children.split_whitespace().find(is_guardian).expect("it has a guardian").parse().unwrap()
}

/// After a kill of a tuned run and of its guardian nothing puts back what it set: the next command that measures says so, with the
/// command that does.
#[test]
fn what_a_killed_run_left_is_named_until_it_is_put_back() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.write_job(30);
    std::fs::write(bench.dir().join("n.fio"), "[n]\nioengine=null\nrw=read\nsize=4k\n").unwrap();
    let mut tuned = fathom(bench.dir());
    tuned.args(["run", "j.fio", "--quiet", "--no-calibrate", "--tune=iops", "--tune-only"]);
    tuned.args(["--tune-knob", "blk.nomerges=1", "--tune-state-dir", "state"]);
    let mut killed = tuned.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let ends_at = Instant::now() + Duration::from_secs(20);
    while bench.queue("nomerges") != "1" {
        assert!(Instant::now() < ends_at, "it was never tuned");
        std::thread::sleep(Duration::from_millis(20));
    }
    let name = bench.device.device.trim_start_matches("/dev/").to_owned();
    let setting = format!("/sys/block/{name}/queue/nomerges is 1, and was 0");
    let looks = [
        &["run", "n.fio", "-q", "--no-calibrate"][..],
        &["quick", "sim:datacentre/1024", "--seconds", "1", "--no-calibrate"],
        &["doctor", &bench.device.device, "--watch", "0"],
    ];
    let said = |words: &[&str]| {
        let output = fathom(bench.dir()).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for words in looks {
        assert!(!said(words).contains(&setting), "its fathom runs: {}", said(words));
    }
    let guardian = guardian_of(killed.id());
    signal(guardian, libc::SIGKILL);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let session = tune::open_journals(&bench.dir().join("state")).unwrap().remove(0);
    let session = session.file_stem().unwrap().to_str().unwrap().to_owned();
    for words in looks {
        let said = said(words);
        assert!(said.contains(&setting) && said.contains("left 1 setting of this machine changed"), "{said}");
        let command =
            format!("fathom tune revert --state-dir {}/state --session {session}", bench.dir().display());
        assert!(said.contains(&command), "{said}");
    }
    ends(&bench.run(&["revert", "--session", &session]), 0);
    assert_eq!(bench.settings(), before);
    for words in looks {
        assert!(!said(words).contains(&setting), "{}", said(words));
    }
}

/// What the kernel refuses is in the record, and undoing finds it unchanged: without a
/// scheduler there are no more requests than tags.
#[test]
fn what_the_kernel_refuses_is_told() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    bench.plan_for(&bench.device.device, &["blk.scheduler=none", "blk.nr_requests=100000"]);
    let applied = bench.run(&["apply", "plan.json", "--yes", "--knob", "blk.nr_requests"]);
    ends(&applied, 1);
    assert!(text(&applied).contains("Invalid argument"), "{}", text(&applied));
    assert!(text(&applied).contains("at most without a scheduler, the number of"), "{}", text(&applied));
    assert_eq!(bench.settings(), before);
    assert!(!bench.has_open_journal(), "nothing to undo");
}

#[test]
fn the_selftest_passes() {
    let _machine = machine();
    let bench = Bench::new();
    let output = bench.run(&["selftest"]);
    ends(&output, 0);
    assert!(text(&output).contains("0 differ"), "{}", text(&output));
}

/// `tune try` from start to end. Its verdict depends on the machine; that it gives an
/// interval and leaves nothing behind does not.
#[test]
fn a_knob_is_tried_in_turn() {
    let _machine = machine();
    let bench = Bench::new();
    let before = bench.settings();
    let job = format!("[r]\nfilename={}\nrw=randread\ndirect=1\nnumber_ios=64\n", bench.device.device);
    std::fs::write(bench.dir().join("j.fio"), job).unwrap();
    let output = bench.run(&["try", "blk.nomerges=2", "--pairs", "6"]);
    ends(&output, 2);
    let mut command = fathom(bench.dir());
    let words = ["tune", "--state-dir", "state", "try", "blk.nomerges=2", "--pairs", "6", "--", "j.fio"];
    ends(&fathom(bench.dir()).args(words).output().unwrap(), 3);
    let planned =
        fathom(bench.dir()).args(["try", "blk.nomerges=2", "--plan", "--", "j.fio"]).output().unwrap();
    ends(&planned, 0);
    assert!(text(&planned).contains("0 -> 2") && text(&planned).contains("12 rounds"), "{}", text(&planned));
    assert_eq!(bench.settings(), before);
    command.args(["tune", "--state-dir", "state", "try", "blk.nomerges=2", "--yes", "--pairs", "6"]);
    let output = command.args(["--", "j.fio"]).output().unwrap();
    ends(&output, 0);
    assert!(
        text(&output).contains("95 % interval") && text(&output).contains("6 pairs"),
        "{}",
        text(&output)
    );
    assert_eq!(bench.settings(), before);
}

/// On a narrow screen only a path is longer than a line, and a goal that nobody named is said.
#[test]
fn a_plan_fits_the_screen_and_says_which_goal_it_assumes() {
    let dir = tempfile::tempdir().unwrap();
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../fathom-host/tests/trees/downgraded.tree");
    let plan = |words: &[&str]| {
        let mut command = fathom(dir.path());
        let output = command.args(["tune", "plan", "--root", tree]).args(words).env("COLUMNS", "60").output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let said = plan(&["/dev/nvme0n1"]);
    assert!(said.starts_with("Plan for repeatability (--goal was not given): "), "{said}");
    let is_text = |line: &&str| line.trim().contains(' ') && !line.contains("hash");
    assert!(said.lines().filter(is_text).all(|line| line.chars().count() <= 60), "{said}");
    assert!(plan(&["--goal", "iops"]).starts_with("Plan for iops: "));
}
