//! Engines whose I/Os are operations on names: fio's counts where fio has the engine, and one system call for each I/O.

use super::work;
use crate::support::{fathom, must, text};
use std::path::Path;
use std::process::Command;

/// An engine with the options of a job, and how many of its five names are there at the end.
const JOBS: [(&str, &str, usize); 9] = [
    ("filecreate", "", 5),
    ("filecreate", "loops=3", 5),
    ("filecreate", "rw=randwrite\nopenfiles=1\ncreate_on_open=1\nfallocate=none", 5),
    ("filecreate", "unlink=1", 0),
    ("filestat", "loops=3", 5),
    ("filestat", "stat_type=lstat\nrw=randread", 5),
    ("filedelete", "", 0),
    ("filedelete", "number_ios=3", 2),
    ("filedelete", "rw=write\nunlink=1", 0),
];

/// The same of engines that fio has since 3.36, or not at all (`filerename`).
const OTHERS: [(&str, &str, usize); 8] = [
    ("filerename", "", 5),
    ("filerename", "rw=randwrite\nloops=3\nunlink=1", 0),
    ("filerename", "number_ios=2\nunlink=1", 0),
    ("dircreate", "", 5),
    ("dircreate", "unlink=1", 0),
    ("dirstat", "loops=3", 5),
    ("dirdelete", "", 0),
    ("dirdelete", "number_ios=2", 3),
];

fn job(engine: &str, options: &str) -> String {
    format!("[j]\ndirectory=d\nioengine={engine}\nnrfiles=5\nfilesize=4k\n{options}\n")
}

/// Runs a job in a directory of its own; returns what it printed and how many names it left.
fn ran(tool: &mut Command, at: &Path, text: &str) -> (String, usize) {
    let _ = std::fs::remove_dir_all(at);
    std::fs::create_dir_all(at.join("d")).unwrap();
    std::fs::write(at.join("j.fio"), text).unwrap();
    let out = must(tool.current_dir(at).args(["--output-format=json", "j.fio"]));
    (out, std::fs::read_dir(at.join("d")).unwrap().count())
}

#[test]
fn operations_on_files_have_fio_s_counts() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    for (engine, options, left) in JOBS {
        let text = job(engine, options);
        let (theirs, their_left) = ran(&mut Command::new("fio"), &dir.path().join("fio"), &text);
        let (ours, our_left) = ran(fathom(dir.path()).arg("fio"), &dir.path().join("fathom"), &text);
        assert_eq!(work::of(&ours), work::of(&theirs), "{text}");
        assert_eq!((our_left, their_left), (left, left), "{text}");
    }
}

#[test]
fn operations_that_fio_does_not_have_do_what_they_say() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    for (engine, options, left) in OTHERS {
        let (_, our_left) =
            ran(fathom(dir.path()).arg("fio"), &dir.path().join("fathom"), &job(engine, options));
        assert_eq!(our_left, left, "{engine} {options}");
    }
}

/// Each pass gives each file its other name: so many of five have it at the end.
#[test]
fn each_rename_gives_a_file_its_other_name() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    for (options, renamed) in [("", 5), ("loops=2", 0), ("loops=3", 5), ("number_ios=2", 2)] {
        let at = dir.path().join("fathom");
        let (json, left) = ran(fathom(dir.path()).arg("fio"), &at, &job("filerename", options));
        let names = std::fs::read_dir(at.join("d")).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        let are_renamed = names.iter().filter(|name| name.ends_with(".renamed")).count();
        assert_eq!((left, are_renamed), (5, renamed), "{options}: {names:?}");
        assert!(!json.contains("\"error\" : 1"), "{json}");
    }
}

#[test]
fn names_that_the_run_did_not_make_are_neither_opened_nor_removed() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    std::fs::create_dir_all(dir.path().join("d/j.0.1")).unwrap();
    for engine in ["dircreate", "dirdelete", "filecreate", "filedelete", "filerename", "filestat"] {
        std::fs::write(dir.path().join("j.fio"), job(engine, "")).unwrap();
        let output = fathom(dir.path()).current_dir(dir.path()).args(["run", "j.fio"]).output().unwrap();
        assert!(!output.status.success() && dir.path().join("d/j.0.1").is_dir(), "{}", text(&output));
    }
    std::fs::remove_dir(dir.path().join("d/j.0.1")).unwrap();
    std::fs::write(dir.path().join("d/j.0.1"), [7; 4096]).unwrap();
    for engine in ["filecreate", "filedelete", "filerename"] {
        std::fs::write(dir.path().join("j.fio"), job(engine, "")).unwrap();
        let output = fathom(dir.path()).current_dir(dir.path()).args(["run", "j.fio"]).output().unwrap();
        assert!(!output.status.success(), "{}", text(&output));
        assert_eq!(std::fs::read(dir.path().join("d/j.0.1")).unwrap(), [7; 4096]);
        assert_eq!(std::fs::read_dir(dir.path().join("d")).unwrap().count(), 1, "{engine} leaves nothing");
    }
}
