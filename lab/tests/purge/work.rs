//! A drive full of data, and a purge of it.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

use fathom_device::Root;
use fathom_guard::Consent;
use fathom_guard::purge::{Ledger, PurgeError, PurgePlan, PurgeRecord, Sampling, Wish, execute, plan};
use fathom_lab::{Drive, sh};

/// Where the state of devices is kept.
pub const STATE: &str = "/tmp/purge-state";

const MIB: u64 = 1 << 20;
/// One MiB in every `STRIDE` is filled, and both ends, because emulated drives are slow.
const STRIDE: u64 = 8;

/// Writes data to its ends and to places all over it. No written block is zero,
/// and no two are equal.
pub fn fill(drive: &Drive) {
    let device = File::options().write(true).open(&drive.node).unwrap();
    let mut block = vec![0x5a; MIB as usize];
    let last = drive.size_bytes() / MIB - 1;
    for number in (0..last).step_by(STRIDE as usize).chain([last]) {
        for part in block.chunks_exact_mut(4096) {
            part[..8].copy_from_slice(&number.to_le_bytes());
        }
        device.write_all_at(&block, number * MIB).unwrap();
    }
    device.sync_all().unwrap();
    drop(device);
    sh(&["blockdev", "--flushbufs", &drive.node]);
}

pub fn wish(method: &str, block_bytes: Option<u32>) -> Wish {
    Wish { method: Some(method.to_owned()), block_bytes }
}

pub fn consent(words: &[&str]) -> Consent {
    Consent { destroy: words.iter().map(|word| word.parse().unwrap()).collect(), ..Consent::default() }
}

pub fn planned(drive: &Drive, wish: &Wish, consent: &Consent) -> Result<PurgePlan, PurgeError> {
    plan(&Root::live(), Path::new(&drive.node), wish, consent)
}

/// Plans a purge and does it.
pub fn purge(drive: &Drive, wish: &Wish, words: &[&str]) -> Result<PurgeRecord, PurgeError> {
    let plan = planned(drive, wish, &consent(words))?;
    execute(&Root::live(), &plan, consent(words), &Ledger::at(STATE), Sampling::default(), &mut |_| {})
}

/// Whether every byte of the drive is zero. The test reads it itself, without
/// fathom.
pub fn is_all_zero(drive: &Drive) -> bool {
    sh(&["blockdev", "--flushbufs", &drive.node]);
    let mut device = File::open(&drive.node).unwrap();
    let (zero, mut block) = (vec![0; MIB as usize], vec![0; MIB as usize]);
    (0..drive.size_bytes() / MIB).all(|_| {
        device.read_exact(&mut block).unwrap();
        block == zero
    })
}
