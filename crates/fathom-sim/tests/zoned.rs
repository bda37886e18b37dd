//! A zoned drive does what the standards say of zones, and nothing else.

use fathom_sim::{
    DriveModel, Io, IoKind, SimulatedDrive, Submitted, ZoneAction, ZoneCondition, ZoneRefusal, ZoneState,
};

const MIB: u64 = 1 << 20;
const BLOCK: u64 = 64 << 10;

/// 16 zones of 1 MiB, of which 768 KiB can be written; the first two are conventional; two may be open.
fn drive(more: &str) -> Box<dyn SimulatedDrive> {
    let more = if more.contains("active") { more.to_owned() } else { format!(",open=2{more}") };
    let text = format!("smr,size=16m,zone=1m,zone_capacity=768k,conventional=2{more}");
    text.parse::<DriveModel>().unwrap().build().unwrap()
}

fn send(drive: &mut dyn SimulatedDrive, kind: IoKind, offset: u64, length: u64) -> Result<(), ZoneRefusal> {
    match drive.submit(0, 0, Io { kind, offset, length }) {
        Submitted::Refused(why) => Err(why),
        Submitted::At(_) | Submitted::Queued => Ok(()),
    }
}

fn zone(drive: &dyn SimulatedDrive, index: usize) -> ZoneState {
    drive.zones().unwrap().zones[index]
}

#[test]
fn a_write_is_at_the_pointer_and_within_the_capacity() {
    let mut drive = drive("");
    assert_eq!(drive.capacity_bytes(), 16 * MIB);
    let write = |drive: &mut dyn SimulatedDrive, at, length| send(drive, IoKind::Write, at, length);
    assert_eq!(write(&mut *drive, 2 * MIB + BLOCK, BLOCK), Err(ZoneRefusal::NotAtThePointer));
    assert_eq!(write(&mut *drive, 2 * MIB, BLOCK), Ok(()));
    assert_eq!(write(&mut *drive, 2 * MIB, BLOCK), Err(ZoneRefusal::NotAtThePointer), "written already");
    assert_eq!(zone(&*drive, 2).write_pointer, 2 * MIB + BLOCK);
    assert_eq!(write(&mut *drive, 2 * MIB + BLOCK, MIB), Err(ZoneRefusal::BeyondTheZone));
    assert_eq!(write(&mut *drive, 2 * MIB + BLOCK, 768 * 1024 - BLOCK), Ok(()));
    assert_eq!(zone(&*drive, 2).condition, ZoneCondition::Full);
    // The first two zones take writes anywhere.
    assert_eq!(write(&mut *drive, MIB + 8 * BLOCK, BLOCK), Ok(()));
}

#[test]
fn a_read_ends_at_the_pointer() {
    for (more, beyond) in [("", Err(ZoneRefusal::BeyondThePointer)), (",reads_unwritten=yes", Ok(()))] {
        let mut drive = drive(more);
        send(&mut *drive, IoKind::Write, 2 * MIB, BLOCK).unwrap();
        assert_eq!(send(&mut *drive, IoKind::Read, 2 * MIB, BLOCK), Ok(()));
        assert_eq!(send(&mut *drive, IoKind::Read, 2 * MIB, 2 * BLOCK), beyond, "{more}");
        assert_eq!(send(&mut *drive, IoKind::Read, BLOCK, BLOCK), Ok(()), "a conventional zone");
    }
}

#[test]
fn a_zone_more_than_the_limit_is_refused_until_one_is_full_or_empty() {
    for more in ["", ",active=2"] {
        let mut drive = drive(more);
        for index in [2, 3] {
            send(&mut *drive, IoKind::Write, index * MIB, BLOCK).unwrap();
        }
        let third = |drive: &mut dyn SimulatedDrive| send(drive, IoKind::Write, 4 * MIB, BLOCK);
        assert_eq!(third(&mut *drive), Err(ZoneRefusal::TooManyOpen));
        drive.change_zone(2 * MIB, ZoneAction::Finish).unwrap();
        assert_eq!(third(&mut *drive), Ok(()));
        assert_eq!(send(&mut *drive, IoKind::Write, 5 * MIB, BLOCK), Err(ZoneRefusal::TooManyOpen));
        assert_eq!(send(&mut *drive, IoKind::Trim, 3 * MIB, BLOCK), Err(ZoneRefusal::NotAZone));
        assert_eq!(send(&mut *drive, IoKind::Trim, 3 * MIB, MIB), Ok(()));
        assert_eq!(zone(&*drive, 3).condition, ZoneCondition::Empty);
        assert_eq!(send(&mut *drive, IoKind::Write, 5 * MIB, BLOCK), Ok(()));
    }
    assert_eq!(drive("").change_zone(0, ZoneAction::Reset), Err(ZoneRefusal::NotAZone));
}
