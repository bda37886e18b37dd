//! How much a worker may still issue.

use crate::desc::Desc;
use fathom_job::plan::{EndRule, Passes, PlannedJob};
use fathom_job::units::Bytes;

#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The value of `bytes` at which the current pass ends.
    bytes_max: u64,
    ios_max: u64,
    bytes: u64,
    ios: u64,
    /// I/Os of the verification that count like those of the job, and their bytes.
    added_ios: u64,
    added_bytes: u64,
    /// The value of `ios` at which the current pass began.
    pass_from: u64,
    passes: Passes,
    /// Passes that follow the current one in any case.
    loops_left: u32,
    block_max: u64,
    /// Bytes that the whole job moves.
    total: u64,
}

/// Limits that are never reached, and passes without an end.
const UNLIMITED: Passes = Passes { pass: Bytes(u64::MAX), job: Bytes(u64::MAX), wanted: Bytes(u64::MAX) };

impl Budget {
    /// The limits of a plan, in its first pass; a limit that is not set is
    /// never reached. A time-based job has no byte limit; `trimwrite` counts
    /// each block twice. `block_max` is the largest block.
    pub fn new(end: &EndRule, block_max: u64) -> Self {
        let total = end.bytes.map_or(u64::MAX, |b| b.0);
        let passes = match end.passes {
            Some(passes) => passes,
            None if end.time_based => UNLIMITED,
            None => Passes { pass: Bytes(total), job: Bytes(total), wanted: Bytes(0) },
        };
        Budget {
            bytes_max: passes.pass.0.min(passes.job.0),
            ios_max: end.ios.unwrap_or(u64::MAX),
            bytes: 0,
            ios: 0,
            added_ios: 0,
            added_bytes: 0,
            pass_from: 0,
            passes,
            loops_left: end.loops.saturating_sub(1),
            block_max,
            total,
        }
    }

    /// Is a limit of the pass reached? A limit is checked before an I/O is
    /// made, so the last one may pass it by less than a block, as in fio.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.bytes >= self.bytes_max || self.ended_by_ios()
    }

    /// Begins another pass; false when the job has made all of its passes, or
    /// may not issue anything in another one.
    pub fn begin_pass(&mut self) -> bool {
        let moved = self.bytes.saturating_add(self.added_bytes);
        let lacks_a_block = self.passes.wanted.0.saturating_sub(moved) >= self.block_max.max(1);
        if self.loops_left == 0 && !lacks_a_block {
            return false;
        }
        self.loops_left = self.loops_left.saturating_sub(1);
        self.bytes_max = self.bytes.saturating_add(self.passes.pass.0).min(self.passes.job.0);
        self.pass_from = self.ios;
        !self.is_spent()
    }

    /// A pass has no limit in bytes of its own.
    pub fn forget_passes(&mut self) {
        self.passes.pass = self.passes.job;
        self.bytes_max = self.passes.job.0;
    }

    /// Was nothing made in the current pass, although the limits allow it?
    pub fn is_stuck(&self) -> bool {
        self.ios == self.pass_from && !self.is_spent()
    }

    /// Counts I/Os that the verification adds. They count for the limit of I/Os, and for whether another pass follows, but not for
    /// the bytes at which a pass ends; so fio 3.33 does it.
    pub fn add(&mut self, ios: u64, bytes: u64) {
        self.added_ios += ios;
        self.added_bytes = self.added_bytes.saturating_add(bytes);
    }

    #[inline]
    pub fn take(&mut self, len: u64) {
        self.ios += 1;
        // Trims of exbibytes reach the end of 64 bits; the limit then holds.
        self.bytes = self.bytes.saturating_add(len);
    }

    /// An I/O that was counted is not issued.
    pub fn give_back(&mut self, len: u64) {
        self.ios -= 1;
        self.bytes -= len;
    }

    pub fn take_many(&mut self, ios: u64, len: u64) {
        self.ios += ios;
        self.bytes = self.bytes.saturating_add(ios.saturating_mul(len));
    }

    /// How many I/Os of `len` bytes may be made now, at most `want`.
    #[inline]
    pub fn allows(&self, want: usize, len: u64) -> usize {
        let by_bytes = self.bytes_max.saturating_sub(self.bytes).div_ceil(len.max(1));
        let by_ios = self.ios_max.saturating_sub(self.ios + self.added_ios);
        (want as u64).min(by_bytes).min(by_ios) as usize
    }

    /// Starts again after the ramp, which has a budget of its own. `ios` I/Os of
    /// `bytes` bytes are in flight and count already. The ramp ends in the
    /// middle of a pass, so from now on the only limit in bytes is the one of the
    /// whole job.
    pub fn restart(&mut self, ios: u64, bytes: u64) {
        (self.ios, self.bytes) = (ios, bytes);
        (self.added_ios, self.added_bytes) = (0, 0);
        // What the pass made before is not known.
        self.pass_from = u64::MAX;
        self.bytes_max = self.total;
        self.passes = Passes { job: Bytes(self.total), ..UNLIMITED };
    }

    pub fn ended_by_ios(&self) -> bool {
        self.ios + self.added_ios >= self.ios_max
    }
}

