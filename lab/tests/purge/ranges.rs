//! TRIM, UNMAP and zeroes, on every family.

use fathom_guard::purge::Outcome;
use fathom_lab::Drive;

use super::work::{fill, is_all_zero, purge, wish};

#[track_caller]
fn check(drive: &Drive, method: &str, word: &str) {
    fill(drive);
    assert!(!is_all_zero(drive));
    let record = purge(drive, &wish(method, None), &[word]).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Empty, "{}: {}", drive.serial, record.proof.statement);
    assert!(record.proof.held_before > 0);
    assert!(is_all_zero(drive), "{} after {method}", drive.serial);
}

#[test]
fn deallocate_of_nvme() {
    check(&Drive::by_serial("LAB-D"), "trim", "LAB-D");
}

#[test]
fn unmap_of_scsi() {
    check(&Drive::by_serial("LAB-SCSI"), "trim", "LAB-SCSI");
}

#[test]
fn trim_of_sata() {
    check(&Drive::by_serial("LAB-ATA"), "trim", "LAB-ATA");
}

#[test]
fn unmap_of_a_thin_disk() {
    let drive = scsi_debug();
    check(&drive, "trim", &drive.serial);
}

#[test]
fn zeroes_on_any_disk() {
    check(&Drive::by_serial("LAB-VIRTIO"), "zero", "LAB-VIRTIO");
}

/// scsi_debug makes up its serial number.
pub fn scsi_debug() -> Drive {
    let entries = std::fs::read_dir("/sys/block").unwrap().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let model = |name: &String| std::fs::read_to_string(format!("/sys/block/{name}/device/model"));
    let name = names.find(|name| model(name).is_ok_and(|model| model.trim() == "scsi_debug"));
    let name = name.expect("scsi_debug is loaded");
    let page = std::fs::read(format!("/sys/block/{name}/device/vpd_pg80")).unwrap();
    let serial = String::from_utf8_lossy(&page[4..]).trim().to_owned();
    Drive { node: format!("/dev/{name}"), name, serial }
}
