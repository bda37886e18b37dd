//! A consent with any field changed is not a consent.

use std::path::Path;

use fathom_guard::FindingKind::{NoConsent, Signature};
use fathom_guard::{Access, Door};
use fathom_lab::{Drive, Ends, sh};

use super::admission::{DOORS, check_admitted, guard, refusal};

fn blank(serial: &str) -> Drive {
    let drive = Drive::by_serial(serial);
    drive.blank();
    drive
}

/// Every wrong word is refused: by `fathom run` for the blank device, and by both commands for one
/// that holds something. Every right word is accepted. Nothing is written in any case.
#[track_caller]
fn check_words(node: &str, right: &[&str], wrong: &[&str]) {
    let path = Path::new(node);
    let before = Ends::of(node);
    for word in wrong {
        let refused = refusal(guard(Door::Native, &[word], &[word]).admit(path, Access::Write));
        assert!(refused.has(NoConsent), "{word}: {refused}");
    }
    for word in right {
        check_admitted(&guard(Door::Native, &[word], &[]), node);
    }
    before.assert_unchanged();
    sh(&["mkswap", node]);
    let before = Ends::of(node);
    for door in DOORS {
        for word in wrong {
            let refused = refusal(guard(door, &[word], &[word]).admit(path, Access::Write));
            assert!(refused.has(Signature), "{door:?} {word}: {refused}");
            assert!(refused.can_be_overridden(), "{door:?} {word}: {refused}");
        }
        for word in right {
            check_admitted(&guard(door, &[], &[word]), node);
        }
    }
    before.assert_unchanged();
    sh(&["wipefs", "--quiet", "--all", node]);
}

/// A name one character too long, and one too short.
fn misspelt(name: &str) -> [String; 2] {
    [format!("{name}0"), name[..name.len() - 1].to_owned()]
}

#[test]
fn serial_and_world_wide_name() {
    for serial in ["LAB-A", "LAB-SCSI"] {
        let drive = blank(serial);
        let mut right = vec![serial.to_owned()];
        let wwid = ["wwid", "device/wwid"].map(|file| std::fs::read_to_string(drive.sysfs().join(file)));
        right.extend(wwid.into_iter().flatten().map(|name| name.trim().to_owned()));
        let mut wrong: Vec<String> = right.iter().flat_map(|name| misspelt(name)).collect();
        wrong.extend(right.iter().map(|name| format!("{name}-part1")));
        wrong.extend(["LAB-D", "lab-a", "lab-scsi"].map(str::to_owned));
        let right: Vec<&str> = right.iter().map(String::as_str).collect();
        let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
        check_words(&drive.node, &right, &wrong);
    }
}

#[test]
fn partition_number() {
    let drive = blank("LAB-A");
    let partition = drive.partition_once();
    check_words(&partition, &["LAB-A-part1"], &["LAB-A", "LAB-A-part2", "LAB-A-part11", "LAB-D-part1"]);
    drive.blank();
}

/// A device without a name is identified by its number in this boot and its size.
#[test]
fn sequence_and_size() {
    for name in ["nullb0", "ram0"] {
        let drive = Drive::unnamed(name);
        drive.blank();
        let sequence: u64 = drive.attribute("diskseq").parse().unwrap();
        let size = drive.size_bytes();
        let right = format!("by-diskseq/{sequence}:{size}");
        let wrong = [
            format!("by-diskseq/{sequence}:{}", size + 512),
            format!("by-diskseq/{sequence}:{}", size - 512),
            format!("by-diskseq/{}:{size}", sequence + 1),
            format!("by-diskseq/{}:{size}", sequence - 1),
            format!("by-diskseq/{sequence}"),
        ];
        check_words(&drive.node, &[&right], &wrong.each_ref().map(String::as_str));
    }
}

/// Makes links as udev would; there is no udev here.
#[test]
fn name_by_id() {
    let drive = blank("LAB-A");
    let link = Path::new("/dev/disk/by-id/nvme-lab_drive_a");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&drive.node, link).unwrap();
    let other = Path::new("/dev/disk/by-id/nvme-lab_drive_d");
    std::os::unix::fs::symlink(&Drive::by_serial("LAB-D").node, other).unwrap();
    let path = "/dev/disk/by-id/nvme-lab_drive_a";
    let wrong = ["nvme-lab_drive_d", "nvme-lab_drive_", "nvme-lab_drive_a-part1"];
    check_words(&drive.node, &["nvme-lab_drive_a", path], &wrong);
    std::fs::remove_file(link).unwrap();
    std::fs::remove_file(other).unwrap();
}
