//! A hard disk: one arm, which seeks, waits for the sector to come round, and transfers.
//!
//! While the arm works, I/Os wait in a queue. Then it takes the one that it reaches first, seek and
//! rotation together, as disks with native command queueing do. One that has waited longer than the age limit
//! goes first. So a later I/O may overtake an earlier one, and the disk decides as late as it can: at the end
//! of the command's overhead, so it can choose what the host submits in answer to a completion. What goes on
//! where the last I/O ended needs no decision. Writes go to the medium: the model is of a disk whose write
//! cache is off.

use crate::{Decided, DiskModel, DriveCounters, Io, IoKind, SimError, SimulatedDrive, Submitted};

/// A simulated hard disk.
#[derive(Debug)]
pub struct HardDisk {
    model: DiskModel,
    platter: Platter,
    queue: Vec<Waiting>,
    /// Until when the arm works.
    free_ns: u64,
    /// Where it is then: the time at which a read of the whole disk would be there.
    position_ns: u64,
    counters: DriveCounters,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    tag: u64,
    arrived_ns: u64,
    begin_ns: u64,
    transfer_ns: u64,
}

impl HardDisk {
    /// A disk at rest, its arm at the outer edge.
    ///
    /// # Errors
    /// A value of the model is not possible.
    pub fn new(model: &DiskModel) -> Result<Self, SimError> {
        model.check()?;
        Ok(Self {
            platter: Platter::new(model),
            model: *model,
            queue: Vec::new(),
            free_ns: 0,
            position_ns: 0,
            counters: DriveCounters::default(),
        })
    }

    /// Serves `io` with an arm that moves from `start_ns` on, and gives its completion.
    fn serve(&mut self, start_ns: u64, io: Waiting) -> u64 {
        self.free_ns = start_ns + self.reach_ns(start_ns, &io) + io.transfer_ns;
        self.position_ns = io.begin_ns + io.transfer_ns;
        self.free_ns
    }

    /// How long the arm, which moves from `start_ns` on, needs until the first sector of `io` is under it.
    fn reach_ns(&self, start_ns: u64, io: &Waiting) -> u64 {
        if self.goes_on(io) {
            return 0;
        }
        let seek_ns = self.platter.seek_ns(self.position_ns, io.begin_ns);
        seek_ns + self.platter.rotation_ns(start_ns + seek_ns, io.begin_ns)
    }

    /// Whether `io` begins where the last one ended. The disk has read ahead, or writes on.
    fn goes_on(&self, io: &Waiting) -> bool {
        io.begin_ns == self.position_ns
    }

    /// When the arm begins to move for `io`, if the disk is free from `free_ns` on.
    fn moves_ns(&self, free_ns: u64, goes_on: bool) -> u64 {
        if goes_on { free_ns } else { free_ns + self.model.overhead_ns }
    }

    /// The queued I/O that is served next by an arm that is free at `start_ns`.
    fn next(&self, start_ns: u64) -> Option<usize> {
        let oldest = self.queue.iter().enumerate().min_by_key(|(_, io)| io.arrived_ns);
        if let Some((index, io)) = oldest
            && start_ns.saturating_sub(io.arrived_ns) > self.model.age_limit_ns
        {
            return Some(index);
        }
        let reached = |(_, io): &(usize, &Waiting)| (self.reach_ns(start_ns, io), io.arrived_ns, io.tag);
        self.queue.iter().enumerate().min_by_key(reached).map(|(index, _)| index)
    }
}

impl SimulatedDrive for HardDisk {
    fn capacity_bytes(&self) -> u64 {
        self.model.capacity_bytes
    }

