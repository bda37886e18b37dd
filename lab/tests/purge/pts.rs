//! `fathom pts` on a real drive: purge, fill, rounds, the write cache set and put back.

use fathom_lab::{Drive, Slot, fathom, sh};
use std::fs;
use std::path::Path;
use std::time::Duration;

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
    for said in ["set for the tests (", "Preconditioning 1", "RND 4 KiB, 0/100, average latency", "LAB-A"] {
        assert!(report.stdout.contains(said), "{said}: {}", report.stdout);
    }
    let _ = fs::remove_dir_all(DIR);
    drive.blank();
}

/// The drive goes while the rounds are measured: what was measured stays, and the failure is told.
#[test]
fn a_drive_that_disappears_in_a_round_is_told() {
    const GONE: &str = "/tmp/pts-gone";
    let drive = Drive::by_serial("LAB-D");
    drive.blank();
    let slot = Slot::of(&drive);
    let _ = fs::remove_dir_all(GONE);
    let words = ["pts", "lat", "--target", &drive.node, "--destroy", "LAB-D", "--no-purge", "--active", "6"];
    let more = ["--scale", "600", "--rounds", "25", "--output-dir", GONE];
    // The second round begins when the first was measured.
    let measured = || {
        let rounds = fs::read_dir(Path::new(GONE).join("rounds")).into_iter().flatten().flatten();
        rounds.filter(|it| it.file_name().to_string_lossy().ends_with("-lat-round")).count() >= 2
    };
    let run = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !measured() {
                std::thread::sleep(Duration::from_millis(20));
            }
            slot.pull();
        });
        fathom(&[&words[..], &more[..]].concat())
    });
    slot.plug("LAB-D").blank();
    // An I/O that failed, or a job that could not open it any more.
    assert!(matches!(run.code, Some(1 | 4)), "{run:?}");
    assert!(run.stdout.contains("  failed") && run.stdout.contains("-lat-round failed"), "{run:?}");
    let report = fathom(&["report", GONE, "--json"]);
    assert!(report.stdout.contains("lat-fill") && report.stdout.contains("lat-round"), "{report:?}");
    let _ = fs::remove_dir_all(GONE);
}
