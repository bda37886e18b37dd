//! The priorities of single I/Os (`cmdprio_percentage`, `cmdprio_bssplit`).

use crate::source::seed::{Random, fresh_seed};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_job::priorities::{RaisedShare, raised};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

/// Draws which I/Os have a raised priority.
pub struct PriorityMix {
    /// Of reads and of writes.
    shares: [Vec<RaisedShare>; 2],
    random: Random,
    drawn: DrawnPriorities,
}

/// The priority that was drawn for the I/O in each slot, for logs; 0 is that of the thread. The engine and the log of a worker are on the
/// same thread, so no order of memory is needed.
#[derive(Clone, Debug)]
pub struct DrawnPriorities(Arc<[AtomicU16]>);

impl DrawnPriorities {
    /// The priority of the I/O in this slot, if it is its own.
    pub fn of(&self, slot: u32) -> Option<u16> {
        self.0.get(slot as usize).map(|drawn| drawn.load(Relaxed)).filter(|drawn| *drawn > 0)
    }
}

/// Keeps these draws independent of the others of the same seed.
const SEED: u64 = 0x7072_696f_7269_7479;

impl PriorityMix {
    /// The mix of a job with so many slots, if it raises any priority.
    pub fn of(plan: &PlannedJob, depth: u32) -> io::Result<Option<Self>> {
        let unusable = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
        let shares = raised(&plan.job).map_err(unusable)?;
        let seed = match plan.job.get(&opt::RANDREPEAT) {
            true => plan.job.get(&opt::RANDSEED) ^ u64::from(plan.id),
            false => fresh_seed(),
        };
        Ok(shares.map(|shares| PriorityMix {
            shares: [shares.read, shares.write],
            random: Random::new(seed ^ SEED),
            drawn: DrawnPriorities((0..depth).map(|_| AtomicU16::new(0)).collect()),
        }))
    }

    /// Where the priorities are noted.
    pub fn drawn(&self) -> DrawnPriorities {
        self.drawn.clone()
    }

    /// The priority of the I/O in a slot; 0 for that of its thread.
    pub fn draw(&mut self, slot: u32, is_write: bool, len: u32) -> u16 {
        let priority = self.drawn_of(is_write, len);
        if let Some(place) = self.drawn.0.get(slot as usize) {
            place.store(priority, Relaxed);
        }
        priority
    }

    fn drawn_of(&mut self, is_write: bool, len: u32) -> u16 {
        let drawn = self.random.below(100) as u32;
        let mut sum = 0;
        for share in &self.shares[usize::from(is_write)] {
            if share.bytes.is_none_or(|bytes| bytes == len) {
                sum += share.percent;
                if drawn < sum {
                    return share.ioprio;
                }
            }
        }
        0
    }
}
