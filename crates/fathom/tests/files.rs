//! Files that fathom writes for itself take the place of nothing that a person
//! could miss.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use support::{fathom, must, sh, text};

/// A job that touches no disk and ends at once.
const NOTHING: &str = "[n]\nioengine=null\nrw=read\nsize=1m\n";

/// Runs fathom in `dir`.
fn run(dir: &Path, words: &[&str]) -> Output {
    fathom(dir).args(words).output().unwrap()
}

/// Ends with `code`.
#[track_caller]
fn ends(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", text(output));
}

/// Issue 9, item 6.
#[test]
fn a_link_latest_that_fathom_did_not_make_stays() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("n.fio"), NOTHING).unwrap();
    let runs = dir.path().join("fathom-runs");
    let latest = runs.join("latest");
    fs::create_dir_all(runs.join("archive")).unwrap();
    for mine in ["archive", "no-such-run"] {
        let _ = fs::remove_file(&latest);
        symlink(mine, &latest).unwrap();
        let output = run(dir.path(), &["run", "-q", "--no-calibrate", "n.fio"]);
        ends(&output, 0);
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new(mine));
        assert_eq!(text(&output).matches("latest was not made by fathom").count(), 1, "{}", text(&output));
    }
    fs::remove_file(&latest).unwrap();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let output = run(dir.path(), &["run", "-q", "--no-calibrate", "n.fio"]);
        ends(&output, 0);
        assert!(!text(&output).contains("latest was not"), "{}", text(&output));
        seen.push(fs::read_link(&latest).unwrap());
    }
    assert!(seen[0] != seen[1] && runs.join(&seen[1]).join("run.json").exists(), "{seen:?}");
}

/// A run that writes to the file `made`, with a record of the test's own.
const WRITE: [&str; 7] = ["run", "-q", "--no-calibrate", "w.fio", "--target", "made", "--state-dir=state"];

fn write_job(dir: &Path, options: &str) {
    fs::write(dir.join("w.fio"), format!("[w]\nrw=write\nbs=64k\nsize=8m\nioengine=psync\n{options}"))
        .unwrap();
}

/// Issue 9, item 2: the owner makes a file system in a file that fathom made.
#[test]
fn a_file_that_fathom_made_and_its_owner_formatted_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    write_job(dir.path(), "");
    for _ in 0..2 {
        ends(&run(dir.path(), &WRITE), 0);
    }
    let made = dir.path().join("made");
    sh("mkfs.ext4", &format!("-q -F {}", made.display()));
    let output = run(dir.path(), &WRITE);
    ends(&output, 3);
    let said = text(&output);
    assert!(
        said.contains("changed after fathom last closed it") && said.contains("--overwrite made"),
        "{said}"
    );
    sh("fsck.ext4", &format!("-fn {}", made.display()));
    ends(&run(dir.path(), &[&WRITE[..], &["--overwrite", "made"]].concat()), 0);
}

/// Issue 9, item 2: what a run knows of its files at its end is recorded when
/// it is interrupted, and not when it is killed.
#[test]
fn an_interrupted_run_records_its_files_and_a_killed_one_does_not() {
    for (signal, code) in [("INT", 0), ("KILL", 3)] {
        let dir = tempfile::tempdir().unwrap();
        write_job(dir.path(), "time_based\nruntime=60s\n");
        let mut command = fathom(dir.path());
        let mut child = command.args(WRITE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let made = dir.path().join("made");
        while fs::read(&made).map_or(true, |bytes| bytes.iter().all(|&byte| byte == 0)) {
            assert!(child.try_wait().unwrap().is_none(), "the run ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        must(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]));
        child.wait().unwrap();
        write_job(dir.path(), "");
        let output = run(dir.path(), &WRITE);
        ends(&output, code);
        assert_eq!(
            text(&output).contains("a run that is killed records nothing"),
            code == 3,
            "{}",
            text(&output)
        );
    }
}

/// Issue 9, item 2: a record that cannot be kept is told once.
#[test]
fn a_record_that_cannot_be_written_is_told() {
    let dir = tempfile::tempdir().unwrap();
    write_job(dir.path(), "");
    fs::write(dir.path().join("state"), "in the way").unwrap();
    let output = run(dir.path(), &WRITE);
    ends(&output, 0);
    assert_eq!(text(&output).matches("will need --overwrite next time").count(), 1, "{}", text(&output));
    ends(&run(dir.path(), &WRITE), 3);
}
