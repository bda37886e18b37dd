//! `nop`: io_uring's no-operation. Everything a ring costs, and nothing else.
//!
//! `null` shows the cost of fathom alone, and a real target shows the whole cost.
//! This engine is between them: it shows what submitting and reaping through the
//! kernel cost on this machine.

use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::desc::Desc;
use crate::ring::abi::OP_NOP;
use crate::ring::{Ring, RingSetup};
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Nop>("nop");

/// A ring, and what each slot was asked to move.
pub struct Nop {
    ring: Ring,
    asked: Vec<i32>,
}

impl AsyncEngine for Nop {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let wanted = RingSetup { entries: context.depth.next_power_of_two(), is_polled: false, poller: None };
        let ring = Ring::new(&wanted).map_err(|source| EngineError {
            engine: "nop",
            act: "set up a ring".to_owned(),
            source,
        })?;
        Ok(Nop { ring, asked: vec![0; context.depth as usize] })
    }

    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc) {
        self.asked[slot as usize] = desc.len() as i32;
        let entry = self.ring.stage();
        (entry[0], entry[4]) = (u64::from(OP_NOP), u64::from(slot));
    }

    fn control(&mut self, _slot: u32, _desc: &Desc) -> Staged {
        Staged::Done(0)
    }

    #[inline(always)]
    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        self.ring.enter(wait, timeout_ns)
    }

    #[inline(always)]
    fn available(&mut self) -> usize {
        self.ring.available() as usize
    }

    #[inline(always)]
    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        let Nop { ring, asked } = self;
        ring.reap(count, |slot, result| {
            let asked = asked.get(slot as usize).copied().unwrap_or(0);
            done(slot, if result < 0 { result } else { asked });
        });
    }

    fn notes(&self) -> Vec<(String, String)> {
        vec![("nop.setup".into(), self.ring.setup().to_owned())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::desc::Op;
    use crate::fixture::planned;
    use crate::memory::{SlotLayout, SlotMemory};

    #[test]
    fn every_slot_comes_back_with_what_it_was_asked_to_move() {
        let plan = planned("[j]\nioengine=nop\nrw=read\nsize=1m\niodepth=4\n");
        let buffers = SlotMemory::map(SlotLayout {
            slots: 4,
            slot_bytes: 4096,
            align: 4096,
            huge: false,
            splits_writes: false,
        })
        .unwrap();
        let clock = Clock::calibrate(false);
        let context = Context {
            targets: &crate::target::NoTargets,
            plan: &plan.jobs[0],
            files: &[],
            simulated: &[],
            replaces_files: false,
            buffers: &buffers,
            depth: 4,
            clock,
            hook: None,
        };
        let mut engine = Nop::open(&context).unwrap();
        for slot in 0..4 {
            let desc = Desc::new(Op::Read, 0, 512 << slot, 0);
            engine.stage(slot, &desc);
        }
        assert_eq!(engine.submit(4, 0).unwrap(), 4);
        let mut reaped = Vec::new();
        while reaped.len() < 4 {
            let count = engine.available();
            engine.reap(count, |slot, moved| reaped.push((slot, moved)));
        }
        reaped.sort_unstable();
        assert_eq!(reaped, [(0, 512), (1, 1024), (2, 2048), (3, 4096)]);
    }
}
