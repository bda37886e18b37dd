//! An I/O before it is issued: 16 bytes. They are made 64 at a time.

use fathom_job::direction::Direction;
use fathom_job::plan::{FILES_ALL_MAX, TRIM_BITS, TRIM_MAX};

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// Reads.
    Read = 0,
    /// Writes.
    Write = 1,
    /// Discards.
    Trim = 2,
    /// fsync(2).
    Fsync = 3,
    /// fdatasync(2).
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

    /// Its name in messages.
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

/// One I/O to be issued, in two words, so that it is made and copied fast.
///
/// The length is a number of 31 bits times a power of two. The power is 1 for all
/// but trims of 2 GiB and more, so only code for trims uses it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Desc {
    pub offset: u64,
    /// From the lowest bit: 31 bits of length, 1 that is set for a write, 3 of operation, 5 of
    /// the exponent of the length's power of two, 24 of file.
    what: u64,
}

/// The lengths of reads and writes fit: `MAX_RW_COUNT` of linux/fs.h is 0x7fff_f000.
const LEN_MASK: u32 = (1 << LEN_BITS) - 1;
const LEN_BITS: u32 = 31;
const OP_SHIFT: u32 = 32;
/// The lowest bit of the exponent. It is in the byte of the operation, so that this byte
/// is the operation itself if the exponent is 0.
const POWER_SHIFT: u32 = 35;
const POWER_MAX: u32 = (1 << (FILE_SHIFT - POWER_SHIFT)) - 1;
/// The lowest bit of the file's index, which has the highest bits, so that one shift gets it.
const FILE_SHIFT: u32 = 40;
const FILES_MAX: u64 = 1 << (u64::BITS - FILE_SHIFT);
const _: () = assert!(FILES_ALL_MAX <= FILES_MAX, "every file of a plan has an index");
const _: () = assert!((Op::SyncRange as u64) < 1 << (POWER_SHIFT - OP_SHIFT), "every operation has a number");
const _: () = assert!(TRIM_BITS <= LEN_BITS, "every trim of a plan has a length");
const _: () = assert!(TRIM_MAX.0 >> POWER_MAX <= LEN_MASK as u64, "and so has the longest");

impl Desc {
    /// Fills unused places.
    pub const EMPTY: Desc = Desc::new(Op::Read, 0, 0, 0);

    /// `op` of `len` bytes, below 2 GiB, at `offset` of the job's file number
    /// `file`.
    #[inline(always)]
    pub const fn new(op: Op, offset: u64, len: u32, file: u32) -> Desc {
        let write = if matches!(op, Op::Write) { 1 << 31 } else { 0 };
        let what = (len & LEN_MASK) as u64 | write | (file as u64) << FILE_SHIFT | (op as u64) << OP_SHIFT;
        Desc { offset, what }
    }

    /// A trim of `bytes`. From 2 GiB on, `bytes` is a multiple of a power of two, which the
    /// plan has made sure: 2 from 2 GiB on, 4 from 4 GiB on, and so on. This is a separate
    /// function, so that reads and writes do not compute the power.
    #[inline(never)]
    pub const fn trim(offset: u64, bytes: u64, file: u32) -> Desc {
        let power = (u64::BITS - bytes.leading_zeros()).saturating_sub(LEN_BITS);
        debug_assert!(power <= POWER_MAX && bytes.is_multiple_of(1 << power));
        let small = Desc::new(Op::Trim, offset, (bytes >> power) as u32, file);
        Desc { offset, what: small.what | (power as u64) << POWER_SHIFT }
    }

    /// Length in bytes of an I/O below 2 GiB, such as every read and write.
    #[inline(always)]
    pub const fn len(&self) -> u32 {
        debug_assert!(self.power() == 0);
        self.what as u32 & LEN_MASK
    }

    /// Length in bytes, also of a trim of 2 GiB and more.
    #[inline]
    pub const fn bytes(&self) -> u64 {
        ((self.what as u32 & LEN_MASK) as u64) << self.power()
    }

    /// The exponent of the length's power of two.
    const fn power(&self) -> u32 {
        (self.what >> POWER_SHIFT) as u32 & POWER_MAX
    }

    /// Length and, in the highest bit, whether it is a write: equal for reads
    /// or writes of equal length.
    #[inline(always)]
    pub const fn kind(&self) -> u32 {
        self.what as u32
    }

