//! The boundary between two passes over the files, at which a job drops the pages that the cache has of them.
//!
//! fio does that for a job with `invalidate` whose I/O goes through the cache: each pass of a time-based job, each of its `loops`, and
//! each that `io_size` asks for begins as cold as the first (measured with fio 3.33; the cases are in `tests/passes.rs`). So a block of
//! descriptors never has I/Os of two passes, and the worker drops the pages before it issues the first block of a pass.

use crate::desc::Desc;
use fathom_job::plan::PlannedJob;

#[derive(Debug, Default)]
pub(super) struct Boundary {
    /// Do the passes begin cold?
    is_used: bool,
    /// Does a pass also begin where a stream goes round within one?
    goes_round: bool,
    /// A pass began since the last descriptor was made.
    was_passed: bool,
    /// The first I/O of a pass, made while the block still had those of the pass before.
    held: Option<Desc>,
    /// The block that was filled last begins a pass.
    is_due: bool,
}

impl Boundary {
    pub fn new(plan: &PlannedJob) -> Boundary {
        let (is_used, goes_round) = (plan.begins_passes_cold(), plan.end.time_based);
        Boundary { is_used, goes_round, ..Boundary::default() }
    }

    /// A pass begins.
    pub fn pass(&mut self) {
        self.was_passed = self.is_used;
    }

    /// A stream begins again at the start of its region. In fio that is a pass only of a job that runs for a time.
    pub fn round(&mut self) {
        self.was_passed |= self.is_used && self.goes_round;
    }

    /// Is there an I/O that the next block begins with?
    #[inline(always)]
    pub fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// The I/O that the next block begins with.
    pub fn take_held(&mut self) -> Option<Desc> {
        let held = self.held.take()?;
        self.is_due = true;
        Some(held)
    }

    /// The I/O that was just made is the first of its block.
    pub fn begin_block(&mut self) {
        self.is_due |= std::mem::take(&mut self.was_passed);
    }

    /// Does an I/O that was just made belong to the block, which has `count` others? One of a new pass is kept for the next block.
    pub fn admits(&mut self, desc: Desc, count: usize) -> bool {
        if count == 0 {
            self.begin_block();
        } else if std::mem::take(&mut self.was_passed) {
            self.held = Some(desc);
            return false;
        }
        true
    }

    /// Does the block that was filled last begin a pass?
    #[inline(always)]
    pub fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.is_due)
    }
}
