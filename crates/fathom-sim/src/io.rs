//! What is asked of a simulated drive, and how it answers.

use crate::DriveCounters;

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
}
