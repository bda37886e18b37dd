//! `fathom suite` from start to end: on simulated drives and on a loop device, killed and resumed; what cannot run is refused
//! before the first I/O.

use crate::support::procedure::suite_run;
use crate::support::{Loop, fathom, json, must, own_devices, text};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn tests_of(document: &Value) -> Vec<String> {
    let tests = document["standard_report"]["tests"].as_array().unwrap();
    tests.iter().map(|test| test["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_guide_runs_to_its_end_and_the_same_is_measured_twice() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["flash", "--target", "sim:datacentre/4096", "--scale", "100"];
    let [once, twice] = [0, 1].map(|_| suite_run(dir.path(), &words));
    assert_eq!(tests_of(&once).len(), 7);
    assert_eq!(once["standard_report"]["tests"], twice["standard_report"]["tests"]);
    let purges = once["steps"].as_array().unwrap().iter().filter(|step| step["step"] == "prepared").count();
    assert_eq!(purges, 4, "before each job that writes");
    let told = once["standard_report"]["deviations"].to_string();
    assert!(told.contains("\"divisor\":100") && told.contains("\"deviation\":\"simulated\""), "{told}");
}

/// M-25: what the slides need four processes for. By Little's law the rate times the mean latency is what was in flight.
#[test]
fn four_workers_keep_8192_requests_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let document =
        suite_run(dir.path(), &["orion", "--only", "iops-script", "--target", "sim:datacentre/64"]);
    let table = &document["standard_report"]["tests"][0]["parts"][0];
    let columns = table["columns"].as_array().unwrap();
    let value = |title: &str| {
        let at = columns.iter().position(|column| column == title).unwrap();
        table["rows"][0][at].as_f64().unwrap()
    };
    let in_flight = value("IOPS") * value("mean µs") / 1e6;
    assert!((7_800.0..8_600.0).contains(&in_flight), "{in_flight}: {table}");
}

#[test]
fn a_suite_of_ones_own_varies_repeats_and_makes_its_page() {
    let dir = tempfile::tempdir().unwrap();
    must(fathom(dir.path()).args(["suite", "new", "-o", "mine.toml"]));
    let again = fathom(dir.path()).args(["suite", "new", "-o", "mine.toml"]).output().unwrap();
    assert_eq!(again.status.code(), Some(3), "a person's changes are not replaced");
    let words = [
        "mine.toml",
        "--target",
        "sim:datacentre/1024",
        "--with",
        "runtime=2s",
        "--repeat",
        "3",
        "--set",
        "bs=8k",
    ];
    let document = suite_run(dir.path(), &words);
    let test = &document["standard_report"]["tests"][0];
    let table = &test["parts"][0];
    assert_eq!(table["columns"], serde_json::json!(["iodepth", "IOPS", "± %", "mean µs", "p99 µs"]));
    assert_eq!(table["rows"].as_array().unwrap().len(), 7);
    let knee = &test["remarks"][0];
    assert_eq!(
        (&knee["remark"], &knee["option"]),
        (&"knee".into(), &"iodepth".into()),
        "{}",
        test["remarks"]
    );
    let index = dir.path().join("runs.jsonl");
    must(fathom(dir.path()).args(["report", "latest", "-o", "page.html"]).env("FATHOM_INDEX", &index));
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("random reads of 4 KiB") && page.contains("bs=8k is set in every job"));
    assert!(!page.contains("Verdict of the standard"));
}

#[test]
fn what_cannot_run_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let suite = |job: &str| {
        format!("title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='w'\njob='''\n[j]\nrw=write\n{job}\n'''\n")
    };
    for (name, text, said) in [
        ("block.toml", suite("bs=4k\niodepth=0"), "in the cell \"g\""),
        ("large.toml", suite("bs=4k\noffset=900g"), "in the cell \"g\""),
        ("option.toml", suite("iodeth=3"), "iodepth"),
        ("empty.toml", "title='t'\nsource='s'\n".to_owned(), "missing field `group`"),
        ("word.toml", suite("bs=4k").replace("what='w'", "what='w'\nbefore=['wash']"), "line "),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
        let words = ["suite", "run", name, "--target", "sim:datacentre/1024"];
        let out = fathom(dir.path()).args(words).output().unwrap();
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{name}: {told}");
        assert!(told.contains(said), "{name}: {told}");
    }
    assert!(!dir.path().join("fathom-runs").exists());
}

