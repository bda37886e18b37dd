//! A run as one file, and its page in the browser.

use crate::support::{fathom, json, must, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// Runs a job that takes no time, with more words on the command line.
fn run(dir: &Path, words: &[&str]) -> String {
    fs::write(dir.join("j.fio"), "[j]\nioengine=null\nrw=randread\nsize=1m\nwrite_lat_log=j\n").unwrap();
    must(fathom(dir).args(["run", "-q", "--no-calibrate", "j.fio"]).args(words))
}

fn ended(dir: &Path, words: &[&str], code: i32) -> Output {
    let output = fathom(dir).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output));
    output
}

/// A directory with one run, and its bundle.
fn bundled() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["--name", "before", "--html"]);
    let said = must(fathom(dir.path()).args(["bundle", "before"]));
    let file = dir.path().join(said.trim_end());
    (dir, file)
}

#[test]
fn one_archive_holds_manifest_logs_results_and_capture() {
    let (dir, file) = bundled();
    assert!(file.file_name().unwrap().to_str().unwrap().ends_with(".fathom.tar.gz"), "{file:?}");
    let capture = must(fathom(dir.path()).args(["doctor", "capture"]));
    fs::write(dir.path().join("machine.txt"), &capture).unwrap();
    must(fathom(dir.path()).args(["bundle", "--capture", "machine.txt", "-o", "all.fathom.tar.gz"]));
    let mut tar = std::process::Command::new("tar");
    let listed = must(tar.args(["tzf", "all.fathom.tar.gz"]).current_dir(dir.path()));
    let names: Vec<&str> = listed.lines().map(|line| line.split_once('/').unwrap().1).collect();
    assert_eq!(names[0], "manifest.json");
    for name in ["run.json", "spool", "report.html", "capture.txt", "j_lat.1.log"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    // What was printed of the run is printed of the bundle, wherever it is.
    let other = tempfile::tempdir().unwrap();
    let sent = other.path().join("sent.fathom.tar.gz");
    fs::rename(dir.path().join("all.fathom.tar.gz"), &sent).unwrap();
    let report = |dir: &Path, words: &[&str]| must(fathom(dir).arg("report").args(words));
    let plain = |text: String| {
        let is_place = |line: &&str| !["saved ", "details ", "logs "].iter().any(|row| line.starts_with(row));
        text.lines().filter(is_place).map(|line| line.to_owned() + "\n").collect::<String>()
    };
    let sent = sent.to_str().unwrap();
    assert_eq!(plain(report(other.path(), &[sent])), plain(report(dir.path(), &["before"])));
    assert!(
        report(other.path(), &[sent]).contains("saved    ") && report(other.path(), &[sent]).contains(sent)
    );
    for form in ["json", "terse"] {
        let of = |dir: &Path, run: &str| report(dir, &[run, "--output-format", form]);
        assert_eq!(of(other.path(), sent), of(dir.path(), "before"), "{form}");
    }
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1, "nothing is left beside the bundle");
    let left = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("fathom-bundle-");
    let tmp = tempfile::tempdir().unwrap();
    must(fathom(other.path()).args(["report", sent]).env("TMPDIR", tmp.path()));
    assert_eq!(fs::read_dir(tmp.path()).unwrap().filter(|entry| left(entry.as_ref().unwrap())).count(), 0);
}

#[test]
fn a_bundle_that_was_changed_is_refused_with_the_code_of_a_damaged_run() {
    let (dir, file) = bundled();
    let whole = fs::read(&file).unwrap();
    let name = file.to_str().unwrap();
    for (number, at) in [whole.len() / 2, whole.len() - 1, 40].into_iter().enumerate() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        fs::write(&file, changed).unwrap();
        let said = text(&ended(dir.path(), &["report", name], 7));
        assert!(
            said.contains("is refused: ") && said.contains("  hint: let it be sent again"),
            "{number}: {said}"
        );
    }
    fs::write(&file, "no bundle").unwrap();
    let said = text(&ended(dir.path(), &["report", name], 2));
    assert!(said.contains("is no bundle: it does not begin as one"), "{said}");
    // What is no bundle is not replaced by one.
    let said = text(&ended(dir.path(), &["bundle", "before"], 3));
    assert!(said.contains("refused to write the bundle to"), "{said}");
    must(fathom(dir.path()).args(["bundle", "before", "--overwrite", name]));
    must(fathom(dir.path()).args(["bundle", "before"]));
    must(fathom(dir.path()).args(["report", name]));
}

