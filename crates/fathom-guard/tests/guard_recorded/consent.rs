//! Which words get past the guard, and that each of them stops working when the device is no longer
//! the one that they were given for.

use std::path::Path;

use crate::guard_recorded::machine::{Machine, SIZE};
use fathom_device::signature::Samples;
use fathom_guard::FindingKind::{NoConsent, UnknownContents, Unreadable};
use fathom_guard::{Consent, Door, Refusal, inspect, judge};

const SDB: &str = "8:16";

fn words(words: &[&str]) -> Vec<fathom_guard::DeviceName> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn write(names: &[&str]) -> Consent {
    Consent { write: words(names), ..Consent::default() }
}

fn destroy(names: &[&str]) -> Consent {
    Consent { destroy: words(names), ..Consent::default() }
}

fn disk(serial: &str) -> Machine {
    let machine = Machine::new();
    machine.disk("sdb", SDB, serial);
    machine
}

fn native(machine: &Machine, consent: &Consent) -> Result<(), Box<Refusal>> {
    machine.judge(SDB, Door::Native, consent)
}

fn fio(machine: &Machine, consent: &Consent) -> Result<(), Box<Refusal>> {
    machine.judge(SDB, Door::Fio, consent)
}

#[test]
fn blank_disk_by_door_and_level() {
    let machine = disk("S123");
    let refusal = native(&machine, &Consent::default()).unwrap_err();
    assert!(refusal.has(NoConsent));
    assert!(refusal.can_be_overridden());
    assert_eq!(refusal.hints, ["to allow writing, add: --write S123"]);
    native(&machine, &write(&["S123"])).unwrap();
    native(&machine, &destroy(&["S123"])).unwrap();
    fio(&machine, &Consent::default()).unwrap();
}

#[test]
fn a_disk_with_a_signature_needs_destroy_at_both_doors() {
    let machine = disk("S123");
    machine.data("sdb", 0, b"XFSB");
    for judge in [native, fio] {
        let refusal = judge(&machine, &Consent::default()).unwrap_err();
        assert_eq!(refusal.hints, ["to write to it anyway: --destroy S123"]);
        let refusal = judge(&machine, &write(&["S123"])).unwrap_err();
        assert_eq!(refusal.hints[1], "--write allows writing to blank devices only");
        judge(&machine, &destroy(&["S123"])).unwrap();
    }
}

#[test]
fn unknown_data_needs_destroy_at_the_native_door_only() {
    let machine = disk("S123");
    machine.data("sdb", 99, b"?");
    assert!(native(&machine, &write(&["S123"])).is_err());
    native(&machine, &destroy(&["S123"])).unwrap();
    fio(&machine, &Consent::default()).unwrap();
}

/// What the samples of a disk say, at both doors.
#[test]
fn samples_with_data_need_destroy_at_the_native_door_only() {
    let machine = disk("S123");
    let judged = |samples: Result<Samples, String>, door, consent: &Consent| {
        let mut facts = machine.facts(SDB);
        facts.samples = Some(samples);
        judge(Path::new("/dev/sdb"), &facts, inspect(&facts), door, consent)
    };
    let of = |data_at_bytes| Ok(Samples { blocks: 6905, is_whole: false, data_at_bytes });
    judged(of(None), Door::Native, &write(&["S123"])).unwrap();
    let refusal = judged(of(Some(31 << 20)), Door::Native, &write(&["S123"])).unwrap_err();
    assert!(refusal.has(UnknownContents) && refusal.to_string().contains("at byte 32505856"), "{refusal}");
    assert_eq!(refusal.hints[1], "--write allows writing to blank devices only");
    judged(of(Some(31 << 20)), Door::Native, &destroy(&["S123"])).unwrap();
    judged(of(Some(31 << 20)), Door::Fio, &Consent::default()).unwrap();
    let unreadable = Err("medium error at byte 4096".to_owned());
    let refusal = judged(unreadable, Door::Native, &write(&["S123"])).unwrap_err();
    assert!(refusal.has(Unreadable) && refusal.to_string().contains("at byte 4096"), "{refusal}");
}

/// A machine, the words that mean its disk, and the same machine after one
/// thing about the disk changed: no word may work on it.
#[track_caller]
fn check_stale(before: &Machine, after: &Machine, names: &[&str]) {
    for name in names {
        native(before, &write(&[name])).unwrap_or_else(|e| panic!("{name}: {e}"));
        let refusal = native(after, &write(&[name])).unwrap_err();
        assert!(refusal.has(NoConsent), "{name} still works");
    }
}

#[test]
fn another_serial() {
    check_stale(&disk("S123"), &disk("S124"), &["S123"]);
}

