//! The call for completions, fio's `getevents`, with a minimum and a maximum.

use crate::engine::AsyncEngine;
use crate::worker::Worker;
use std::io;

/// One call of fio's `getevents`.
#[derive(Debug)]
pub struct GetEvents {
    pub need: u32,
    pub max: u32,
    /// Completions that each call waits for: all that are needed, or none.
    pub wait: u32,
    /// How long to wait, ns.
    pub left_ns: u64,
}

impl GetEvents {
    /// Waits until there are enough completions, its time is over, or there is a
    /// request to stop.
    pub fn wait<E: AsyncEngine>(&self, worker: &mut Worker<'_>, engine: &mut E) -> io::Result<()> {
        let clock = worker.recorder.clock;
        let (start, mut left_ns) = (clock.now(), self.left_ns);
        while engine.available() < self.need as usize {
            worker.lend(|| engine.collect(self.wait, self.max, left_ns))?;
            left_ns = self.left_ns.saturating_sub(clock.nanos(clock.now().saturating_sub(start)));
            if left_ns == 0 || worker.asked_to_stop().is_some() {
                break;
            }
        }
        Ok(())
    }
}
