//! What a verification of a whole target came to.

use super::{VerifyTarget, read_back, written};
use crate::{History, Proof};
use fathom_results::answer::{Headline, VerifiedHeadline, VerifiedPass};
use fathom_results::procedure::RoundDone;
use fathom_results::{FaultAt, Unchecked, Verdict, Verification};

/// The reasons for which what was read back may not be what the medium holds. Others are about figures, of which a proof needs
/// none.
const OF_PROOF: [&str; 4] = ["foreign-io", "memory-backed", "page-cache", "simulated"];

/// Wrong blocks that are named.
const NAMED_MAX: usize = 10;

/// What some rounds found together.
#[derive(Default)]
struct Found {
    bytes: u64,
    wrong: u64,
    unchecked: Unchecked,
    faults: Vec<FaultAt>,
}

impl Found {
    fn add(&mut self, one: &Verification) {
        self.bytes += one.bytes;
        self.wrong += one.wrong;
        self.unchecked += one.unchecked;
        let room = NAMED_MAX.saturating_sub(self.faults.len());
        self.faults.extend(one.faults.iter().take(room).cloned());
    }

    fn of<'a>(rounds: impl Iterator<Item = &'a RoundDone>) -> Found {
        let mut found = Found::default();
        rounds.flat_map(|round| &round.verified).for_each(|job| found.add(&job.verification));
        found
    }
}

impl VerifyTarget {
    /// The passes of which something was done.
    fn passes(&self, history: &History<'_>) -> Vec<VerifiedPass> {
        let of_pass = |pass| self.pass(history, pass);
        (1..).map(of_pass).take_while(|pass| pass.written_bytes > 0 || pass.read_seconds > 0.0).collect()
    }

    fn pass(&self, history: &History<'_>, pass: u32) -> VerifiedPass {
        let seconds = |rounds: &mut dyn Iterator<Item = &RoundDone>| {
            rounds.map(|round| round.whole.seconds).fold(0.0, |all, seconds| all + seconds)
        };
        let found = Found::of(read_back(history, pass));
        VerifiedPass {
            pass: u64::from(pass),
            written_bytes: written(history, pass).map(|round| round.written_bytes).sum(),
            write_seconds: seconds(&mut written(history, pass)),
            checked_bytes: found.bytes,
            read_seconds: seconds(&mut read_back(history, pass)),
            wrong: found.wrong,
            unchecked: found.unchecked,
        }
    }

    /// How much of the target is proven.
    pub(super) fn proof_of(&self, history: &History<'_>) -> Proof {
        let passes = self.passes(history);
        let has_errors = history.rounds().any(|round| round.errors > 0);
        match passes.last() {
            _ if has_errors || passes.iter().any(|pass| pass.wrong > 0) => Proof::Wrong,
            Some(last) if last.checked_bytes == self.size.0 => Proof::Whole,
            _ => Proof::Missing,
        }
    }

    pub(super) fn verdict(&self, history: &History<'_>) -> Verdict {
        let found = Found::of(history.rounds());
        let headline = VerifiedHeadline {
            target: self.target.clone(),
            bytes: self.size.0,
            method: self.method.clone(),
            is_read_only: !self.writes(),
            passes: self.passes(history),
            errors: history.rounds().map(|round| round.errors).sum(),
            wrong: found.wrong,
            faults: found.faults,
        };
        let distrust = history.doubts_among(|code| OF_PROOF.contains(&code));
        Verdict { headline: Headline::Verified(headline), distrust }
    }
}
