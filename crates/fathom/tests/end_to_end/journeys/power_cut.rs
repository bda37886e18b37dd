//! `fathom power-cut` on files and loop devices. No power is cut here: what a cut leaves is made by hand. The model devices are in
//! `fathom-verify`, and a recorded device is cut in `cargo xtask power-cut`.

use crate::support::{Loop, fathom, json, must, own_devices, text};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Output;

/// Writes to a file of 1 MiB, of which the log is on the same disk.
fn written(dir: &Path, more: &[&str]) {
    let words =
        ["power-cut", "write", "t", "--log", "log", "--size", "1m", "--writes", "600", "--atomic", "4k"];
    must(fathom(dir).args(words).args(["--same-disk", "--state-dir", "files"]).args(more));
}

fn check(dir: &Path, target: &str, log: &str) -> (Option<i32>, serde_json::Value) {
    let output = fathom(dir).args(["power-cut", "check", target, "--log", log, "--json"]).output().unwrap();
    (output.status.code(), json(&String::from_utf8_lossy(&output.stdout)))
}

fn refused(output: &Output, code: i32, message: &str) {
    let said = text(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(message) && said.contains("hint:"), "{message}: {said}");
}

#[test]
fn what_was_written_is_kept_and_what_is_changed_afterwards_is_a_loss() {
    for how in ["every=8", "fua", "none"] {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path();
        written(dir, &["--flush", how]);
        let (code, found) = check(dir, "t", "log");
        assert_eq!((code, found["verdict"].as_str()), (Some(0), Some("kept")), "{how}: {found}");
        assert_eq!(
            (&found["tally"]["kept"], &found["log"]["end"]),
            (&256.into(), &"ended".into()),
            "{found}"
        );
        File::options().write(true).open(dir.join("t")).unwrap().write_all_at(&[0; 4096], 8192).unwrap();
        let (code, found) = check(dir, "t", "log");
        assert_eq!((code, found["verdict"].as_str()), (Some(4), Some("wrong")), "{how}: {found}");
        let fault = &found["tally"]["faults"][0];
        assert_eq!((&fault["offset"], &fault["fault"]["kind"]), (&8192.into(), &"zeroed".into()), "{found}");
    }
}

#[test]
fn a_result_is_saved_and_printed_again() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    written(dir, &[]);
    let first = must(fathom(dir).args(["power-cut", "check", "t", "--log", "log"]));
    assert!(first.starts_with("t: every acknowledged write is there"), "{first}");
    let saved = fs::read_dir(dir.join("fathom-runs")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(must(fathom(dir).arg("report").arg(&saved)), first);
    assert_eq!(json(&must(fathom(dir).args(["report", "--json"]).arg(&saved)))["verdict"], "kept");
    refused(&fathom(dir).args(["report", "--redact"]).arg(&saved).output().unwrap(), 2, "no such form");
    // It is found as a run is, and is no run.
    let list = json(&must(fathom(dir).args(["runs", "--json"])))["runs"][0].clone();
    assert_eq!(
        (&list["name"], &list["state"], &list["target"]),
        (&"power-cut".into(), &"complete".into(), &"t".into())
    );
    let headline = "every acknowledged write is there, and no unit is torn; but the writer had ended, so no cut was tested";
    assert_eq!(list["headline"], headline);
    let id = list["id"].as_str().unwrap();
    assert_eq!(must(fathom(dir).arg("report")), first);
    assert_eq!(must(fathom(dir).args(["report", &id[..8]])), first);
    refused(&fathom(dir).args(["bundle", id]).output().unwrap(), 2, "is a check of a power cut");
    refused(&fathom(dir).args(["compare", id, id]).output().unwrap(), 2, "is a check of a power cut");
    let page = must(fathom(dir).args(["report", id, "--output-format", "html"]));
    assert!(
        page.contains("Every acknowledged write is there") && page.contains("256 units of 4 KiB"),
        "{page}"
    );
}

#[test]
fn the_page_of_a_loss_lists_the_units_that_are_wrong() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    written(dir, &[]);
    File::options().write(true).open(dir.join("t")).unwrap().write_all_at(&[0; 4096], 8192).unwrap();
    assert_eq!(check(dir, "t", "log").0, Some(4));
    let page = fathom(dir).args(["report", "--output-format", "html"]).output().unwrap();
    assert_eq!(page.status.code(), Some(4));
    let page = String::from_utf8_lossy(&page.stdout);
    assert!(page.contains("<li>at 8,192: write") && page.contains("zeros are there"), "{page}");
}

