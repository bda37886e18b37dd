//! Room for as many open files as the workers of a plan need.
//!
//! A shell usually sets a soft limit of 1,024 open files, and a hard limit that is
//! far higher. Any process may raise its soft limit to the hard one. The soft limit
//! is low only to protect programs that use `select(2)`.

use fathom_job::plan::{Plan, PlannedJob};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::BTreeMap;

/// Open files of a worker besides its targets: a ring, what the ring registers, and the
/// file that replaces another one.
const OF_WORKER: u64 = 5;

/// Open files of the rest of the program. Most are files that the guard holds.
const OF_REST: u64 = 768;

/// Raises the soft limit where the plan may need it. Returns how many files each
/// worker may keep open.
pub fn make_room(plan: &Plan) -> usize {
    let stages = stages(plan);
    let needed = stages.values().map(Stage::needed).max().unwrap_or(0) + OF_REST;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let mut allowed = current.unwrap_or(u64::MAX);
    if allowed < needed {
        allowed = needed.min(maximum.unwrap_or(u64::MAX));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum });
    }
    stages.values().map(|stage| stage.each_of(allowed)).min().unwrap_or(usize::MAX)
}

/// Workers that run at the same time.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    workers: u64,
    /// Those that have files.
    with_files: u64,
    files: u64,
}

impl Stage {
    fn needed(&self) -> u64 {
        self.files + self.workers * OF_WORKER
    }

    /// Files of each worker, if the program may have so many open.
    fn each_of(&self, allowed: u64) -> usize {
        if self.needed() + OF_REST <= allowed || self.with_files == 0 {
            return usize::MAX;
        }
        let left = allowed.saturating_sub(OF_REST + self.workers * OF_WORKER);
        usize::try_from(left / self.with_files).unwrap_or(usize::MAX).max(1)
    }
}

fn stages(plan: &Plan) -> BTreeMap<u32, Stage> {
    let mut stages: BTreeMap<u32, Stage> = BTreeMap::new();
    for job in &plan.jobs {
        let stage = stages.entry(job.stage).or_default();
        let files = files(job);
        stage.workers += 1;
        stage.with_files += u64::from(files > 0);
        stage.files += files;
    }
    stages
}

fn files(job: &PlannedJob) -> u64 {
    if job.is_of_names() {
        return 0;
    }
    let named = job.files.iter().filter(|file| file.is_on_machine()).count() as u64;
    job.open_files_max().map_or(named, |most| named.min(most.max(1).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    fn each(sections: &str, allowed: u64) -> Vec<usize> {
        let plan = planned(&format!("[global]\nioengine=psync\nrw=read\nsize=1m\n{sections}"));
        stages(&plan).values().map(|stage| stage.each_of(allowed)).collect()
    }

    #[test]
    fn workers_share_what_the_system_allows() {
        let all = usize::MAX;
        assert_eq!(each("[a]\nfilename=a\n[b]\nfilename=b\n", 1024), [all]);
        assert_eq!(each("[a]\nnrfiles=100\n", OF_REST + 55), [50]);
        assert_eq!(each("[a]\nnrfiles=100\nopenfiles=50\n", OF_REST + 55), [all]);
        let two = "[a]\nnrfiles=100\n[b]\nnrfiles=100\n[c]\nstonewall\nfilename=c\n";
        assert_eq!(each(two, OF_REST + 110), [50, all]);
        assert_eq!(each(two, 3), [1, 1], "one at least");
        assert_eq!(each("[a]\nioengine=null\nnrfiles=100\n", 3), [all]);
    }
}
