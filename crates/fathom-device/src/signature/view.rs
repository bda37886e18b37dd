//! The parts of a device where formats keep their superblocks, addressable by
//! device offset: the head, the tail, and the places of spare superblocks
//! between them.

use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::blocks::{self, BLOCK_BYTES};
use super::spares;
use crate::sys;

/// The head reaches 64 KiB beyond 2 MiB, where the superblock of VMFS lies.
const HEAD_BYTES: u64 = (2 << 20) + (64 << 10);
/// The tail reaches the farthest of the marks that are counted from the end:
/// Promise RAID, 3,087 sectors (1.5 MiB) before it.
const TAIL_BYTES: u64 = 2 << 20;
/// How long a device may take to deliver both. A disk that sleeps needs half a minute to start, and an I/O of a run may take
/// as long by default.
const LIMIT: Duration = Duration::from_secs(60);

/// What is read between two looks at the clock. A process ends only when its last read has: at 20 kB/s, which a control
/// group may let through, that takes a second.
const PART_BYTES: usize = 16 << 10;

/// When a device must have answered.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    began: Instant,
    limit: Duration,
}

impl Deadline {
    pub fn after(limit: Duration) -> Deadline {
        Deadline { began: Instant::now(), limit }
    }

    fn check(self) -> io::Result<()> {
        if self.began.elapsed() < self.limit {
            return Ok(());
        }
        let message = format!("it did not deliver its two ends within {} s", self.limit.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, message))
    }
}

struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// `base` is where the device begins in the file.
    fn read(file: &File, base: u64, start: u64, len: u64, until: Deadline) -> io::Result<Self> {
        sys::forget_cached(file, base + start, len);
        let len = usize::try_from(len).expect("a window is little more than two MiB");
        let mut bytes = vec![0; len];
        for (part, at) in bytes.chunks_mut(PART_BYTES).zip((base + start..).step_by(PART_BYTES)) {
            file.read_exact_at(part, at)?;
            until.check()?;
        }
        Ok(Self { start, bytes })
    }

    fn at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }

    fn first_data(&self) -> Option<u64> {
        Some(self.start + blocks::first_data(&self.bytes)? as u64)
    }
}

/// What was read of a device. On a small one the windows overlap.
pub struct View {
    /// Size of the device in bytes.
    pub size_bytes: u64,
    head: Window,
    tail: Window,
    /// One block each, in the order of their offsets.
    spots: Vec<Window>,
}

impl View {
    /// Reads the head, the tail and the places of spare superblocks of the
    /// device that fills this range of the file.
    pub fn read(file: &File, range: Range<u64>) -> io::Result<Self> {
        Self::read_until(file, range, Deadline::after(LIMIT))
    }

    pub(super) fn read_until(file: &File, range: Range<u64>, until: Deadline) -> io::Result<Self> {
        sys::reads_ahead(file, false);
        let view = Self::read_parts(file, range, until);
        sys::reads_ahead(file, true);
        view
    }

    fn read_parts(file: &File, range: Range<u64>, until: Deadline) -> io::Result<Self> {
        let (base, size_bytes) = (range.start, range.end - range.start);
        let head_end = HEAD_BYTES.min(size_bytes);
        let tail_start = size_bytes.saturating_sub(TAIL_BYTES);
        Ok(Self {
            size_bytes,
            head: Window::read(file, base, 0, head_end, until)?,
            tail: Window::read(file, base, tail_start, size_bytes - tail_start, until)?,
            spots: spots(file, range, head_end, tail_start)?,
        })
    }

    /// `len` bytes at `offset`, if they were read.
    pub fn at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let spot = self.spots.partition_point(|spot| spot.start <= offset).checked_sub(1);
        let spot = || self.spots[spot?].at(offset, len);
        self.head.at(offset, len).or_else(|| self.tail.at(offset, len)).or_else(spot)
    }

    /// Whether `magic` lies at `offset`.
    pub fn holds(&self, offset: u64, magic: &[u8]) -> bool {
        self.at(offset, magic.len()) == Some(magic)
    }

    /// The offset that lies `back` bytes before the end of the last whole
    /// sector of 512 bytes.
    pub fn from_end(&self, back: u64) -> Option<u64> {
        (self.size_bytes & !511).checked_sub(back)
    }

    /// The little-endian number of 16 bits at `offset`.
    pub fn le_u16(&self, offset: u64) -> Option<u16> {
        Some(u16::from_le_bytes(self.at(offset, 2)?.try_into().ok()?))
    }

    /// The little-endian number of 32 bits at `offset`.
    pub fn le_u32(&self, offset: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.at(offset, 4)?.try_into().ok()?))
    }

    /// The big-endian number of 32 bits at `offset`.
    pub fn be_u32(&self, offset: u64) -> Option<u32> {
        Some(self.le_u32(offset)?.swap_bytes())
    }

    /// Offset of the first byte of data: the first that is neither zeroes nor ones.
    pub fn first_data(&self) -> Option<u64> {
        let between = self.spots.iter().find_map(Window::first_data);
        self.head.first_data().or(between).or_else(|| self.tail.first_data())
    }
}

/// Reads the blocks that hold the places of spare superblocks, except those
/// in the head and in the tail.
fn spots(file: &File, range: Range<u64>, head_end: u64, tail_start: u64) -> io::Result<Vec<Window>> {
    let (base, size_bytes) = (range.start, range.end - range.start);
    let mut starts: Vec<u64> = spares::places(size_bytes).iter().map(|at| at & !(BLOCK_BYTES - 1)).collect();
    starts.retain(|&start| start + BLOCK_BYTES > head_end && start < tail_start);
    starts.sort_unstable();
    starts.dedup();
    let ranges: Vec<_> =
        starts.iter().map(|&at| base + at..base + (at + BLOCK_BYTES).min(size_bytes)).collect();
    ranges.iter().for_each(|range| sys::forget_cached(file, range.start, BLOCK_BYTES));
    let windows = Mutex::new(Vec::with_capacity(ranges.len()));
    blocks::read_each(file, &ranges, &|start, bytes| {
        let window = Window { start: start - base, bytes: bytes.to_vec() };
        windows.lock().expect("no reader panics with the windows").push(window);
        ControlFlow::Continue(())
    })?;
    let mut windows = windows.into_inner().expect("no reader panics with the windows");
    windows.sort_unstable_by_key(|window| window.start);
    Ok(windows)
}
