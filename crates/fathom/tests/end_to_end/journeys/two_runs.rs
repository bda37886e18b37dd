//! Two fathoms on one target: both may read it, and where one writes, it has the target alone; `fathom fio` only warns.

use crate::support::{Loop, fathom, own_devices, text};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const REFUSED: Option<i32> = Some(3);

/// `fathom run` of one job on the target, with consent to write to it.
fn run(dir: &Path, out: &str, target: &str, rw: &str, end: &str, consent: &[&str]) -> Command {
    let job = format!("[j]\nioengine=psync\nfilename={target}\nrw={rw}\nbs=4k\nsize=1m\n{end}\n");
    fs::write(dir.join(format!("{out}.fio")), job).unwrap();
    let mut command = fathom(dir);
    command.args(["run", "-q", &format!("{out}.fio"), "--output-dir", out]).args(consent);
    command
}

/// One that runs until it is killed, and has begun.
fn begun(mut command: Command, spool: &Path) -> Child {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !spool.exists() {
        assert!(child.try_wait().unwrap().is_none(), "{command:?} has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Checks that a run is refused because of this process, whose command is named.
#[track_caller]
fn check_refused(output: &Output, by: u32, does: &str) {
    let said = text(output);
    assert_eq!(output.status.code(), REFUSED, "{said}");
    for words in [&format!(": process {by} ("), "run -q first.fio", does, "hint: wait until it has ended"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

fn check_all(dir: &Path, target: &str, consent: &[&str]) {
    let endless = "time_based\nruntime=600";
    for first in ["randread", "randwrite"] {
        let _ = fs::remove_dir_all(dir.join("first"));
        let command = run(dir, "first", target, first, endless, consent);
        let mut child = begun(command, &dir.join("first/spool"));
        for second in ["randread", "randwrite"] {
            let output = run(dir, "second", target, second, "", consent).output().unwrap();
            match (first, second) {
                ("randread", "randread") => assert!(output.status.success(), "{}", text(&output)),
                (_, "randread") => check_refused(&output, child.id(), "is writing to it"),
                _ => check_refused(&output, child.id(), "is measuring it"),
            }
            let _ = fs::remove_dir_all(dir.join("second"));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // The kernel has taken the lock of the process that was killed.
        let output = run(dir, "second", target, "randwrite", "", consent).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        fs::remove_dir_all(dir.join("second")).unwrap();
    }
}

#[test]
fn two_runs_read_one_file_and_none_beside_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), vec![7; 1 << 20]).unwrap();
    check_all(dir.path(), "f", &["--overwrite", "f"]);
}

#[test]
fn two_runs_read_one_device_and_none_beside_a_writer() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 8);
    check_all(dir.path(), &disk.device, &["--destroy", &disk.consent()]);
}

/// Each of them has found the file unlocked before one of them locks it.
#[test]
fn of_several_that_start_at_one_moment_one_writes() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), vec![7; 1 << 20]).unwrap();
    let start = |number: u32| {
        let end = "time_based\nruntime=3";
        let mut command =
            run(dir.path(), &format!("r{number}"), "f", "randwrite", end, &["--overwrite", "f"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..4).map(start).collect();
    let ended: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let refused = ended.iter().filter(|output| output.status.code() == REFUSED).count();
    let said: Vec<String> = ended.iter().map(text).collect();
    assert_eq!((refused, ended.iter().filter(|output| output.status.success()).count()), (3, 1), "{said:#?}");
    assert!(said.iter().filter(|said| said.contains("is measuring it")).count() == 3, "{said:#?}");
}

/// A run of `first` writes or reads the file until it is killed, and `fathom fio` uses it beside it.
fn fio_beside(dir: &Path, first: &str) {
    let mut child = begun(
        run(dir, "first", "f", first, "time_based\nruntime=600", &["--overwrite", "f"]),
        &dir.join("first/spool"),
    );
    for (second, does) in [("randread", "is writing to it"), ("randrw", "is measuring it")] {
        let rw = format!("--rw={second}");
        let job = ["fio", "--output-format=json", "--name=j", "--ioengine=psync", "--filename=f", &rw];
        let output = fathom(dir).args(job).args(["--bs=4k", "--size=1m"]).output().unwrap();
        let said = text(&output);
        // On a slow machine there may be a word about a look that takes long.
        let is_quiet = !String::from_utf8_lossy(&output.stderr).contains("warning");
        assert!(output.status.success() && is_quiet, "{said}");
        let is_alone = (first, second) == ("randread", "randread");
        let warning = format!("warning: f: process {} (", child.id());
        assert_eq!(said.matches(&warning).count(), usize::from(!is_alone), "{said}");
        let words = [does, "run -q first.fio", "changes the figures of the other"];
        assert!(is_alone || words.iter().all(|words| said.contains(words)), "{said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_dir_all(dir.join("first")).unwrap();
}

/// The scripts of fio start processes on one file on purpose. The warning is in the result, because many of them take any byte on
/// standard error for a failure.
#[test]
fn fio_uses_a_file_beside_another_process_and_warns_once() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), vec![7; 1 << 20]).unwrap();
    fio_beside(dir.path(), "randwrite");
    fio_beside(dir.path(), "randread");
}

/// A reader of a device goes on beside a writer; the device stays the writer's alone, so a second one is refused.
#[test]
fn fio_reads_a_device_beside_its_writer_and_is_no_second_one() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 8);
    let consent = ["--destroy", &disk.consent()];
    let command = run(dir.path(), "first", &disk.device, "randwrite", "time_based\nruntime=600", &consent);
    let mut child = begun(command, &dir.path().join("first/spool"));
    let beside = |rw: &str| {
        let (name, rw) = (format!("--filename={}", disk.device), format!("--rw={rw}"));
        let job = ["fio", "--output-format=json", "--name=j", "--ioengine=psync", &name, &rw];
        fathom(dir.path()).args(job).args(["--bs=4k", "--size=1m"]).args(consent).output().unwrap()
    };
    let read = beside("randread");
    assert!(read.status.success(), "{}", text(&read));
    assert!(text(&read).contains("is writing to it, so each of the two"), "{}", text(&read));
    let written = beside("randwrite");
    assert_eq!(written.status.code(), REFUSED, "{}", text(&written));
    assert!(text(&written).contains("is open for writing by fathom"), "{}", text(&written));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Each of them creates and lays out the file, or finds it.
#[test]
fn of_several_fios_that_start_at_one_moment_all_write() {
    let dir = tempfile::tempdir().unwrap();
    let start = |number: u32| {
        let name = format!("--name=j{number}");
        let job = ["fio", &name, "--ioengine=psync", "--filename=new", "--rw=randrw", "--bs=4k"];
        let mut command = fathom(dir.path());
        command.args(job).args(["--size=1m", "--time_based", "--runtime=2"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..4).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    }
}