#[test]
fn another_wwid() {
    let (before, after) = (disk("S123"), disk("S123"));
    before.attribute("sdb", "wwid", "eui.0025");
    after.attribute("sdb", "wwid", "eui.0026");
    check_stale(&before, &after, &["eui.0025"]);
}

#[test]
fn by_id_of_another_device() {
    let (before, after) = (disk("S123"), disk("S123"));
    before.by_id("ata-DISK_S123", "sdb");
    after.disk("sdc", "8:32", "S999").by_id("ata-DISK_S123", "sdc");
    check_stale(&before, &after, &["ata-DISK_S123", "/dev/disk/by-id/ata-DISK_S123"]);
}

#[test]
fn by_id_alone_is_not_enough_without_a_serial() {
    let (machine, grown) = (disk(""), disk(""));
    machine.by_id("usb-X", "sdb");
    grown.by_id("usb-X", "sdb").attribute("sdb", "size", "4096");
    assert!(native(&machine, &write(&["usb-X"])).is_err());
    check_stale(&machine, &grown, &["usb-X:64M", &format!("usb-X:{SIZE}")]);
}

fn backed(file: &str) -> Machine {
    let machine = Machine::new();
    machine.loop_over("loop0", SDB, file);
    machine
}

#[test]
fn backing_path_and_size() {
    let names = ["/a.img:64M", "/a.img:67108864", "/a.img:65536K"];
    check_stale(&backed("/a.img"), &backed("/b.img"), &names);
    let resized = backed("/a.img");
    resized.attribute("loop0", "size", "4096");
    check_stale(&backed("/a.img"), &resized, &names);
    assert!(native(&backed("/a.img"), &write(&["/a.img"])).is_err());
    let hints = native(&backed("/a b.img"), &Consent::default()).unwrap_err().hints;
    assert_eq!(hints, ["to allow writing, add: --write '/a b.img:67108864'"]);
}

#[test]
fn disk_sequence_for_a_device_without_any_name() {
    let nameless = |sequence| {
        let machine = Machine::new();
        machine.disk("zram0", SDB, "").attribute("zram0", "diskseq", sequence);
        machine
    };
    check_stale(&nameless("9"), &nameless("10"), &["by-diskseq/9:64M"]);
    let named = disk("S123");
    named.attribute("sdb", "diskseq", "9");
    assert!(native(&named, &write(&["by-diskseq/9:64M"])).is_err());
}

#[test]
fn a_kernel_name_behind_a_loop_device_is_not_offered_as_consent() {
    for backing in ["/dev/sdb1", "/dev/shm/a.img"] {
        let machine = backed(backing);
        machine.attribute("loop0", "diskseq", "9");
        let hints = native(&machine, &Consent::default()).unwrap_err().hints;
        assert_eq!(hints, ["to allow writing, add: --write by-diskseq/9:67108864"], "{backing}");
        native(&machine, &write(&["by-diskseq/9:67108864"])).unwrap();
    }
}

#[test]
fn a_partition_is_named_with_its_number() {
    let machine = disk("S123");
    machine.partition("sdb", 1, "8:17").partition("sdb", 2, "8:18");
    let judge = |consent: &Consent| machine.judge("8:17", Door::Native, consent);
    for wrong in ["S123", "S123-part2"] {
        assert!(judge(&write(&[wrong])).is_err(), "{wrong}");
    }
    judge(&write(&["S123-part1"])).unwrap();
    assert!(native(&machine, &destroy(&["S123-part1"])).is_err());
    native(&machine, &destroy(&["S123"])).unwrap();
}

#[test]
fn a_serial_shared_by_two_disks_names_neither() {
    let machine = disk("S123");
    machine.disk("sdc", "8:32", "S123").attribute("sdb", "wwid", "eui.0025");
    let refusal = native(&machine, &write(&["S123"])).unwrap_err();
    assert_eq!(refusal.hints[0], "to allow writing, add: --write eui.0025");
    native(&machine, &write(&["eui.0025"])).unwrap();
}

#[test]
fn without_any_name_of_its_own_there_is_no_consent() {
    let machine = disk("S123");
    machine.disk("sdc", "8:32", "S123");
    let refusal = native(&machine, &write(&["S123"])).unwrap_err();
    assert!(refusal.hints[0].contains("no name that no other device has"));
}

#[test]
fn a_serial_must_match_whole_and_in_case() {
    for wrong in ["S12", "S1234", "s123", "S123:64M"] {
        assert!(native(&disk("S123"), &write(&[wrong])).is_err(), "{wrong}");
    }
}