/// Killed with SIGKILL in the middle of a cell, and resumed: no finished round is measured again, and the tables are whole.
/// A suite that purges says beforehand and at its start which consent it lacks, and, of a device in use, that none helps.
#[test]
fn a_purge_that_is_refused_says_what_would_allow_it() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let said = |more: &[&str]| {
        let words = [&["suite", "run", "flash", "--target", &disk.device], more].concat();
        text(&fathom(dir.path()).args(words).output().unwrap())
    };
    let consent = disk.consent();
    for more in [&["--plan"][..], &[]] {
        let said = said(more);
        assert!(
            said.contains("there is no consent to that") && said.contains(&format!("--destroy {consent}")),
            "{said}"
        );
    }
    let writer = fs::File::options().write(true).open(&disk.device).unwrap();
    for more in [&["--plan", "--destroy", &consent][..], &["--destroy", &consent]] {
        let said = said(more);
        assert!(said.contains("is open for writing") && said.contains("no option overrides this"), "{said}");
        assert!(!said.contains("hint: --destroy"), "{said}");
    }
    drop(writer);
}

#[test]
fn a_suite_that_was_killed_goes_on_with_the_cell_that_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let text = "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='writes'\nbefore=['purge']\nvary=['iodepth=1,2,4,8']\n\
                values=['iops']\njob='''\n[j]\nrw=randwrite\nbs=4k\nioengine=libaio\ndirect=1\ntime_based=1\nruntime=1\nsize=100%\n'''\n";
    fs::write(dir.path().join("mine.toml"), text).unwrap();
    let consent = disk.consent();
    let words = ["--target", &disk.device, "--destroy", &consent, "--output-dir", "out", "-q"];
    let mut child = fathom(dir.path())
        .args(["suite", "run", "mine.toml"])
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let third = dir.path().join("out/rounds/0003-g-iodepth-4");
    let until = Instant::now() + Duration::from_secs(60);
    while !third.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let seal = |round: &str| fs::read(dir.path().join("out/rounds").join(round).join("run.json")).unwrap();
    let finished = ["0001-g-iodepth-1", "0002-g-iodepth-2"];
    let before = finished.map(seal);
    let refused = fathom(dir.path()).args(["resume", "out", "-q"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "nothing that was saved gives consent");
    must(fathom(dir.path()).args(["resume", "out", "-q", "--destroy", &consent]));
    assert_eq!(finished.map(seal), before);
    let report = json(&must(fathom(dir.path()).args(["report", "out", "--json"])));
    let rows = report["standard_report"]["tests"][0]["parts"][0]["rows"].as_array().unwrap().clone();
    assert!(
        rows.len() == 4 && rows.iter().all(|row| row[1].as_f64().is_some_and(|iops| iops > 0.0)),
        "{rows:?}"
    );
}

const READS: &str =
    "[r]\nioengine=io_uring\nfilename=sim:disk\nrw=randread\nbs=4k\ntime_based=1\nruntime=20\nsize=100%\n";

/// Every combination once, in a random order that the seed decides, with the first cell again and again.
#[test]
fn a_sweep_measures_every_combination_and_its_reference() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("r.fio"), READS).unwrap();
    let words = [
        "sweep",
        "r.fio",
        "--vary",
        "iodepth=1,2,4..16",
        "--vary",
        "bs=4k,8k",
        "--json",
        "-q",
        "--seed",
        "5",
    ];
    let document = json(&must(fathom(dir.path()).args(words)));
    let report = &document["standard_report"]["tests"][0];
    let rows = report["parts"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row[2].as_f64().is_some_and(|iops| iops > 0.0)), "{rows:?}");
    let cells: Vec<&str> =
        document["steps"].as_array().unwrap().iter().map(|step| step["cell"].as_str().unwrap()).collect();
    assert_eq!(cells.iter().filter(|cell| **cell == cells[0]).count(), 4, "{cells:?}");
    assert_eq!(cells[0], "sweep iodepth=1 bs=4k");
    assert_ne!(cells[1], "sweep iodepth=1 bs=8k", "the order is random");
    let is_drift = |remark: &&Value| remark["remark"] == "drift";
    let drift = report["remarks"].as_array().unwrap().iter().find(is_drift).unwrap();
    assert_eq!(drift["times"], 4, "{report}");
    // V-31, V-46: an engine against another is a sweep too.
    let out = fathom(dir.path()).args(["sweep", "r.fio", "--vary", "iodeth=1,2"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("iodepth"));
}