#[test]
fn a_log_that_is_cut_is_judged_and_one_that_is_none_is_not() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    written(dir, &[]);
    let log = fs::read(dir.join("log")).unwrap();
    let with = |bytes: &[u8]| {
        fs::write(dir.join("other"), bytes).unwrap();
        check(dir, "t", "other")
    };
    let (code, found) = with(&log[..log.len() - 40]);
    assert_eq!((code, found["log"]["end"].as_str()), (Some(0), Some("torn")), "{found}");
    let mut altered = log.clone();
    altered[log.len() / 2] ^= 1;
    let (code, found) = with(&altered);
    assert_eq!((code, found["log"]["end"].as_str()), (Some(5), Some("damaged")), "{found}");
    let header = log.len() % 32;
    let header = (1..40).map(|n| header + n * 32).find(|len| with_header(&log, *len)).unwrap_or(header);
    let (code, found) = with(&log[..header]);
    assert_eq!((code, found["verdict"].as_str()), (Some(5), Some("nothing-durable")), "{found}");
    for (bytes, message) in [
        (&log[..20], "ends within its header"),
        (&b"no log at all"[..], "is no log of fathom"),
        (&[&log[..8], &[9], &log[9..]].concat(), "a log of version 9"),
    ] {
        fs::write(dir.join("other"), bytes).unwrap();
        let output = fathom(dir).args(["power-cut", "check", "t", "--log", "other"]).output().unwrap();
        refused(&output, 2, message);
    }
}

/// Is the header of this log this long? Its body says how long it is.
fn with_header(log: &[u8], len: usize) -> bool {
    12 + usize::from(u16::from_le_bytes([log[10], log[11]])) + 4 == len
}

#[test]
fn a_device_needs_consent_and_is_known_again() {
    let _own = own_devices();
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let (disk, other) = (Loop::blank(dir, 8), Loop::blank(dir, 9));
    let words = ["power-cut", "write", &disk.device, "--log", "log", "--writes", "600"];
    let output = fathom(dir).args(words).output().unwrap();
    refused(&output, 3, "--write");
    assert!(!dir.join("log").exists(), "nothing is left of a refused run");
    must(fathom(dir).args(words).args(["--write", &disk.consent()]));
    assert_eq!(check(dir, &disk.device, "log").0, Some(0));
    let output = fathom(dir).args(["power-cut", "check", &other.device, "--log", "log"]).output().unwrap();
    refused(&output, 2, "is another device than that of the log");
    let copy = fathom(dir)
        .args(["power-cut", "check", &other.device, "--log", "log", "--any-target"])
        .output()
        .unwrap();
    assert_eq!(copy.status.code(), Some(4), "{}", text(&copy));
}

#[test]
fn what_cannot_be_tested_is_refused_before_anything_is_written() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    fs::write(dir.join("there"), b"an older log").unwrap();
    for (words, message) in [
        (&["--log", "log", "--size", "1m"][..], "the disk of the target"),
        (&["--log", "there", "--same-disk", "--size", "1m"], "each run has a log of its own"),
        (&["--log", "none/log", "--same-disk", "--size", "1m"], "cannot make the log"),
        (&["--log", "log", "--same-disk", "--atomic", "1000"], "it must be a power of two"),
        (
            &["--log", "log", "--same-disk", "--atomic", "drive"],
            "the kernel knows of no unit above a logical block",
        ),
        (&["--log", "log", "--same-disk", "--size", "5000"], "must be whole units"),
        (&["--log", "log", "--same-disk", "--atomic", "8k", "--longest", "64k"], "each write is one unit"),
    ] {
        let output = fathom(dir).args(["power-cut", "write", "t"]).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
        assert!(text(&output).contains(message), "{words:?}: {}", text(&output));
        assert!(!dir.join("t").exists() && !dir.join("log").exists(), "{words:?}");
    }
    assert_eq!(fs::read(dir.join("there")).unwrap(), b"an older log");
    let simulated = ["power-cut", "write", "sim:datacentre/64", "--log", "log"];
    refused(&fathom(dir).args(simulated).output().unwrap(), 2, "has no power to cut");
}
