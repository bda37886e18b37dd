//! How the engine gets an open target: through a [`TargetSource`].
//!
//! The engine opens nothing by path. A [`TargetSource`]
//! (in the program: the guard) has checked the target and holds it open. It gives out
//! descriptors of exactly that inode, never with more rights than were
//! granted. So no write path exists that the guard did not open. A run in virtual time gets a [`SharedDrive`] instead.

use fathom_job::plan::PlannedJob;
use fathom_job::trace::{ReplayTerms, TraceDefect, TraceFacts, scan};
use fathom_results::VerifyState;
use fathom_sim::{
    Decided, DriveCounters, Io, SimulatedDrive, Submitted, ZoneAction, ZoneRefusal, ZoneReport,
};
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How to open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenHow {
    /// Open for writing too.
    pub write: bool,
    /// O_DIRECT.
    pub direct: bool,
    /// O_SYNC.
    pub sync: bool,
    /// O_DSYNC.
    pub dsync: bool,
}

/// An open target.
#[derive(Debug)]
pub struct OpenTarget {
    /// The descriptor, this worker's own.
    pub fd: OwnedFd,
    /// It is a block device, and not a file or a character device.
    pub is_block: bool,
    /// Size at the time of opening, bytes.
    pub size: u64,
    /// It takes commands of a drive.
    pub commands: Option<CommandTarget>,
}

impl OpenTarget {
    /// Has the target keep what was written: fsync(2), or the command for it.
    pub(crate) fn sync(&self) -> rustix::io::Result<()> {
        sync(self.fd.as_fd(), self.commands)
    }

    /// Is it a character device that takes commands and nothing else?
    pub(crate) fn is_node(&self) -> bool {
        matches!(self.commands, Some(CommandTarget::Namespace(_) | CommandTarget::ScsiNode))
    }

    /// How the blocks of a namespace are formatted, if it is one.
    pub(crate) fn namespace(&self) -> Option<&NamespaceFormat> {
        match &self.commands {
            Some(CommandTarget::Namespace(format)) => Some(format),
            _ => None,
        }
    }
}

/// The same for a descriptor that is borrowed from an open target.
pub(crate) fn sync(fd: BorrowedFd<'_>, commands: Option<CommandTarget>) -> rustix::io::Result<()> {
    match commands {
        Some(CommandTarget::Namespace(format)) => crate::nvme_command::flush(fd, format.nsid),
        Some(CommandTarget::ScsiNode) => crate::scsi_command::flush(fd),
        Some(CommandTarget::ScsiDisk) | None => rustix::fs::fsync(fd),
    }
}

/// A target that takes commands of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandTarget {
    /// The generic character device of an NVMe namespace.
    Namespace(NamespaceFormat),
    /// The block device of a whole SCSI disk, which also takes reads and writes. A partition is none: a command for it goes to the
    /// disk.
    ScsiDisk,
    /// The generic character device of a SCSI disk.
    ScsiNode,
}

/// What commands for a namespace depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamespaceFormat {
    /// NSID.
    pub nsid: u32,
    /// Data in a block, bytes.
    pub block_bytes: u32,
    /// Metadata of a block, bytes.
    pub metadata_bytes: u16,
    /// Data and metadata of a block are one after the other in one buffer.
    pub is_extended: bool,
    /// Protection information: 0 none, 1 to 3 the type.
    pub protection_type: u8,
}

/// Hands out targets that may be used.
pub trait TargetSource: Sync {
    /// Opens `path` for one worker. Errors name the path and the reason.
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget>;

    /// Removes a file that this run created; refuses any other.
    fn unlink(&self, path: &str) -> io::Result<()>;

    /// What the job with this plan id wrote in an earlier run, if it is to be checked by that (`verify_state_load`).
    fn verify_state(&self, _job: u32) -> Option<Arc<VerifyState>> {
        None
    }

    /// The names of a job whose engine does an operation on a name for each I/O.
    fn names(&self, _job: &PlannedJob) -> io::Result<Box<dyn JobNames>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "this run has no names"))
    }

    /// The trace of the job with this plan id (`read_iolog`), from its beginning; or those that it merges.
    fn traces(&self, _job: u32) -> io::Result<Vec<Box<dyn TraceBytes>>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "this run has no traces"))
    }

    /// The simulated drive of that name, which all workers share. Only runs in virtual time have some.
    fn simulated(&self, name: &str) -> io::Result<SharedDrive> {
        Err(io::Error::new(io::ErrorKind::NotFound, format!("{name}: this run has no simulated drives")))
    }
}

/// The names of one job, in the order of its files. All calls are about the name with that index; the thread of the
/// worker makes them.
pub trait JobNames {
    /// Whether the next operation may be done: 0 or a negative errno. Called before its time is measured.
    fn judge(&mut self, name: usize) -> i32;

    /// Does the operation, in one system call: 0 or a negative errno.
    fn act(&mut self, name: usize) -> i32;

    /// Closes what the operation opened, and notes what it made if it was done. Called after its time was measured.
    fn settle(&mut self, name: usize, is_done: bool);
}

/// The bytes of a trace.
pub trait TraceBytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> TraceBytes for T {}

