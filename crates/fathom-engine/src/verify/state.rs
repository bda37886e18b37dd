//! The state of a verification: what a job has written. It is saved while the job runs and at its end, and a later run loads it.
//!
//! A job with `verify_state_save` gives its state to the run's sink when it ends, for whatever reason, and at intervals before, so that
//! a kill leaves the last one. A job with `verify_state_load` begins with the writes of such a state ([`Writer::restored`]). Blocks
//! that were written after that state was saved are recognised by the number of their write, and are not wrong.

use super::{Origin, Verifier, Writer, Written};
use fathom_job::plan::{PlannedFile, PlannedJob};
use fathom_results::{JobBlocks, StateHead, VerifyState};
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
    receiver: Receiver,
    /// Writes until the clock is read.
    left: u32,
    /// The next state is due at this time of the run, ns.
    due_ns: u64,
    interval_ns: u64,
}

impl Saver {
    /// For a job that begins at this time of the run.
    fn new(blocks: JobBlocks, now_ns: u64, receiver: Receiver) -> Saver {
        let due_ns = now_ns + FIRST_NS;
        Saver { blocks, receiver, left: WRITES_PER_LOOK, due_ns, interval_ns: FIRST_NS }
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
            self.saver = Some(Saver::new(blocks, now, receiver));
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
            key: origin.lineage.key(),
            writer: origin.job as u16,
            issued: written.issued(),
            blocks: saver.blocks.clone(),
        };
        (saver.receiver)(SavedState { bytes: head.with(written.kept()), is_final });
        self.saver = Some(saver);
    }
}

