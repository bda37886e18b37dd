//! ATA Security Erase: states that forbid it, and what is left of a failure.

use std::time::Duration;

use fathom_guard::purge::{Outcome, Wish};

use crate::purge_simulated::drive::SimDrive;
use crate::purge_simulated::machine::{Machine, wish};

const SET_PASSWORD: u8 = 0xf1;
const PREPARE: u8 = 0xf3;
const ERASE: u8 = 0xf4;
const DISABLE: u8 = 0xf6;

const SUPPORTED: u16 = 1;
const ENABLED: u16 = 2;
const LOCKED: u16 = 4;
const FROZEN: u16 = 8;
const EXPIRED: u16 = 16;
const ENHANCED: u16 = 32;

fn machine(security: u16) -> Machine {
    Machine::with("sda", SimDrive::new().set(|s| s.ata_security = security))
}

#[test]
fn states_that_forbid_it_come_with_a_remedy() {
    let cases = [
        (0, "no security feature set"),
        (SUPPORTED | FROZEN, "suspend the machine"),
        (SUPPORTED | EXPIRED, "off and on"),
        (SUPPORTED | ENABLED, "--security-unlock fathom"),
        (SUPPORTED | ENABLED | LOCKED, "--security-unlock fathom"),
    ];
    for (security, words) in cases {
        let said = machine(security).refused("ata-erase");
        assert!(said.contains(words), "{said}");
        assert_eq!(machine(security).chosen(&Wish::default(), &[]).0, "trim");
    }
    assert!(machine(SUPPORTED).refused("ata-erase-enhanced").contains("no enhanced erase"));
}

#[test]
fn the_password_is_set_and_gone_with_the_erase() {
    let machine = machine(SUPPORTED);
    assert_eq!(machine.chosen(&Wish::default(), &[]).0, "ata-erase");
    let choice = machine.choose(&wish("ata-erase"), &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(choice.terms.takes, Some(Duration::from_secs(360)));
    let record = machine.purge(&wish("ata-erase")).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Empty);
    assert_eq!(machine.drive.with_state(|s| s.ata.clone()), [SET_PASSWORD, PREPARE, ERASE]);
    assert_eq!(machine.drive.with_state(|s| s.ata_password.clone()), None);
}

#[test]
fn enhanced_is_stronger() {
    assert_eq!(machine(SUPPORTED | ENHANCED).chosen(&Wish::default(), &[]).0, "ata-erase-enhanced");
}

#[test]
fn a_refused_erase_does_not_leave_the_disk_locked() {
    let machine = machine(SUPPORTED);
    machine.drive.clone().set(|s| s.ata_aborts = Some(ERASE));
    let e = machine.purge(&wish("ata-erase")).unwrap_err();
    assert!(e.to_string().contains("ATA command aborted"), "{e}");
    assert_eq!(machine.drive.with_state(|s| s.ata.clone()), [SET_PASSWORD, PREPARE, ERASE, DISABLE]);
    assert_eq!(machine.drive.with_state(|s| s.ata_password.clone()), None);
}

#[test]
fn a_sas_disk_is_sent_no_ata_command() {
    let machine = Machine::with("sdb", SimDrive::new());
    assert!(machine.refused("ata-erase").contains("not a whole ATA disk"));
    assert!(machine.drive.with_state(|s| s.ata.is_empty()));
}
