//! Several drives as one: what each I/O of the array asks of its drives.
//!
//! A write to parity has two phases: old data and parity are read, and when the slowest read is complete, new
//! data and parity are written. The second phase begins when its time has come ([`SimulatedDrive::decide`]),
//! so drives get their I/Os in the order of time. Two writes to one stripe do not wait for each other here,
//! as they would in md, and a rebuild does not run beside the host's I/Os.

mod layout;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::{ArrayModel, Decided, DriveCounters, Io, IoKind, SimError, SimulatedDrive, Submitted};
use layout::{Extent, Layout, Phases};

/// A simulated array.
pub struct DriveArray {
    layout: Layout,
    capacity_bytes: u64,
    drives: Vec<Box<dyn SimulatedDrive>>,
    /// When the newest I/O of each drive is complete, as far as that is known: a copy is read from the drive
    /// that is free first.
    busy_until_ns: Vec<u64>,
    operations: BTreeMap<u64, Operation>,
    /// Operations whose second phase begins, by time.
    due: BinaryHeap<Reverse<(u64, u64)>>,
    next_operation: u64,
    decisions: Vec<Decided>,
    counters: DriveCounters,
}

/// An I/O of the array that is not yet decided.
#[derive(Debug)]
struct Operation {
    tag: u64,
    /// I/Os of this phase that are not decided.
    undecided: u32,
    latest_ns: u64,
    /// The second phase.
    then: Vec<Extent>,
}

impl DriveArray {
    /// An array of these drives: as many as the model says, all of one capacity.
    ///
    /// # Errors
    /// The model contradicts itself.
    ///
    /// # Panics
    /// The number of drives is another one.
    pub fn new(model: &ArrayModel, drives: Vec<Box<dyn SimulatedDrive>>) -> Result<Self, SimError> {
        model.check()?;
        assert_eq!(drives.len(), model.drives as usize, "an array has as many drives as its model says");
        Ok(Self {
            layout: Layout::new(model),
            capacity_bytes: model.capacity_of(drives[0].capacity_bytes()),
            busy_until_ns: vec![0; drives.len()],
            drives,
            operations: BTreeMap::new(),
            due: BinaryHeap::new(),
            next_operation: 0,
            decisions: Vec::new(),
            counters: DriveCounters::default(),
        })
    }

    /// The drives of the array, for their counters.
    pub fn drives(&self) -> &[Box<dyn SimulatedDrive>] {
        &self.drives
    }

    fn phases(&self, io: Io) -> Phases {
        let mut phases = Phases::default();
        for part in self.layout.stripe_parts(io.offset, io.length) {
            let has_parity = self.layout.redundancy.parities() > 0;
            if io.kind == IoKind::Write && has_parity {
                let part = self.layout.parity_write(part);
                phases.reads.extend(part.reads);
                phases.writes.extend(part.writes);
                continue;
            }
            for (chunk, begin, length) in self.layout.chunks(part) {
                let copies = self.layout.copies(part.stripe, chunk);
                let offset = part.stripe * self.layout.chunk_bytes + begin;
                let extent = |drive| Extent { drive, offset, length };
                match io.kind {
                    IoKind::Write | IoKind::Trim | IoKind::Flush => {
                        phases.writes.extend(copies.into_iter().map(extent));
                    }
                    IoKind::Read => {
                        let free_first = |drive: &u32| self.busy_until_ns[*drive as usize];
                        match copies.into_iter().min_by_key(free_first) {
                            Some(drive) => phases.reads.push(extent(drive)),
                            None => {
                                phases.reads.extend(self.layout.reconstruction(part.stripe, begin, length))
                            }
                        }
                    }
                }
            }
        }
        phases
    }

    /// md passes a trim on only where its parity stays right, which few drives promise. So the drives that a write would go to
    /// get the command and keep their data: the trim takes the time of a command.
    fn trim_of_parity(&self, io: Io) -> Phases {
        let parts = self.layout.stripe_parts(io.offset, io.length);
        let commands = parts.flat_map(|part| self.layout.parity_write(part).writes);
        Phases { reads: Vec::new(), writes: commands.map(|extent| Extent { length: 0, ..extent }).collect() }
    }

    /// Gives I/Os of one phase to the drives.
    fn give(&mut self, now_ns: u64, operation: u64, kind: IoKind, extents: &[Extent]) -> (u32, u64) {
        let (mut undecided, mut latest_ns) = (0, now_ns);
        for extent in extents {
            let io = Io { kind, offset: extent.offset, length: extent.length };
            match self.drives[extent.drive as usize].submit(now_ns, operation, io) {
                Submitted::At(done_ns) => {
                    latest_ns = latest_ns.max(done_ns);
                    let busy = &mut self.busy_until_ns[extent.drive as usize];
                    *busy = (*busy).max(done_ns);
                }
                Submitted::Queued => undecided += 1,
                // No drive of an array has zones.
                Submitted::Refused(_) => {}
            }
        }
        (undecided, latest_ns)
    }

    /// An operation has no undecided I/O in its phase: the second phase is due, or it is complete.
    fn phase_ended(&mut self, id: u64, decided: &mut Vec<Decided>) {
        let Some(operation) = self.operations.get(&id) else { return };
        if operation.undecided > 0 {
            return;
        }
        if operation.then.is_empty() {
            decided.push(Decided { tag: operation.tag, completion_ns: operation.latest_ns });
            self.operations.remove(&id);
        } else {
            self.due.push(Reverse((operation.latest_ns, id)));
        }
    }

