//! Files that fathom writes for itself take the place of nothing that a person
//! could miss.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;
use support::{fathom, text};

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
