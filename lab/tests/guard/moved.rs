//! Drives that were reset, pulled and plugged in again, or exchanged.

use std::fs;
use std::path::Path;

use fathom_guard::FindingKind::NoConsent;
use fathom_guard::{Access, Admitted, Door, OpenFlags};
use fathom_lab::{Drive, Ends, Slot, sh};

use super::admission::{check_admitted, guard, refusal};

const WRITE: OpenFlags =
    OpenFlags { write: true, direct: false, sync: false, dsync: false, append: false, noatime: false };

fn blank(serial: &str) -> Drive {
    let drive = Drive::by_serial(serial);
    drive.blank();
    drive
}

#[track_caller]
fn check_dead(admitted: &Admitted) {
    let error = admitted.open(WRITE).expect_err("the drive is another one now");
    assert_ne!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}");
}

/// A reset changes nothing: the same disk answers, under the same number.
#[test]
fn an_admission_outlives_a_reset() {
    let drive = blank("LAB-A");
    let guard = guard(Door::Native, &["LAB-A"], &[]);
    let admitted = guard.admit(Path::new(&drive.node), Access::Write).unwrap();
    sh(&["nvme", "reset", drive.node.trim_end_matches("n1")]);
    admitted.open(WRITE).unwrap();
}

/// While the old disk is admitted its name is used, so the drive comes back under another name.
#[test]
fn a_drive_pulled_under_an_admission_is_not_written() {
    let drive = blank("LAB-D");
    let guard = guard(Door::Native, &["LAB-D"], &[]);
    let admitted = guard.admit(Path::new(&drive.node), Access::Write).unwrap();
    let sequence = drive.attribute("diskseq");
    let slot = Slot::of(&drive);
    slot.pull();
    check_dead(&admitted);
    let back = slot.plug("LAB-D");
    assert_ne!(back.name, drive.name, "the number is still held");
    assert_ne!(back.attribute("diskseq"), sequence);
    let before = Ends::of(&back.node);
    check_dead(&admitted);
    before.assert_unchanged();
    // Consent belongs to the drive and not to the name, so a new admission finds the drive.
    check_admitted(&self::guard(Door::Native, &["LAB-D"], &[]), &back.node);
}

/// A path that now leads to the other drive: the consent was for the first one.
#[test]
fn two_drives_that_exchanged_their_names() {
    // An earlier test may have left a name like nvme3n2, which is never used again.
    let drives = ["LAB-A", "LAB-D"].map(|serial| Slot::of(&blank(serial)).renew(serial));
    let slots = drives.each_ref().map(Slot::of);
    let sequences = drives.each_ref().map(|drive| drive.attribute("diskseq"));
    slots.iter().for_each(Slot::pull);
    // The first drive that appears gets the lowest free number.
    let mut order = [0, 1];
    if drives[0].name < drives[1].name {
        order.reverse();
    }
    let mut back = drives.clone();
    for which in order {
        back[which] = slots[which].plug(&drives[which].serial);
    }
    assert_eq!([&back[0].name, &back[1].name], [&drives[1].name, &drives[0].name]);
    for which in [0, 1] {
        assert_ne!(back[which].attribute("diskseq"), sequences[which]);
        let (path, serial) = (Path::new(&drives[which].node), drives[which].serial.as_str());
        let before = Ends::of(&drives[which].node);
        let refused = refusal(guard(Door::Native, &[serial], &[serial]).admit(path, Access::Write));
        assert!(refused.has(NoConsent), "{refused}");
        before.assert_unchanged();
        check_admitted(&guard(Door::Native, &[serial], &[]), &back[which].node);
    }
}

/// A disk without a name counts as another one after it was made again, also with the same kernel
/// name and the same size.
#[test]
fn a_nameless_disk_made_renewed() {
    let drive = Drive::unnamed("nullb0");
    drive.blank();
    let path = Path::new(&drive.node);
    let word = format!("by-diskseq/{}:{}", drive.attribute("diskseq"), drive.size_bytes());
    check_admitted(&guard(Door::Native, &[&word], &[]), &drive.node);
    let power = "/sys/kernel/config/nullb/nullb0/power";
    fs::write(power, "0").unwrap();
    fs::write(power, "1").unwrap();
    let renewed = Drive::unnamed("nullb0");
    let refused = refusal(guard(Door::Native, &[&word], &[&word]).admit(path, Access::Write));
    assert!(refused.has(NoConsent), "{refused}");
    let word = format!("by-diskseq/{}:{}", renewed.attribute("diskseq"), renewed.size_bytes());
    check_admitted(&guard(Door::Native, &[&word], &[]), &renewed.node);
}
