//! `oracle`: completes each I/O after a known latency, to check the measurement.
//!
//! The latencies are those of [`Latencies`], drawn in the order of submission.
//! On the real clock, the engine shows what fathom adds to them. In virtual time
//! (`oracle_clock=virtual`) the clock moves only during waits, so every
//! stamp is known, and what a job reports can be compared with a calculation to
//! the nanosecond.

mod spec;

pub use spec::{Latencies, Spec, SpecError, Stall};

use super::flight::Flight;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::clock::Clock;
use crate::desc::Desc;
use crate::pace::sleep::{Precision, Sleeper};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Oracle>("oracle").virtual_if(is_virtual);

/// I/Os whose time of completion is known when they are submitted.
pub struct Oracle {
    clock: Clock,
    spec: Spec,
    seed: u64,
    latencies: Latencies,
    /// For a queue: the stamp until which its device is busy.
    busy_until: u64,
    /// Begin and end of the span in which nothing completes, in ticks from the first I/O.
    stall: Option<(u64, u64)>,
    begun: Option<u64>,
    /// Slot and result of what was staged; never more than the depth.
    staged: Vec<(u32, i32)>,
    flight: Flight,
    sleeper: Sleeper,
}

/// The seed of a clone's latencies: `randseed` and the clone's number, whatever
/// `randrepeat` says.
pub fn seed(plan: &PlannedJob) -> u64 {
    plan.job.get(&opt::RANDSEED).wrapping_add(u64::from(plan.id))
}

fn is_virtual(plan: &PlannedJob) -> bool {
    plan.job.get(&opt::ORACLE_CLOCK) == "virtual"
}

impl Oracle {
    /// Submits what is staged at stamp `now`; returns how many I/Os that are.
    fn send(&mut self, now: u64) -> u32 {
        let count = self.staged.len() as u32;
        if count > 0 {
            self.begun.get_or_insert(now);
        }
        for at in 0..self.staged.len() {
            let (slot, result) = self.staged[at];
            let due = self.due(now);
            self.flight.start(due, slot, result);
        }
        self.staged.clear();
        count
    }

    /// When an I/O submitted at `now` completes.
    fn due(&mut self, now: u64) -> u64 {
        let ns = self.latencies.next().unwrap_or(0);
        // The conversion rounds down; one tick more, so that no I/O completes too early.
        let ticks = self.clock.ticks(ns) + u64::from(!self.clock.is_virtual());
        let from = if matches!(self.spec, Spec::Queue(_)) { now.max(self.busy_until) } else { now };
        let due = self.after_stall(from.saturating_add(ticks));
        self.busy_until = due;
        due
    }

    /// What would complete in the stall completes at its end.
    fn after_stall(&self, due: u64) -> u64 {
        let Some(((start, end), begun)) = self.stall.zip(self.begun) else { return due };
        let (start, end) = (begun.saturating_add(start), begun.saturating_add(end));
        if (start..end).contains(&due) { end } else { due }
    }

    fn wait(&mut self, wait: usize, end: u64) {
        loop {
            self.flight.land(self.clock.now());
            let Some(next) = self.flight.next_due().filter(|_| self.flight.landed() < wait) else { return };
            self.sleeper.until(&self.clock, next.min(end));
            if next > end {
                self.flight.land(self.clock.now());
                return;
            }
        }
    }
}

impl AsyncEngine for Oracle {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let (job, clock) = (&context.plan.job, context.clock);
        let text = job.get(&opt::ORACLE_LATENCY);
        let spec: Spec = text.parse().map_err(|e| unreadable(opt::ORACLE_LATENCY.def.name, &text, e))?;
        let stall = job.get(&opt::ORACLE_STALL);
        let stall = stall.map(|text| text.parse().map_err(|e| unreadable("oracle_stall", &text, e)));
        let stall = stall.transpose()?.map(|stall: Stall| {
            (clock.ticks(stall.start.0), clock.ticks(stall.start.0.saturating_add(stall.length.0)))
        });
        let seed = seed(context.plan);
        Ok(Oracle {
            clock,
            spec,
            seed,
            latencies: Latencies::new(&spec, seed),
            busy_until: 0,
            stall,
            begun: None,
            staged: Vec::with_capacity(context.depth as usize),
            flight: Flight::new(context.depth),
            sleeper: Sleeper::new(&clock, Precision::Usual),
        })
    }

    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    fn stage(&mut self, slot: u32, desc: &Desc) {
        self.staged.push((slot, desc.len() as i32));
    }

    /// A sync takes its time too.
    fn control(&mut self, slot: u32, _desc: &Desc) -> Staged {
        self.staged.push((slot, 0));
        Staged::Queued
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let now = self.clock.now();
        let end = now.saturating_add(self.clock.ticks(timeout_ns));
        let submitted = self.send(now);
        self.wait(wait as usize, end);
        if submitted == 0 {
            self.flight.let_time_pass(&self.clock, now, end, self.flight.next_due());
            self.flight.land(self.clock.now());
        }
        Ok(submitted)
    }

    fn available(&mut self) -> usize {
        self.flight.land(self.clock.now());
        self.flight.landed()
    }

    fn reap(&mut self, count: usize, done: impl FnMut(u64, i32)) {
        self.flight.reap(&self.clock, count, done);
    }

    fn notes(&self) -> Vec<(String, String)> {
        vec![("oracle.latency".into(), self.spec.to_string()), ("oracle.seed".into(), self.seed.to_string())]
    }
}

fn unreadable(option: &str, text: &str, why: SpecError) -> EngineError {
    let source = io::Error::new(io::ErrorKind::InvalidInput, why);
    EngineError { engine: ENTRY.def.name, act: format!("read {option}={text}"), source }
}

#[cfg(test)]
mod tests;
