//! Drives that say that they are failing.

use fathom_guard::purge::Wish;

use crate::purge_simulated::drive::SimDrive;
use crate::purge_simulated::machine::{Machine, wish};

/// Every request is refused, with the drive's reason.
#[track_caller]
fn check_refused(machine: &Machine, reason: &str, hint: &str) {
    for wish in [Wish::default(), wish("trim")] {
        let Err(e) = machine.choose(&wish, &["eui.1", "eui.2"]) else { panic!("a failing drive is purged") };
        assert!(e.is_refusal(), "{e}");
        assert!(e.to_string().contains("is in critical health") && e.to_string().contains(reason), "{e}");
        assert!(e.hints()[0].contains(hint), "{:?}", e.hints());
        let e = machine.purge(&wish).unwrap_err();
        assert!(e.is_refusal(), "{e}");
    }
    let sent = machine.drive.with_state(|s| s.admin.len() + s.ata.len() + s.scsi.len());
    assert_eq!(sent, 0, "nothing was sent that changes anything");
}

#[test]
fn each_critical_warning_of_an_nvme_drive_is_refused_with_its_reason() {
    let cases = [
        (0, "spare blocks are below the threshold", "replace the drive"),
        (1, "the temperature is out of bounds", "range of temperature"),
        (2, "reliability is degraded", "replace the drive"),
        (3, "the media is read-only", "replace the drive"),
        (4, "the backup of volatile memory has failed", "replace the drive"),
        (6, "bit 6", "replace the drive"),
        (7, "bit 7", "replace the drive"),
    ];
    for (bit, reason, hint) in cases {
        let drive = SimDrive::new().set(|s| s.critical_warning = 1 << bit);
        check_refused(&Machine::with("nvme0n1", drive), reason, hint);
    }
    let both = SimDrive::new().set(|s| s.critical_warning = 0b1010);
    check_refused(
        &Machine::with("nvme0n1", both),
        "out of bounds; the media is read-only",
        "replace the drive",
    );
}

/// A purge does not empty this region.
#[test]
fn a_failed_persistent_memory_region_does_not_matter() {
    let drive = SimDrive::new().set(|s| s.critical_warning = 1 << 5);
    Machine::with("nvme0n1", drive).purge(&wish("format")).unwrap();
}

#[test]
fn a_disk_that_predicts_its_failure_is_refused() {
    for disk in ["sda", "sdb"] {
        let well = Machine::with(disk, SimDrive::new());
        assert!(well.purge(&wish("trim")).is_ok());
        let drive = SimDrive::new().set(|s| s.is_failing = true);
        check_refused(&Machine::with(disk, drive), "predicts its own failure", "replace the drive");
    }
}

#[test]
fn a_drive_without_a_health_log_is_not_understood() {
    const GET_LOG_PAGE: u8 = 2;
    let drive = SimDrive::new().set(|s| s.refuses.push((GET_LOG_PAGE, 0x4109)));
    let facts = Machine::with("nvme0n1", drive.set(|s| s.controller[328] = 0)).facts();
    assert!(facts.nvme.is_none() && facts.unknown[0].contains("the health log"), "{:?}", facts.unknown);
}
