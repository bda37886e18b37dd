//! Sanitize: under way, ended, failed.

use std::collections::VecDeque;
use std::time::Duration;

use fathom_guard::purge::{Outcome, PurgeProgress};

use crate::purge_simulated::drive::{SimDrive, sanitize_log};
use crate::purge_simulated::machine::{Machine, wish};

const SANITIZE: u8 = 0x84;
const NEVER: u8 = 0;
const DONE: u8 = 1;
const IN_PROGRESS: u8 = 2;
const FAILED: u8 = 3;

fn drive(states: &[(u8, u16)]) -> SimDrive {
    let logs: VecDeque<_> = states.iter().map(|(state, progress)| sanitize_log(*state, *progress)).collect();
    SimDrive::new().set(|s| s.sanitize = logs)
}

#[test]
fn progress_is_told_until_the_log_says_done() {
    let states = [(NEVER, 0xffff), (IN_PROGRESS, 0x4000), (IN_PROGRESS, 0x8000), (DONE, 0xffff)];
    let machine = Machine::with("nvme0n1", drive(&states));
    let record = machine.purge(&wish("sanitize")).unwrap();
    assert_eq!((record.method.as_str(), record.proof.outcome), ("sanitize-block", Outcome::Empty));
    // Block erase, with permission to leave a failure state.
    assert_eq!(machine.drive.with_state(|s| s.admin.clone()), [(SANITIZE, 0, 2 | 8)]);
    let told = machine.told.borrow();
    assert!(
        told.contains(&PurgeProgress::Done(0.25)) && told.contains(&PurgeProgress::Done(0.5)),
        "{told:?}"
    );
    assert_eq!(machine.drive.with_state(|s| s.waited), Duration::from_secs(2));
}

#[test]
fn one_that_is_under_way_is_waited_for() {
    let machine = Machine::with("nvme0n1", drive(&[(IN_PROGRESS, 9), (DONE, 0)]));
    let act = machine.choose(&wish("sanitize"), &[]).unwrap_or_else(|e| panic!("{e}")).terms.act;
    assert_eq!(act, "wait for the Sanitize that is under way");
    machine.purge(&wish("sanitize")).unwrap();
    assert_eq!(machine.drive.with_state(|s| s.admin.len()), 0, "nothing was sent");
}

#[test]
fn a_failure_is_left_and_told() {
    let machine = Machine::with("nvme0n1", drive(&[(NEVER, 0), (FAILED, 0)]));
    let e = machine.purge(&wish("sanitize-crypto")).unwrap_err();
    let message = e.to_string();
    assert!(message.contains("Failed") && message.contains("left its failure state"), "{message}");
    let exit_failure = 1;
    assert_eq!(
        machine.drive.with_state(|s| s.admin.clone()),
        [(SANITIZE, 0, 4 | 8), (SANITIZE, 0, exit_failure)]
    );
}

#[test]
fn a_drive_in_failure_is_sanitized_again() {
    let machine = Machine::with("nvme0n1", drive(&[(FAILED, 0), (DONE, 0)]));
    assert!(machine.purge(&wish("sanitize-block")).unwrap().act.contains("again"));
}

#[test]
fn overwriting_is_only_done_by_name() {
    let machine = Machine::with("nvme0n1", drive(&[(NEVER, 0)]));
    machine.drive.clone().set(|s| s.controller[328] = 0b100);
    assert!(machine.refused("sanitize").contains("this kind of Sanitize"));
    assert_eq!(machine.chosen(&wish("sanitize-overwrite"), &[]).0, "sanitize-overwrite");
}

#[test]
fn time_is_the_drives_estimate() {
    let machine = Machine::with("nvme0n1", drive(&[(NEVER, 0)]));
    let choice = machine.choose(&wish("sanitize-block"), &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(choice.terms.takes, Some(Duration::from_secs(90)));
}

#[test]
fn refusals_are_in_the_drives_words() {
    let drive = drive(&[(NEVER, 0)]).set(|s| s.refuses.push((SANITIZE, 0x001d)));
    let e = Machine::with("nvme0n1", drive).purge(&wish("sanitize")).unwrap_err();
    assert!(e.to_string().contains("Sanitize In Progress"), "{e}");
    assert!(e.hints()[0].contains("wait"));
}
