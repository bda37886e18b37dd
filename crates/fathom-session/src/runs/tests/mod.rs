//! Directories of runs, for the tests of the list and of its index.

mod cache;
mod filters;
mod finding;
mod listing;

use super::{ListSource, RunIndex, RunList, SavedRun, list};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A record as fathom writes it, with fields that the list does not know.
fn record(number: u64) -> Value {
    let file = json!({ "path": format!("/dev/disk{number}"), "size": 4096 });
    json!({
        "format": 1,
        "id": format!("{number:013}"),
        "name": "job",
        "started_unix_ns": 1_795_396_924_000_000_000 + number,
        "host": [],
        "plan": { "jobs": [{ "engine": "io_uring", "files": [file] }, { "id": 1 }], "findings": [] },
        "later": [1, { "a": null }],
        "answer": { "result": result(number), "trust": { "level": "high" } },
        "finish": { "elapsed_ns": 1, "complete": true, "ended": "by-itself" },
    })
}

/// The result of a run; a list shows [`text_of`] it.
fn result(number: u64) -> Value {
    let because = json!({ "is": "failed", "message": format!("{number} times") });
    json!({ "headline": "nothing", "because": because })
}

fn text_of(number: u64) -> String {
    format!("nothing was measured: {number} times")
}

fn name(number: u64) -> String {
    format!("20261121-033846Z-job-{number:013}")
}

/// Saves a run, sealed; the file of its record.
fn save(dir: &Path, name: impl AsRef<OsStr>, record: &Value) -> PathBuf {
    let run = dir.join(name.as_ref());
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("run.json"), sealed(record)).unwrap();
    run.join("run.json")
}

/// The text of a record with the checksum of its text.
fn sealed(record: &Value) -> String {
    let mut record = record.clone();
    record["seal"] = json!({ "files": [], "record_crc32": "00000000" });
    let text = record.to_string();
    let with = |crc32: &str| format!("\"record_crc32\":\"{crc32}\"");
    text.replace(&with("00000000"), &with(&format!("{:08x}", crc32fast::hash(text.as_bytes()))))
}

/// A directory with so many runs.
fn runs(count: u64) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    runs_in(dir.path(), count);
    dir
}

fn runs_in(dir: &Path, count: u64) {
    (0..count).for_each(|number| drop(save(dir, name(number), &record(number))));
}

/// The index of a test, beside its runs.
fn index_of(dir: &Path) -> RunIndex {
    RunIndex::at(dir.join(".runs.jsonl"))
}

fn listed(dir: &Path) -> RunList {
    listed_from(dir, ListSource::Index)
}

fn listed_from(dir: &Path, source: ListSource) -> RunList {
    list(dir, source, &index_of(dir)).unwrap()
}

/// A list for which so many runs were read, and without a note.
fn quiet(dir: &Path, records_read: usize) -> Vec<SavedRun> {
    let list = listed(dir);
    assert_eq!((list.records_read, list.notes), (records_read, vec![]));
    list.runs
}
