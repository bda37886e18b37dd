//! SCSI FORMAT UNIT and SANITIZE.

use fathom_guard::purge::{Outcome, PurgeProgress, Wish};

use crate::purge_simulated::drive::SimDrive;
use crate::purge_simulated::machine::{Machine, wish};

fn sense(key: u8, asc: u8, ascq: u8, progress: u16) -> Vec<u8> {
    let mut sense = vec![0; 18];
    sense[0] = 0x70;
    sense[2] = key;
    sense[12..14].copy_from_slice(&[asc, ascq]);
    if progress > 0 {
        sense[15] = 0x80;
        sense[16..18].copy_from_slice(&progress.to_be_bytes());
    }
    sense
}

#[test]
fn the_disks_own_list_says_what_it_knows() {
    let machine = Machine::with("sdb", SimDrive::new());
    assert_eq!(machine.chosen(&Wish::default(), &[]).0, "scsi-sanitize-block");
    let formats = Machine::with("sdb", SimDrive::new().set(|s| s.scsi_knows = vec![0x04]));
    assert_eq!(formats.chosen(&Wish::default(), &[]).0, "scsi-format");
    let neither = Machine::with("sdb", SimDrive::new().set(|s| s.scsi_knows.clear()));
    assert_eq!(neither.chosen(&Wish::default(), &[]).0, "trim");
    assert!(neither.refused("scsi-format").contains("does not support FORMAT UNIT"));
}

/// It would write zeroes where no write pointer is.
#[test]
fn zeroes_are_not_for_zones() {
    let queue = "/sys/devices/sas1/sdb/queue";
    let zones = format!(
        "{queue}/zoned = host-managed\n{queue}/chunk_sectors = 524288\n{queue}/discard_max_bytes = 0\n"
    );
    let machine = Machine::changed("sdb", SimDrive::new().set(|s| s.scsi_knows.clear()), &zones);
    for method in ["zero", "any"] {
        let wish = if method == "any" { Wish::default() } else { wish(method) };
        let Err(e) = machine.choose(&wish, &[]) else { panic!("offered") };
        assert!(e.to_string().contains("host-managed zoned device"), "{method}: {e}");
        assert!(e.hints()[0].contains("zonemode=zbd"), "{method}: {e}");
    }
}

#[test]
fn a_format_is_waited_for() {
    let drive = SimDrive::new()
        .set(|s| s.sense = [sense(2, 4, 4, 0x2000), sense(2, 4, 4, 0xc000), sense(0, 0, 0, 0)].into());
    let machine = Machine::with("sdb", drive);
    let record = machine.purge(&wish("scsi-format")).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Empty);
    let told = machine.told.borrow();
    assert!(
        told.contains(&PurgeProgress::Done(0.125)) && told.contains(&PurgeProgress::Done(0.75)),
        "{told:?}"
    );
    // FMTDATA, with a list that says IMMED.
    assert_eq!(machine.drive.with_state(|s| s.scsi[0][..2].to_vec()), [0x04, 0x10]);
}

#[test]
fn a_failed_sanitize_is_told() {
    let drive = SimDrive::new().set(|s| s.sense = [sense(3, 0x31, 3, 0)].into());
    let e = Machine::with("sdb", drive).purge(&wish("scsi-sanitize-crypto")).unwrap_err();
    assert!(e.to_string().contains("sanitize command failed"), "{e}");
}

#[test]
fn other_blocks_are_refused_with_the_tool_that_makes_them() {
    let machine = Machine::with("sdb", SimDrive::new());
    let wish = Wish { method: Some("scsi-format".to_owned()), block_bytes: Some(4096) };
    let Err(e) = machine.choose(&wish, &[]) else { panic!("offered") };
    assert!(e.hints()[0].contains("sg_format"), "{e}");
}
