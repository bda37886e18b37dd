//! `null`: completes everything at once and moves nothing.
//!
//! What remains is fathom's own cost per I/O. The self-knowledge of every run
//! and the benchmarks use this engine.

use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::desc::Desc;
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Null>("null");

/// Staged I/Os, complete as soon as they are submitted.
pub struct Null {
    /// Slot and bytes, in the order in which they were staged; never more than
    /// the depth.
    staged: Box<[(u32, i32)]>,
    count: usize,
    ready: usize,
}

impl AsyncEngine for Null {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        Ok(Null { staged: vec![(0, 0); context.depth as usize].into(), count: 0, ready: 0 })
    }

    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc) {
        debug_assert!(self.count < self.staged.len());
        // SAFETY: a queue stages no more than its depth, which is the length.
        let place = unsafe { self.staged.get_unchecked_mut(self.count) };
        *place = (slot, desc.len() as i32);
        self.count += 1;
    }

    fn control(&mut self, _slot: u32, _desc: &Desc) -> Staged {
        Staged::Done(0)
    }

    #[inline(always)]
    fn submit(&mut self, _wait: u32, _timeout_ns: u64) -> io::Result<u32> {
        let submitted = self.count - self.ready;
        self.ready = self.count;
        Ok(submitted as u32)
    }

    #[inline(always)]
    fn available(&mut self) -> usize {
        self.ready
    }

    #[inline(always)]
    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        for &(slot, result) in &self.staged[..count] {
            done(u64::from(slot), result);
        }
        if count < self.count {
            self.staged.copy_within(count..self.count, 0);
        }
        self.ready -= count;
        self.count -= count;
    }
}
