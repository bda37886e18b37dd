//! Nothing happens without consent, to what is in use, or to another device
//! than the planned one.

use std::fs::OpenOptions;

use fathom_device::Root;
use fathom_guard::Consent;
use fathom_guard::purge::{Ledger, PurgeError, Wish, plan};

use crate::guard_live::loops::{Loop, SIZE, run};
use crate::purge_live::ranges::{carry_out, consent, purge, wish, write};

fn image(disk: &Loop) -> Vec<u8> {
    run("blockdev", &["--flushbufs", disk.name()]);
    std::fs::read(&disk.image).unwrap()
}

#[test]
fn a_plan_writes_nothing_and_names_what_is_lost() {
    let disk = Loop::blank();
    disk.format(disk.name());
    let before = image(&disk);
    let plan = plan(&Root::live(), &disk.node, &Wish::default(), &Consent::default()).unwrap();
    assert!(plan.is_possible() && !plan.is_allowed());
    assert_eq!(plan.consent().unwrap(), [disk.word()]);
    assert!(plan.affected[0].holds[0].detail.contains("ext4"), "{:?}", plan.affected);
    assert!(plan.ladder.iter().all(|rung| rung.why_not.is_some() || rung.is_offered), "{:?}", plan.ladder);
    assert!(image(&disk) == before);
}

#[test]
fn another_devices_consent_is_none() {
    let disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    write(&disk.node, 0);
    let before = image(&disk);
    let wrong = format!("{}:{}", disk.image.display(), SIZE + 512);
    for method in ["trim", "zero"] {
        let e = purge(&disk.node, &wish(method), &wrong, &ledger).unwrap_err();
        assert!(e.is_refusal(), "{e}");
        assert!(e.hints()[0].contains(&disk.word()), "{:?}", e.hints());
    }
    assert!(image(&disk) == before);
    assert!(!ledger.path(&plan_of(&disk).device).unwrap().exists(), "nothing began");
}

fn plan_of(disk: &Loop) -> fathom_guard::purge::PurgePlan {
    plan(&Root::live(), &disk.node, &wish("trim"), &consent(&disk.word())).unwrap()
}

#[test]
fn what_is_mounted_is_barred() {
    let mut disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    disk.format(disk.name());
    disk.mount_whole();
    let plan = plan_of(&disk);
    assert!(!plan.is_possible());
    let e = carry_out(&plan, &disk.word(), &ledger).unwrap_err();
    assert!(e.is_refusal() && e.to_string().contains("is mounted on"), "{e}");
}

#[test]
fn a_device_that_changed_after_the_plan_is_not_touched() {
    let disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    write(&disk.node, 0);
    let plan = plan_of(&disk);
    OpenOptions::new().write(true).open(&disk.image).unwrap().set_len(SIZE / 2).unwrap();
    run("losetup", &["-c", disk.name()]);
    let before = image(&disk);
    let word = format!("{}:{}", disk.image.display(), SIZE / 2);
    let e = carry_out(&plan, &word, &ledger).unwrap_err();
    assert!(matches!(e, PurgeError::Changed { .. }), "{e}");
    assert!(image(&disk) == before);
}

#[test]
fn a_file_and_a_missing_device_are_usage_errors() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let e = plan(&Root::live(), file.path(), &Wish::default(), &Consent::default()).unwrap_err();
    assert!(matches!(e, PurgeError::NotADevice { .. }), "{e}");
    let missing = std::path::Path::new("/dev/no-such-disk");
    let e = plan(&Root::live(), missing, &Wish::default(), &Consent::default()).unwrap_err();
    assert!(!e.is_refusal() && e.to_string().contains("no-such-disk"), "{e}");
}
