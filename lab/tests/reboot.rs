//! What fathom has written over a drive is known after a reboot of the machine, if the drive has counted nothing else.
//!
//! The machine reboots once, between the tests `first_boot` and `second_boot`. Its drives keep their contents and their
//! counters of what hosts have written; its file system is in memory and is lost. So the first boot stores what a machine
//! keeps on its disk, `/var/lib/fathom`, on the drive LAB-VIRTIO, and `init.sh` takes it from there.

use std::fs;
use std::path::Path;

use fathom_lab::{Drive, fathom, sh};

/// What the first boot tells the second one.
const KEPT: &str = "/lab/kept";
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// Nothing else writes to this one.
const ALONE: &str = "LAB-E";
/// Another program writes to this one before the reboot.
const SHARED: &str = "LAB-F";
/// The part of the drives that is written, at their beginning.
const SIZE: &str = "4m";

/// The plan of two passes, without the breaks of its lines.
fn plan(serial: &str) -> String {
    let run = fathom(&["precondition", &Drive::by_serial(serial).node, "--size", SIZE, "--plan"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    format!("{} {}", run.stdout, run.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A pass over the part by a job.
fn write_by_a_job(serial: &str) {
    fs::write("/tmp/w.fio", "[w]\nrw=write\nbs=128k\nsize=4m\ndirect=1\nrefill_buffers=1\n").unwrap();
    let node = Drive::by_serial(serial).node;
    let words = [
        "run",
        "/tmp/w.fio",
        "--no-calibrate",
        "--target",
        &node,
        "--destroy",
        serial,
        "--output-dir",
        "/tmp/w",
    ];
    let run = fathom(&words);
    let _ = fs::remove_dir_all("/tmp/w");
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// What the plan of a job says that reads the part.
fn warns_of_unwritten_blocks(serial: &str) -> bool {
    let job = "[r]\nrw=randread\nbs=4k\nsize=4m\ndirect=1\n";
    fs::write("/tmp/r.fio", job).unwrap();
    let run = fathom(&["run", "--plan", "/tmp/r.fio", "--target", &Drive::by_serial(serial).node]);
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stdout.contains("[V-23]")
}

/// The drive's own counter of what hosts have written, in units of 512,000 bytes.
fn units_written(serial: &str) -> String {
    let log = sh(&["nvme", "smart-log", &Drive::by_serial(serial).node]);
    let line = log.lines().find(|line| line.to_lowercase().starts_with("data units written"));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    line.split(':').nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn first_boot_notes_what_it_writes() {
    let node = Drive::by_serial(ALONE).node;
    let words = [
        "precondition",
        &node,
        "--size",
        SIZE,
        "--passes",
        "1",
        "--destroy",
        ALONE,
        "--output-dir",
        "/tmp/p",
    ];
    let run = fathom(&words);
    let _ = fs::remove_dir_all("/tmp/p");
    assert_eq!(run.code, Some(0), "{run:?}");
    write_by_a_job(SHARED);
    for serial in [ALONE, SHARED] {
        let plan = plan(serial);
        assert!(
            !warns_of_unwritten_blocks(serial) && plan.contains("16 rounds"),
            "one of two passes is left: {plan}"
        );
    }
    let to = format!("of={}", Drive::by_serial(SHARED).node);
    sh(&["dd", "if=/dev/zero", &to, "bs=1M", "count=2", "oflag=direct", "status=none"]);

    fs::create_dir_all(KEPT).unwrap();
    let keep = |name: &str, text: &str| fs::write(Path::new(KEPT).join(name), text).unwrap();
    keep("boot", &fs::read_to_string(BOOT).unwrap());
    [ALONE, SHARED].into_iter().for_each(|serial| keep(serial, &units_written(serial)));
    let disk = Drive::by_serial("LAB-VIRTIO").node;
    let archive = "printf lab-second-boot; head -c 497 /dev/zero; tar -cf - -C / var/lib/fathom lab/kept";
    sh(&["sh", "-c", &format!("{{ {archive}; }} > {disk} && sync")]);
    fs::write("/run/lab-reboot", "").unwrap();
}

#[test]
fn second_boot_knows_what_was_written_and_what_does_not_count() {
    let kept = |name: &str| fs::read_to_string(Path::new(KEPT).join(name)).unwrap();
    assert_ne!(kept("boot"), fs::read_to_string(BOOT).unwrap(), "the machine was rebooted");
    for serial in [ALONE, SHARED] {
        assert_eq!(kept(serial), units_written(serial), "the reboot wrote nothing to {serial}");
    }
    let known = plan(ALONE);
    assert!(known.contains("16 rounds") && !known.contains("does not count"), "{known}");
    assert!(!warns_of_unwritten_blocks(ALONE));
    let void = plan(SHARED);
    assert!(void.contains("the drive has counted 2.") && void.contains("does not count"), "{void}");
    assert!(void.contains("32 rounds") && warns_of_unwritten_blocks(SHARED), "{void}");

    // What is written after the reboot counts together with what was written before it.
    write_by_a_job(ALONE);
    let all = plan(ALONE);
    assert!(all.contains(" 0 rounds"), "only the proof is left: {all}");
}
