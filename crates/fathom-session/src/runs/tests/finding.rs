//! A run is found by its id, the beginning of it, its name, or as the newest.

use super::{index_of, name, record, save};
use crate::runs::{ListSource, RunIndex, list_all, named, newest, register};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A run with this id and name in a directory of this name.
fn saved(dir: &Path, directory: &str, id: &str, title: &str, number: u64) {
    let mut record = record(number);
    record["id"] = Value::from(id);
    record["name"] = Value::from(title);
    save(dir, directory, &record);
}

fn found(dir: &Path, text: &str, index: &RunIndex) -> Vec<String> {
    let runs = named(dir, text, index).unwrap();
    runs.iter().map(|run| run.directory().to_str().unwrap().to_owned()).collect()
}

const NAMES: [&str; 3] = ["20261121-033846Z-quick-0a1b2c", "20261122-033846Z-a-b-0a1b2cq3mjk7z", "11-mine"];

fn three() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    saved(dir.path(), NAMES[0], "0a1b2c", "quick", 1);
    saved(dir.path(), NAMES[1], "0a1b2cq3mjk7z", "new firmware", 2);
    saved(dir.path(), NAMES[2], "7700000000000", "quick", 3);
    dir
}

#[test]
fn a_run_is_found_by_its_id_its_beginning_or_its_name() {
    let dir = three();
    let found = |text: &str| found(dir.path(), text, &index_of(dir.path()));
    assert_eq!(found("0a1b2c"), [NAMES[0]], "a whole id");
    assert_eq!(found("0a1b2cq"), [NAMES[1]]);
    assert_eq!(found("0a1"), [NAMES[1], NAMES[0]]);
    assert_eq!(found("77"), [NAMES[2]], "a directory that was named with --output-dir");
    assert_eq!(found("new firmware"), [NAMES[1]]);
    assert_eq!(found("quick"), [NAMES[2], NAMES[0]]);
    for text in ["", "1b2c", "2026", "Quick", "qui", "latest run"] {
        assert!(found(text).is_empty(), "{text}");
    }
    // The directory names are enough where the record cannot be read.
    fs::write(dir.path().join(NAMES[1]).join("run.json"), "cut").unwrap();
    assert_eq!(found("0a1b2cq"), [NAMES[1]]);
    assert_eq!(newest(dir.path()), Some(dir.path().join(NAMES[1])));
    assert_eq!(found("latest"), [NAMES[1]]);
}

/// Several runs on a simulated drive begin in one second; the record tells which is the newest.
#[test]
fn of_runs_of_one_second_the_one_that_began_last_is_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let names =
        ["20261121-033846Z-b-2", "20261121-033846Z-c-1", "20261121-033846Z-a-3", "20261121-033845Z-d-9"];
    names.iter().zip([2, 1, 3, 9]).for_each(|(name, at)| saved(dir.path(), name, name, "j", at));
    assert_eq!(newest(dir.path()), Some(dir.path().join(names[2])));
}

#[test]
fn a_run_is_found_from_every_directory() {
    let (dir, other, at) = (three(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let index = RunIndex::at(at.path().join("state/runs.jsonl"));
    let empty = other.path().join("fathom-runs");
    assert!(found(&empty, "0a1b2cq", &index).is_empty(), "nothing was registered");
    register(dir.path(), &index);
    register(dir.path(), &index);
    assert_eq!(found(&empty, "0a1b2cq3mjk7z", &index), [NAMES[1]]);
    assert_eq!(found(&empty, "new firmware", &index), [NAMES[1]]);
    assert_eq!(found(&empty, "latest", &index), [NAMES[2]], "by the time in the records");
    // What is in the directory itself comes first, also where the same is elsewhere.
    saved(&empty, "20261123-000000Z-quick-0a1zzz", "0a1zzz", "quick", 9);
    assert_eq!(found(&empty, "0a1", &index), ["20261123-000000Z-quick-0a1zzz"]);
    assert_eq!(found(&empty, "quick", &index).len(), 1);
    assert_eq!(found(&empty, "latest", &index), ["20261123-000000Z-quick-0a1zzz"]);
}

#[test]
fn all_runs_are_those_of_every_directory_that_is_there() {
    let (one, two, at) = (three(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let index = RunIndex::at(at.path().join("runs.jsonl"));
    save(two.path(), name(8), &record(8));
    [one.path(), two.path()].iter().for_each(|dir| register(dir, &index));
    let all = |source| list_all(one.path(), source, &index).unwrap();
    let first = all(ListSource::Index);
    assert_eq!((first.runs.len(), first.records_read, first.notes), (4, 4, vec![]));
    assert_eq!(first.runs[0].path, two.path().canonicalize().unwrap().join(name(8)), "the newest of both");
    let again = all(ListSource::Index);
    assert_eq!((again.runs == first.runs, again.records_read), (true, 0));
    // An index that is made again keeps the directories.
    let text = fs::read_to_string(index.path().unwrap()).unwrap();
    fs::write(index.path().unwrap(), text.replace(" times", " hours")).unwrap();
    let made_again = all(ListSource::Index);
    assert!(made_again.runs == first.runs && made_again.notes.concat().contains("was damaged"));
    assert_eq!((all(ListSource::Index).runs.len(), all(ListSource::Index).notes), (4, vec![]));
    drop(two);
    let left = all(ListSource::Index);
    assert_eq!(left.runs.len(), 3);
    assert!(
        left.notes.len() == 1 && left.notes[0].starts_with("1 directory of runs of the index"),
        "{:?}",
        left.notes
    );
    assert!(all(ListSource::Directories).notes.concat().contains("has forgotten 1 directory of runs"));
    assert_eq!(all(ListSource::Index).notes, Vec::<String>::new());
}
