//! `ramp_size`: a ramp that ends when so many bytes have moved.

use fathom_job::plan::PlannedJob;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The ramps that the jobs of a group have together, by group.
#[derive(Debug, Default)]
pub struct SharedRamps(Mutex<HashMap<u32, Arc<AtomicU64>>>);

/// What has moved in the ramp of a job.
#[derive(Debug)]
pub struct RampBytes {
    /// Of the job, or of all jobs of its group.
    moved: Arc<AtomicU64>,
    size: u64,
}

impl SharedRamps {
    /// The ramp of a job; `None` where no number of bytes ends it.
    pub fn join(&self, plan: &PlannedJob) -> Option<RampBytes> {
        let size = plan.ramp_size().0;
        let shared = || {
            let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            groups.entry(plan.group).or_default().clone()
        };
        let moved = || if plan.shares_ramp() { shared() } else { Arc::default() };
        (size > 0).then(|| RampBytes { moved: moved(), size })
    }
}

impl RampBytes {
    /// Counts the bytes of completed I/Os. Is the ramp over?
    pub fn is_over(&self, bytes: u64) -> bool {
        self.moved.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) >= self.size
    }
}
