//! One answer for everything that measures: each command prints its result in the same forms, and judges it by the same options.

use crate::support::{fathom, json, text};
use std::collections::HashMap;
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

/// Also of rounds that measure different things the answer has the parts of a run's: on the terminal, on the page and in the document.
#[test]
fn every_answer_has_the_same_parts() {
    let dir = ground();
    for line in MEASURING {
        let output = run(dir.path(), line, &[]);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output));
        let report = |more: &[&str]| {
            let output = fathom(dir.path()).arg("report").args(more).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let (screen, page, document) =
            (report(&[]), report(&["--output-format", "html"]), json(&report(&["--json"])));
        for label in ["target", "result", "trust", "next"] {
            assert!(
                screen.lines().any(|it| it.starts_with(&format!("{label} "))),
                "{line}: {label}: {screen}"
            );
        }
        assert!(screen.contains("trust    low: "), "{line}: {screen}");
        assert!(page.contains("Trust:") && page.contains("low: "), "{line}: {page}");
        let answer = &document["record"]["conclusion"]["answer"];
        assert_eq!(answer["trust"]["level"], "low", "{line}");
        for part in ["measured", "result", "next"] {
            assert!(answer[part].is_object(), "{line}: {part}: {answer:#}");
        }
        let reasons = answer["trust"]["reasons"].as_array().unwrap().len();
        assert!(reasons > 0 && report(&["--details"]).contains("\nreasons "), "{line}: {answer:#}");
        assert_eq!(screen.contains("\nlimit "), answer["limit"].is_object(), "{line}: {screen}");
    }
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

/// The cells of a table, without its first line, by the names of its columns.
fn cells(table: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), names.len(), "{line}");
            names.iter().copied().zip(cells).collect()
        })
        .collect()
}

/// A line for each job of each round, and the seconds of each; the same from what was saved. The seconds add up to the I/Os of the table.
#[test]
fn rounds_are_a_table_and_so_are_their_seconds() {
    let dir = ground();
    let csv = ["--output-format", "csv"];
    for line in MEASURING {
        let output = run(dir.path(), line, &csv);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output));
        let report = |more: &[&str]| fathom(dir.path()).arg("report").args(more).output().unwrap();
        assert_eq!(report(&csv).stdout, output.stdout, "{line}");
        let table = String::from_utf8(output.stdout).unwrap();
        let rounds = cells(&table);
        assert!(rounds.len() >= 2, "{line}: {table}");
        let kept = fathom_figures::metric::METRICS.iter().filter(|metric| metric.is_of_rounds());
        assert!(kept.map(|metric| metric.id).all(|id| rounds[0].contains_key(id)), "{line}: {table}");
        let series = String::from_utf8(report(&[&csv[..], &["--series"]].concat()).stdout).unwrap();
        let seconds = cells(&series);
        for round in rounds.iter().filter(|round| round["direction"] == "all") {
            let of_job = |second: &&HashMap<&str, &str>| {
                ["round", "cell", "job", "job_number"].iter().all(|column| second[column] == round[column])
                    && !second["second"].starts_with('-')
            };
            let number = |text: &str| text.parse::<f64>().unwrap_or_else(|e| panic!("{text}: {e}"));
            let ios = |second: &HashMap<&str, &str>| number(second["iops"]) * number(second["covered_s"]);
            let sum: f64 = seconds.iter().filter(of_job).map(ios).sum();
            let expected = number(round["ios"]);
            assert!(
                (sum - expected).abs() <= 1e-6 * expected.max(1.0),
                "{line}: {sum} {expected}\n{table}{series}"
            );
        }
        let document = report(&["--json", "--series"]);
        let document = json(std::str::from_utf8(&document.stdout).unwrap());
        assert_eq!(document["series"].as_array().unwrap().len(), seconds.len(), "{line}");
        assert!(report(&["--json"]).stdout.windows(8).all(|it| it != b"\"series\""), "{line}");
    }
    let again =
        run(dir.path(), "sweep -q sim.fio --vary iodepth=1,2 --seed 1", &[&csv[..], &["--series"]].concat());
    let report = fathom(dir.path()).args(["report", "--series"]).args(csv).output().unwrap();
    assert!(again.status.success() && again.stdout == report.stdout, "{}", text(&again));
}