    /// Whether its length is 0.
    pub const fn is_empty(&self) -> bool {
        self.bytes() == 0
    }

    /// Index of the job's file. In a descriptor for an engine it is the index in
    /// the engine's table of open files.
    #[inline(always)]
    pub const fn file(&self) -> u32 {
        (self.what >> FILE_SHIFT) as u32
    }

    #[inline(always)]
    pub const fn op(&self) -> Op {
        match (self.what >> OP_SHIFT) as u8 {
            0 => Op::Read,
            1 => Op::Write,
            3 => Op::Fsync,
            4 => Op::Fdatasync,
            5 => Op::SyncRange,
            // Any other value is a trim: only a trim has an exponent here.
            _ => Op::Trim,
        }
    }

    #[inline(always)]
    pub const fn is_write(&self) -> bool {
        self.what & (1 << 31) != 0
    }

    /// Whether it is a read or a write.
    #[inline(always)]
    pub const fn is_transfer(&self) -> bool {
        (self.what >> OP_SHIFT) as u8 <= Op::Write as u8
    }

    /// The same I/O at another offset.
    #[inline(always)]
    pub const fn at(self, offset: u64) -> Desc {
        Desc { offset, what: self.what }
    }

    /// The same I/O in the file with another index.
    pub const fn in_file(self, file: u32) -> Desc {
        let rest = self.what & ((1 << FILE_SHIFT) - 1);
        Desc { offset: self.offset, what: rest | (file as u64) << FILE_SHIFT }
    }

    /// Another operation on the same range, which is below 2 GiB long.
    #[inline(always)]
    pub const fn with_op(self, op: Op) -> Desc {
        Desc::new(op, self.offset, self.len(), self.file())
    }
}

impl std::fmt::Debug for Desc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Desc { offset, .. } = self;
        write!(f, "{} of {} at {offset} in file {}", self.op().name(), self.bytes(), self.file())
    }
}

/// Descriptors that are made in one call. With 64 of them the call costs less than
/// a tenth of a nanosecond for each.
#[derive(Debug)]
pub struct DescBlock {
    descs: [Desc; DescBlock::LEN],
    /// For paced jobs: when each is due, in ticks since the phase began.
    due: [u64; DescBlock::LEN],
    next: usize,
    filled: usize,
    /// Descriptors from `filled` to here wait for their files to be opened.
    made: usize,
}

impl DescBlock {
    pub const LEN: usize = 64;

    pub fn new() -> Self {
        DescBlock {
            descs: [Desc::EMPTY; DescBlock::LEN],
            due: [0; DescBlock::LEN],
            next: 0,
            filled: 0,
            made: 0,
        }
    }

    /// Whether no descriptor is left.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.next >= self.filled
    }

    #[inline(always)]
    pub fn left(&self) -> usize {
        self.filled - self.next
    }

    /// The next descriptor and when it is due, if one is left.
    #[inline(always)]
    pub fn take(&mut self) -> Option<(Desc, u64)> {
        if self.is_empty() {
            return None;
        }
        let at = self.next % DescBlock::LEN;
        let taken = (self.descs[at], self.due[at]);
        self.next += 1;
        Some(taken)
    }

    /// The next `count` descriptors, and when each is due; no more than are
    /// left.
    #[inline(always)]
    pub fn take_many(&mut self, count: usize) -> (&[Desc], &[u64]) {
        let from = self.next.min(DescBlock::LEN);
        let to = (from + count).min(self.filled).min(DescBlock::LEN);
        self.next = to;
        (self.descs.get(from..to).unwrap_or_default(), self.due.get(from..to).unwrap_or_default())
    }

    /// How many of the next `room` are due `elapsed` ticks after the phase began.
    #[inline(always)]
    pub fn due_by(&self, elapsed: u64, room: usize) -> usize {
        let left = &self.due[self.next.min(self.filled)..self.filled];
        let left = &left[..room.min(left.len())];
        // Due times ascend. A job that is behind its schedule may start all of them.
        match left.last() {
            Some(&last) if last > elapsed => left.iter().take_while(|&&due| due <= elapsed).count(),
            _ => left.len(),
        }
    }

    /// When the next one is due, in ticks since the phase began.
    #[inline(always)]
    pub fn next_due(&self) -> Option<u64> {
        if self.is_empty() { None } else { self.due.get(self.next).copied() }
    }

    /// Replaces the contents with what `fill` writes; `fill` returns how many it wrote.
    #[inline(always)]
    pub fn refill(
        &mut self,
        fill: impl FnOnce(&mut [Desc; DescBlock::LEN], &mut [u64; DescBlock::LEN]) -> usize,
    ) -> bool {
        self.next = 0;
        self.filled = fill(&mut self.descs, &mut self.due).min(DescBlock::LEN);
        self.made = self.filled;
        self.filled > 0
    }

    pub fn hold_all(&mut self) {
        self.filled = self.next;
    }

    pub fn held(&self) -> Option<Desc> {
        self.descs[..self.made].get(self.filled).copied()
    }

    /// Is one of the I/Os that are held back for this file?
    pub fn holds(&self, file: u32) -> bool {
        self.descs[self.filled..self.made].iter().any(|desc| desc.file() == file)
    }

    /// Releases the first descriptor that is held back, as `desc`.
    pub fn let_go(&mut self, desc: Desc) {
        if self.filled < self.made {
            self.descs[self.filled] = desc;
            self.filled += 1;
        }
    }

    pub fn take_held(&mut self) -> impl Iterator<Item = Desc> {
        let held = self.filled..self.made;
        self.made = self.filled;
        self.descs[held].iter().copied()
    }

    /// Drops all that were not taken.
    pub fn clear(&mut self) {
        (self.next, self.filled, self.made) = (0, 0, 0);
    }
}

