//! The list of saved runs, and how a run is named in it.

use crate::support::{fathom, json, must, public_binary, text};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

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

/// Copies of a run with other ids.
fn copies(dir: &Path, ids: &[&str]) {
    run(dir, "j.fio");
    let first = saved(dir).remove(0);
    let record = fs::read_to_string(dir.join("fathom-runs").join(&first).join("run.json")).unwrap();
    for id in ids {
        let copy = dir.join(format!("fathom-runs/20261121-033846Z-j-{id}"));
        fs::create_dir(&copy).unwrap();
        fs::write(copy.join("run.json"), sealed(&record.replace(first.rsplit('-').next().unwrap(), id)))
            .unwrap();
    }
}

/// A record with the checksum of its text.
fn sealed(record: &str) -> String {
    let (before, rest) = record.rsplit_once("\"record_crc32\": \"").unwrap();
    let with = |crc32: &str| format!("{before}\"record_crc32\": \"{crc32}{}", &rest[8..]);
    with(&format!("{:08x}", crc32fast::hash(with("00000000").as_bytes())))
}

#[test]
fn an_id_that_begins_several_runs_is_an_error_that_names_them() {
    let dir = tempfile::tempdir().unwrap();
    // No new id has the letter u.
    copies(dir.path(), &["u000000000001", "u000000000002"]);
    let said = text(&output(dir.path(), &["report", "u0"], 2));
    assert!(said.contains("u0 fits 2 runs: it is the name or the beginning of the id of each"), "{said}");
    for id in ["u000000000001", "u000000000002"] {
        let line = said.lines().find(|line| line.contains(id)).unwrap();
        assert!(
            line.starts_with("  hint: ") && line.contains("  20") && line.ends_with("  j  null"),
            "{line}"
        );
    }
    let said = text(&output(dir.path(), &["report", "j"], 2));
    assert!(said.contains("j fits 3 runs"), "{said}");
    let said = text(&output(dir.path(), &["report", "u1"], 2));
    assert!(
        said.contains("u1 is neither a directory nor the id or the name of a saved run")
            && said.contains("hint: to list the runs of all directories: fathom runs --all"),
        "{said}"
    );
}

/// The command line is in the record, and names what the run is called.
#[test]
fn name_note_and_tags_are_saved_listed_and_found() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j.fio"), "[j]\nioengine=null\nrw=randread\nsize=1m\n").unwrap();
    let labels = ["--name", "new firmware", "--note", "after the update", "--tag", "lab", "--tag", "fw2"];
    let run = |more: &[&str]| {
        must(fathom(dir.path()).args(["run", "-q", "--no-calibrate", "j.fio"]).args(more));
    };
    run(&labels);
    run(&["--tag", "lab", "--repeat", "2", "--name", "twice"]);
    run(&[]);
    let listed = |words: &[&str]| -> Vec<Value> {
        let document = json(&must(fathom(dir.path()).args(["runs", "--json"]).args(words)));
        document["runs"].as_array().unwrap().clone()
    };
    let names = |words: &[&str]| -> Vec<String> {
        listed(words).iter().map(|run| run["name"].as_str().unwrap().to_owned()).collect()
    };
    let one = &listed(&["--name", "FIRM"])[0];
    assert_eq!(
        (&one["note"], &one["tags"]),
        (&"after the update".into(), &serde_json::json!(["lab", "fw2"]))
    );
    assert!(Path::new(one["path"].as_str().unwrap()).join("run.json").is_absolute());
    assert_eq!(names(&[]), ["j", "twice", "new firmware"]);
    assert_eq!(names(&["-n", "2"]), ["j", "twice"]);
    assert_eq!(names(&["--tag", "lab"]), ["twice", "new firmware"]);
    assert_eq!(names(&["--tag", "lab", "--tag", "fw2"]), ["new firmware"]);
    assert_eq!(names(&["--since", "1h", "--state", "complete"]).len(), 3);
    assert_eq!(names(&["--until", "1h"]).len(), 0);
    assert_eq!(names(&["--state", "damaged,unfinished"]).len(), 0);
    let said = must(fathom(dir.path()).args(["report", "new firmware"]));
    assert!(said.starts_with("new firmware  "), "{said}");
    assert!(must(fathom(dir.path()).args(["report", "twice"])).contains("twice"));
    let said = must(fathom(dir.path()).args(["runs", "--tag", "nothing"]));
    assert_eq!(said, "none of the 3 saved runs fits the filters\n");
    for (wrong, why) in [
        (["--name", "latest"], "`latest` always names the newest run"),
        (["--name", "a/b"], "a name has no slash"),
        (["--tag", "two words"], "a tag is one word"),
    ] {
        let said = text(&output(dir.path(), &[&["run", "j.fio"], wrong.as_slice()].concat(), 2));
        assert!(said.contains(why), "{said}");
    }
    let said = text(&output(dir.path(), &["runs", "--since", "yesterday"], 2));
    assert!(said.contains("give a date such as 2026-11-23"), "{said}");
}

