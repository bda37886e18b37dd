//! `sim`: I/Os complete when a simulated drive has done them.
//!
//! The drive says when an I/O is complete, and virtual time moves there. A drive that decides later (a disk that chooses
//! among its queue) is asked again when it decides, and the worker waits until then.

use super::flight::Flight;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::target::{DrivePlace, SharedDrive, locked};
use fathom_job::engine::SIM;
use fathom_job::plan::PlannedJob;
use fathom_results::outcome::DRIVE_COUNTER;
use fathom_sim::{DriveCounters, Io, IoKind};
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Simulated>(SIM).virtual_if(always);

fn always(_: &PlannedJob) -> bool {
    true
}

/// A worker's drives.
pub struct Simulated {
    clock: Clock,
    /// One for each file of the job.
    drives: Vec<(SharedDrive, DrivePlace)>,
    /// What each drive had counted before the first I/O of this worker; empty before that.
    before: Vec<DriveCounters>,
    /// Bytes that this worker read from each drive and nobody had written.
    unwritten_read: Vec<u64>,
    /// Never more than the depth.
    staged: Vec<StagedIo>,
    flight: Flight,
    /// I/Os that a drive has not decided about.
    undecided: usize,
    /// The result of each slot.
    results: Vec<i32>,
}

struct StagedIo {
    slot: u32,
    file: u32,
    result: i32,
    io: Io,
}

impl Simulated {
    fn put(&mut self, slot: u32, desc: &Desc, result: i32) {
        let kind = match desc.op() {
            Op::Read => IoKind::Read,
            Op::Write => IoKind::Write,
            Op::Trim => IoKind::Trim,
            Op::Fsync | Op::Fdatasync | Op::SyncRange => IoKind::Flush,
        };
        let io = match kind {
            IoKind::Flush => Io { kind, offset: 0, length: 0 },
            kind => Io { kind, offset: desc.offset, length: desc.bytes() },
        };
        self.staged.push(StagedIo { slot, file: desc.file(), result, io });
    }

    fn send(&mut self, now: u64) -> u32 {
        let count = self.staged.len() as u32;
        if self.before.is_empty() && count > 0 {
            self.before = self.drives.iter().map(|(drive, _)| locked(drive).counted()).collect();
        }
        for StagedIo { slot, file, result, io } in self.staged.drain(..) {
            let (drive, place) = &self.drives[file as usize];
            self.results[slot as usize] = result;
            let mut drive = locked(drive);
            let unwritten = drive.unwritten_read();
            match drive.submit(now, *place, slot, io) {
                Ok(Some(due)) => self.flight.start(due, slot, result),
                Ok(None) => self.undecided += 1,
                // As the kernel answers such an I/O.
                Err(_) => self.flight.start(now, slot, -libc::EIO),
            }
            self.unwritten_read[file as usize] += drive.unwritten_read() - unwritten;
        }
        count
    }

    /// Lets the drives decide what is due, and lands what is complete.
    fn look(&mut self, now: u64) {
        if self.undecided > 0 {
            for (drive, place) in &self.drives {
                let mut drive = locked(drive);
                if drive.next_decision_ns().is_some_and(|at| at <= now) {
                    drive.decide(now);
                }
                for (slot, due) in drive.take(*place) {
                    self.undecided -= 1;
                    self.flight.start(due, slot, self.results[slot as usize]);
                }
            }
        }
        self.flight.land(now);
    }

    /// When something may happen next.
    fn next(&self) -> Option<u64> {
        let decisions = || self.drives.iter().filter_map(|(drive, _)| locked(drive).next_decision_ns());
        let decision = if self.undecided > 0 { decisions().min() } else { None };
        [self.flight.next_due(), decision].into_iter().flatten().min()
    }

    fn wait(&mut self, wait: usize, end: u64) {
        loop {
            let now = self.clock.now();
            self.look(now);
            if self.flight.landed() >= wait || now >= end {
                return;
            }
            let Some(next) = self.next() else { return };
            self.clock.advance_to(next.min(end).max(now));
        }
    }
}

impl AsyncEngine for Simulated {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let depth = context.depth;
        let drives = context.simulated.iter().map(|drive| (drive.clone(), locked(drive).sit(depth)));
        Ok(Simulated {
            clock: context.clock,
            drives: drives.collect(),
            before: Vec::new(),
            unwritten_read: vec![0; context.simulated.len()],
            staged: Vec::with_capacity(depth as usize),
            flight: Flight::new(depth),
            undecided: 0,
            results: vec![0; depth as usize],
        })
    }

    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    fn stage(&mut self, slot: u32, desc: &Desc) {
        self.put(slot, desc, desc.len() as i32);
    }

    fn control(&mut self, slot: u32, desc: &Desc) -> Staged {
        self.put(slot, desc, 0);
        Staged::Queued
    }

    fn queues(&self, _desc: &Desc) -> bool {
        true
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let now = self.clock.now();
        let end = now.saturating_add(timeout_ns);
        let submitted = self.send(now);
        self.wait(wait as usize, end);
        if submitted == 0 {
            self.flight.let_time_pass(&self.clock, now, end, self.next());
            self.look(self.clock.now());
        }
        Ok(submitted)
    }

    fn available(&mut self) -> usize {
        self.look(self.clock.now());
        self.flight.landed()
    }

    fn reap(&mut self, count: usize, done: impl FnMut(u64, i32)) {
        self.flight.reap(&self.clock, count, done);
    }

    /// What the drives counted since the first I/O of this worker, of all workers that used them in that time; what was
    /// read that nobody had written is of this worker alone. Counts of `run` are since the run began.
    fn notes(&self) -> Vec<(String, String)> {
        let mut notes = Vec::new();
        for (at, (drive, _)) in self.drives.iter().enumerate() {
            let of_run = locked(drive).counted();
            let counted = self.before.get(at).map_or(of_run, |before| of_run.since(before));
            let mut note = |what: &str, value: String| match self.drives.len() {
                1 => notes.push((format!("{DRIVE_COUNTER}{what}"), value)),
                _ => notes.push((format!("{DRIVE_COUNTER}{}.{what}", at + 1), value)),
            };
            note("host_written_bytes", counted.host_written_bytes.to_string());
            note("media_written_bytes", counted.media_written_bytes.to_string());
            note("unwritten_read_bytes", self.unwritten_read[at].to_string());
            if let Some(amplification) = counted.write_amplification() {
                note("write_amplification", format!("{amplification:.3}"));
            }
            note("run.host_written_bytes", of_run.host_written_bytes.to_string());
            note("run.media_written_bytes", of_run.media_written_bytes.to_string());
            if let Some(celsius) = counted.temperature_c {
                note("temperature_c", format!("{celsius:.1}"));
                note("throttled_ns", counted.throttled_ns.to_string());
            }
        }
        notes
    }
}
