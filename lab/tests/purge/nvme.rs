//! Format NVM of a namespace: with another block size, with the same, with neighbours, through paths.

use fathom_device::Root;
use fathom_device::device::{Graph, Identity};
use fathom_guard::purge::{Ledger, Outcome, PurgeState, Reach};
use fathom_lab::{Drive, Ends};

use super::work::{STATE, consent, fill, is_all_zero, planned, purge, wish};

fn blocks(drive: &Drive) -> String {
    drive.attribute("queue/logical_block_size")
}

#[test]
fn a_format_changes_the_blocks_there_and_back() {
    let drive = Drive::by_serial("LAB-A");
    fill(&drive);
    for (bytes, now) in [(4096, "4096"), (512, "512")] {
        let record = purge(&drive, &wish("format", Some(bytes)), &["LAB-A"]).unwrap();
        assert_eq!(blocks(&drive), now);
        assert_eq!(record.after.logical_block_bytes, Some(bytes));
        assert_eq!(record.after.size_bytes, 384 << 20);
        assert_eq!(record.proof.outcome, Outcome::Empty, "{}", record.proof.statement);
        assert!(is_all_zero(&drive));
        if bytes == 4096 {
            assert!(record.proof.held_before > 30, "{}", record.proof.statement);
            fill(&drive);
        }
    }
}

#[test]
fn partitions_are_forgotten_with_their_table() {
    let drive = Drive::by_serial("LAB-A");
    drive.blank();
    let partition = drive.partition_once();
    purge(&drive, &wish("format", None), &["LAB-A"]).unwrap();
    assert!(!std::fs::exists(&partition).unwrap(), "{partition} is still there");
    assert!(is_all_zero(&drive));
}

#[test]
fn the_other_namespace_keeps_what_it_holds() {
    let (first, second) = (Drive::namespace("LAB-B", 1), Drive::namespace("LAB-B", 2));
    for drive in [&first, &second] {
        fill(drive);
    }
    let kept = Ends::of(&second.node);
    let name = first.attribute("wwid");
    let plan = planned(&first, &wish("format", Some(4096)), &consent(&[&name])).unwrap();
    // QEMU's FNA is 0: a format empties only the namespace that it names.
    assert_eq!((plan.terms.reach, plan.affected.len()), (Reach::Target, 1));
    let record = purge(&first, &wish("format", Some(4096)), &[&name]).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Empty, "{}", record.proof.statement);
    assert_eq!((blocks(&first), blocks(&second)), ("4096".to_owned(), "512".to_owned()));
    kept.assert_unchanged();
    purge(&first, &wish("format", Some(512)), &[&name]).unwrap();
    kept.assert_unchanged();
    [first, second].iter().for_each(Drive::blank);
}

#[test]
fn the_disk_of_two_paths_is_formatted_once() {
    let drive = Drive::by_serial("LAB-M");
    fill(&drive);
    let plan = planned(&drive, &wish("format", None), &consent(&[])).unwrap();
    assert!(plan.notes[0].contains("several controllers"), "{:?}", plan.notes);
    let record = purge(&drive, &wish("format", None), &["LAB-M"]).unwrap();
    assert_eq!(record.affected.len(), 1);
    assert_eq!(record.proof.outcome, Outcome::Empty, "{}", record.proof.statement);
    assert!(is_all_zero(&drive));
}

#[test]
fn the_state_of_a_purged_drive_is_kept_under_its_own_name() {
    let drive = Drive::by_serial("LAB-C");
    let record = purge(&drive, &wish("format", None), &["LAB-C"]).unwrap();
    let root = Root::live();
    let number = root.read_value(format!("/sys/class/block/{}/dev", drive.name)).unwrap();
    let identity = Identity::read(&root, &Graph::read(&root, number).unwrap()).unwrap();
    let state = Ledger::at(STATE).load(&identity).unwrap().expect("there is a state");
    assert!(state.is_fresh());
    assert!(matches!(state.purge, PurgeState::Purged { record: kept } if *kept == record));
}