#[test]
fn what_cannot_be_bundled_is_an_error() {
    let (dir, file) = bundled();
    let file = file.to_str().unwrap();
    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    for (words, why) in [
        (vec!["bundle", "--redact"], "  hint: to send a result without them:"),
        (vec!["bundle", "empty"], "empty is a directory, but no run is saved in it itself"),
        (vec!["bundle", "-o", "-"], "a bundle goes to a file only"),
        (vec!["bundle", "--capture", "notes.txt"], "it is not the capture of a machine"),
        (vec!["bundle", "--capture", "nothing.txt"], "No such file"),
        (vec!["bundle", file], "is a bundle, and a directory is needed here"),
    ] {
        let said = text(&ended(dir.path(), &words, 2));
        assert!(said.contains(why), "{words:?}: {said}");
    }
}

#[test]
fn a_procedure_is_bundled_with_its_rounds() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["--repeat", "2", "--name", "twice"]);
    must(fathom(dir.path()).args(["bundle", "twice", "-o", "twice.fathom.tar.gz"]));
    let report = |words: &[&str]| must(fathom(dir.path()).arg("report").args(words));
    let record = |run: &str| json(&report(&[run, "--output-format", "json"]));
    let (of_bundle, of_dir): (Value, Value) = (record("twice.fathom.tar.gz"), record("twice"));
    assert_eq!(of_bundle, of_dir);
    assert_eq!(of_bundle["steps"].as_array().unwrap().len(), 2);
    assert!(report(&["twice.fathom.tar.gz"]).contains("twice.fathom.tar.gz"));
}

/// The digits behind the word in a text.
fn configuration(text: &str) -> String {
    let (_, rest) = text.split_once("configuration ").unwrap_or_else(|| panic!("none in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    assert_eq!(digits.len(), 8, "{text}");
    digits
}

#[test]
fn every_report_has_its_date_and_its_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let first = run(dir.path(), &["--name", "first"]);
    let same = run(dir.path(), &["--name", "again", "--tag", "x"]);
    let deeper = run(dir.path(), &["--set", "iodepth=4"]);
    assert_eq!(configuration(&first), configuration(&same));
    assert_ne!(configuration(&first), configuration(&deeper));
    let details = must(fathom(dir.path()).args(["report", "again", "--details"]));
    let page = must(fathom(dir.path()).args(["report", "again", "--output-format", "html"]));
    let listed = json(&must(fathom(dir.path()).args(["runs", "--name", "again", "--json"])));
    let started = listed["runs"][0]["started"].as_str().unwrap();
    for (form, text) in [("summary", &same), ("details", &details), ("page", &page)] {
        assert_eq!(configuration(text), configuration(&first), "{form}");
        assert!(text.contains(started), "{form}: {text}");
    }
    assert!(details.contains("tags") && page.contains("tags: x"), "{details}");
    must(fathom(dir.path()).args(["bundle", "again", "-o", "b.fathom.tar.gz"]));
    let mut tar = std::process::Command::new("tar");
    let manifest =
        must(tar.args(["xzOf", "b.fathom.tar.gz", "--wildcards", "*/manifest.json"]).current_dir(&dir));
    let manifest = json(&manifest);
    assert_eq!(manifest["configuration"], configuration(&first).as_str());
    assert_eq!(manifest["started"], started);
}

/// A process may be allowed so few open files that a bundle can be neither made nor unpacked. That is no wrong command line, and
/// nothing is left behind.
#[test]
fn a_limit_of_open_files_leaves_nothing_behind() {
    let (dir, file) = bundled();
    fs::write(dir.path().join("n.fio"), "[n]\nioengine=null\nrw=read\nbs=4k\nsize=4k\n").unwrap();
    must(fathom(dir.path()).args(["run", "-q", "n.fio", "--repeat", "2", "--output-dir", "rounds"]));
    must(fathom(dir.path()).args(["bundle", "rounds"]));
    let tmp = dir.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    let bundle = file.file_name().unwrap().to_str().unwrap();
    let commands: [&[&str]; 4] = [
        &["report", bundle],
        &["report", "rounds.fathom.tar.gz"],
        &["bundle", "before", "-o", "new.fathom.tar.gz"],
        &["bundle", "rounds", "-o", "new.fathom.tar.gz"],
    ];
    let mut refused = 0;
    for (limit, words) in (5..12).flat_map(|limit| commands.map(|words| (limit, words))) {
        let binary = env!("CARGO_BIN_EXE_fathom");
        let mut command = std::process::Command::new("prlimit");
        command.arg(format!("--nofile={limit}")).arg(binary).args(words);
        let ended = command.current_dir(dir.path()).env("TMPDIR", &tmp).output().unwrap();
        let said = text(&ended);
        match ended.status.code() {
            Some(0) => {}
            Some(1) => {
                refused += 1;
                assert!(
                    said.contains("Too many open files") && said.contains("ulimit -n"),
                    "{limit} {words:?}: {said}"
                );
            }
            code => panic!("{limit} {words:?} ended with {code:?}: {said}"),
        }
        assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0, "{limit} {words:?}: {said}");
        let _ = fs::remove_file(dir.path().join("new.fathom.tar.gz"));
    }
    assert!(refused > 4, "{refused}");
}
