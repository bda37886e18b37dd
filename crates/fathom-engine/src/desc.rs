//! An I/O before it is issued: 16 bytes, made 64 at a time.

use fathom_job::direction::Direction;

/// What one I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// Read into the slot's buffer.
    Read = 0,
    /// Write the slot's buffer.
    Write = 1,
    /// Give the range back.
    Trim = 2,
    /// fsync(2) of the file.
    Fsync = 3,
    /// fdatasync(2) of the file.
    Fdatasync = 4,
    /// sync_file_range(2) over the writes since the last one.
    SyncRange = 5,
}

impl Op {
    /// The direction of a data operation; `None` for the fsync family.
    #[inline(always)]
    pub fn direction(self) -> Option<Direction> {
        match self {
            Op::Read => Some(Direction::Read),
            Op::Write => Some(Direction::Write),
            Op::Trim => Some(Direction::Trim),
            _ => None,
        }
    }

    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Fsync => "fsync",
            Op::Fdatasync => "fdatasync",
            Op::SyncRange => "sync_file_range",
        }
    }
}

impl From<Direction> for Op {
    #[inline(always)]
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Read => Op::Read,
            Direction::Write => Op::Write,
            Direction::Trim => Op::Trim,
        }
    }
}

/// One I/O to be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Desc {
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes.
    pub len: u32,
    /// Index of the job's file.
    pub file: u16,
    /// What to do.
    pub op: Op,
}

impl Desc {
    /// Filler for unused places.
    pub const EMPTY: Desc = Desc { offset: 0, len: 0, file: 0, op: Op::Read };
}

/// Descriptors made in one go; 64 amortise the call that makes them below a
/// tenth of a nanosecond each.
#[derive(Debug)]
pub struct Block {
    descs: [Desc; Block::LEN],
    next: usize,
    filled: usize,
}

impl Block {
    /// Descriptors per block.
    pub const LEN: usize = 64;

    /// An empty block.
    pub fn new() -> Self {
        Block { descs: [Desc::EMPTY; Block::LEN], next: 0, filled: 0 }
    }

    /// The next descriptor, if one is left.
    #[inline(always)]
    pub fn take(&mut self) -> Option<Desc> {
        if self.next >= self.filled {
            return None;
        }
        let desc = *self.descs.get(self.next)?;
        self.next += 1;
        Some(desc)
    }

    /// Replaces the contents by what `fill` writes; it returns how many.
    pub fn refill(&mut self, fill: impl FnOnce(&mut [Desc; Block::LEN]) -> usize) -> bool {
        self.next = 0;
        self.filled = fill(&mut self.descs).min(Block::LEN);
        self.filled > 0
    }

    /// Drops what was not taken.
    pub fn clear(&mut self) {
        self.filled = 0;
    }
}

impl Default for Block {
    fn default() -> Self {
        Block::new()
    }
}
