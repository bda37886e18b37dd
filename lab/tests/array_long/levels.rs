//! Each level: made, initialised, measured, taken apart. Under emulation SNIA's test takes half a minute, so it runs on one
//! level, whose array is emptied with zeroes. The others have a short run, one of them after it was discarded.

use fathom_lab::{MEASURED, fathom, sh};
use std::fs;

use crate::array::bench::{Array, SERIALS, assert_apart, drives};

const DIR: &str = "/tmp/array-measured";
const JOB: &str = "/tmp/array.fio";

/// Makes an array, has it measured, and takes it apart. `mib` is what it holds.
fn check(level: &str, chunk: Option<&str>, mib: u64, measure: fn(&Array, &str, Option<&str>)) {
    let drives = drives();
    let mut words = vec!["--level", level, "--wait"];
    words.extend(chunk.iter().flat_map(|chunk| ["--chunk", chunk]));
    let array = Array::of(&drives, &words);
    let detail = sh(&["mdadm", "--detail", &array.node]);
    for said in [&format!("raid{level}"), "Raid Devices : 4", "Active Devices : 4"] {
        assert!(detail.contains(said), "{said}: {detail}");
    }
    assert!(["Bitmap", "Rebuild", "Resync"].iter().all(|not| !detail.contains(not)), "{detail}");
    let size: u64 = sh(&["blockdev", "--getsize64", &array.node]).parse().unwrap();
    assert!((mib * 9 / 10..=mib).contains(&(size >> 20)), "{size}");

    let _ = fs::remove_dir_all(DIR);
    measure(&array, level, chunk);
    let _ = fs::remove_dir_all(DIR);

    let refused = fathom(&["array", "remove", &array.node]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains(&format!("--destroy {}", array.uuid)), "{}", refused.stderr);
    array.remove();
    assert_apart(&drives);
}

/// Refused without consent, although fathom made the array; done with it, and with one of these exit codes.
#[track_caller]
fn measured(words: &[&str], array: &Array, codes: &[i32]) {
    let words = [words, &["--output-dir", DIR]].concat();
    let refused = fathom(&words);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let _ = fs::remove_dir_all(DIR);
    let run = fathom(&[&words[..], &["--destroy", &array.uuid]].concat());
    assert!(run.code.is_some_and(|code| codes.contains(&code)), "{run:?}");
}

fn briefly(array: &Array, _level: &str, _chunk: Option<&str>) {
    let job = "[mixed]\nrw=randrw\nbs=4k\niodepth=4\nioengine=libaio\ndirect=1\nruntime=1\ntime_based\n";
    fs::write(JOB, format!("{job}filename={}\n", array.node)).unwrap();
    measured(&["run", JOB, "--no-calibrate", "-q"], array, &[0]);
}

fn by_snia(array: &Array, level: &str, chunk: Option<&str>) {
    // An emulated drive is slow, so a small part of it is touched, and times are cut.
    let words = ["pts", "lat", "--target", &array.node, "--active", "8", "--scale", "600", "--rounds", "5"];
    measured(&words, array, MEASURED);
    let report = fathom(&["report", DIR, "--json"]).stdout;
    let array_line =
        format!("RAID {level} of 4 members, chunks of {} KiB", chunk.unwrap().trim_end_matches('k'));
    for said in SERIALS.into_iter().chain([array_line.as_str(), "QEMU NVMe Ctrl"]) {
        assert!(report.contains(said), "{said}: {report}");
    }
    assert!(report.contains("The purge wrote zeroes"), "{report}");
}

fn discarded(array: &Array, level: &str, chunk: Option<&str>) {
    let purged = fathom(&["purge", &array.node, "--destroy", &array.uuid]);
    assert_eq!(purged.code, Some(0), "{purged:?}");
    assert!(purged.stdout.contains("TRIM (discard) of every block"), "{purged:?}");
    briefly(array, level, chunk);
}

#[test]
fn raid_0() {
    check("0", Some("256k"), 4 * 96, discarded);
}

#[test]
fn raid_1() {
    check("1", None, 96, briefly);
}

#[test]
fn raid_5() {
    check("5", Some("64k"), 3 * 96, by_snia);
}

#[test]
fn raid_6() {
    check("6", Some("128k"), 2 * 96, briefly);
}

#[test]
fn raid_10() {
    check("10", Some("64k"), 2 * 96, briefly);
}
