//! `nop`: io_uring's no-operation. Everything a ring costs, and nothing else.
//!
//! Between `null` (our own cost) and a real target (everything) it shows what
//! submitting and reaping through the kernel cost on this machine.

use super::{AsyncEngine, Context, EngineEntry, EngineError, Staged, declare};
use crate::desc::Desc;
use fathom_job::engine::EngineDef;
use io_uring::{IoUring, opcode};
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Nop>(EngineDef {
    diskless: true,
    ..declare("nop", "io_uring's no-operation: the cost of a ring without I/O", 32768)
});

/// A ring, and what each slot was asked to move.
pub struct Nop {
    ring: IoUring,
    asked: Vec<i32>,
}

impl AsyncEngine for Nop {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let ring = IoUring::builder()
            .setup_clamp()
            .setup_cqsize(context.depth.next_power_of_two() * 2)
            .build(context.depth.next_power_of_two())
            .map_err(|source| EngineError { engine: "nop", act: "set up a ring".to_owned(), source })?;
        Ok(Nop { ring, asked: vec![0; context.depth as usize] })
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc, _buffer: *mut u8) -> Staged {
        self.asked[slot as usize] = desc.len as i32;
        let entry = opcode::Nop::new().build().user_data(u64::from(slot));
        // SAFETY: a no-operation refers to no memory and no file.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        if pushed.is_ok() { Staged::Queued } else { Staged::Done(-libc::EBUSY) }
    }

    #[inline(always)]
    fn submit(&mut self, wait: u32, _timeout_ns: u64) -> io::Result<u32> {
        self.ring.submit_and_wait(wait as usize).map(|n| n as u32)
    }

    #[inline(always)]
    fn reap(&mut self, max: usize, mut done: impl FnMut(u32, i32)) -> usize {
        let Nop { ring, asked } = self;
        let mut count = 0;
        let mut queue = ring.completion();
        while count < max {
            let Some(entry) = queue.next() else { break };
            let slot = entry.user_data() as u32;
            done(slot, if entry.result() < 0 { entry.result() } else { asked[slot as usize] });
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;
    use crate::memory::{Layout, Region};

    #[test]
    fn every_slot_comes_back_with_what_it_was_asked_to_move() {
        let plan = planned("[j]\nioengine=nop\nrw=read\nsize=1m\niodepth=4\n");
        let buffers = Region::map(Layout { slots: 4, slot_bytes: 4096, align: 4096, huge: false }).unwrap();
        let context = Context { plan: &plan.jobs[0], files: &[], buffers: &buffers, depth: 4 };
        let mut engine = Nop::open(&context).unwrap();
        for slot in 0..4 {
            let desc = Desc { len: 512 << slot, ..Desc::EMPTY };
            assert_eq!(engine.stage(slot, &desc, std::ptr::null_mut()), Staged::Queued);
        }
        assert_eq!(engine.submit(4, 0).unwrap(), 4);
        let mut seen = Vec::new();
        while seen.len() < 4 {
            engine.reap(usize::MAX, |slot, moved| seen.push((slot, moved)));
        }
        seen.sort_unstable();
        assert_eq!(seen, [(0, 512), (1, 1024), (2, 2048), (3, 4096)]);
    }
}
