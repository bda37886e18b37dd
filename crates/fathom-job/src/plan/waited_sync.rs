//! Syncs that a worker waits for. They empty its queue, whatever `iodepth` says.

use crate::engine::EngineDef;
use crate::job::Job;
use crate::option::Key;
use crate::options;

/// The sync of a job that its worker waits for; of fsync and fdatasync the one that comes more often.
#[derive(Clone, Copy)]
pub struct WaitedSync {
    /// The option that asks for it.
    pub option: &'static Key<u32>,
    /// Writes before each sync, at least 1.
    pub writes: u32,
}

impl WaitedSync {
    /// The sync of a job that writes; `None` where it asks for none, and where its engine queues syncs beside the writes or has no
    /// target.
    pub fn of(job: &Job, engine: &EngineDef) -> Option<Self> {
        let options: [&'static Key<u32>; 2] = [&options::FSYNC, &options::FDATASYNC];
        let all = options.map(|option| WaitedSync { option, writes: job.get(option) });
        let often = all.into_iter().filter(|it| it.writes > 0).min_by_key(|it| it.writes);
        often.filter(|_| !engine.queues_syncs && !engine.diskless)
    }

    /// Most I/Os in flight of a worker that only writes, where its engine and its `iodepth` let it have so many.
    pub fn depth_of_writes(self, reachable: u32) -> u32 {
        reachable.min(self.writes)
    }
}