impl Writer {
    /// A job of an earlier run, as far as its state knows it; `None` where it has too many blocks.
    pub fn restored(files: &[PlannedFile], state: &VerifyState) -> Option<Writer> {
        let StateHead { key, writer, issued, .. } = state.head;
        let (lineage, job) = (Lineage::new(key), u32::from(writer));
        let origin = Origin { lineage, job, knows_seeds: true, is_restored: true };
        Some(Writer {
            written: Written::restored(files, &state.writes, issued)?,
            origin,
            ..Writer::of_nothing()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::desc::{Desc, Op};
    use crate::fixture::planned;
    use crate::hook::Hook;
    use crate::verify::VerifierParts;
    use fathom_results::{Unchecked, WriteFate};
    use std::cell::RefCell;
    use std::rc::Rc;

    const JOB: &str =
        "[j]\nioengine=psync\nfilename=f\nrw=randwrite\nsize=64k\nbssplit=4k/50:8k/50\nverify=crc32c\n";
    const KEY: u64 = 0x1234_5678_9abc_def0;

    /// A job, the bytes of its file, and its states.
    struct Case {
        plan: PlannedJob,
        verifier: Verifier,
        file: Vec<u8>,
        states: Rc<RefCell<Vec<VerifyState>>>,
    }

    impl Case {
        fn new() -> Case {
            let plan = planned(JOB).jobs.remove(0);
            let verify = plan.verify.clone().unwrap();
            let (states, clock) = (Rc::<RefCell<Vec<VerifyState>>>::default(), Clock::virtual_time());
            let wrong_blocks = Rc::new(|_| true);
            let parts = VerifierParts { plan: &plan, verify: &verify, clock, wrong_blocks };
            let mut verifier = Verifier::new(&parts, Lineage::new(KEY)).unwrap().unwrap();
            let kept = states.clone();
            let keep = move |state: SavedState| {
                kept.borrow_mut().push(VerifyState::from_bytes(&state.bytes).unwrap());
            };
            verifier.save_states(&plan, Box::new(keep));
            Case { plan, verifier, file: vec![0; 64 << 10], states }
        }

        /// Writes a block, or a part of it, as a power cut leaves it.
        fn write(&mut self, at_kib: u64, kib: u32, part: usize) {
            let desc = Desc::new(Op::Write, at_kib << 10, kib << 10, 0);
            let mut data = vec![0; desc.len() as usize];
            self.verifier.issue(0, &desc, &mut data);
            let from = desc.offset as usize;
            self.file[from..from + part].copy_from_slice(&data[..part]);
            self.verifier.complete(0, &desc, desc.len() as i32, &mut []);
        }

        fn state(&mut self) -> VerifyState {
            self.verifier.save(false);
            self.states.borrow().last().unwrap().clone()
        }

        /// What a job that loads this state finds in the file.
        fn check(&self, state: &VerifyState) -> fathom_results::Verification {
            let writer = Writer::restored(&self.plan.files, state).unwrap();
            let verify = self.plan.verify.clone().unwrap();
            let (clock, wrong_blocks) = (Clock::virtual_time(), Rc::new(|_| true));
            let parts = VerifierParts { plan: &self.plan, verify: &verify, clock, wrong_blocks };
            let mut reader = Verifier::reading_back(writer, &parts).unwrap();
            for desc in reader.list() {
                let (from, bytes) = (desc.offset as usize, desc.len() as usize);
                let mut data = self.file[from..from + bytes].to_vec();
                reader.issue(0, &desc, &mut data);
                reader.complete(0, &desc, bytes as i32, &mut data);
            }
            reader.finish();
            reader.found().clone()
        }
    }

    #[test]
    fn what_was_written_is_checked_by_the_state_alone() {
        let mut case = Case::new();
        for (at, kib) in [(0, 8), (16, 4), (0, 8), (20, 8), (24, 4)] {
            case.write(at, kib, (kib << 10) as usize);
        }
        let state = case.state();
        let fates: Vec<_> = state.writes.iter().map(|write| (write.number, write.fate)).collect();
        assert_eq!(
            fates,
            [(1, WriteFate::Whole), (2, WriteFate::Whole), (3, WriteFate::Cut), (4, WriteFate::Whole)]
        );
        let found = case.check(&state);
        assert_eq!(
            (found.ios, found.wrong, found.unchecked),
            (3, 0, Unchecked { cut: 1, ..Default::default() })
        );
        case.file[100] ^= 1;
        assert_eq!(case.check(&state).wrong, 1);
    }

    #[test]
    fn a_block_of_another_run_is_stale() {
        let mut case = Case::new();
        case.write(0, 4, 4096);
        let state = case.state();
        let mut other = Case::new();
        other.verifier.writer.origin.lineage = Lineage::new(7);
        other.write(0, 4, 4096);
        case.file = other.file;
        let found = case.check(&state);
        assert_eq!(found.faults[0].fault.kind, fathom_verify::FaultKind::Stale { of_this_run: false });
    }

    /// A kill comes after the state was saved: what was written in between is not a fault, also where it covers a part of a block
    /// or was torn by a power cut.
    #[test]
    fn what_is_newer_than_the_state_is_counted_and_not_wrong() {
        let mut case = Case::new();
        for at in [0, 8, 16, 24] {
            case.write(at, 8, 8192);
        }
        let state = case.state();
        case.write(0, 8, 8192);
        case.write(12, 4, 4096);
        case.write(16, 8, 2048);
        let found = case.check(&state);
        assert_eq!(
            (found.ios, found.wrong, found.unchecked),
            (1, 0, Unchecked { newer: 3, ..Default::default() })
        );
    }

    #[test]
    fn states_are_given_away_at_longer_and_longer_intervals() {
        let mut case = Case::new();
        let mut at = Vec::new();
        for second in 0..200_u64 {
            let before = case.states.borrow().len();
            case.verifier.save_if_due(second * 1_000_000_000);
            if case.states.borrow().len() > before {
                at.push(second);
            }
        }
        assert_eq!(at, [1, 3, 7, 15, 31, 63, 123, 183]);
        case.verifier.save_last();
        assert!(case.states.borrow().last().unwrap().head.is_final);
        case.verifier.save_last();
        assert_eq!(case.states.borrow().len(), at.len() + 1, "once");
    }
}
