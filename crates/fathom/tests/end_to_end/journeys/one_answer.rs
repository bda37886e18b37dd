//! One answer for everything that measures: each command prints its result in the same forms, and judges it by the same options.

use crate::support::{fathom, json, text};
use std::fs;
use std::path::Path;
use std::process::Output;

const NULL: &str = "[j]\nioengine=null\nrw=randread\nsize=1m\nrate_iops=1000\ntime_based\nruntime=200ms\n";
const SIMULATED: &str = "[s]\nfilename=sim:datacentre/1024\nioengine=io_uring\nrw=randread\nbs=4k\nsize=100%\ntime_based\nruntime=2s\n";

/// Commands that measure several rounds. Only fathom itself, or a simulated drive, is measured, so their trust is low.
const MEASURING: [&str; 7] = [
    "run -q null.fio --repeat 2",
    "quick -q sim:datacentre/4096 --seconds 1 --repeat 2",
    "sweep -q sim.fio --vary iodepth=1,2",
    "sweep -q sim.fio --vary iodepth=1,2,4 --find p99<=1s",
    "suite run flash -q --target sim:datacentre/4096 --scale 600",
    "precondition -q sim:datacentre/4096 --passes 1",
    "try iodepth=4 -q --rounds 2 -- sim.fio",
];

fn ground() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("null.fio"), NULL).unwrap();
    fs::write(dir.path().join("sim.fio"), SIMULATED).unwrap();
    dir
}

/// Runs a line with more options, which stand before the job files of a trial.
fn run(dir: &Path, line: &str, more: &[&str]) -> Output {
    let (line, files) = line.split_once(" -- ").map_or((line, None), |(line, files)| (line, Some(files)));
    let mut command = fathom(dir);
    command.args(line.split(' ')).args(more);
    command.args(files.iter().flat_map(|files| ["--", files])).output().unwrap()
}

#[test]
fn doubt_is_an_exit_code_of_every_command_that_measures() {
    let dir = ground();
    for line in MEASURING {
        let output = run(dir.path(), line, &["--fail-on", "low"]);
        assert_eq!(output.status.code(), Some(5), "{line}: {}", text(&output));
        assert!(text(&output).contains("not valid, by --fail-on: trust is low: "), "{}", text(&output));
        // The same of what was saved; a comparison is saved as its rounds.
        let again = fathom(dir.path()).args(["report", "--fail-on", "low"]).output().unwrap();
        assert_eq!(again.status.code(), Some(5), "{line}: {}", text(&again));
    }
}

#[test]
fn every_command_that_measures_has_the_forms_of_a_report() {
    let dir = ground();
    for line in MEASURING {
        let page = dir.path().join("page.html");
        let output = run(dir.path(), line, &["-o", "page.html"]);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output));
        assert!(output.stdout.is_empty(), "{line}: {}", text(&output));
        assert!(fs::read_to_string(&page).unwrap().to_lowercase().starts_with("<!doctype html>"), "{line}");
        fs::remove_file(&page).unwrap();
        let document = run(dir.path(), line, &["--json"]);
        assert!(json(std::str::from_utf8(&document.stdout).unwrap()).is_object(), "{line}");
        let refused = run(dir.path(), line, &["--output-format", "terse"]);
        assert_eq!(refused.status.code(), Some(2), "{line}: {}", text(&refused));
    }
    let details = run(dir.path(), MEASURING[2], &["--details"]);
    let report = fathom(dir.path()).args(["report", "--details"]).output().unwrap();
    assert_eq!(details.stdout, report.stdout, "{}", text(&details));
    assert!(text(&report).contains("\nlimit ") || text(&report).contains("\nreasons "), "{}", text(&report));
}

/// Claims stand beside the means of rounds that all measure the same. Elsewhere they are an error, before anything is measured.
#[test]
fn claims_stand_beside_rounds_or_are_an_error() {
    let dir = ground();
    let sheet = ["--datasheet", "read_iops=1000000000"];
    for line in MEASURING {
        let output = run(dir.path(), line, &sheet);
        let told = text(&output);
        if line.contains("--repeat") {
            assert!(output.status.success() && told.contains("\nsheet "), "{line}: {told}");
            let again = fathom(dir.path()).arg("report").args(sheet).output().unwrap();
            assert_eq!(again.stdout, output.stdout, "{line}");
        } else {
            assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{line}: {told}");
            assert!(told.contains("--datasheet is for "), "{line}: {told}");
        }
    }
}

/// What is resumed is judged as what was not interrupted.
#[test]
fn a_resumed_procedure_is_judged_too() {
    let dir = ground();
    let whole = run(dir.path(), MEASURING[0], &["--output-dir", "whole"]);
    assert!(whole.status.success(), "{}", text(&whole));
    crate::support::procedure::half_of(&dir.path().join("whole"), &dir.path().join("half"));
    let resumed = run(dir.path(), "resume -q half", &["--fail-on", "low", "-o", "half.txt"]);
    assert_eq!(resumed.status.code(), Some(5), "{}", text(&resumed));
    assert!(fs::read_to_string(dir.path().join("half.txt")).unwrap().contains("2 of 2 rounds"));
}

/// A trial that decides nothing ends with 5 where that is asked for, as a comparison does.
#[test]
fn a_trial_without_an_answer_is_an_exit_code() {
    let dir = ground();
    // One round of each has no interval, so nothing is decided.
    let output = run(dir.path(), "try iodepth=4 -q --rounds 1 -- sim.fio", &["--fail-if-unclear"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert!(text(&output).contains("no clear answer: "), "{}", text(&output));
}
