//! I/Os in the order of their times, where the trace has them almost in that order.
//!
//! A recording of several CPUs has the events of one a little after later ones of another.

use super::event::Queued;
use super::{DefectKind, TraceDefect, TraceLine};
use std::collections::VecDeque;

/// How many I/Os are held back.
pub(super) const WINDOW: usize = 1024;

/// I/Os that are held back, by their times.
#[derive(Debug, Default)]
pub(super) struct InOrder {
    held: VecDeque<(u64, TraceLine)>,
    is_over: bool,
    last_ns: u64,
}

impl InOrder {
    /// The next I/O by time; `read` yields the next of the trace.
    pub fn next(
        &mut self,
        mut read: impl FnMut() -> Result<Option<Queued>, TraceDefect>,
    ) -> Result<Option<TraceLine>, TraceDefect> {
        while !self.is_over && self.held.len() < WINDOW {
            match read()? {
                Some(queued) => self.hold(&queued)?,
                None => self.is_over = true,
            }
        }
        let next = self.held.pop_front();
        self.last_ns = next.map_or(self.last_ns, |next| next.0);
        Ok(next.map(|next| next.1))
    }

    /// Puts it behind all that are not later, which are nearly always all.
    fn hold(&mut self, queued: &Queued) -> Result<(), TraceDefect> {
        let (now, before) = (queued.at_ns, self.last_ns);
        if now < before {
            return Err(TraceDefect { at: queued.at, kind: DefectKind::TimeFarBack { now, before } });
        }
        let later = self.held.iter().rev().take_while(|held| held.0 > now).count();
        for line in queued.events()? {
            self.held.insert(self.held.len() - later, (now, line));
        }
        Ok(())
    }
}
