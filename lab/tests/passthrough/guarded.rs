//! The guard asks the block device of the namespace whatever it asks of a block device.

use std::path::Path;

use fathom_device::device::DiskKind;
use fathom_guard::FindingKind::{Held, Mounted, NoConsent, OpenForWriting, Signature, Swap};
use fathom_guard::{Access, Door, FindingKind, GuardError};
use fathom_lab::{Drive, Ends, Holder, Scope, fathom, sh};

use super::bench::generic;
use crate::guard::admission::{DOORS, check_admitted, guard, hinted, refusal, words_of};

const EXT4: [&str; 5] = ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];

fn blank(serial: &str) -> (Drive, String) {
    let drive = Drive::by_serial(serial);
    drive.blank();
    let node = generic(&drive);
    (drive, node)
}

/// No consent allows commands, because of `kind`; the ends of the block device stay as they are.
#[track_caller]
fn barred(drive: &Drive, kind: FindingKind) {
    let before = Ends::of(&drive.node);
    let words = words_of(drive);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for (door, words) in [(Door::Native, &words[..]), (Door::Fio, &words[..]), (Door::Fio, &[])] {
        let refused = refusal(guard(door, words, words).admit(Path::new(&generic(drive)), Access::Write));
        assert!(refused.has(kind) && !refused.can_be_overridden(), "{door:?}: {refused}");
    }
    before.assert_unchanged();
}

#[test]
fn a_namespace_in_use_takes_no_commands() {
    let (drive, _) = blank("LAB-D");
    sh(&[&EXT4[..], &[&drive.node]].concat());
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    barred(&drive, Mounted);
    scope.end();
    drive.blank();

    let mut scope = Scope::new();
    sh(&["mkswap", &drive.node]);
    scope.act(&["swapon", &drive.node], &["swapoff", &drive.node]);
    barred(&drive, Swap);
    scope.end();
    drive.blank();

    let mut scope = Scope::new();
    let table = format!("echo '0 2048 linear {} 0' | dmsetup create lab-held", drive.node);
    scope.act(&["sh", "-c", &table], &["dmsetup", "remove", "lab-held"]);
    barred(&drive, Held);
    scope.end();

    // Of a partition that is mounted, the whole namespace is in use.
    let part = drive.partition_once();
    sh(&[&EXT4[..], &[&part]].concat());
    let mut scope = Scope::new();
    scope.mount(&part);
    barred(&drive, Mounted);
    scope.end();
    drive.blank();
    let held = Holder::open(&drive.node, "write");
    barred(&drive, OpenForWriting);
    drop(held);
}

#[test]
fn consent_is_that_for_the_block_device() {
    let (drive, node) = blank("LAB-D");
    let refused = refusal(guard(Door::Native, &[], &[]).admit(Path::new(&node), Access::Write));
    assert!(refused.has(NoConsent), "{refused}");
    assert_eq!(hinted(&refused, "--write"), "LAB-D");
    check_admitted(&guard(Door::Native, &["LAB-D"], &[]), &node);
    assert!(
        refusal(guard(Door::Native, &["LAB-A"], &[]).admit(Path::new(&node), Access::Write)).has(NoConsent)
    );

    sh(&[&EXT4[..], &[&drive.node]].concat());
    let before = Ends::of(&drive.node);
    for door in DOORS {
        let refused = refusal(guard(door, &["LAB-D"], &[]).admit(Path::new(&node), Access::Write));
        assert!(refused.has(Signature), "{door:?}: {refused}");
        check_admitted(&guard(door, &[], &["LAB-D"]), &node);
    }
    assert!(
        guard(Door::Native, &[], &[]).admit(Path::new(&node), Access::Read).is_ok(),
        "a reader needs none"
    );
    before.assert_unchanged();
    drive.blank();
}

/// While commands are admitted, the block device is claimed and locked, and one guard has both devices.
#[test]
fn two_writers_exclude_each_other_whichever_device_they_name() {
    let (drive, node) = blank("LAB-D");
    let consent = || guard(Door::Native, &["LAB-D"], &[]);
    let guard = consent();
    let admitted = guard.admit(Path::new(&node), Access::Write).unwrap();
    assert!(admitted.is_claimed());
    assert_eq!(admitted.identity().unwrap().serial.as_deref(), Some("LAB-D"));
    assert!(guard.admit(Path::new(&drive.node), Access::Write).is_ok(), "it is the same claim");
    for (engine, node) in [("io_uring_cmd", &node), ("psync", &drive.node)] {
        let job = format!("[j]\nioengine={engine}\nfilename={node}\nrw=write\nsize=64k\n");
        std::fs::write("/tmp/second.fio", job).unwrap();
        let other = fathom(&["run", "/tmp/second.fio", "--no-calibrate", "--write", "LAB-D"]);
        assert!(other.code != Some(0) && other.stderr.contains("refused to write"), "{other:?}");
    }
    let mount = fathom_lab::try_sh(&["mkfs.ext4", "-q", &drive.node]);
    assert_ne!(mount.code, Some(0), "the block device is claimed: {mount:?}");
    drop((admitted, guard));
    check_admitted(&consent(), &node);
}

#[test]
fn a_namespace_with_several_paths_and_a_controller() {
    let (drive, node) = blank("LAB-M");
    let admitting = guard(Door::Native, &["LAB-M"], &[]);
    let admitted = admitting.admit(Path::new(&node), Access::Write).unwrap();
    assert_eq!(admitted.identity().unwrap().kind, DiskKind::Nvme);
    assert_eq!(admitted.identity().unwrap().kernel_name, drive.name);
    drop((admitted, admitting));
    sh(&[&EXT4[..], &[&drive.node]].concat());
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    barred(&drive, Mounted);
    scope.end();
    drive.blank();

    // One controller of two namespaces: each has its own partner.
    let second = Drive::namespace("LAB-B", 2);
    sh(&["mkswap", &second.node]);
    let refused = refusal(guard(Door::Fio, &[], &[]).admit(Path::new(&generic(&second)), Access::Write));
    assert!(refused.has(Signature), "{refused}");
    second.blank();

    // A controller's node passes every command to the drive, and belongs to no namespace.
    let controller = Drive::by_serial("LAB-A").node.trim_end_matches("n1").to_owned();
    for access in [Access::Read, Access::Write] {
        let result = guard(Door::Native, &["LAB-A"], &["LAB-A"]).admit(Path::new(&controller), access);
        assert!(matches!(result, Err(GuardError::UnsupportedKind { .. })), "{result:?}");
    }
}
