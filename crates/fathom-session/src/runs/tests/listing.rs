//! What a list shows.

use super::{index_of, listed, name, quiet, record, runs, save};
use crate::exit::Exit;
use crate::runs::{ListSource, SavedRun, list};
use fathom_text::carried;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

#[test]
fn what_a_list_shows_of_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let with = |number: u64, changes: Value| {
        let mut record = record(number);
        record.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        save(dir.path(), name(number), &record);
    };
    let stopped = json!({ "elapsed_ns": 1, "complete": false, "ended": "interrupted" });
    with(0, json!({}));
    with(1, json!({ "answer": null, "finish": stopped }));
    with(2, json!({ "answer": null, "finish": null }));
    with(3, json!({ "plan": { "jobs": [{ "engine": "null", "files": [{ "path": "" }] }] } }));
    with(4, json!({ "plan": { "jobs": [] } }));
    let text = |text: &str| Some(text.to_owned());
    let ring = || text("io_uring");
    let expected = [
        ("complete", None, None, Some(super::text_of(4))),
        ("complete", None, text("null"), Some(super::text_of(3))),
        ("running or killed", text("/dev/disk2"), ring(), None),
        ("incomplete", text("/dev/disk1"), ring(), text("interrupted (SIGINT)")),
        ("complete", text("/dev/disk0"), ring(), Some(super::text_of(0))),
    ];
    for source in ["directories", "index"] {
        let heads = listed(dir.path()).runs.into_iter().map(|run| run.head.unwrap());
        let shown: Vec<_> =
            heads.map(|head| (head.state.words(), head.target, head.engine, head.headline)).collect();
        assert_eq!(shown, expected, "from the {source}");
    }
}

#[test]
fn a_run_that_came_changed_or_went_is_noticed() {
    let dir = runs(3);
    quiet(dir.path(), 3);
    save(dir.path(), name(3), &record(3));
    let replaced = dir.path().join(name(1)).join("run.json");
    fs::write(dir.path().join("new"), super::sealed(&record(7))).unwrap();
    fs::rename(dir.path().join("new"), replaced).unwrap();
    fs::remove_dir_all(dir.path().join(name(0))).unwrap();
    let ids = |runs: Vec<SavedRun>| -> Vec<String> {
        runs.into_iter().map(|run| run.head.unwrap().id.trim_start_matches('0').to_owned()).collect()
    };
    assert_eq!(ids(quiet(dir.path(), 2)), ["7", "3", "2"]);
    assert_eq!(ids(quiet(dir.path(), 0)), ["7", "3", "2"]);
    fs::remove_dir_all(dir.path().join(name(2))).unwrap();
    assert_eq!(ids(quiet(dir.path(), 0)), ["7", "3"]);
}

#[test]
fn what_is_no_run_is_left_out_and_a_damaged_run_is_listed() {
    let dir = runs(1);
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("empty")).unwrap();
    fs::write(at("file"), "text").unwrap();
    save(dir.path(), ".hidden", &record(8));
    symlink(name(0), at("latest")).unwrap();
    let records = [("cut", "{\"format\": 1, \"id\""), ("newer", "{\"format\": 2, \"jobs\": 7}")];
    for (name, text) in records {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("run.json"), text).unwrap();
    }
    fs::create_dir_all(at("directory/run.json")).unwrap();
    fs::create_dir_all(at("fifo")).unwrap();
    assert!(Command::new("mkfifo").arg(at("fifo/run.json")).status().unwrap().success());
    fs::create_dir(at("lost")).unwrap();
    fs::write(at("lost/spool"), "").unwrap();
    let reasons = [
        ("cut", "run.json is not the record of a run: EOF"),
        ("newer", "run.json has format 2; this fathom reads up to 1"),
        ("directory", "cannot read run.json: it is a directory"),
        ("fifo", "cannot read run.json: it is a FIFO"),
        ("lost", "cannot read run.json: No such file"),
    ];
    // Nothing is kept of a damaged run, since what is wrong with it may pass.
    for records_read in [6, 5] {
        let runs = quiet(dir.path(), records_read);
        assert_eq!(runs.len(), 6);
        for (name, reason) in reasons {
            let run = runs.iter().find(|run| run.directory() == name).unwrap();
            let why = &run.head.as_ref().unwrap_err().why;
            assert!(why.starts_with(reason), "{name}: {why}");
        }
    }
}

#[test]
fn hostile_names_are_carried_and_come_back_from_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = "a\n\u{1b}[2J\u{202e}";
    let mut record = record(1);
    record["name"] = hostile.into();
    record["id"] = "x".repeat(1 << 20).into();
    record["started_unix_ns"] = u64::MAX.into();
    record["plan"]["jobs"][0]["files"][0]["path"] = hostile.into();
    let directory = OsStr::from_bytes(b"d\xff\n\x1b[2J");
    save(dir.path(), directory, &record);
    let first = quiet(dir.path(), 1);
    let head = first[0].head.as_ref().unwrap();
    let expected = carried::of_str(hostile).into_owned();
    assert_eq!((&head.name, head.target.as_ref()), (&expected, Some(&expected)));
    assert_eq!((head.id.len(), head.started_unix_ns), (4096, u64::MAX));
    assert_eq!(first[0].directory(), directory);
    assert_eq!(quiet(dir.path(), 0), first);
}

#[test]
fn a_directory_without_runs_gets_no_index() {
    let dir = tempfile::tempdir().unwrap();
    for source in [ListSource::Index, ListSource::Directories] {
        let empty = list(dir.path(), source, &index_of(dir.path())).unwrap();
        assert_eq!((empty.runs, empty.notes), (vec![], vec![]));
        assert!(list(&dir.path().join("missing"), source, &index_of(dir.path())).unwrap().runs.is_empty());
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    fs::write(dir.path().join("file"), "").unwrap();
    let refused = list(&dir.path().join("file"), ListSource::Index, &index_of(dir.path())).unwrap_err();
    assert_eq!(refused.exit, Exit::Usage);
}
