//! The queue of a worker: its slots and their I/Os.

use super::Carried;
use super::batch::Batches;
use super::batching::Batching;
use super::free::FreeSlots;
use super::row::RowKey;
use super::stray::Stray;
use crate::desc::Desc;
use fathom_job::plan::Depth;

/// One I/O in flight.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct IoSlot {
    pub desc: Desc,
    /// Length, direction and batch; [`RowKey::FREE`] unless the engine has it.
    pub key: RowKey,
    /// Stamp of the intended start, for a paced job.
    pub intended: u64,
}

/// A completion that is not plain data, and is not yet settled.
#[derive(Clone, Copy, Debug)]
pub struct Odd {
    pub slot: u32,
    /// Bytes, or negative errno.
    pub result: i32,
    /// Where the stamp of its start is.
    pub begun: Begun,
}

/// Where the stamp of an I/O's start is.
#[derive(Clone, Copy, Debug)]
pub enum Begun {
    /// It was done at once, and began at this stamp.
    At(u64),
    /// It began with the batch of this number.
    Batch(u32),
}

/// The slots and what is in flight. Every list has its final capacity from
/// the start.
#[derive(Debug)]
pub struct Queue {
    pub slots: Box<[IoSlot]>,
    pub free: FreeSlots,
    pub batches: Batches,
    /// Room for the intended starts of the completions that are taken together.
    pub starts: Box<[u64]>,
    /// Staged since the last submit call.
    pub staged: u32,
    /// Completions to be settled.
    pub odd: Vec<Odd>,
    /// Submitted or staged.
    pub in_flight: u32,
    pub batching: Batching,
    /// The source has no more I/Os.
    pub is_dry: bool,
    /// The first completion that belongs to no I/O in flight.
    pub stray: Option<Stray>,
    /// A descriptor that waits until the I/Os before it are submitted, and its intended start.
    pub held: Option<(Desc, u64)>,
    /// The queue was full, and is not filled before its low mark is reached.
    pub is_draining_to_low: bool,
}

impl Queue {
    pub fn new(depth: u32, plan: &Depth) -> Queue {
        let empty = IoSlot { desc: Desc::EMPTY, key: RowKey::FREE, intended: 0 };
        Queue {
            slots: vec![empty; depth as usize].into(),
            free: FreeSlots::all(depth),
            batches: Batches::new(depth),
            starts: vec![0; depth as usize].into(),
            staged: 0,
            odd: Vec::with_capacity(depth as usize),
            in_flight: 0,
            batching: Batching::of(plan),
            is_dry: false,
            stray: None,
            held: None,
            is_draining_to_low: false,
        }
    }

    #[inline(always)]
    pub fn may_fill(&self) -> bool {
        !self.is_dry && !self.free.is_empty() && !self.is_draining_to_low
    }

    /// Completions to wait for in the coming submit call.
    #[inline(always)]
    pub fn wait_for(&self) -> u32 {
        if !self.odd.is_empty() || self.held.is_some() || (self.batching.fills_first && self.may_fill()) {
            return 0;
        }
        self.batching.wait_min.min(self.in_flight)
    }

    /// The ramp has ended: the limits of the job start from zero.
    pub fn restart(&mut self) {
        self.is_dry = false;
    }

    /// The I/O that is not complete when the ramp ends.
    pub fn carried(&mut self) -> Carried {
        let sum = |descs: &mut dyn Iterator<Item = &Desc>| {
            let data = descs.filter(|desc| desc.op().direction().is_some());
            data.fold((0, 0), |(ios, bytes), desc| (ios + 1, bytes + desc.bytes()))
        };
        let all = sum(&mut self.slots.iter().map(|slot| &slot.desc));
        let idle = sum(&mut self.free.slots().iter().map(|&slot| &self.slots[slot as usize].desc));
        Carried { held: self.held.take().map(|(desc, _)| desc), ios: all.0 - idle.0, bytes: all.1 - idle.1 }
    }

    /// Counts `count` I/Os that have left the queue.
    #[inline(always)]
    pub fn left(&mut self, count: usize) {
        self.in_flight -= count as u32;
        if self.is_draining_to_low {
            self.is_draining_to_low = self.batching.low.is_some_and(|low| self.in_flight > low);
        }
    }
}
