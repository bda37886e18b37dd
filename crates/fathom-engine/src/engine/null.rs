//! `null`: completes everything at once and moves nothing.
//!
//! What remains is fathom's own cost per I/O; the self-knowledge of every run
//! and the benchmarks are built on it.

use super::{AsyncEngine, Context, EngineEntry, EngineError, Staged, declare};
use crate::desc::Desc;
use fathom_job::engine::EngineDef;
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Null>(EngineDef {
    diskless: true,
    ..declare("null", "completes every I/O at once without doing it", 65536)
});

/// Staged I/Os, complete as soon as they are submitted.
pub struct Null {
    staged: Vec<(u32, i32)>,
    ready: usize,
}

impl AsyncEngine for Null {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        Ok(Null { staged: Vec::with_capacity(context.depth as usize), ready: 0 })
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc, _buffer: *mut u8) -> Staged {
        self.staged.push((slot, desc.len as i32));
        Staged::Queued
    }

    #[inline(always)]
    fn submit(&mut self, _wait: u32, _timeout_ns: u64) -> io::Result<u32> {
        let submitted = self.staged.len() - self.ready;
        self.ready = self.staged.len();
        Ok(submitted as u32)
    }

    #[inline(always)]
    fn reap(&mut self, max: usize, mut done: impl FnMut(u32, i32)) -> usize {
        let count = self.ready.min(max);
        for &(slot, result) in &self.staged[..count] {
            done(slot, result);
        }
        if count == self.staged.len() {
            self.staged.clear();
        } else {
            self.staged.drain(..count);
        }
        self.ready -= count;
        count
    }
}