/// The least depth that reaches 95 % of the most rate, with far fewer cells than all of them, on a simulated drive.
#[test]
fn a_search_finds_the_value_of_the_whole_sweep() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("r.fio"), READS).unwrap();
    let find = |goal: &str| {
        let words =
            ["sweep", "r.fio", "--vary", "iodepth=1..48", "--find", goal, "--json", "-q", "--seed", "3"];
        let document = json(&must(fathom(dir.path()).args(words)));
        let measured = document["steps"].as_array().unwrap().len();
        assert!(measured <= 16, "{measured} of 48");
        document["verdict"]["headline"].clone()
    };
    let knee = find("knee");
    assert!(["knee", "still_rises"].iter().any(|found| knee["found"]["found"] == *found), "{knee}");
    let limited = find("p99<=80ms");
    assert_eq!(
        (&limited["limit"]["figure"], &limited["limit"]["limit_ns"]),
        (&"p99".into(), &80_000_000.into())
    );
    assert_eq!(limited["option"], "iodepth", "{limited}");
}

/// Halving presumes that rate and latency rise along the values.
#[test]
fn a_search_over_values_out_of_order_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("r.fio"), READS).unwrap();
    for plan in [&[][..], &["--plan"]] {
        let words = ["sweep", "r.fio", "--vary", "numjobs=64,32,16", "--find", "knee"];
        let out = fathom(dir.path()).args(words).args(plan).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains("values of numjobs in order of demand, and 32 is behind 64"), "{said}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing but the job file");
}

/// V-10, V-11: asynchronous against synchronous, direct against buffered, by one command; each against the jobs as they are.
#[test]
fn settings_are_tried_in_turn_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[r]\nioengine=io_uring\nfilename=sim:disk\nrw=randread\nbs=4k\niodepth=8\ntime_based=1\nruntime=20\nsize=100%\n";
    fs::write(dir.path().join("r.fio"), job).unwrap();
    let planned =
        must(fathom(dir.path()).args(["try", "iodepth=1,32", "--rounds", "3", "--plan", "--", "r.fio"]));
    assert_eq!(
        planned,
        "try: 9 rounds, 3 min of jobs, nothing written\n  as given\n  iodepth=1\n  iodepth=32\n"
    );
    assert!(!dir.path().join("fathom-runs").exists());
    let words = ["try", "iodepth=1,32", "--rounds", "3", "-q", "--json", "--", "r.fio"];
    let comparison = json(&must(fathom(dir.path()).args(words)));
    let names: Vec<&str> =
        comparison["subjects"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["try, as given", "try, iodepth=1", "try, iodepth=32"]);
    let rate = &comparison["figures"][0]["against"];
    assert_eq!(
        (rate[0]["verdict"]["is"].as_str(), rate[1]["verdict"]["is"].as_str()),
        (Some("worse"), Some("better")),
        "{rate}"
    );
    for (words, said) in [
        (&["try", "iodepth=1", "blk.nomerges=1", "--", "r.fio"][..], "two commands"),
        (&["try", "iodeth=1", "--", "r.fio"], "iodepth"),
        (&["try", "iodepth", "--", "r.fio"], "NAME=VALUE"),
    ] {
        let out = fathom(dir.path()).args(words).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{words:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains(said), "{words:?}: {out:?}");
    }
}

/// A round takes minutes, so what a later one would be refused is said before the first.
#[test]
fn what_a_later_round_is_refused_is_told_before_anything_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), vec![7; 1 << 20]).unwrap();
    let job = |name: &str, more: &str| {
        let text = format!(
            "[r]\nioengine=psync\nfilename=f\nrw=randread\nbs=4k\nsize=1m\ntime_based\nruntime=600\n{more}\n"
        );
        fs::write(dir.path().join(name), text).unwrap();
    };
    job("r.fio", "");
    job("w.fio", "rw=randwrite");
    job("log.fio", "write_lat_log=/tmp/fathom-no-such/x");
    let long = format!("write_lat_log={}", "x".repeat(250));
    for (words, exit, said) in [
        (&["try", "rw=randwrite", "--", "r.fio"][..], 3, "refused to write f: f was not created by fathom"),
        (&["compare", "--run", "r.fio", "w.fio"], 3, "refused to write f: f was not created by fathom"),
        (&["try", "iodepth=2", "--", "log.fio"], 2, "cannot make the log /tmp/fathom-no-such/x_slat.1.log"),
        (&["try", "write_lat_log=/tmp/fathom-no-such/x", "--", "r.fio"], 2, "stays in the run's directory"),
        (&["try", "write_lat_log=spool/x", "--", "r.fio"], 2, "spool is a file of the run"),
        (&["try", &long, "--", "r.fio"], 2, "longer than 255 bytes"),
    ] {
        let out = fathom(dir.path()).args(words).output().unwrap();
        let told = text(&out);
        assert_eq!(out.status.code(), Some(exit), "{words:?}: {told}");
        assert!(told.contains(said) && !told.contains("round 0001"), "{words:?}: {told}");
        assert!(!dir.path().join("fathom-runs").exists(), "{words:?}: nothing was begun");
    }
}

