//! The state of a verification: what a job has written. It is saved while the job runs and at its end, and a later run loads it.
//!
//! A job with `verify_state_save` gives its state to the run's sink when it ends, for whatever reason, and at intervals before, so that
//! a kill leaves the last one. A job with `verify_state_load` begins with the writes of such a state ([`Writer::restored`]). Blocks
//! that were written after that state was saved are recognised by the number of their write, and are not wrong.

use super::{Origin, Restored, Verifier, Writer, Written};
use fathom_job::plan::{PlannedFile, PlannedJob};
use fathom_results::{JobBlocks, StateHead, StateWrite, VerifyState};
use fathom_verify::Lineage;

/// The time before the first state is saved, ns; each further one is saved after twice as long as the one before.
const FIRST_NS: u64 = 1_000_000_000;
/// The longest time between two states, ns.
const INTERVAL_NS_MAX: u64 = 60_000_000_000;
/// The clock is read after so many writes.
const WRITES_PER_LOOK: u32 = 64;
/// A longer list of writes is saved only at the end. To copy one of this length takes about 5 ms, in which the worker handles no
/// I/O.
const LISTED_MAX: usize = 1 << 18;

/// A state as the bytes of its file.
#[derive(Debug)]
pub struct SavedState {
    /// The file.
    pub bytes: Vec<u8>,
    /// The job has ended.
    pub is_final: bool,
}

/// Where states go.
pub type Receiver = Box<dyn FnMut(SavedState)>;

/// Saves the state of a job now and then.
pub(super) struct Saver {
    blocks: JobBlocks,
    /// The job trims.
    trims: bool,
    receiver: Receiver,
    /// Writes until the clock is read.
    left: u32,
    /// The next state is due at this time of the run, ns.
    due_ns: u64,
    interval_ns: u64,
}

impl Saver {
    /// For a job that begins at this time of the run.
    fn new(blocks: JobBlocks, trims: bool, now_ns: u64, receiver: Receiver) -> Saver {
        let due_ns = now_ns + FIRST_NS;
        Saver { blocks, trims, receiver, left: WRITES_PER_LOOK, due_ns, interval_ns: FIRST_NS }
    }

    /// A write has completed. Is it time to read the clock?
    #[inline]
    fn is_time_to_look(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.left = WRITES_PER_LOOK;
        true
    }

    /// Is a state due at this time? Then the next one is due later.
    fn is_due(&mut self, now_ns: u64) -> bool {
        if now_ns < self.due_ns {
            return false;
        }
        self.interval_ns = (2 * self.interval_ns).min(INTERVAL_NS_MAX);
        self.due_ns = now_ns + self.interval_ns;
        true
    }
}

impl Verifier {
    /// Gives the states of the job to `receiver` from now on, if the job writes and is to save them.
    pub fn save_states(&mut self, plan: &PlannedJob, receiver: Receiver) {
        let saves = plan.verify.as_ref().is_some_and(|verify| verify.saves_state);
        if let Some(blocks) = JobBlocks::of(plan).filter(|_| saves && plan.writes()) {
            let now = self.clock.since_origin(self.clock.now());
            let trims = !self.owns_trims || self.trim.is_some();
            self.saver = Some(Saver::new(blocks, trims, now, receiver));
        }
    }

    /// A write has completed.
    #[inline]
    pub(super) fn has_written(&mut self) {
        if self.saver.as_mut().is_some_and(Saver::is_time_to_look) {
            let now = self.clock.since_origin(self.clock.now());
            self.save_if_due(now);
        }
    }

    #[cold]
    fn save_if_due(&mut self, now_ns: u64) {
        let is_due = self.saver.as_mut().is_some_and(|saver| saver.is_due(now_ns));
        if is_due && self.writer.written.listed() <= LISTED_MAX {
            self.save(false);
        }
    }

    /// The job has ended: its last state is saved.
    pub fn save_last(&mut self) {
        self.save(true);
        self.saver = None;
    }

    fn save(&mut self, is_final: bool) {
        let Some(mut saver) = self.saver.take() else { return };
        let Writer { written, origin, .. } = &self.writer;
        let head = StateHead {
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            saved_unix_ns: self.epoch_ns + self.clock.since_origin(self.clock.now()),
            is_final,
            trims: saver.trims,
            key: origin.lineage.key(),
            writer: origin.job as u16,
            issued: written.issued(),
            blocks: saver.blocks.clone(),
            earlier_keys: Vec::new(),
        };
        (saver.receiver)(SavedState { bytes: head.with(written.kept()), is_final });
        self.saver = Some(saver);
    }
}

/// The longest block of a job that writes blocks of which one may begin within another.
fn shifted_blocks(state: &VerifyState) -> Option<u64> {
    let JobBlocks { block_bytes: (least, most), files, .. } = &state.head.blocks;
    let begin = |write: &StateWrite| files.get(write.file as usize).map_or(0, |file| file.offset_bytes);
    let is_shifted = |write: &StateWrite| !write.offset.wrapping_sub(begin(write)).is_multiple_of(*most);
    (*most > 0 && (least != most || state.writes.iter().any(is_shifted))).then_some(*most)
}

impl Writer {
    /// A job of an earlier run, as far as its state knows it; `None` where it has too many blocks.
    pub fn restored(files: &[PlannedFile], state: &VerifyState) -> Option<Writer> {
        let StateHead { key, writer, issued, trims, .. } = state.head;
        let went_on = !state.head.is_final;
        let shifted = shifted_blocks(state).filter(|_| went_on);
        let restored = Some(Restored { trims: trims && went_on, shifted });
        let origin =
            Origin { lineage: Lineage::new(key), job: u32::from(writer), knows_seeds: true, restored };
        Some(Writer {
            written: Written::restored(files, &state.writes, issued)?,
            origin,
            earlier: state.head.earlier_keys.iter().map(|key| Lineage::new(*key)).collect(),
            ..Writer::of_nothing()
        })
    }
}

#[cfg(test)]
mod tests;
