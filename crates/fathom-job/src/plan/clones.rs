//! Jobs to clones: numbers, reporting groups and barrier stages.
//!
//! The rules are fio's, checked against fio 3.33: groups grow only by
//! `stonewall` and `new_group` (whether or not `group_reporting` is set), the
//! first job of all begins group 0 and stage 0 whatever it says, and clones
//! after the first do not inherit either option.

use crate::job::Job;
use crate::options;
use std::sync::Arc;

/// A clone before it is resolved: which job, which copy, when.
#[derive(Clone, Debug)]
pub(super) struct CloneRegion {
    pub(super) job: Arc<Job>,
    pub(super) id: u32,
    pub(super) subjob: u32,
    pub(super) group: u32,
    pub(super) stage: u32,
}

/// Every clone of every job, in start order.
pub(super) fn expand(jobs: &[Job]) -> Vec<CloneRegion> {
    let mut places = Vec::new();
    let (mut group, mut stage) = (0, 0);
    for (index, job) in jobs.iter().enumerate() {
        let barrier = job.get(&options::STONEWALL);
        if index > 0 {
            group += u32::from(barrier || job.get(&options::NEW_GROUP));
            stage += u32::from(barrier);
        }
        push_clones(&mut places, job, group, stage);
    }
    places
}

fn push_clones(places: &mut Vec<CloneRegion>, job: &Job, group: u32, stage: u32) {
    let shared = Arc::new(job.clone());
    for subjob in 0..job.get(&options::NUMJOBS) {
        let id = u32::try_from(places.len()).expect("numjobs is bounded by the option table");
        places.push(CloneRegion { job: Arc::clone(&shared), id, subjob, group, stage });
    }
}
