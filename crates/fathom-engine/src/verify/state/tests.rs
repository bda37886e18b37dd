mod random;

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
        Case::of(JOB)
    }

    fn of(job: &str) -> Case {
        let plan = planned(job).jobs.remove(0);
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
    assert_eq!((found.ios, found.wrong, found.unchecked), (3, 0, Unchecked { cut: 1, ..Default::default() }));
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
    // The same, where that run was an earlier pass of this verification.
    let mut state = state;
    state.head.earlier_keys = vec![9, 7];
    assert_eq!(case.check(&state).faults[0].fault.kind, fathom_verify::FaultKind::EarlierPass);
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