/// I-54: one array after the other on the same drives; the tables have a column for each, and a comparison has each cell.
#[test]
fn runs_of_a_suite_are_put_side_by_side_and_compared_cell_by_cell() {
    let dir = tempfile::tempdir().unwrap();
    for (name, target) in
        [("RAID0", "sim:4xdatacentre/4096,raid=0"), ("RAID1", "sim:2xdatacentre/4096,raid=1")]
    {
        let words = ["vroc", "--only", "sequential-prepare,sequential", "--target", target];
        suite_run(dir.path(), &[&words[..], &["--scale", "200", "--name", name]].concat());
    }
    let printed = must(fathom(dir.path()).args(["suite", "tables", "RAID0", "RAID1"]));
    assert!(printed.contains("RAID0") && printed.contains("rw=write"), "{printed}");
    let document = json(&must(fathom(dir.path()).args(["suite", "tables", "RAID0", "RAID1", "--json"])));
    let table = &document["tables"]["tests"][0]["parts"][0];
    let columns: Vec<&str> = table["columns"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(columns.iter().filter(|name| name.starts_with("RAID")).count(), 2, "{columns:?}");
    let at = columns.iter().position(|name| *name == "RAID1").unwrap();
    let [striped, mirrored] = [1, at].map(|place| table["rows"][0][place].as_f64().unwrap());
    assert!(striped > 1.5 * mirrored, "four drives write {striped} MB/s, two that hold the same {mirrored}");
    for (form, place) in [(None, "levels.txt"), (Some("--json"), "levels.json"), (None, "levels.html")] {
        // The second time the place holds the same kind of output.
        for _ in 0..2 {
            must(fathom(dir.path()).args(["suite", "tables", "RAID0", "RAID1", "-o", place]).args(form));
        }
    }
    let page = fs::read_to_string(dir.path().join("levels.html")).unwrap();
    assert!(page.contains("2 runs of one suite side by side"));

    let compared = json(&must(fathom(dir.path()).args(["compare", "RAID0", "RAID1", "--json"])));
    let mut cells: Vec<&str> =
        compared["figures"].as_array().unwrap().iter().map(|it| it["job"].as_str().unwrap()).collect();
    cells.dedup();
    assert_eq!(cells, ["sequential rw=write", "sequential rw=read"], "what conditions is no figure");
    assert_eq!(compared["subjects"][0]["runs"], 6);

    let alone = fathom(dir.path()).args(["suite", "tables", "RAID0"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(2), "{alone:?}");
}

/// A suite that only reads writes the file that it reads, and a file of another program is not extended.
#[test]
fn a_plan_says_what_is_laid_out_and_what_would_be_refused() {
    let dir = tempfile::tempdir().unwrap();
    let planned = |target: &str, more: &[&str]| {
        let words = ["suite", "run", "page-cache", "--plan", "--target", target, "--with", "size=16m"];
        let output = fathom(dir.path()).args(words).args(more).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (said, noted) = planned("new", &[]);
    assert!(said.contains("16.8 MB written to lay out new\n"), "{said}");
    assert_eq!((noted.as_str(), dir.path().join("new").exists()), ("", false));
    let document = json(&planned("new", &["--json"]).0);
    let written = ["written_bytes", "laid_out_bytes"].map(|key| document[key].as_u64());
    assert_eq!((written, document["laid_out"][0].as_str()), ([Some(16 << 20); 2], Some("new")));

    fs::write(dir.path().join("other"), "of another program").unwrap();
    let (_, noted) = planned("other", &[]);
    assert!(
        noted.contains("the suite would end with: refused to write other: other was not created"),
        "{noted}"
    );
    assert_eq!(planned("other", &["--overwrite", "other"]).1, "");
    assert_eq!(fs::read_to_string(dir.path().join("other")).unwrap(), "of another program");

    fs::write(dir.path().join("long"), vec![1; 16 << 20]).unwrap();
    let (said, noted) = planned("long", &[]);
    assert!(said.contains("; nothing written\n") && noted.is_empty(), "{said}{noted}");
}