/// Reads a whole trace before it is replayed, by the code that replays it: it is compiled here, for speed, and once.
///
/// # Errors
/// The first defect of it.
pub fn trace_facts(inputs: Vec<Box<dyn TraceBytes>>, terms: &ReplayTerms) -> Result<TraceFacts, TraceDefect> {
    scan(inputs, terms)
}

/// A source without targets, for diskless engines.
#[derive(Clone, Copy, Debug)]
pub struct NoTargets;

impl TargetSource for NoTargets {
    fn open(&self, path: &str, _how: OpenHow) -> io::Result<OpenTarget> {
        Err(io::Error::new(io::ErrorKind::NotFound, format!("{path}: this run has no targets")))
    }

    fn unlink(&self, _path: &str) -> io::Result<()> {
        Ok(())
    }
}

/// A drive that several workers use.
pub type SharedDrive = Arc<Mutex<DriveInUse>>;

/// A drive with the I/Os that it has not decided about.
pub struct DriveInUse {
    drive: Box<dyn SimulatedDrive>,
    /// The drive's time at which the run began.
    origin_ns: u64,
    /// The latest completion so far, in the drive's time.
    latest_ns: u64,
    /// What the drive had counted when the run began.
    before: DriveCounters,
    /// Completions that were decided, for each worker.
    decided: Vec<Vec<(u32, u64)>>,
    scratch: Vec<Decided>,
}

/// The place of a worker at a drive.
#[derive(Clone, Copy, Debug)]
pub struct DrivePlace(u32);

/// Uses the drive.
pub fn locked(drive: &SharedDrive) -> MutexGuard<'_, DriveInUse> {
    drive.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DriveInUse {
    pub(crate) fn new(drive: Box<dyn SimulatedDrive>) -> Self {
        let before = drive.counters();
        DriveInUse { drive, origin_ns: 0, latest_ns: 0, before, decided: Vec::new(), scratch: Vec::new() }
    }

    /// A run begins: virtual time begins at zero, and the time of the drive goes on.
    pub(crate) fn begin_run(&mut self) {
        // What is still queued has nobody who waits for it.
        while let Some(at_ns) = self.drive.next_decision_ns() {
            self.decide_until(at_ns);
        }
        self.decided.clear();
        self.origin_ns = self.latest_ns;
        self.before = self.drive.counters();
    }

    /// A place for a worker with so many I/Os in flight.
    pub fn sit(&mut self, depth: u32) -> DrivePlace {
        self.decided.push(Vec::with_capacity(depth as usize));
        DrivePlace(self.decided.len() as u32 - 1)
    }

    /// An I/O of that place and slot is submitted at `now_ns` of the run. Returns when it is complete, if the drive
    /// knows that; else [`Self::take`] has it later.
    ///
    /// # Errors
    /// A zoned drive does not do it.
    #[inline]
    pub fn submit(
        &mut self,
        now_ns: u64,
        place: DrivePlace,
        slot: u32,
        io: Io,
    ) -> Result<Option<u64>, ZoneRefusal> {
        let tag = u64::from(place.0) << 32 | u64::from(slot);
        match self.drive.submit(self.origin_ns + now_ns, tag, io) {
            Submitted::At(at_ns) => {
                self.latest_ns = self.latest_ns.max(at_ns);
                Ok(Some(at_ns - self.origin_ns))
            }
            Submitted::Queued => Ok(None),
            Submitted::Refused(why) => Err(why),
        }
    }

    /// When the drive next decides about an I/O, in the time of the run.
    pub fn next_decision_ns(&self) -> Option<u64> {
        Some(self.drive.next_decision_ns()?.saturating_sub(self.origin_ns))
    }

    /// Lets the drive decide what is due at `now_ns` of the run.
    pub fn decide(&mut self, now_ns: u64) {
        self.decide_until(self.origin_ns + now_ns);
    }

    fn decide_until(&mut self, at_ns: u64) {
        self.scratch.clear();
        self.drive.decide(at_ns, &mut self.scratch);
        for Decided { tag, completion_ns } in &self.scratch {
            self.latest_ns = self.latest_ns.max(*completion_ns);
            if let Some(of_place) = self.decided.get_mut((tag >> 32) as usize) {
                of_place.push((*tag as u32, completion_ns.saturating_sub(self.origin_ns)));
            }
        }
    }

    /// Removes what was decided for a place: slots, and when they are complete.
    pub fn take(&mut self, place: DrivePlace) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.decided[place.0 as usize].drain(..)
    }

    /// The zones of a zoned drive.
    pub fn zones(&self) -> Option<ZoneReport<'_>> {
        self.drive.zones()
    }

    /// Is it a zoned drive?
    pub fn has_zones(&self) -> bool {
        self.drive.zones().is_some()
    }

    /// Changes the zone that begins at `offset`.
    ///
    /// # Errors
    /// There is no such sequential zone.
    pub fn change_zone(&mut self, offset: u64, action: ZoneAction) -> Result<(), ZoneRefusal> {
        self.drive.change_zone(offset, action)
    }

    /// Bytes that were read and that nobody had written, ever.
    pub fn unwritten_read(&self) -> u64 {
        self.drive.unwritten_read_bytes()
    }

    /// What the drive counted in this run.
    pub fn counted(&self) -> DriveCounters {
        self.drive.counters().since(&self.before)
    }
}
