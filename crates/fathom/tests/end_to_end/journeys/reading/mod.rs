//! Commands that read: nothing that was saved changes, no damage is healed, no link is followed.

mod commands;
mod damage;
mod property;
mod saved;
mod state;

use crate::support::{fathom, must, text};
use saved::SECRET;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Every command that reads one run.
const READING: [&[&str]; 10] = [
    &["report"],
    &["report", "--details"],
    &["report", "--json"],
    &["report", "--output-format", "html"],
    &["report", "--rejudge"],
    &["report", "--redact", "--output-format", "html"],
    &["report", "--as", "iostat"],
    &["compare", "whole"],
    &["baseline", "save", "kept", "--replace", "--baselines-dir", "baselines"],
    &["bundle", "-o", "b.fathom.tar.gz"],
];

/// A run and a procedure of two rounds.
fn saved(dir: &Path) {
    fs::write(dir.join("j.fio"), "[j]\nioengine=null\nrw=randread\nsize=1m\n").unwrap();
    must(fathom(dir).args(["run", "-q", "--no-calibrate", "--output-dir", "whole", "j.fio"]));
    must(fathom(dir).args([
        "run",
        "-q",
        "--no-calibrate",
        "--output-dir",
        "twice",
        "--repeat",
        "2",
        "j.fio",
    ]));
}

/// Every file below a directory with its content; of a link, where it leads.
fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => found.extend(content(&entry.path())),
            kind if kind.is_symlink() => {
                let to = fs::read_link(entry.path()).unwrap();
                drop(found.insert(entry.path(), to.into_os_string().into_encoded_bytes()));
            }
            _ => drop(found.insert(entry.path(), fs::read(entry.path()).unwrap())),
        }
    }
    found
}

/// Runs every command that reads on `run`, which belongs to `whole`; their output together.
fn read_all(dir: &Path, run: &str, whole: &str) -> String {
    let mut told = String::new();
    let before = content(&dir.join(whole));
    for words in READING {
        let output = fathom(dir).args(words).arg(run).output().unwrap();
        told += &text(&output);
        let after = content(&dir.join(whole));
        assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "{words:?}");
        for (path, bytes) in &before {
            assert!(after.get(path) == Some(bytes), "{words:?} changed {}", path.display());
        }
    }
    assert!(!told.contains(SECRET), "{run}: {told}");
    told
}

#[test]
fn what_is_whole_stays_whole() {
    let dir = tempfile::tempdir().unwrap();
    saved(dir.path());
    let round = content(&dir.path().join("twice"));
    let round = round.keys().find(|path| path.ends_with("run.json")).unwrap().parent().unwrap();
    let round = round.strip_prefix(dir.path()).unwrap().to_str().unwrap().to_owned();
    read_all(dir.path(), "whole", "whole");
    read_all(dir.path(), &round, "twice");
    for run in ["whole", &round, "twice"] {
        must(fathom(dir.path()).args(["report", run]));
    }
}

#[test]
fn a_damage_is_told_after_every_reading() {
    let dir = tempfile::tempdir().unwrap();
    saved(dir.path());
    let record = dir.path().join("whole/run.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replacen("\"elapsed_ns\": ", "\"elapsed_ns\": 9", 1)).unwrap();
    for _ in 0..2 {
        let told = read_all(dir.path(), "whole", "whole");
        assert!(told.contains("run.json was changed after it was saved"), "{told}");
    }
    let report = fathom(dir.path()).args(["report", "whole"]).output().unwrap();
    assert_eq!(report.status.code(), Some(7));
}

/// Each file, and each directory of a procedure, as a link out of the directory; and a round whose name is a path.
#[test]
fn no_link_of_a_strangers_directory_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    saved(dir.path());
    fs::write(dir.path().join("shadow"), format!("{SECRET}\n")).unwrap();
    fs::create_dir(dir.path().join("baselines")).unwrap();
    for name in ["topology.svg", "report.html", "run.json", "spool", "summary.txt", "manifest.json"] {
        let path = dir.path().join("whole").join(name);
        let was = fs::read(&path).ok();
        drop(fs::remove_file(&path));
        symlink("../shadow", &path).unwrap();
        read_all(dir.path(), "whole", "whole");
        assert!(!content(&dir.path().join("baselines")).values().any(|bytes| is_secret(bytes)), "{name}");
        fs::remove_file(&path).unwrap();
        was.iter().for_each(|was| fs::write(&path, was).unwrap());
    }
    for name in ["procedure.json", "history"] {
        let path = dir.path().join("twice").join(name);
        let was = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        symlink("../shadow", &path).unwrap();
        read_all(dir.path(), "twice", "twice");
        fs::remove_file(&path).unwrap();
        fs::write(&path, was).unwrap();
    }
    // The rounds are whole, and elsewhere.
    fs::rename(dir.path().join("twice/rounds"), dir.path().join("elsewhere")).unwrap();
    symlink("../elsewhere", dir.path().join("twice/rounds")).unwrap();
    let report = fathom(dir.path()).args(["report", "twice"]).output().unwrap();
    assert_eq!(report.status.code(), Some(7), "{}", text(&report));
    assert!(text(&report).contains("cannot be read"), "{}", text(&report));
}

fn is_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}
