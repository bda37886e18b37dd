//! TRIM and zeroes on a loop device: the file behind it shows the effect.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use fathom_device::Root;
use fathom_guard::Consent;
use fathom_guard::purge::{
    Ledger, Outcome, PurgeError, PurgePlan, PurgeRecord, PurgeState, Sampling, Wish, execute, plan,
};

use crate::guard_live::loops::{Loop, SIZE};

pub fn wish(method: &str) -> Wish {
    Wish { method: Some(method.to_owned()), block_bytes: None }
}

pub fn consent(word: &str) -> Consent {
    Consent { destroy: vec![word.parse().unwrap()], ..Consent::default() }
}

pub fn purge(node: &Path, wish: &Wish, word: &str, ledger: &Ledger) -> Result<PurgeRecord, PurgeError> {
    let root = Root::live();
    let plan = plan(&root, node, wish, &consent(word))?;
    carry_out(&plan, word, ledger)
}

pub fn carry_out(plan: &PurgePlan, word: &str, ledger: &Ledger) -> Result<PurgeRecord, PurgeError> {
    let sampling = Sampling { windows: 100, seed: 7 };
    execute(&Root::live(), plan, consent(word), ledger, sampling, &mut |_| {})
}

/// 16 MiB of data at `offset`.
pub fn write(node: &Path, offset: u64) {
    let device = OpenOptions::new().write(true).open(node).unwrap();
    device.write_all_at(&[0x5a; 16 << 20], offset).unwrap();
    device.sync_all().unwrap();
}

fn is_zero(image: &Path, offset: u64, len: usize) -> bool {
    let mut bytes = vec![1; len];
    File::open(image).unwrap().read_exact_at(&mut bytes, offset).unwrap();
    bytes.iter().all(|&b| b == 0)
}

#[test]
fn trim_punches_the_file_behind() {
    let disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    disk.format(disk.name());
    write(&disk.node, 64 << 20);
    assert!(disk.image.metadata().unwrap().blocks() * 512 >= 16 << 20);
    let record = purge(&disk.node, &Wish::default(), &disk.word(), &ledger).unwrap();
    assert_eq!((record.method.as_str(), record.proof.outcome), ("trim", Outcome::Empty));
    assert!(record.proof.held_before > 0, "{}", record.proof.statement);
    assert!(disk.image.metadata().unwrap().blocks() * 512 < 1 << 20, "the file still holds blocks");
    assert!(is_zero(&disk.image, 0, 1 << 20) && is_zero(&disk.image, 64 << 20, 16 << 20));
    let state = ledger.load(&record.after).unwrap().unwrap();
    assert!(state.is_fresh() && matches!(state.purge, PurgeState::Purged { .. }));
}

#[test]
fn zeroes_go_everywhere() {
    let disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    for offset in [0, SIZE - (16 << 20)] {
        write(&disk.node, offset);
    }
    let record = purge(&disk.node, &wish("zero"), &disk.word(), &ledger).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Empty);
    assert!(is_zero(&disk.image, 0, SIZE as usize));
}

#[test]
fn a_partition_is_emptied_alone_and_a_disk_forgets_its_partitions() {
    let disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    let partition = disk.partition();
    let word = format!("{}-part1:{}", disk.image.display(), 199 << 20);
    write(Path::new(&partition), 0);
    purge(Path::new(&partition), &wish("trim"), &word, &ledger).unwrap();
    assert!(is_zero(&disk.image, 1 << 20, 16 << 20));
    assert!(!is_zero(&disk.image, 0, 1 << 20), "the table is not the partition's");
    purge(&disk.node, &wish("trim"), &disk.word(), &ledger).unwrap();
    assert!(is_zero(&disk.image, 0, 1 << 20));
    assert!(!Path::new(&partition).exists(), "{partition} is still there");
}

#[test]
fn an_array_members_superblock_is_told_and_gone() {
    let disk = Loop::blank();
    let ledger = Ledger::at(disk.dir().join("state"));
    // A superblock of version 1.2: magic a92b4efc at 4 KiB.
    let device = OpenOptions::new().write(true).open(&disk.node).unwrap();
    let mut superblock = [0; 256];
    superblock[..8].copy_from_slice(&[0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0]);
    superblock[128..136].copy_from_slice(&8u64.to_le_bytes());
    device.write_all_at(&superblock, 4096).unwrap();
    drop(device);
    let plan = plan(&Root::live(), &disk.node, &wish("trim"), &consent(&disk.word())).unwrap();
    let holds: Vec<String> = plan.affected[0].holds.iter().map(ToString::to_string).collect();
    assert!(holds[0].contains("md member"), "{holds:?}");
    carry_out(&plan, &disk.word(), &ledger).unwrap();
    assert!(is_zero(&disk.image, 0, 8192));
}