impl Default for DescBlock {
    fn default() -> Self {
        DescBlock::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: u32 = FILES_MAX as u32 - 1;

    /// All that a descriptor says.
    fn parts_of(desc: Desc) -> (Op, u64, u64, u32) {
        (desc.op(), desc.offset, desc.bytes(), desc.file())
    }

    #[test]
    fn it_says_what_it_was_made_of() {
        let ops = [Op::Read, Op::Write, Op::Trim, Op::Fsync, Op::Fdatasync, Op::SyncRange];
        for op in ops {
            for len in [0, 1, 4096, 0x7fff_f000, LEN_MASK] {
                for file in [0, 1, FILE] {
                    let desc = Desc::new(op, u64::MAX, len, file);
                    assert_eq!(parts_of(desc), (op, u64::MAX, len.into(), file));
                    assert_eq!((desc.len(), desc.is_empty()), (len, len == 0), "{desc:?}");
                    assert_eq!(desc.is_write(), op == Op::Write, "{desc:?}");
                    assert_eq!(desc.is_transfer(), matches!(op, Op::Read | Op::Write), "{desc:?}");
                }
            }
        }
    }

    #[test]
    fn trims_keep_their_length_beyond_that_of_a_write() {
        let small = (1 << 31) - 1;
        assert_eq!(Desc::trim(512, small, FILE), Desc::new(Op::Trim, 512, small as u32, FILE));
        let large =
            [1 << 31, (1 << 32) - 2, 1 << 32, (1 << 33) - 4, 3_000_000_000 << 10, 40 << 40, TRIM_MAX.0];
        for bytes in large {
            let desc = Desc::trim(512, bytes, FILE);
            assert_eq!(parts_of(desc), (Op::Trim, 512, bytes, FILE));
            assert!(!desc.is_empty() && !desc.is_write() && !desc.is_transfer(), "{desc:?}");
            assert_eq!(parts_of(desc.in_file(7)), (Op::Trim, 512, bytes, 7));
            assert_eq!(parts_of(desc.at(1 << 40)), (Op::Trim, 1 << 40, bytes, FILE));
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "is_multiple_of")]
    fn a_trim_whose_length_does_not_fit_is_a_defect() {
        let _ = Desc::trim(0, (1 << 31) + 1, 0);
    }

    #[test]
    fn only_what_is_held_back_is_held() {
        let mut block = DescBlock::new();
        block.refill(|descs, _| {
            (0..3).for_each(|n| descs[n] = Desc::new(Op::Write, 0, 512, n as u32));
            3
        });
        assert!(!block.holds(0), "nothing is held back yet");
        block.hold_all();
        block.let_go(Desc::new(Op::Write, 0, 512, 7));
        assert_eq!([0, 1, 2, 3, 7].map(|file| block.holds(file)), [false, true, true, false, false]);
    }
}