#[test]
fn a_run_is_found_from_every_directory_by_the_index() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let index = dir.path().join("state/runs.jsonl");
    let fathom = |at: &Path, words: &[&str]| {
        let output = fathom(at).args(words).env("FATHOM_INDEX", &index).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", text(&output));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    fs::write(dir.path().join("j.fio"), "[j]\nioengine=null\nrw=randread\nsize=1m\n").unwrap();
    let (first, _) = fathom(dir.path(), &["run", "-q", "--no-calibrate", "j.fio"]);
    fathom(
        dir.path(),
        &["run", "-q", "--no-calibrate", "j.fio", "--output-dir", "kept/one", "--name", "kept"],
    );
    let id = saved(dir.path())[0].rsplit('-').next().unwrap().to_owned();
    // The path of the run leaves more or less room beside it.
    let answer = |text: String| text.split("\nsaved").next().unwrap().to_owned();
    let (elsewhere, _) = fathom(other.path(), &["report", &id[..9]]);
    assert_eq!(answer(elsewhere), answer(first));
    assert!(fathom(other.path(), &["report", "kept"]).0.starts_with("kept  "));
    assert!(fathom(other.path(), &["report", "latest"]).0.starts_with("kept  "));
    let (all, _) = fathom(other.path(), &["runs", "--all"]);
    assert_eq!(all.lines().count(), 3, "{all}");
    // Without the index the run is found where it is, and nowhere else.
    fs::remove_file(&index).unwrap();
    let (none, _) = fathom(other.path(), &["runs", "--all"]);
    assert_eq!(none, "no runs are saved\n");
    let said = text(&output(other.path(), &["report", &id[..9]], 2));
    assert!(said.contains("is neither a directory nor the id"), "{said}");
    assert!(fathom(dir.path(), &["report", &id[..9]]).0.contains(&id));
    // The list of a directory made it known again.
    assert!(fathom(other.path(), &["report", &id[..9]]).0.contains(&id));
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

#[test]
fn a_user_who_may_only_read_gets_the_whole_list() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    run(dir.path(), "j.fio");
    let program = public_binary(dir.path());
    let index = dir.path().join("runs.jsonl");
    let by_nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).arg("runs");
        let output = command.current_dir(dir.path()).env("FATHOM_INDEX", &index).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let by_root = || must(fathom(dir.path()).arg("runs").env("FATHOM_INDEX", &index));
    let (list, note) = by_nobody();
    assert!(note.starts_with("note: the index of runs ") && note.contains("could not be saved ("), "{note}");
    assert_eq!(by_root(), list);
    assert_eq!(by_nobody(), (list, String::new()), "the index of root is right");
    run(dir.path(), "new.fio");
    let (list, note) = by_nobody();
    assert!(list.lines().count() == 3 && note.contains("could not be saved ("), "{list}{note}");
    let private = dir.path().join("fathom-runs").join(&saved(dir.path())[0]);
    fs::set_permissions(&private, Permissions::from_mode(0o700)).unwrap();
    let (list, _) = by_nobody();
    assert!(
        list.contains("  unread    cannot read run.json: Permission denied") && !list.contains("damaged"),
        "{list}"
    );
}

#[test]
fn the_index_of_a_user_is_in_the_directory_of_state() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).unwrap();
    run(dir.path(), "j.fio");
    let program = public_binary(dir.path());
    let by_nobody = |variables: &[(&str, &Path)]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).arg("runs");
        command
            .current_dir(dir.path())
            .env_remove("FATHOM_INDEX")
            .env_remove("XDG_STATE_HOME")
            .env_remove("HOME");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert!(output.stderr.is_empty(), "{}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let (state, home) = (dir.path().join("state"), dir.path().join("home"));
    let list = by_nobody(&[("XDG_STATE_HOME", &state)]);
    assert!(state.join("fathom/runs.jsonl").is_file());
    assert_eq!(by_nobody(&[("HOME", &home)]), list);
    assert!(home.join(".local/state/fathom/runs.jsonl").is_file());
    assert_eq!(by_nobody(&[]), list, "without a home");
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