    fn begin_second_phase(&mut self, now_ns: u64, id: u64, decided: &mut Vec<Decided>) {
        let operation = self.operations.get_mut(&id);
        let extents = operation.map(|operation| std::mem::take(&mut operation.then)).unwrap_or_default();
        let (undecided, latest_ns) = self.give(now_ns, id, IoKind::Write, &extents);
        if let Some(operation) = self.operations.get_mut(&id) {
            (operation.undecided, operation.latest_ns) = (undecided, latest_ns);
        }
        self.phase_ended(id, decided);
    }

    /// What the drives of these reads have read so far that nobody had written, if the host asked for them. What the
    /// array reads by itself, for the parity of a write, nobody asked for.
    fn unwritten_read(&self, kind: IoKind, reads: &[Extent]) -> Option<u64> {
        if kind != IoKind::Read {
            return None;
        }
        let drives: BTreeSet<u32> = reads.iter().map(|extent| extent.drive).collect();
        Some(drives.iter().map(|drive| self.drives[*drive as usize].unwritten_read_bytes()).sum())
    }

    fn count(&mut self, io: Io) {
        match io.kind {
            IoKind::Read => self.counters.host_read_bytes += io.length,
            IoKind::Write => self.counters.host_written_bytes += io.length,
            IoKind::Trim => self.counters.trimmed_bytes += io.length,
            IoKind::Flush => self.counters.flushes += 1,
        }
    }
}

impl SimulatedDrive for DriveArray {
    fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    fn submit(&mut self, now_ns: u64, tag: u64, io: Io) -> Submitted {
        self.count(io);
        let trims_parity = io.kind == IoKind::Trim && self.layout.redundancy.parities() > 0;
        let phases = match io.kind {
            IoKind::Flush => {
                let left = (0..self.layout.drives).filter(|drive| Some(*drive) != self.layout.failed);
                let writes = left.map(|drive| Extent { drive, offset: 0, length: 0 }).collect();
                Phases { reads: Vec::new(), writes }
            }
            IoKind::Trim if trims_parity => self.trim_of_parity(io),
            _ => self.phases(io),
        };
        let id = self.next_operation;
        self.next_operation += 1;
        let unwritten = self.unwritten_read(io.kind, &phases.reads);
        let is_two_phase = !phases.reads.is_empty() && !phases.writes.is_empty();
        let kind = if phases.reads.is_empty() { io.kind } else { IoKind::Read };
        let (first, then) = match is_two_phase {
            true => (phases.reads, phases.writes),
            false if phases.reads.is_empty() => (phases.writes, Vec::new()),
            false => (phases.reads, Vec::new()),
        };
        let (undecided, latest_ns) = self.give(now_ns, id, kind, &first);
        if let Some(before) = unwritten {
            let after = self.unwritten_read(io.kind, &first).unwrap_or(before);
            self.counters.unwritten_read_bytes += (after - before).min(io.length);
        }
        if undecided == 0 && then.is_empty() {
            return Submitted::At(latest_ns);
        }
        self.operations.insert(id, Operation { tag, undecided, latest_ns, then });
        if undecided == 0 {
            self.due.push(Reverse((latest_ns, id)));
        }
        Submitted::Queued
    }

    fn next_decision_ns(&self) -> Option<u64> {
        let of_drives = self.drives.iter().filter_map(|drive| drive.next_decision_ns()).min();
        let due = self.due.peek().map(|Reverse((due_ns, _))| *due_ns);
        of_drives.into_iter().chain(due).min()
    }

    fn decide(&mut self, now_ns: u64, decided: &mut Vec<Decided>) {
        while let Some(next_ns) = self.next_decision_ns().filter(|next_ns| *next_ns <= now_ns) {
            let mut decisions = std::mem::take(&mut self.decisions);
            for (drive, busy_until_ns) in self.drives.iter_mut().zip(&mut self.busy_until_ns) {
                let before = decisions.len();
                drive.decide(next_ns, &mut decisions);
                let latest_ns = decisions[before..].iter().map(|decision| decision.completion_ns).max();
                *busy_until_ns = (*busy_until_ns).max(latest_ns.unwrap_or(0));
            }
            for Decided { tag: id, completion_ns } in decisions.drain(..) {
                if let Some(operation) = self.operations.get_mut(&id) {
                    operation.undecided -= 1;
                    operation.latest_ns = operation.latest_ns.max(completion_ns);
                }
                self.phase_ended(id, decided);
            }
            self.decisions = decisions;
            while let Some(Reverse((due_ns, id))) = self.due.peek().copied()
                && due_ns <= next_ns
            {
                self.due.pop();
                self.begin_second_phase(due_ns, id, decided);
            }
        }
    }

    fn counters(&self) -> DriveCounters {
        let mut counters = self.counters;
        for drive in &self.drives {
            let of_drive = drive.counters();
            counters.media_written_bytes += of_drive.media_written_bytes;
            counters.collected_bytes += of_drive.collected_bytes;
            counters.mapped_bytes += of_drive.mapped_bytes;
            counters.erases += of_drive.erases;
            counters.block_erases_max = counters.block_erases_max.max(of_drive.block_erases_max);
            counters.slc_used_bytes += of_drive.slc_used_bytes;
            counters.slc_size_bytes += of_drive.slc_size_bytes;
            counters.temperature_c = hotter(counters.temperature_c, of_drive.temperature_c);
            counters.throttled_ns = counters.throttled_ns.max(of_drive.throttled_ns);
        }
        counters
    }

    fn unwritten_read_bytes(&self) -> u64 {
        self.counters.unwritten_read_bytes
    }
}

fn hotter(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}
