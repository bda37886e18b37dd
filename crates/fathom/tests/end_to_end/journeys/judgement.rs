//! The answer of a run on the command line: what is printed, and when it is a failure.

use crate::support::{fathom, text};
use std::path::Path;
use std::process::Output;

/// Runs a job of one second on null or in memory.
fn run(dir: &Path, job: &str, options: &[&str]) -> Output {
    std::fs::write(dir.join("j.fio"), format!("[j]\nrw=randread\nsize=16m\ntime_based\nruntime=1s\n{job}"))
        .unwrap();
    fathom(dir).args(["run", "-q", "--no-calibrate", "j.fio"]).args(options).output().unwrap()
}

#[test]
fn fail_on_makes_an_answer_an_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let in_memory = format!("ioengine=psync\nfilename={}\n", memory.path().join("f").display());
    for (job, limit, code) in [
        ("ioengine=null\n", "severe", 5),
        ("ioengine=null\n", "medium", 5),
        (in_memory.as_str(), "severe", 5),
        (in_memory.as_str(), "low", 5),
    ] {
        let output = run(dir.path(), job, &["--fail-on", limit]);
        assert_eq!(output.status.code(), Some(code), "{job} {limit}: {}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.contains("not valid, by --fail-on: trust is "), code == 5, "{said}");
        let again = fathom(dir.path()).args(["report", "--fail-on", limit]).output().unwrap();
        assert_eq!((again.status.code(), &again.stdout), (Some(code), &output.stdout), "{}", text(&again));
    }
}

