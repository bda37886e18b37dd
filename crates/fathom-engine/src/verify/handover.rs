//! From a job that wrote to the job that reads back what it wrote.

use super::Writer;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The writers that have ended, by plan id, until the jobs that read them back take them.
#[derive(Debug, Default)]
pub struct Handover {
    ended: Mutex<HashMap<u32, Writer>>,
}

impl Handover {
    /// A job has ended.
    pub fn give(&self, job: u32, writer: Writer) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(job, writer);
    }

    /// What a job has written, if it ran.
    pub fn take(&self, job: u32) -> Option<Writer> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).remove(&job)
    }
}
