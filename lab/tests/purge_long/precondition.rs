//! `fathom precondition` on real drives: every byte, and what was written is known until something else writes.

use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;

use fathom_lab::{Drive, Run, Scope, fathom, sh};

const SECTOR: usize = 512;
const BLOCK: usize = 4096;

/// The end of a drive, of which blocks of 96 KiB leave an odd end of 32 KiB.
const SIZE: u64 = 32 << 20;

fn precondition(node: &str, words: &[&str]) -> Run {
    let run = fathom(
        &[&["precondition", node, "--block", "96k", "--output-dir", "/tmp/preconditioned"][..], words]
            .concat(),
    );
    let _ = std::fs::remove_dir_all("/tmp/preconditioned");
    run
}

/// The text without the breaks of its lines.
fn told(run: &Run) -> String {
    format!("{} {}", run.stdout, run.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn both_kinds(serial: &str) {
    let drive = Drive::by_serial(serial);
    drive.blank();
    let at = drive.size_bytes() - SIZE;
    let offset = at.to_string();
    let run = precondition(&drive.node, &["--passes", "1", "--offset", &offset, "--write", serial]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        told(&run).contains("1 time, in blocks of 96 KiB") && told(&run).contains("no sector is empty"),
        "{run:?}"
    );

    // The test reads it itself, without fathom.
    sh(&["blockdev", "--flushbufs", &drive.node]);
    let mut bytes = vec![0; SIZE as usize];
    File::open(&drive.node).unwrap().read_exact_at(&mut bytes, at).unwrap();
    assert!(bytes.chunks(SECTOR).all(|sector| sector.iter().any(|byte| *byte != 0)), "a sector is empty");
    let blocks: HashSet<&[u8]> = bytes.chunks(BLOCK).collect();
    assert_eq!(blocks.len(), bytes.len() / BLOCK, "blocks are equal");

    let plan = || told(&precondition(&drive.node, &["--passes", "1", "--offset", &offset, "--plan"]));
    let again = precondition(&drive.node, &["--offset", &offset, "--plan"]);
    assert!(told(&again).contains("17 rounds"), "one of two passes is left: {again:?}");
    sh(&[
        "dd",
        "if=/dev/zero",
        &format!("of={}", drive.node),
        "bs=1M",
        "count=2",
        "oflag=direct",
        "status=none",
    ]);
    assert!(plan().contains("the drive has counted 2.") && plan().contains("does not count"), "{}", plan());
    drive.blank();
}

#[test]
fn every_byte_of_a_drive_with_512_byte_blocks() {
    both_kinds("LAB-A");
}

#[test]
fn every_byte_of_a_drive_with_4096_byte_blocks() {
    both_kinds("LAB-C");
}

/// A hard disk is as fast new as in use (contract I-31): it is left alone, unless a person asks for passes.
#[test]
fn media_that_need_none_are_left_alone_unless_asked() {
    let drive = Drive::by_serial("LAB-ATA");
    assert_eq!(drive.attribute("queue/rotational"), "1");
    let plan = |words: &[&str]| {
        let run = precondition(&drive.node, &[&["--size", "4m", "--plan"][..], words].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        told(&run)
    };
    let alone = plan(&[]);
    assert!(
        alone.contains("nothing is written to") && alone.contains("a hard disk is as fast new as in use"),
        "{alone}"
    );
    assert!(plan(&["--passes", "1"]).contains("in order: 1 time"), "{}", plan(&["--passes", "1"]));
}

/// An array initialises itself after it was made (contract I-20).
#[test]
fn it_waits_until_an_array_is_built() {
    let drives = ["LAB-A", "LAB-D"].map(Drive::by_serial);
    drives.iter().for_each(Drive::blank);
    let mut scope = Scope::new();
    // In KiB a second: the array takes some thirteen seconds.
    let speed = |file: &str, limit: &str| format!("echo {limit} > /proc/sys/dev/raid/speed_limit_{file}");
    for (file, usual) in [("min", "1000"), ("max", "200000")] {
        scope.act(&["sh", "-c", &speed(file, "10000")], &["sh", "-c", &speed(file, usual)]);
    }
    let mut create = vec!["mdadm", "--create", "/dev/md0", "--run", "--level=1", "--metadata=1.2"];
    create.extend(["--size=131072", "--raid-devices=2"]);
    create.extend(drives.iter().map(|drive| drive.node.as_str()));
    scope.act(&create, &["mdadm", "--stop", "/dev/md0"]);
    let refused = precondition("/dev/md0", &["--size", "4m", "--passes", "1"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(!told(&refused).contains("waiting until"), "it is refused before it waits: {refused:?}");
    let hint = refused.stderr.split("add: ").nth(1).unwrap_or_else(|| panic!("{refused:?}"));
    let mut words = vec!["--size", "4m", "--passes", "1"];
    words.extend(hint.split_whitespace().take(2));
    let run = precondition("/dev/md0", &words);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(told(&run).contains("waiting until the array is built: md0: resync"), "{run:?}");
    assert!(told(&run).contains("waited until every array below the targets is built"), "{run:?}");
    scope.end();
    drives.iter().for_each(Drive::blank);
}
