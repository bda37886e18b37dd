//! One purge from the first sample to the record.
//!
//! ```text
//! samples ─► ledger: begun ─► method ─► identity again ─► samples ─► proof ─► ledger: purged, or not proven
//! ```
//! This order makes a power cut harmless: the ledger never promises more than was done.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::drive::DriveInterfaces;
use super::error::PurgeError;
use super::facts::DriveFacts;
use super::ledger::{Ledger, PurgeState};
use super::method::{DriveAnswer, Method, ProgressListener, PurgeProgress, Terms, Wish, Work};
use super::proof::Proof;
use super::record::PurgeRecord;
use super::samples::{Sampling, WindowSamples};
use fathom_device::device::Identity;

/// A claimed device, and the way to see it again afterwards.
pub trait Bench {
    /// The claimed device, for commands.
    fn drive(&self) -> &dyn DriveInterfaces;
    /// The device after the kernel has noticed what happened: with blocks of `block_bytes`, if that
    /// is given. It is opened again, for reading only.
    fn reopen(&self, block_bytes: Option<u32>) -> Result<PurgedDevice, PurgeError>;
}

/// The device after a purge.
pub struct PurgedDevice {
    /// Its identity now.
    pub identity: Identity,
    /// Open for reading.
    pub drive: Box<dyn DriveInterfaces>,
    /// What it says now.
    pub facts: DriveFacts,
}

/// What is to be done, decided under the claim.
pub struct PurgeTask<'a> {
    /// The method.
    pub method: &'static Method,
    /// What the method does to this device.
    pub terms: &'a Terms,
    /// What is wanted.
    pub wish: &'a Wish,
    /// What the device says under the claim.
    pub facts: &'a DriveFacts,
    /// Every device that is emptied, the named one first.
    pub affected: &'a [Identity],
    /// Which places are read for the proof.
    pub sampling: Sampling,
}

/// Carries it out.
pub fn perform(
    job: &PurgeTask<'_>,
    bench: &dyn Bench,
    ledger: &Ledger,
    tell: ProgressListener<'_>,
) -> Result<PurgeRecord, PurgeError> {
    tell(PurgeProgress::Step("reading what is there".to_owned()));
    let before = WindowSamples::read(bench.drive(), job.facts.identity.size_bytes, job.sampling);
    let began_unix_s = now();
    note(job, ledger, || begun(job, began_unix_s))?;
    let work = Work { drive: bench.drive(), facts: job.facts, wish: job.wish };
    let answers = match (job.method.run)(&work, tell) {
        Ok(answers) => answers,
        Err(e) => {
            let message = e.to_string();
            let method = job.method.id.to_owned();
            note(job, ledger, || PurgeState::Failed {
                began_unix_s,
                method: method.clone(),
                said: message.clone(),
            })?;
            return Err(e);
        }
    };
    tell(PurgeProgress::Step("reading what is left".to_owned()));
    let purged = bench.reopen(job.terms.block_bytes)?;
    let after = WindowSamples::read(&*purged.drive, purged.identity.size_bytes, job.sampling);
    let proof = Proof::of(&before, &after);
    let record = record(job, began_unix_s, answers, purged, proof);
    note(job, ledger, || PurgeState::ended(Box::new(record.clone())))?;
    Ok(record)
}

fn begun(job: &PurgeTask<'_>, began_unix_s: u64) -> PurgeState {
    PurgeState::Begun { began_unix_s, method: job.method.id.to_owned(), act: job.terms.act.clone() }
}

fn record(
    job: &PurgeTask<'_>,
    began_unix_s: u64,
    answers: Vec<DriveAnswer>,
    purged: PurgedDevice,
    proof: Proof,
) -> PurgeRecord {
    let used = |facts: &DriveFacts| facts.nvme.as_ref().map(|nvme| nvme.namespace.used_blocks);
    PurgeRecord {
        began_unix_s,
        ended_unix_s: now(),
        method: job.method.id.to_owned(),
        act: job.terms.act.clone(),
        leaves: job.method.leaves.to_owned(),
        answers,
        before: job.facts.identity.clone(),
        used_blocks: used(job.facts).zip(used(&purged.facts)),
        after: purged.identity,
        affected: job.affected.to_vec(),
        proof,
    }
}

/// Stores the state of every device that is emptied.
fn note(job: &PurgeTask<'_>, ledger: &Ledger, standing: impl Fn() -> PurgeState) -> Result<(), PurgeError> {
    job.affected.iter().try_for_each(|device| {
        let stored = ledger.store(device, standing());
        stored.map(drop).map_err(|source| ledger_error(device, source))
    })
}

fn ledger_error(device: &Identity, source: io::Error) -> PurgeError {
    let act = "write the state file of".to_owned();
    PurgeError::Io { device: device.kernel_name.clone(), act, source }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
