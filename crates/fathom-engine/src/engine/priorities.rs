//! The priorities of single I/Os (`cmdprio_percentage`, `cmdprio_bssplit`).

use super::EngineError;
use crate::source::seed::{Random, fresh_seed};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_job::priorities::{RaisedShare, raised};
use std::io;

/// Draws which I/Os have a raised priority.
pub struct PriorityMix {
    /// Of reads and of writes.
    shares: [Vec<RaisedShare>; 2],
    random: Random,
}

/// Keeps these draws independent of the others of the same seed.
const SEED: u64 = 0x7072_696f_7269_7479;

impl PriorityMix {
    /// The mix of a job, if it raises any priority.
    pub fn of(plan: &PlannedJob, engine: &'static str) -> Result<Option<Self>, EngineError> {
        let unusable = |why| EngineError {
            engine,
            act: "raise priorities".to_owned(),
            source: io::Error::new(io::ErrorKind::InvalidInput, why),
        };
        let shares = raised(&plan.job).map_err(unusable)?;
        let seed = match plan.job.get(&opt::RANDREPEAT) {
            true => plan.job.get(&opt::RANDSEED) ^ u64::from(plan.id),
            false => fresh_seed(),
        };
        Ok(shares.map(|shares| PriorityMix {
            shares: [shares.read, shares.write],
            random: Random::new(seed ^ SEED),
        }))
    }

    /// The priority of an I/O; 0 for that of its thread.
    pub fn draw(&mut self, is_write: bool, len: u32) -> u16 {
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
