//! Queue depth and batching: what the job asks for, what it gets, and syncs that empty the queue.

use super::Depth;
use super::notes::{self, Notes};
use crate::diagnostic::Diagnostic;
use crate::direction::PerDirection;
use crate::engine::EngineDef;
use crate::job::Job;
use crate::option::Key;
use crate::options;

/// Limits that have no effect above the depth.
const BOUNDED: [&Key<Option<u32>>; 4] = [
    &options::IODEPTH_BATCH,
    &options::IODEPTH_BATCH_COMPLETE_MIN,
    &options::IODEPTH_BATCH_COMPLETE_MAX,
    &options::IODEPTH_LOW,
];

/// Does the job follow fio's batching (`compat=fio`)?
pub(super) fn as_fio(job: &Job) -> bool {
    job.get(&options::COMPAT) == "fio"
}

/// Depth and batch limits of a job on this engine. Batch limits above the depth are cut to it, as
/// in fio; those not given stay `None`, or are fio's default of one at a time with `compat=fio`.
pub(super) fn depth(
    job: &Job,
    engine: &EngineDef,
    issues: PerDirection<bool>,
    direct: bool,
    notes: &mut Notes,
) -> Depth {
    let asked = job.get(&options::IODEPTH);
    let waits = waits_for_trims(engine, issues);
    let reachable = if waits { 1 } else { reachable(asked, engine, direct) };
    match () {
        () if reachable < asked && engine.is_sync() && job.get(&options::IO_SUBMIT_MODE) == "offload" => {
            notes.push(needs_pool(job, asked, engine));
        }
        () if reachable < asked => notes.push(unreachable(job, asked, reachable, engine, waits)),
        () => {}
    }
    for key in BOUNDED {
        if job.get(key).is_some_and(|limit| limit > asked) {
            let name = key.def.name;
            let message = format!("{name} is more than iodepth={asked} can have in flight; taken as {asked}");
            notes.push(notes::note(job, key, "batch-clipped", message));
        }
    }
    let cut = |limit: u32| limit.min(asked);
    let zero_is_depth = |limit: u32| if limit == 0 { asked } else { cut(limit) };
    // fio fills its queue even where a submit call does the I/O itself, and its batches follow from
    // that.
    let kept = if as_fio(job) { asked.min(engine.depth_max) } else { reachable };
    let fio_s = as_fio(job).then_some(1);
    let complete_min = job.get(&options::IODEPTH_BATCH_COMPLETE_MIN).map(cut).or(fio_s);
    Depth {
        asked,
        reachable: kept,
        low: job.get(&options::IODEPTH_LOW).map(zero_is_depth),
        submit_batch: job.get(&options::IODEPTH_BATCH).map(zero_is_depth).or(fio_s),
        complete_min,
        complete_max: complete_max(job, complete_min, asked).or(fio_s),
    }
}

/// A job that only trims has one I/O in flight: no engine queues a trim of a file or device, unless it is a command, so the worker
/// waits for each.
fn waits_for_trims(engine: &EngineDef, issues: PerDirection<bool>) -> bool {
    issues.trim && !issues.read && !issues.write && !engine.diskless && !engine.sends_commands()
}

fn reachable(asked: u32, engine: &EngineDef, direct: bool) -> u32 {
    if engine.needs_direct_for_depth && !direct { 1 } else { asked.min(engine.depth_max) }
}

/// fio's default is the minimum, and fio raises a maximum below the minimum to it. A minimum of 0
/// polls and takes what is there: cutting the maximum to 0 is what makes fio's effective depth 1,
/// so no limit is set then.
fn complete_max(job: &Job, min: Option<u32>, asked: u32) -> Option<u32> {
    let given = job.get(&options::IODEPTH_BATCH_COMPLETE_MAX).map(|max| max.min(asked));
    let least = min.filter(|min| *min > 0);
    given.filter(|max| *max > 0).max(least)
}

fn unreachable(job: &Job, asked: u32, reachable: u32, engine: &EngineDef, waits: bool) -> Diagnostic {
    let clones = format!("numjobs={asked} for that many in flight");
    let (why, hint) = if waits {
        ("sends one trim at a time, and its worker waits for each", clones)
    } else if engine.depth_max == 1 {
        ("is synchronous: each call returns when its I/O is done", format!("{clones}, or ioengine=io_uring"))
    } else if reachable == 1 {
        ("blocks in the submit call unless direct=1", "direct=1, or ioengine=io_uring".to_owned())
    } else {
        ("cannot keep more in flight", format!("iodepth={reachable}, and more clones by numjobs="))
    };
    let message =
        format!("iodepth={asked} is asked, {reachable} can be reached: ioengine={} {why}", engine.name);
    notes::warning(job, &options::IODEPTH, "depth-unreachable", message).hint(hint)
}

/// fio keeps `iodepth` synchronous I/Os in flight by its pool of threads.
fn needs_pool(job: &Job, asked: u32, engine: &EngineDef) -> Diagnostic {
    let message = format!(
        "job {}: io_submit_mode=offload with iodepth={asked} needs {asked} threads of ioengine={}, and a worker has one",
        job.name, engine.name
    );
    notes::error(job, &options::IO_SUBMIT_MODE, "offload-needs-pool", message)
        .hint(format!("numjobs={asked} with iodepth=1, or ioengine=io_uring"))
}

// Syncs that a worker waits for. They empty its queue, whatever `iodepth` says.

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
