//! A method that a drive does not have is refused for that reason; a drive in use is not touched.

use fathom_guard::FindingKind;
use fathom_guard::purge::{PurgeError, Wish};
use fathom_lab::{Drive, Ends, Scope, sh};

use super::ranges::scsi_debug;
use super::work::{consent, fill, planned, purge, wish};

#[track_caller]
fn check_not_offered(drive: &Drive, method: &str, why: &str) {
    let e = planned(drive, &wish(method, None), &consent(&[])).unwrap_err();
    assert!(matches!(e, PurgeError::NotOffered { .. }), "{}: {e}", drive.serial);
    assert!(e.to_string().contains(why), "{}: {e}", drive.serial);
}

#[test]
fn qemus_nvme_has_no_sanitize() {
    let drive = Drive::by_serial("LAB-A");
    check_not_offered(&drive, "sanitize", "this kind of Sanitize");
    check_not_offered(&drive, "ata-erase", "not a whole ATA disk");
}

#[test]
fn qemus_sata_disk_has_no_security() {
    check_not_offered(&Drive::by_serial("LAB-ATA"), "ata-erase", "no security feature set");
}

/// Its own list of commands says so; another program that reads the list confirms it.
#[test]
fn scsi_debug_has_neither_format_nor_sanitize() {
    let drive = scsi_debug();
    let list = sh(&["sg_opcodes", &drive.node]);
    assert!(!list.contains("Format unit") && !list.contains("Sanitize"), "{list}");
    check_not_offered(&drive, "scsi-format", "does not support FORMAT UNIT");
    check_not_offered(&drive, "scsi-sanitize", "this kind of SANITIZE");
}

#[test]
fn blocks_that_it_does_not_have() {
    let drive = Drive::by_serial("LAB-A");
    let e = planned(&drive, &wish("format", Some(8192)), &consent(&[])).unwrap_err();
    assert!(e.hints()[0].contains("4096 bytes"), "{e}");
}

#[test]
fn a_mounted_namespace_is_not_emptied() {
    let drive = Drive::by_serial("LAB-D");
    drive.blank();
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &drive.node]);
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    for method in ["format", "zero"] {
        let plan = planned(&drive, &wish(method, None), &consent(&["LAB-D"])).unwrap();
        assert!(!plan.is_possible());
        assert!(plan.affected[0].holds.iter().any(|found| found.kind == FindingKind::Mounted));
        let e = purge(&drive, &wish(method, None), &["LAB-D"]).unwrap_err();
        assert!(e.is_refusal() && e.to_string().contains("is mounted"), "{method}: {e}");
    }
    scope.end();
    drive.blank();
}

/// The serial of a drive with two namespaces is the name of neither.
#[test]
fn the_neighbours_consent_is_none() {
    let (first, second) = (Drive::namespace("LAB-B", 1), Drive::namespace("LAB-B", 2));
    [&first, &second].iter().for_each(|drive| drive.blank());
    fill(&first);
    let kept = Ends::of(&first.node);
    let other = second.attribute("wwid");
    for (word, wish) in
        [("LAB-B", wish("format", None)), (&other, wish("trim", None)), (&other, Wish::default())]
    {
        let e = purge(&first, &wish, &[word]).unwrap_err();
        assert!(e.is_refusal(), "{word}: {e}");
        assert!(e.hints()[0].contains(&first.attribute("wwid")), "{:?}", e.hints());
    }
    kept.assert_unchanged();
    first.blank();
}
