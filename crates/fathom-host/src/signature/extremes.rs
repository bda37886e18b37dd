//! The first and the last bytes of a device, addressable by device offset.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::sys;

/// Head: one MiB, and the 64 KiB behind it where VMFS starts.
const HEAD_BYTES: u64 = (1 << 20) + (64 << 10);
/// Tail: one MiB reaches the backup GPT, md 0.90 and 1.0, DDF, IMSM and the
/// last two ZFS labels (512 KiB, aligned down to 256 KiB).
const TAIL_BYTES: u64 = 1 << 20;

struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    fn read(file: &File, start: u64, len: u64) -> io::Result<Self> {
        sys::forget_cached(file, start, len);
        let len = usize::try_from(len).expect("a window is little more than a MiB");
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, start)?;
        Ok(Self { start, bytes })
    }

    fn at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }
}

/// Both ends of a device; of a small one they overlap.
pub struct Extremes {
    /// Size of the device in bytes.
    pub size_bytes: u64,
    head: Window,
    tail: Window,
}

impl Extremes {
    /// Reads both ends of a device of `size_bytes`.
    pub fn read(file: &File, size_bytes: u64) -> io::Result<Self> {
        let tail_start = size_bytes.saturating_sub(TAIL_BYTES);
        Ok(Self {
            size_bytes,
            head: Window::read(file, 0, HEAD_BYTES.min(size_bytes))?,
            tail: Window::read(file, tail_start, size_bytes - tail_start)?,
        })
    }

    /// `len` bytes at `offset`, if one end covers them.
    pub fn at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        self.head.at(offset, len).or_else(|| self.tail.at(offset, len))
    }

    /// Whether `magic` lies at `offset`.
    pub fn holds(&self, offset: u64, magic: &[u8]) -> bool {
        self.at(offset, magic.len()) == Some(magic)
    }

    /// The offset that lies `back` bytes before the end.
    pub fn from_end(&self, back: u64) -> Option<u64> {
        self.size_bytes.checked_sub(back)
    }

    /// The little-endian number at `offset`.
    pub fn le_u32(&self, offset: u64) -> Option<u32> {
        let bytes = self.at(offset, 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Offset of the first byte that is not zero.
    pub fn first_nonzero(&self) -> Option<u64> {
        [&self.head, &self.tail].into_iter().find_map(|window| {
            let at = window.bytes.iter().position(|byte| *byte != 0)?;
            Some(window.start + at as u64)
        })
    }
}
