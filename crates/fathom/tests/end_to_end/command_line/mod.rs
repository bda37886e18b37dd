//! What fathom says to a command line that it does not understand: `errors.txt` has each line with the exact
//! answer on standard error.
//!
//! To change an answer, change the table, and read the whole answer as somebody who does not know fathom.

use crate::support::{Loop, machine};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A table of `$ fathom WORDS` and the answer below it.
const ERRORS: &str = include_str!("errors.txt");

/// A directory with what the table names.
fn ground() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("job.fio"), "[j]\nioengine=null\nrw=read\nsize=1m\n").unwrap();
    fs::write(at("my job"), "# mine\n[j]\nioengine=null\nrw=read\nsize=1m\n").unwrap();
    fs::write(at("result.json"), "{ \"jobs\": [] }\n").unwrap();
    fs::write(at("notes.txt"), "hello\n").unwrap();
    fs::create_dir_all(at("empty")).unwrap();
    fs::create_dir_all(at("jobs")).unwrap();
    fs::write(at("jobs/a.fio"), "[a]\n").unwrap();
    fs::create_dir_all(at("saved")).unwrap();
    fs::write(at("saved/run.json"), "{}\n").unwrap();
    dir
}

/// What fathom prints for a line, which a shell splits into words.
fn answer(dir: &Path, line: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_fathom");
    let line = line.replacen("fathom", "\"$FATHOM\"", 1);
    let mut command = Command::new("bash");
    command
        .args(["-c", &line])
        .env("FATHOM", program)
        .env("NO_COLOR", "1")
        .current_dir(dir)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn every_mistake_has_its_answer() {
    let dir = ground();
    let mut differ = Vec::new();
    let mut count = 0;
    for block in ERRORS.split("$ ").skip(1) {
        let (line, expected) = block.split_once('\n').unwrap();
        let (code, said) = answer(dir.path(), line);
        count += 1;
        if said.trim_end() != expected.trim_end() || code != Some(2) {
            differ.push(format!("$ {line}\n{said}(exit code {code:?})\n"));
        }
        assert!(said.contains("hint: "), "{line}: {said}");
    }
    assert!(count > 100, "{count}");
    assert!(differ.is_empty(), "these answers are not those of the table:\n{}", differ.concat());
}

/// A hint that is a command line is one that can be pasted: fathom understands it.
#[test]
fn every_hint_is_understood() {
    let dir = ground();
    let mut pasted = 0;
    for line in ERRORS.lines().filter_map(|line| line.strip_prefix("  hint: fathom ")) {
        // Help is printed for a line that is understood, before anything is done.
        let line = line.split(" && ").next().unwrap().split(" > ").next().unwrap();
        let first = line.split(' ').next().unwrap();
        if ["fio", "--version", "--help", "help"].contains(&first) || line.ends_with("--help") {
            continue;
        }
        let program = env!("CARGO_BIN_EXE_fathom");
        let words = match line.split_once(" -- ") {
            Some((before, after)) => format!("\"$FATHOM\" {before} --help -- {after}"),
            None => format!("\"$FATHOM\" {line} --help"),
        };
        let mut command = Command::new("bash");
        let output =
            command.args(["-c", &words]).env("FATHOM", program).current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        pasted += 1;
    }
    assert!(pasted > 60, "{pasted}");
}

#[test]
fn a_device_in_the_place_of_a_command_is_one_for_quick() {
    let _machine = machine();
    let dir = ground();
    let disk = Loop::blank(dir.path(), 1);
    let device = &disk.device;
    let (code, said) = answer(dir.path(), &format!("fathom {device} --seconds 3"));
    let expected = format!(
        "error: {device} is a device, and a command must come first\n  hint: fathom quick {device} --seconds 3\n"
    );
    assert_eq!((code, said), (Some(2), expected));
}
