//! The I/O engines: how a descriptor becomes a system call.
//!
//! There are two kinds. A [`SyncEngine`] does one I/O at a time and returns its
//! result; an [`AsyncEngine`] stages descriptors into slots, submits them together
//! and reaps completions. The worker's loop is compiled for each engine, so an
//! engine costs no indirect call. An engine is one file, one line in [`ENTRIES`]
//! and one row of [`fathom_job::engine`].

pub mod cpuio;
mod flight;
pub mod hooked;
pub mod inline;
pub mod io_uring;
pub mod io_uring_cmd;
pub mod libaio;
pub mod mmap;
pub mod names;
pub mod nop;
pub mod null;
pub mod oracle;
pub mod posixaio;
pub mod psync;
pub mod pvsync;
pub mod sg;
pub mod sim;
pub mod space;
pub mod sync;

use crate::clock::Clock;
use crate::desc::Desc;
use crate::drawn_priorities::{DrawnPriorities, PriorityMix};
use crate::hook::SharedHook;
use crate::memory::SlotMemory;
use crate::target::{OpenTarget, SharedDrive, TargetSource};
use crate::worker::{Worker, WorkerEnd, async_loop, sync_loop};
use fathom_job::engine::EngineDef;
use fathom_job::plan::{PlannedFile, PlannedJob};
use std::io;

/// A declared engine and the worker loop that runs it.
pub struct EngineEntry {
    /// What the planner sees.
    pub def: EngineDef,
    /// Runs a worker with this engine until it ends.
    pub run: fn(&mut Worker<'_>) -> WorkerEnd,
    /// The same for a worker with a hook.
    pub run_hooked: fn(&mut Worker<'_>) -> WorkerEnd,
    /// One I/O at a time.
    pub is_sync: bool,
    /// Does a job with this engine run in virtual time?
    pub is_virtual: fn(&PlannedJob) -> bool,
}

impl EngineEntry {
    /// The entry of the synchronous engine of that name.
    pub const fn sync<E: SyncEngine>(name: &str) -> Self {
        let (run, run_hooked) = (sync_loop::run::<E>, sync_loop::run::<hooked::Hooked<E>>);
        EngineEntry { def: declared(name), run, run_hooked, is_sync: true, is_virtual: never }
    }

    /// The entry of the asynchronous engine of that name.
    pub const fn queued<E: AsyncEngine>(name: &str) -> Self {
        let (run, run_hooked) = (async_loop::run::<E>, async_loop::run::<hooked::Hooked<E>>);
        EngineEntry { def: declared(name), run, run_hooked, is_sync: false, is_virtual: never }
    }

    /// The same engine, with the jobs that run in virtual time. Such an engine has no files,
    /// whose answers would come in real time.
    pub const fn virtual_if(self, is_virtual: fn(&PlannedJob) -> bool) -> Self {
        assert!(self.def.diskless, "an engine with files cannot run in virtual time");
        EngineEntry { is_virtual, ..self }
    }
}

fn never(_: &PlannedJob) -> bool {
    false
}

/// The row of an engine in the table of `fathom-job`. An entry without a row does not compile.
const fn declared(name: &str) -> EngineDef {
    match fathom_job::engine::named(name) {
        Some(def) => *def,
        None => panic!("fathom_job::engine::ENGINES has no row of this name"),
    }
}

/// Every engine of this build.
pub const ENTRIES: &[EngineEntry] = &[
    psync::ENTRY,
    sync::SYNC,
    sync::VSYNC,
    pvsync::PVSYNC,
    pvsync::PVSYNC2,
    libaio::ENTRY,
    posixaio::ENTRY,
    io_uring::ENTRY,
    io_uring_cmd::ENTRY,
    sg::ENTRY,
    mmap::ENTRY,
    null::ENTRY,
    nop::ENTRY,
    sim::ENTRY,
    oracle::ENTRY,
    space::FALLOC,
    space::FTRUNCATE,
    cpuio::ENTRY,
    names::FILE_CREATE,
    names::FILE_STAT,
    names::FILE_DELETE,
    names::FILE_RENAME,
    names::DIR_CREATE,
    names::DIR_STAT,
    names::DIR_DELETE,
];

/// The engine of that name.
pub fn find(name: &str) -> Option<&'static EngineEntry> {
    #[cfg(test)]
    if name == crate::fixture::FRAGILE.def.name {
        return Some(&crate::fixture::FRAGILE);
    }
    ENTRIES.iter().find(|e| e.def.name == name)
}

/// Does this job run in virtual time?
pub fn is_virtual(plan: &PlannedJob) -> bool {
    find(&plan.engine).is_some_and(|engine| (engine.is_virtual)(plan))
}

/// The declarations, for the planner.
pub fn definitions() -> Vec<EngineDef> {
    ENTRIES.iter().map(|e| e.def).collect()
}

/// What an engine gets when it is opened.
pub struct Context<'a> {
    /// The job.
    pub plan: &'a PlannedJob,
    /// Its open files, in plan order; where it keeps fewer open than it has, the
    /// first of them.
    pub files: &'a [OpenTarget],
    /// Other files replace these in the course of the job.
    pub replaces_files: bool,
    /// The simulated drives that its files name, in plan order.
    pub simulated: &'a [SharedDrive],
    /// Where an engine of names has them from.
    pub targets: &'a dyn TargetSource,
    /// Its buffers, one slot for each I/O in flight.
    pub buffers: &'a SlotMemory,
    /// Most I/Os in flight.
    pub depth: u32,
    /// The worker's clock.
    pub clock: Clock,
    /// What is called for each I/O, if anything is.
    pub hook: Option<SharedHook>,
}

