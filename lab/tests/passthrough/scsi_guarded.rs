//! The guard asks the disk behind a generic SCSI device whatever it asks of a disk.

use std::fs;
use std::path::Path;

use fathom_guard::FindingKind::{Held, Mounted, NoConsent, OpenForWriting, Signature, Swap};
use fathom_guard::{Access, Door, FindingKind, GuardError};
use fathom_lab::{Drive, Ends, Holder, Scope, fathom, sh, try_sh};

use super::scsi::node_of;
use crate::guard::admission::{DOORS, check_admitted, guard, hinted, refusal, words_of};

const EXT4: [&str; 5] = ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];

fn blank() -> (Drive, String) {
    let drive = Drive::by_serial("LAB-SCSI");
    drive.blank();
    let node = node_of(&drive);
    (drive, node)
}

/// No consent allows commands, because of `kind`; the ends of the disk stay as they are.
#[track_caller]
fn barred((drive, node): &(Drive, String), kind: FindingKind) {
    let before = Ends::of(&drive.node);
    let words = words_of(drive);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for (door, words) in [(Door::Native, &words[..]), (Door::Fio, &words[..]), (Door::Fio, &[])] {
        let refused = refusal(guard(door, words, words).admit(Path::new(node), Access::Write));
        assert!(refused.has(kind) && !refused.can_be_overridden(), "{door:?}: {refused}");
    }
    before.assert_unchanged();
}

#[test]
fn a_disk_in_use_takes_no_commands_from_its_node() {
    let both = blank();
    let drive = &both.0;
    sh(&[&EXT4[..], &[&drive.node]].concat());
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    barred(&both, Mounted);
    scope.end();
    drive.blank();

    let mut scope = Scope::new();
    sh(&["mkswap", &drive.node]);
    scope.act(&["swapon", &drive.node], &["swapoff", &drive.node]);
    barred(&both, Swap);
    scope.end();
    drive.blank();

    let mut scope = Scope::new();
    let table = format!("echo '0 2048 linear {} 0' | dmsetup create lab-held", drive.node);
    scope.act(&["sh", "-c", &table], &["dmsetup", "remove", "lab-held"]);
    barred(&both, Held);
    scope.end();

    // Of a partition that is mounted, the whole disk is in use.
    let part = drive.partition_once();
    sh(&[&EXT4[..], &[&part]].concat());
    let mut scope = Scope::new();
    scope.mount(&part);
    barred(&both, Mounted);
    scope.end();
    drive.blank();
    let held = Holder::open(&drive.node, "write");
    barred(&both, OpenForWriting);
    drop(held);
}

#[test]
fn a_member_of_an_array_takes_no_commands_from_its_node() {
    let both = blank();
    let drive = &both.0;
    let mut scope = Scope::new();
    let make =
        ["mdadm", "--create", "/dev/md77", "--run", "--force", "--level=0", "--raid-devices=1", &drive.node];
    scope.act(&make, &["mdadm", "--stop", "/dev/md77"]);
    barred(&both, Held);
    scope.end();
    // The array is stopped, and its data is still there.
    let refused = refusal(guard(Door::Fio, &[], &[]).admit(Path::new(&both.1), Access::Write));
    assert!(refused.has(Signature), "{refused}");
    drive.blank();
}

#[test]
fn consent_is_that_for_the_disk() {
    let (drive, node) = blank();
    let refused = refusal(guard(Door::Native, &[], &[]).admit(Path::new(&node), Access::Write));
    assert!(refused.has(NoConsent), "{refused}");
    assert_eq!(hinted(&refused, "--write"), "LAB-SCSI");
    check_admitted(&guard(Door::Native, &["LAB-SCSI"], &[]), &node);
    assert!(
        refusal(guard(Door::Native, &["LAB-A"], &[]).admit(Path::new(&node), Access::Write)).has(NoConsent)
    );

    sh(&[&EXT4[..], &[&drive.node]].concat());
    let before = Ends::of(&drive.node);
    for door in DOORS {
        let refused = refusal(guard(door, &["LAB-SCSI"], &[]).admit(Path::new(&node), Access::Write));
        assert!(refused.has(Signature), "{door:?}: {refused}");
        check_admitted(&guard(door, &[], &["LAB-SCSI"]), &node);
    }
    assert!(
        guard(Door::Native, &[], &[]).admit(Path::new(&node), Access::Read).is_ok(),
        "a reader needs none"
    );
    before.assert_unchanged();
    drive.blank();
}

/// While commands are admitted, the disk is claimed and locked, and one guard has both devices.
#[test]
fn two_writers_exclude_each_other_whichever_device_of_the_disk_they_name() {
    let (drive, node) = blank();
    let guard = guard(Door::Native, &["LAB-SCSI"], &[]);
    let admitted = guard.admit(Path::new(&node), Access::Write).unwrap();
    assert!(admitted.is_claimed());
    assert_eq!(admitted.identity().unwrap().kernel_name, drive.name);
    assert!(guard.admit(Path::new(&drive.node), Access::Write).is_ok(), "it is the same claim");
    for (engine, node) in [("sg", &node), ("sg", &drive.node), ("psync", &drive.node)] {
        let job = format!("[j]\nioengine={engine}\nfilename={node}\nrw=write\nsize=64k\n");
        fs::write("/tmp/second.fio", job).unwrap();
        let other = fathom(&["run", "/tmp/second.fio", "--no-calibrate", "--write", "LAB-SCSI"]);
        assert!(other.code != Some(0) && other.stderr.contains("refused to write"), "{other:?}");
    }
    let made = try_sh(&["mkfs.ext4", "-q", &drive.node]);
    assert_ne!(made.code, Some(0), "the disk is claimed: {made:?}");
}

/// A file system that is mounted through one path is mounted for the nodes of both.
#[test]
fn the_node_of_another_path_to_a_disk_in_use_takes_no_commands() {
    let twins = Drive::all_by_serial("LAB-TWIN", 2);
    twins[0].blank();
    sh(&[&EXT4[..], &[&twins[0].node]].concat());
    let mut scope = Scope::new();
    scope.mount(&twins[0].node);
    for twin in &twins {
        for door in DOORS {
            let node = node_of(twin);
            let refused = guard(door, &["LAB-TWIN"], &["LAB-TWIN"]).admit(Path::new(&node), Access::Write);
            let refused = refusal(refused);
            assert!(refused.has(Mounted) && !refused.can_be_overridden(), "{door:?} {refused}");
        }
    }
    scope.end();
    twins[0].blank();
}

/// Without its driver a disk has no block device, and nobody can say who uses it.
#[test]
fn a_node_without_a_disk_is_not_opened() {
    let (drive, node) = blank();
    let device = fs::canonicalize(format!("/sys/block/{}/device", drive.name)).unwrap();
    let address = device.file_name().unwrap().to_string_lossy().into_owned();
    let tell = |act: &str| format!("echo {address} > /sys/bus/scsi/drivers/sd/{act}");
    let mut scope = Scope::new();
    scope.act(&["sh", "-c", &tell("unbind")], &["sh", "-c", &tell("bind")]);
    for access in [Access::Read, Access::Write] {
        let result = guard(Door::Native, &["LAB-SCSI"], &["LAB-SCSI"]).admit(Path::new(&node), access);
        assert!(matches!(result, Err(GuardError::Unpaired { .. })), "{result:?}");
    }
    scope.end();
    let again = Drive::by_serial("LAB-SCSI");
    assert!(guard(Door::Native, &[], &[]).admit(Path::new(&node_of(&again)), Access::Read).is_ok());
}
