//! The list of saved runs, and how a run is named in it.

mod support;

use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{fathom, json, must, text};

/// Names of the runs that are saved here.
fn saved(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("fathom-runs")).unwrap().map(|entry| entry.unwrap());
    let runs = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    runs.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// Runs a job that takes no time.
fn run(dir: &Path, job: &str) {
    let text = "[j]\nioengine=null\nrw=randread\nsize=1m\n";
    fs::write(dir.join(job), text).unwrap();
    must(fathom(dir).args(["run", "-q", "--no-calibrate", job]));
}

fn output(dir: &Path, words: &[&str], code: i32) -> Output {
    let output = fathom(dir).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output));
    output
}

#[test]
fn runs_are_listed_newest_first_and_reported_by_a_part_of_their_id() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), "first.fio");
    run(dir.path(), "second.fio");
    let said = must(fathom(dir.path()).arg("runs"));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines[0].starts_with("started (UTC)"), "{said}");
    for (line, name) in lines[1..].iter().zip(["second", "first"]) {
        let words: Vec<&str> = line.split_whitespace().skip(2).collect();
        assert_eq!(words[1..4], [name, "null", "complete"], "{said}");
        let run = saved(dir.path()).into_iter().find(|run| run.contains(name)).unwrap();
        assert!(run.ends_with(&format!("-{}", words[0])), "{run}: {said}");
        let whole = must(fathom(dir.path()).args(["report", &format!("fathom-runs/{run}")]));
        // Two random ids that begin with the same eight characters are one case in 10^12.
        for id in [words[0], &words[0][..8]] {
            assert_eq!(must(fathom(dir.path()).args(["report", id])), whole, "{id}");
        }
    }
    let document = json(&must(fathom(dir.path()).args(["runs", "--json", "--rebuild"])));
    assert_eq!(document["format"], 1);
    for (run, name) in document["runs"].as_array().unwrap().iter().zip(["second", "first"]) {
        let shown = ["name", "state", "engine", "target"].map(|key| run[key].clone());
        assert_eq!(shown, [name.into(), "complete".into(), "null".into(), Value::Null]);
    }
    assert_eq!(must(fathom(dir.path()).arg("runs")), said, "the index was made again");
}

#[test]
fn an_id_that_begins_several_runs_is_an_error_that_names_them() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["20261121-033846Z-quick-0a1b2c", "20261122-033846Z-quick-0a1b2d"];
    for name in names {
        fs::create_dir_all(dir.path().join("fathom-runs").join(name)).unwrap();
    }
    let said = text(&output(dir.path(), &["report", "0a1"], 2));
    assert!(said.contains("0a1 is the beginning of the ids of 2 runs"), "{said}");
    assert!(names.iter().all(|name| said.contains(name)), "{said}");
    let said = text(&output(dir.path(), &["report", "0a2"], 2));
    assert!(
        said.contains("0a2 is neither a directory nor the id")
            && said.contains("hint: to list the saved runs: fathom runs"),
        "{said}"
    );
}

#[test]
fn without_runs_there_is_a_sentence_or_an_empty_document() {
    let dir = tempfile::tempdir().unwrap();
    let said = must(fathom(dir.path()).arg("runs"));
    assert_eq!(said, "no runs are saved in fathom-runs: there is no such directory\n");
    assert_eq!(must(fathom(dir.path()).args(["runs", "--runs-dir", "."])), "no runs are saved in .\n");
    let document = json(&must(fathom(dir.path()).args(["runs", "--json"])));
    assert_eq!(document["runs"], Value::Array(Vec::new()));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "a list of nothing writes nothing");
    fs::write(dir.path().join("file"), "").unwrap();
    let said = text(&output(dir.path(), &["runs", "--runs-dir", "file"], 2));
    assert!(said.contains("cannot list the runs in file"), "{said}");
}

/// A copy of the program that any user may start.
fn program(dir: &Path) -> PathBuf {
    let program = dir.join("fathom");
    fs::copy(env!("CARGO_BIN_EXE_fathom"), &program).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn a_user_who_may_only_read_gets_the_whole_list() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    run(dir.path(), "j.fio");
    let program = program(dir.path());
    let by_nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).arg("runs");
        let output = command.current_dir(dir.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (list, note) = by_nobody();
    assert!(note.starts_with("note: the index fathom-runs/.fathom-index could not be saved"), "{note}");
    assert_eq!(must(fathom(dir.path()).arg("runs")), list);
    assert_eq!(by_nobody(), (list, String::new()), "the index of root is right");
    let private = dir.path().join("fathom-runs").join(&saved(dir.path())[0]);
    fs::set_permissions(&private, Permissions::from_mode(0o700)).unwrap();
    let (list, _) = by_nobody();
    assert!(list.contains("damaged") && list.contains("cannot read run.json: Permission denied"), "{list}");
}

#[test]
fn a_line_is_not_wider_than_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &format!("{}.fio", "long".repeat(9)));
    let shell = format!("stty cols 40; '{}' runs", env!("CARGO_BIN_EXE_fathom"));
    let said = must(Command::new("script").args(["-qec", &shell, "/dev/null"]).current_dir(dir.path()));
    let widths: Vec<usize> = said.lines().map(|line| line.trim_end().chars().count()).collect();
    assert_eq!(widths, [40, 40], "{said}");
}
