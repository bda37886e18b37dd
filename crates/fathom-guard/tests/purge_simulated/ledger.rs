//! What is known after a power cut, after a failure, after a purge.

use fathom_guard::purge::{LADDER, PurgeError, PurgeState, Wish, Written};

use crate::purge_simulated::drive::SimDrive;
use crate::purge_simulated::machine::{Machine, wish};

#[test]
fn a_failed_purge_is_not_a_purged_device() {
    let drive = SimDrive::new().set(|s| s.power_fails = true);
    let machine = Machine::with("nvme0n1", drive);
    let e = machine.purge(&wish("format")).unwrap_err();
    assert!(matches!(e, PurgeError::Io { .. }), "{e}");
    let state = machine.ledger.load(&machine.identity()).unwrap().unwrap();
    assert!(matches!(&state.purge, PurgeState::Failed { method, .. } if method == "format"), "{state:?}");
    assert!(!state.is_fresh());
}

#[test]
fn a_power_cut_in_the_middle_leaves_begun() {
    let machine = Machine::with("nvme0n1", SimDrive::new());
    machine.purge(&wish("format")).unwrap();
    // A panic when the command arrives simulates a power cut.
    machine.drive.clone().set(|s| s.machine_ends = true);
    let cut = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| machine.purge(&wish("format"))));
    assert!(cut.is_err());
    let state = machine.ledger.load(&machine.identity()).unwrap().unwrap();
    assert!(matches!(&state.purge, PurgeState::Begun { method, .. } if method == "format"), "{state:?}");
    assert!(!state.is_fresh());
}

/// The drive answers that it was done, and reading shows that it was not.
#[test]
fn a_purge_without_proof_is_not_a_purged_device() {
    let machine = Machine::with("nvme0n1", SimDrive::new().set(|s| s.lies = true));
    let record = machine.purge(&wish("format")).unwrap();
    assert!(record.proof.as_before > 0 && !record.proof.is_given(), "{}", record.proof.statement);
    let state = machine.ledger.load(&machine.identity()).unwrap().unwrap();
    assert!(!state.is_fresh());
    assert_eq!(state.never_written_bytes(0, 8192), None, "what is there is not known");
    let PurgeState::NotProven { record: kept } = state.purge else { panic!("{:?}", state.purge) };
    assert_eq!(kept.proof, record.proof);
}

#[test]
fn a_purged_device_is_fresh_until_it_is_written() {
    let machine = Machine::with("nvme0n1", SimDrive::new());
    let device = machine.identity();
    assert_eq!(machine.ledger.load(&device).unwrap(), None);
    let record = machine.purge(&wish("format")).unwrap();
    let state = machine.ledger.load(&device).unwrap().unwrap();
    assert!(state.is_fresh());
    assert_eq!(state.never_written_bytes(0, 8192), Some(8192));
    let PurgeState::Purged { record: kept } = state.purge else { panic!("not purged") };
    assert_eq!((kept.proof, kept.answers), (record.proof, record.answers));
    let written = Written { run: "r2".to_owned(), start_bytes: 0, end_bytes: 4096 };
    machine.ledger.note_write(&device, written.clone()).unwrap();
    let state = machine.ledger.load(&device).unwrap().unwrap();
    assert!(!state.is_fresh());
    assert_eq!(state.written_since, [written]);
    let unwritten = [(0, 4096), (2048, 8192), (4096, 8192), (1 << 20, 2 << 20)];
    let unwritten = unwritten.map(|(start, end)| state.never_written_bytes(start, end).unwrap());
    assert_eq!(unwritten, [0, 4096, 4096, 1 << 20]);
    machine.purge(&wish("format")).unwrap();
    assert!(
        machine.ledger.load(&device).unwrap().unwrap().is_fresh(),
        "a purge makes the device fresh again"
    );
}

#[test]
fn every_emptied_namespace_has_its_own_state() {
    let drive = SimDrive::new().set(|s| {
        s.namespaces = vec![1, 2];
        s.controller[524] = 1;
    });
    let machine = Machine::with("nvme0n1", drive);
    let record = machine.purge(&wish("format")).unwrap();
    assert_eq!(record.affected.len(), 2);
    let paths: Vec<_> = record.affected.iter().map(|device| machine.ledger.path(device).unwrap()).collect();
    assert_ne!(paths[0], paths[1]);
    for device in &record.affected {
        assert!(machine.ledger.load(device).unwrap().unwrap().is_fresh());
    }
}

#[test]
fn a_device_without_a_lasting_name_has_no_file() {
    let machine = Machine::with("sda", SimDrive::new());
    let mut device = machine.identity();
    device.serial = None;
    assert_eq!((device.wwid.clone(), machine.ledger.path(&device)), (None, None));
    device.serial = Some("../../etc/passwd".to_owned());
    let path = machine.ledger.path(&device).unwrap();
    assert!(!path.to_str().unwrap().contains("/.."), "{}", path.display());
}

#[test]
fn names_of_methods_are_their_own_and_unknown_ones_are_told() {
    let mut ids: Vec<_> = LADDER.iter().map(|method| method.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), LADDER.len());
    let wish = Wish { method: Some("shred".to_owned()), block_bytes: None };
    let e = wish.check().unwrap_err();
    assert!(e.hints()[0].contains("sanitize-block"), "{e}");
}
