//! What is asked of a simulated drive, and how it answers.

/// What an I/O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Says that a range is not needed any more.
    Trim,
    /// Makes what was written safe from a loss of power. Offset and length mean nothing.
    Flush,
}

/// One I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// What it does.
    pub kind: IoKind,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length in bytes. The range lies within the capacity of the drive.
    pub length: u64,
}

/// When an I/O that was submitted is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submitted {
    /// At this time, in nanoseconds.
    At(u64),
    /// The drive has not decided yet, because an I/O that comes later may overtake this one. It says so by
    /// [`SimulatedDrive::decide`].
    Queued,
    /// A zoned drive does not do it.
    Refused(ZoneRefusal),
}

/// Why a zoned drive refuses an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneRefusal {
    /// A write that is not at the write pointer of its zone.
    NotAtThePointer,
    /// A read of what was not written.
    BeyondThePointer,
    /// It goes beyond the capacity of its zone.
    BeyondTheZone,
    /// The zone would be one more than may be open or active.
    TooManyOpen,
    /// What is done to whole sequential zones only.
    NotAZone,
}

/// What a zone is, and what was done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneCondition {
    /// It can be written anywhere.
    Conventional,
    /// Nothing is written.
    Empty,
    /// Partly written.
    Open,
    /// Nothing more can be written.
    Full,
}

/// A zone. Places are in bytes from the start of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneState {
    /// Its first byte.
    pub start: u64,
    /// Bytes that can be written.
    pub capacity: u64,
    /// Where the next write has to be.
    pub write_pointer: u64,
    /// What was done to it.
    pub condition: ZoneCondition,
}

/// The zones of a drive.
#[derive(Debug, Clone, Copy)]
pub struct ZoneReport<'a> {
    /// Bytes from the start of a zone to that of the next.
    pub zone_bytes: u64,
    /// Most open zones; 0 is no limit.
    pub open_max: u32,
    /// Most active zones; 0 is no limit.
    pub active_max: u32,
    /// All of them.
    pub zones: &'a [ZoneState],
}

/// What can be done to a sequential zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneAction {
    /// Empties it.
    Reset,
    /// Makes it full.
    Finish,
}

/// A queued I/O whose completion the drive has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decided {
    /// What the caller gave with the I/O.
    pub tag: u64,
    /// When it is complete, in nanoseconds.
    pub completion_ns: u64,
}

/// A drive in virtual time.
///
/// The caller gives I/Os in the order of time. A flash drive decides each at once. A disk and an array may
/// queue it: then the caller calls [`decide`](Self::decide) when [`next_decision_ns`](Self::next_decision_ns)
/// has come, and before it submits anything later than that.
pub trait SimulatedDrive: Send {
    /// Capacity in bytes.
    fn capacity_bytes(&self) -> u64;

    /// An I/O arrives at `now_ns`. `tag` comes back if it is queued.
    fn submit(&mut self, now_ns: u64, tag: u64, io: Io) -> Submitted;

    /// When the drive next decides about a queued I/O; `None` if it has none.
    fn next_decision_ns(&self) -> Option<u64> {
        None
    }

    /// Decides what is due at `now_ns`, and adds it to `decided`.
    fn decide(&mut self, now_ns: u64, decided: &mut Vec<Decided>) {
        let _ = (now_ns, decided);
    }

    /// What the drive counted until now.
    fn counters(&self) -> DriveCounters;

    /// Bytes that the host read and that were never written, as in [`Self::counters`], but at no cost: it is asked at each
    /// I/O. A drive that reads whatever was written counts none.
    fn unwritten_read_bytes(&self) -> u64 {
        0
    }

    /// The zones of a zoned drive.
    fn zones(&self) -> Option<ZoneReport<'_>> {
        None
    }

    /// Changes the zone that begins at `offset`. The model takes no time for it.
    ///
    /// # Errors
    /// There is no such sequential zone.
    fn change_zone(&mut self, offset: u64, action: ZoneAction) -> Result<(), ZoneRefusal> {
        let _ = (offset, action);
        Err(ZoneRefusal::NotAZone)
    }
}

/// Counters since the drive was made. Bytes are of whole mapping units where flash is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DriveCounters {
    /// Bytes that the host read.
    pub host_read_bytes: u64,
    /// Those of them that were never written, or trimmed: no flash was read for them. What an array reads for the parity of
    /// a write is not among them.
    pub unwritten_read_bytes: u64,
    /// Bytes that the host wrote.
    pub host_written_bytes: u64,
    /// Bytes of whole units that the host trimmed.
    pub trimmed_bytes: u64,
    /// Flushes of the host.
    pub flushes: u64,
    /// Bytes programmed to flash, for whatever reason. A disk counts what it wrote.
    pub media_written_bytes: u64,
    /// Bytes that garbage collection copied.
    pub collected_bytes: u64,
    /// Bytes that hold data of the host.
    pub mapped_bytes: u64,
    /// Blocks that were erased.
    pub erases: u64,
    /// Erases of the block that was erased most.
    pub block_erases_max: u32,
    /// Bytes in the SLC cache that are not yet folded.
    pub slc_used_bytes: u64,
    /// Bytes that the SLC cache can hold now. It shrinks as the drive fills.
    pub slc_size_bytes: u64,
    /// Temperature in °C, if the model has one.
    pub temperature_c: Option<f64>,
    /// Time for which the drive was throttled, in nanoseconds.
    pub throttled_ns: u64,
}

impl DriveCounters {
    /// Bytes written to flash over bytes written by the host; `None` before the host writes.
    pub fn write_amplification(&self) -> Option<f64> {
        (self.host_written_bytes > 0)
            .then(|| self.media_written_bytes as f64 / self.host_written_bytes as f64)
    }

    /// What was counted since `before`. Gauges (mapped, SLC cache, temperature, most erases) are those of
    /// now.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            host_read_bytes: self.host_read_bytes - before.host_read_bytes,
            unwritten_read_bytes: self.unwritten_read_bytes - before.unwritten_read_bytes,
            host_written_bytes: self.host_written_bytes - before.host_written_bytes,
            trimmed_bytes: self.trimmed_bytes - before.trimmed_bytes,
            flushes: self.flushes - before.flushes,
            media_written_bytes: self.media_written_bytes - before.media_written_bytes,
            collected_bytes: self.collected_bytes - before.collected_bytes,
            erases: self.erases - before.erases,
            throttled_ns: self.throttled_ns - before.throttled_ns,
            ..*self
        }
    }
}