/// Another file for a job that keeps fewer open than it has.
pub struct Replacement<'a> {
    /// Index of the open file that is replaced.
    pub entry: usize,
    /// The file, open.
    pub file: &'a OpenTarget,
    /// The plan of the file.
    pub planned: &'a PlannedFile,
}

impl Context<'_> {
    /// The priorities that single I/Os of the job get, if any do.
    fn priority_mix(&self, engine: &'static str) -> Result<Option<PriorityMix>, EngineError> {
        PriorityMix::of(self.plan, self.depth).map_err(|source| EngineError {
            engine,
            act: "raise priorities".to_owned(),
            source,
        })
    }
}

/// Why an engine cannot be used here.
#[derive(Debug, thiserror::Error)]
#[error("engine {engine} cannot {act}: {source}")]
pub struct EngineError {
    /// Name of the engine.
    pub engine: &'static str,
    /// What was tried.
    pub act: String,
    /// The error of the system.
    pub source: io::Error,
}

/// One I/O at a time.
pub trait SyncEngine: Sized {
    /// Gets ready to use the files.
    fn open(context: &Context<'_>) -> Result<Self, EngineError>;

    /// Replaces an open file by another one; the old one is closed afterwards.
    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError>;

    /// Does one read or write between `buffer` and the file; returns the bytes
    /// moved or a negative errno.
    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32;

    /// Makes a member of the fsync family or a trim happen, the whole of it;
    /// returns 0 or a negative errno.
    fn control(&mut self, desc: &Desc) -> i32;

    /// An I/O is about to be timed. Only an engine with a hook and one of names do anything here.
    #[inline(always)]
    fn before(&mut self, _desc: &Desc, _buffer: *mut u8) {}

    /// It was timed.
    #[inline(always)]
    fn after(&mut self, _desc: &Desc, _result: i32, _buffer: *mut u8) {}

    /// What the engine found or chose, as pairs of name and value for the result.
    fn notes(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// What became of a staged descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staged {
    /// It will be part of the next submit.
    Queued,
    /// It was done immediately, with this result: 0 or a negative errno.
    Done(i32),
}

/// Many I/Os in flight.
pub trait AsyncEngine: Sized {
    /// Gets ready to use the files. Called on the thread that will use it.
    fn open(context: &Context<'_>) -> Result<Self, EngineError>;

    /// Replaces an open file, on which nothing is in flight, by another one; the
    /// old one is closed afterwards.
    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError>;

    /// Prepares one read or write. The slot is free, and its buffer is not
    /// touched until the slot is reaped.
    fn stage(&mut self, slot: u32, desc: &Desc);

    /// Prepares an operation of the fsync family or a trim, or does it at once.
    fn control(&mut self, slot: u32, desc: &Desc) -> Staged;

    /// Submits what was staged and waits until `wait` completions can be
    /// reaped or `timeout_ns` is over. Returns how many were submitted; the
    /// rest stays staged.
    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32>;

    /// Is this operation of the fsync family, or this trim, always queued?
    fn queues(&self, _desc: &Desc) -> bool {
        false
    }

    /// Is this operation, which is no read or write, submitted together with what was staged before it? It must always be queued.
    /// fio's order of calls has it so for whatever is queued.
    fn joins(&self, desc: &Desc, as_fio: bool) -> bool {
        as_fio && self.queues(desc)
    }

    /// Submits what was staged, in the calls that fio would make, and does not
    /// wait. Only fio's order of calls (`compat=fio`) needs this.
    fn commit(&mut self) -> io::Result<()> {
        self.submit(0, 0).map(drop)
    }

    /// Looks for completions in the call that fio would make: waits up to
    /// `timeout_ns` until `wait` can be reaped, and takes at most `max` from the
    /// kernel. Called again while there are too few. Only fio's order of calls
    /// needs this.
    fn collect(&mut self, wait: u32, _max: u32, timeout_ns: u64) -> io::Result<()> {
        self.submit(wait, timeout_ns).map(drop)
    }

    /// How many completions can be reaped. The stamp of their end is taken after
    /// this and before [`AsyncEngine::reap`], so that no completion is later
    /// than its stamp.
    fn available(&mut self) -> usize;

    /// Passes `count` completions to `done`; there must be so many. For each it
    /// passes the number that came back, which should be that of a slot, and the
    /// bytes moved or a negative errno.
    fn reap(&mut self, count: usize, done: impl FnMut(u64, i32));

    /// Why no I/O will ever complete, if the engine knows that, when none has
    /// completed for `idle_ns`. A slow device is not a reason.
    fn gives_up(&self, _idle_ns: u64) -> Option<&'static str> {
        None
    }

    /// What the engine found or chose, as pairs of name and value for the result.
    fn notes(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Where it notes the priorities of single I/Os, if it draws them.
    fn drawn_priorities(&self) -> Option<DrawnPriorities> {
        None
    }
}

/// The result of a system call that returns bytes: the bytes, or a negative errno.
#[inline(always)]
pub(crate) fn bytes_or_errno(result: isize) -> i32 {
    if result >= 0 { result as i32 } else { -errno() }
}

pub(crate) fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_engines_agree() {
        let name = |def: &EngineDef| def.name;
        let ours: Vec<&str> = ENTRIES.iter().map(|entry| name(&entry.def)).collect();
        assert_eq!(ours, fathom_job::engine::ENGINES.iter().map(name).collect::<Vec<_>>());
        for entry in ENTRIES {
            assert_eq!(entry.is_sync, entry.def.is_sync(), "{}", entry.def.name);
        }
    }
}
