//! `fathom pts` on a real drive: purge, fill, rounds, the write cache set and put back.

use fathom_lab::{Drive, fathom, sh};
use std::fs;

const DIR: &str = "/tmp/pts";

/// The volatile write cache by the drive's own feature.
fn cache(drive: &Drive) -> String {
    sh(&["nvme", "get-feature", &drive.node, "--feature-id=6", "--human-readable"])
}

#[test]
fn the_latency_test_of_a_drive_with_its_cache_set_and_put_back() {
    let drive = Drive::by_serial("LAB-A");
    drive.blank();
    let _ = fs::remove_dir_all(DIR);
    let before = cache(&drive);
    // An emulated drive is slow, so a small part of it is touched, and times are cut.
    let words = ["--active", "6", "--scale", "600", "--rounds", "6", "--set-cache", "--output-dir", DIR];
    let refused = fathom(&[&["pts", "lat", "--target", &drive.node], &words[..]].concat());
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let _ = fs::remove_dir_all(DIR);
    let run = fathom(&[&["pts", "lat", "--target", &drive.node, "--destroy", "LAB-A"], &words[..]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(cache(&drive), before, "the cache was put back");
    let report = fathom(&["report", DIR, "--json"]);
    for said in ["set for the tests (", "Preconditioning 1", "average latency, RND 4 KiB, 0/100", "LAB-A"] {
        assert!(report.stdout.contains(said), "{said}: {}", report.stdout);
    }
    let _ = fs::remove_dir_all(DIR);
    drive.blank();
}
