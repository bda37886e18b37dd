//! The job files that Debian ships with fio (package fio-examples): what fio reads, fathom reads too, or it names the engine
//! of a foreign system that it does not have.

use crate::support::{fathom, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const EXAMPLES: &str = "/usr/share/doc/fio/examples";

/// Of 86 files, fio 3.33 reads this many.
const READ_BY_FIO: usize = 67;

/// What fathom says of a file that fio reads.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Accepted,
    /// The engine of a foreign system is the reason.
    ForeignEngine,
    Refused(String),
}

fn job_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(EXAMPLES).expect("the package fio-examples is installed");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "fio"));
    files.sort();
    files
}

fn parsed(tool: &mut Command, at: &Path, file: &Path) -> Output {
    tool.current_dir(at).arg("--parse-only").arg(file).output().unwrap()
}

fn verdict(at: &Path, file: &Path) -> Verdict {
    let output = parsed(fathom(at).arg("fio"), at, file);
    let printed = text(&output);
    match output.status.success() {
        true => Verdict::Accepted,
        false if printed.contains("fathom does not have") => Verdict::ForeignEngine,
        false => Verdict::Refused(printed),
    }
}

#[test]
fn what_fio_reads_is_accepted_or_its_foreign_engine_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let read = |file: &PathBuf| parsed(&mut Command::new("fio"), dir.path(), file).status.success();
    let files: Vec<PathBuf> = job_files().into_iter().filter(read).collect();
    assert_eq!(files.len(), READ_BY_FIO);
    let (mut accepted, mut foreign) = (0, 0);
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        match verdict(dir.path(), file) {
            Verdict::Accepted => accepted += 1,
            Verdict::ForeignEngine => foreign += 1,
            Verdict::Refused(printed) => panic!("{name}: {printed}"),
        }
    }
    assert_eq!(accepted + foreign, READ_BY_FIO, "{accepted} accepted, {foreign} foreign");
    assert_eq!(foreign, FOREIGN, "{accepted} accepted");
}

/// Files whose engines belong to foreign systems.
const FOREIGN: usize = 19;