/// A comparison has them beside its figures, also without private names.
#[test]
fn the_seconds_of_a_trial_are_in_its_document() {
    let dir = ground();
    let line = MEASURING[6];
    let measured = run(dir.path(), line, &["--json", "--series", "--name", "customer-a"]);
    assert_eq!(measured.status.code(), Some(0), "{}", text(&measured));
    let document = json(std::str::from_utf8(&measured.stdout).unwrap());
    let table = fathom(dir.path()).args(["report", "--output-format", "csv", "--series"]).output().unwrap();
    let table = String::from_utf8(table.stdout).unwrap();
    let seconds = cells(&table);
    let series = document["series"].as_array().unwrap();
    assert!(seconds.len() >= 8 && series.len() == seconds.len(), "{table}\n{document:#}");
    for (record, row) in series.iter().zip(seconds) {
        assert!(["round", "cell", "job"].iter().all(|column| record[column] == row[column]), "{record}");
    }
    assert!(document["figures"].as_array().is_some_and(|figures| !figures.is_empty()), "{document:#}");
    let redacted = run(dir.path(), line, &["--json", "--series", "--redact", "--name", "customer-a"]);
    let redacted = String::from_utf8(redacted.stdout).unwrap();
    let is_open = |word: &str| redacted.contains(word);
    assert!(is_open("\"series\"") && is_open(", iodepth=4\"") && !is_open("customer-a"), "{redacted}");
    let refused = run(dir.path(), line, &["--series"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("--series is printed as csv, document"), "{}", text(&refused));
}

/// `run --repeat --html` and `quick --repeat` keep the page of all rounds, which is that of a report, and print the answer.
#[test]
fn the_page_of_all_rounds_is_kept_beside_them() {
    let dir = ground();
    for (line, more) in [(MEASURING[0], &["--html"][..]), (MEASURING[1], &[])] {
        let output = run(dir.path(), line, &[more, &["--output-dir", "kept"]].concat());
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output));
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(!output.stdout.is_empty() && messages.contains("page     "), "{line}: {}", text(&output));
        let kept = fs::read_to_string(dir.path().join("kept/report.html")).unwrap();
        let report = fathom(dir.path()).args(["report", "kept", "-o", "page.html"]).output().unwrap();
        assert!(report.status.success(), "{}", text(&report));
        assert_eq!(fs::read_to_string(dir.path().join("page.html")).unwrap(), kept, "{line}");
        let bundle = fathom(dir.path()).args(["bundle", "kept", "-o", "kept.tar.gz"]).output().unwrap();
        assert!(bundle.status.success() && !text(&bundle).contains("report.html"), "{}", text(&bundle));
        fs::remove_dir_all(dir.path().join("kept")).unwrap();
        fs::remove_file(dir.path().join("kept.tar.gz")).unwrap();
    }
    let without = run(dir.path(), MEASURING[0], &["--output-dir", "kept"]);
    assert!(without.status.success() && !dir.path().join("kept/report.html").exists(), "{}", text(&without));
}

#[test]
fn seconds_of_a_run_are_a_table_too_and_no_cell_is_a_formula() {
    let dir = ground();
    fs::write(dir.path().join("f.fio"), NULL.replace("[j]", "[=1+1]").replace("200ms", "2s")).unwrap();
    let csv = ["--output-format", "csv", "--series"];
    let output = run(dir.path(), "run -q --no-calibrate f.fio", &csv);
    let table = String::from_utf8(output.stdout).unwrap();
    let seconds = cells(&table);
    assert!(seconds.len() >= 2 && seconds.iter().all(|second| second["job"] == "'=1+1"), "{table}");
    let second = |at: usize| (seconds[at]["second"], seconds[at]["direction"]);
    assert_eq!((second(0), second(1)), (("0", "read"), ("1", "read")));
    let rounds = run(dir.path(), "run -q f.fio --set runtime=200ms --repeat 2", &["--output-format", "csv"]);
    assert!(text(&rounds).contains(",'=1+1,1,all,"), "{}", text(&rounds));
    for form in [&["--series"][..], &["--series", "--output-format", "json"], &["--series", "-o", "x.html"]] {
        let refused = fathom(dir.path()).arg("report").args(form).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{form:?}: {}", text(&refused));
        assert!(text(&refused).contains("--series is printed as csv, document"), "{}", text(&refused));
    }
}

/// A table for somebody else has no private names.
#[test]
fn a_table_can_be_redacted() {
    let dir = ground();
    let first = run(dir.path(), MEASURING[2], &["--name", "customer-a"]);
    assert!(first.status.success(), "{}", text(&first));
    for series in [&[][..], &["--series"]] {
        let words = ["report", "--redact", "--output-format", "csv"];
        let output = fathom(dir.path()).args(words).args(series).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(!table.contains("customer-a") && cells(&table).len() >= 2, "{table}");
    }
}