// The boundary between two passes over the files, at which a job drops the pages that the cache has of them.
//
// fio does that for a job with `invalidate` whose I/O goes through the cache: each pass of a time-based job, each of its `loops`, and
// each that `io_size` asks for begins as cold as the first (measured with fio 3.33; the cases are in `tests/passes.rs`). So a block of
// descriptors never has I/Os of two passes, and the worker drops the pages before it issues the first block of a pass.

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

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(bytes: Option<u64>, ios: Option<u64>) -> Budget {
        let end = EndRule {
            bytes: bytes.map(Bytes),
            ios,
            time: None,
            loops: 1,
            time_based: bytes.is_none(),
            passes: None,
            when_full: false,
        };
        Budget::new(&end, 4096)
    }

    /// Bytes after each pass of a job whose files hold `room` bytes, in blocks
    /// of 4,096.
    fn totals(passes: Passes, loops: u32, room: u64) -> Vec<u64> {
        let end = EndRule {
            bytes: None,
            ios: None,
            time: None,
            loops,
            time_based: false,
            passes: Some(passes),
            when_full: false,
        };
        let (mut budget, mut totals) = (Budget::new(&end, 4096), Vec::new());
        loop {
            let ios = budget.allows((room / 4096) as usize, 4096);
            budget.take_many(ios as u64, 4096);
            totals.push(budget.bytes);
            if !budget.begin_pass() {
                return totals;
            }
        }
    }

    #[test]
    fn passes_follow_while_a_block_is_lacking() {
        let limits = |pass, job, wanted| Passes { pass: Bytes(pass), job: Bytes(job), wanted: Bytes(wanted) };
        let block = 4096;
        // Each pass goes beyond its limit; the limit of the job also applies.
        assert_eq!(totals(limits(10_000, 30_000, 0), 3, 1 << 20), [3 * block, 6 * block, 8 * block]);
        // After the second pass less than a block is missing, or exactly one block.
        assert_eq!(totals(limits(8192, 20_479, 20_479), 1, 1 << 20), [2 * block, 4 * block]);
        assert_eq!(totals(limits(8192, 20_480, 20_480), 1, 1 << 20), [2 * block, 4 * block, 5 * block]);
        // `loops` passes are made in any case, and the files end a pass.
        assert_eq!(totals(limits(9000, 15_000, 5000), 3, 8192), [2 * block, 4 * block]);
        assert_eq!(totals(limits(9000, 30_000, 5000), 2, 8192), [2 * block, 4 * block]);
    }

    #[test]
    fn the_last_io_may_pass_the_byte_limit() {
        let mut budget = budget(Some(10_000), None);
        assert_eq!(budget.allows(64, 4096), 3);
        budget.take_many(2, 4096);
        assert!(!budget.is_spent());
        budget.take(4096);
        assert!(budget.is_spent() && !budget.ended_by_ios());
        assert_eq!(budget.allows(64, 4096), 0);
    }

    #[test]
    fn the_count_of_ios_limits_too() {
        let mut budget = budget(Some(1 << 30), Some(5));
        assert_eq!(budget.allows(64, 4096), 5);
        budget.take_many(5, 4096);
        assert!(budget.is_spent() && budget.ended_by_ios());
        budget.restart(0, 0);
        assert_eq!(budget.allows(3, 4096), 3);
    }

    #[test]
    fn without_limits_it_is_never_spent() {
        let mut budget = budget(None, None);
        budget.take_many(1 << 40, 1 << 20);
        assert!(!budget.is_spent() && !budget.ended_by_ios());
        assert_eq!(budget.allows(64, 0), 64);
    }
}
