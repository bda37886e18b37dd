//! From a job that wrote to the job that reads back what it wrote; and the key that all jobs of a run share.

use super::Writer;
use fathom_verify::Lineage;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The writers that have ended, by plan id, until the jobs that read them back take them.
#[derive(Debug)]
pub struct Handover {
    /// A random number of the run.
    key: u64,
    ended: Mutex<HashMap<u32, Writer>>,
}

impl Handover {
    /// For a run with this random number.
    pub fn new(key: u64) -> Handover {
        Handover { key, ended: Mutex::default() }
    }

    /// Names the writes of this run.
    pub fn lineage(&self) -> Lineage {
        Lineage::new(self.key)
    }

    /// A job has ended.
    pub fn give(&self, job: u32, writer: Writer) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(job, writer);
    }

    /// What a job has written, if it ran.
    pub fn take(&self, job: u32) -> Option<Writer> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).remove(&job)
    }
}