#[test]
fn a_repeat_is_judged_by_its_answer_and_its_rounds() {
    let dir = tempfile::tempdir().unwrap();
    let job = "ioengine=null\nrate_iops=1000\n";
    let options = ["--repeat", "2", "--set", "runtime=200ms", "--output-dir", "fathom-runs/twice"];
    let first = run(dir.path(), job, &options);
    let said = text(&first);
    assert_eq!(first.status.code(), Some(0), "{said}");
    assert!(said.contains("\nrates: kept in each round\n") && said.contains("; no I/O failed\n"), "{said}");
    let told = |arguments: &[&str]| {
        let output = fathom(dir.path()).args(arguments).output().unwrap();
        (output.status.code(), text(&output), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let report = |options: &[&str]| told(&[&["report", "fathom-runs/twice"], options].concat());
    assert_eq!(report(&[]).0, Some(0));
    for level in ["severe", "low", "medium"] {
        let (code, _, why) = report(&["--fail-on", level]);
        assert_eq!(code, Some(5), "{level}");
        assert!(why.contains("not valid, by --fail-on: trust is low: "), "{why}");
    }
    // A list warns of it as of a single run.
    let listed = told(&["runs"]).1;
    assert!(listed.contains("Only fathom itself was measured") && !listed.contains("±"), "{listed}");
    let (code, _, why) = told(&["report", "fathom-runs/twice/0002-repeat"]);
    let hint = "hint: the round of that name: fathom-runs/twice/rounds/0002-repeat\n";
    assert!(code == Some(2) && why.contains(hint), "{why}");
}

#[test]
fn the_first_screen_has_the_answer_and_the_details_have_the_evidence() {
    let dir = tempfile::tempdir().unwrap();
    let first = text(&run(dir.path(), "ioengine=null\n", &[]));
    assert!(first.contains("\ntarget   no device: the engine null has none\n"), "{first}");
    assert!(!first.contains("one core per worker"), "{first}");
    let details = fathom(dir.path()).args(["report", "--details"]).output().unwrap();
    let details = text(&details);
    assert!(
        details.contains("no device: the engine null") && details.contains("one core per worker"),
        "{details}"
    );
    let both = run(dir.path(), "ioengine=null\n", &["--details", "--output-format", "json"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both));
}

#[test]
fn the_details_have_the_notes_of_the_plan() {
    let dir = tempfile::tempdir().unwrap();
    let job = "ioengine=null\nrw=randread\nbssplit=4k/50:64k/50\nrate_iops=500\n";
    let told = text(&run(dir.path(), job, &["--details"]));
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("rate_iops counts I/Os of every size; fio would keep"), "{told}");
}

#[test]
fn a_data_sheet_stands_beside_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let sheet = ["--datasheet", "read_iops=1e12,read_mbps=500"];
    let first = text(&run(dir.path(), "ioengine=null\nbs=4k\niodepth=32\n", &sheet));
    assert!(
        first.contains(
            "\nsheet    0 of 2 reached, 0 missed, 1 not measured, 1 not judged (not the disk's figure); "
        ),
        "{first}"
    );
    let flat = first.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains(
            " of 1,000,000,000,000 IOPS (0 %): not judged sequential read: not measured, claimed 500 MB/s"
        ),
        "{first}"
    );
    assert!(first.contains("impossible: "), "{first}");
    // It is saved with the run; another one takes its place in a report.
    let report = |words: &[&str]| text(&fathom(dir.path()).arg("report").args(words).output().unwrap());
    assert!(
        report(&[]).contains(
            "\nsheet    0 of 2 reached, 0 missed, 1 not measured, 1 not judged (not the disk's figure); "
        ),
        "{}",
        report(&[])
    );
    let page = report(&["--output-format", "html"]);
    assert!(page.contains("<b>Data sheet:</b> Random read, j: "), "{page}");
    // What has no place for claims does not pass over them.
    for form in ["csv", "json", "normal", "terse"] {
        let refused = fathom(dir.path())
            .args(["report", "--output-format", form, "--datasheet", "write_mbps=3"])
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(2), "{form}: {}", text(&refused));
        assert!(text(&refused).contains("--datasheet is for the report of a run"), "{}", text(&refused));
    }
    std::fs::write(dir.path().join("many.fio"), "[j]\nioengine=null\nrw=read\nsize=64k\n").unwrap();
    let many = fathom(dir.path())
        .args(["sweep", "-q", "many.fio", "--vary", "bs=4k,8k", "--output-dir", "many"])
        .output();
    assert!(many.unwrap().status.success());
    let refused =
        fathom(dir.path()).args(["report", "many", "--datasheet", "write_mbps=3"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains(", and this has no place for it"), "{}", text(&refused));
    let other = report(&["--datasheet", "write_mbps=3"]);
    assert!(
        other.contains("sequential write: not measured, claimed 3.00 MB/s") && !other.contains("random read"),
        "{other}"
    );
    let latency =
        fathom(dir.path()).args(["quick", "--datasheet", "read_iops=9,write_latency_us=20"]).output();
    let latency = latency.unwrap();
    assert_eq!(latency.status.code(), Some(2));
    assert!(text(&latency).contains("hint: quick checks read_iops"), "{}", text(&latency));
    let wrong = run(dir.path(), "ioengine=null\n", &["--datasheet", "speed=3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong).contains("speed is not one of read_iops"), "{}", text(&wrong));
}

#[test]
fn json_and_csv_have_every_figure() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), "ioengine=null\n", &["--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let figures = document["figures"].as_array().unwrap();
    let value = |metric: &str| {
        let found = figures.iter().find(|figure| figure["metric"] == metric).unwrap();
        (found["value"].as_f64().unwrap(), found["unit"].as_str().unwrap())
    };
    assert_eq!(value("iops").1, "1/s");
    assert!((value("bandwidth").0 / value("iops").0 - 4096.0).abs() < 1e-6);
    assert!(value("latency_p99").0 >= value("latency_p50").0 && value("latency_p50").1 == "ns");
    assert_eq!(document["answer"]["trust"]["level"], "low");
    assert_eq!(document["answer"]["instead"]["findings"][0]["code"], "no-target");
    let again = fathom(dir.path()).args(["report", "--json"]).output().unwrap();
    assert_eq!(again.stdout, output.stdout);
    let csv = fathom(dir.path()).args(["report", "--output-format", "csv"]).output().unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "run,name,started,target,job,job_number,direction,metric,value,unit,n,low,high");
    assert_eq!(lines.len(), figures.len() + 1);
    assert!(lines[1..].iter().all(|line| line.split(',').count() == 13), "{csv}");
    assert!(csv.contains(",j,1,read,iops,"), "{csv}");
}

#[test]
fn a_run_with_a_page_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let said = |more: &[&str]| text(&run(dir.path(), "ioengine=null\n", more));
    let with = said(&["--html"]);
    assert!(with.contains("\npage     ") && with.contains("to send it: fathom report --redact"), "{with}");
    // Advice is for the person at a terminal.
    let without = said(&[]);
    assert!(!without.contains("page     "), "{without}");
}