    fn submit(&mut self, now_ns: u64, tag: u64, io: Io) -> Submitted {
        match io.kind {
            IoKind::Read => self.counters.host_read_bytes += io.length,
            IoKind::Write => {
                self.counters.host_written_bytes += io.length;
                self.counters.media_written_bytes += io.length;
            }
            // Nothing is cached, and nothing is mapped.
            IoKind::Flush => {
                self.counters.flushes += 1;
                return Submitted::At(now_ns + self.model.overhead_ns);
            }
            IoKind::Trim => return Submitted::At(now_ns + self.model.overhead_ns),
        }
        let begin_ns = self.platter.position_ns(io.offset);
        let transfer_ns = self.platter.position_ns(io.offset + io.length) - begin_ns;
        let waiting = Waiting { tag, arrived_ns: now_ns, begin_ns, transfer_ns };
        if self.free_ns <= now_ns && self.queue.is_empty() {
            let start_ns = self.moves_ns(now_ns, self.goes_on(&waiting));
            return Submitted::At(self.serve(start_ns, waiting));
        }
        self.queue.push(waiting);
        Submitted::Queued
    }

    fn next_decision_ns(&self) -> Option<u64> {
        let goes_on = self.queue.iter().any(|io| self.goes_on(io));
        (!self.queue.is_empty()).then(|| self.moves_ns(self.free_ns, goes_on))
    }

    fn decide(&mut self, now_ns: u64, decided: &mut Vec<Decided>) {
        while let Some(start_ns) = self.next_decision_ns().filter(|start_ns| *start_ns <= now_ns)
            && let Some(index) = self.next(start_ns)
        {
            let io = self.queue.swap_remove(index);
            let completion_ns = self.serve(start_ns.max(io.arrived_ns), io);
            decided.push(Decided { tag: io.tag, completion_ns });
        }
    }

    fn counters(&self) -> DriveCounters {
        self.counters
    }
}

// Where data is on the platters, and how long the arm needs to get there.
//
// Tracks at the edge are longer and pass faster. The rate falls linearly with the stroke s, from the outer
// edge to the inner: `rate = outer − (outer − inner) · s`. So the share of the capacity outside of s is `u =
// (outer · s − (outer − inner) · s² / 2) / mean`, and a read of the whole disk needs the same time for each
// part of the stroke. That makes this time a coordinate: s is its share of the whole, and the angle of a
// sector is the time modulo one turn.

#[derive(Debug)]
struct Platter {
    capacity_bytes: f64,
    outer: f64,
    inner: f64,
    /// Time for a read of the whole disk.
    whole_ns: f64,
    turn_ns: u64,
    seek_least_ns: f64,
    seek_stroke_ns: f64,
}

impl Platter {
    pub fn new(model: &DiskModel) -> Self {
        let (outer, inner) = (model.outer_bytes_per_s as f64, model.inner_bytes_per_s as f64);
        let capacity_bytes = model.capacity_bytes as f64;
        Self {
            capacity_bytes,
            outer,
            inner,
            whole_ns: capacity_bytes * 2e9 / (outer + inner),
            turn_ns: 60_000_000_000 / u64::from(model.turns_per_minute),
            seek_least_ns: model.seek_least_ns as f64,
            seek_stroke_ns: model.seek_stroke_ns as f64,
        }
    }

    /// When a read of the whole disk would be at `offset`.
    pub fn position_ns(&self, offset: u64) -> u64 {
        let share = offset as f64 / self.capacity_bytes;
        // The quadratic equation for s, in the form that does not cancel near the edge.
        let mean = f64::midpoint(self.outer, self.inner);
        let root = (self.outer * self.outer - 2.0 * (self.outer - self.inner) * mean * share).max(0.0).sqrt();
        let stroke = 2.0 * mean * share / (self.outer + root);
        (stroke * self.whole_ns).round() as u64
    }

    /// The seek between two positions: `least + stroke · √distance`.
    pub fn seek_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        let distance = from_ns.abs_diff(to_ns) as f64 / self.whole_ns;
        (self.seek_least_ns + self.seek_stroke_ns * distance.sqrt()).round() as u64
    }

    /// How long after `now_ns` the sector at a position comes round.
    pub fn rotation_ns(&self, now_ns: u64, position_ns: u64) -> u64 {
        let (angle, target) = (now_ns % self.turn_ns, position_ns % self.turn_ns);
        (target + self.turn_ns - angle) % self.turn_ns
    }
}
