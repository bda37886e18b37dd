//! Reading blocks at many places of a device, and whether a block holds data.

use crate::threads::side_by_side;
use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is looked at as one: a page, and the block of today's file systems.
pub const BLOCK_BYTES: u64 = 4096;

/// Reads under way at once. A flash drive answers them side by side, and a
/// hard disk chooses the shortest way among them.
const READERS: usize = 8;
/// Fewer reads than this are not worth a thread.
const READS_PER_READER: usize = 8;

const ZEROES: [u8; BLOCK_BYTES as usize] = [0; BLOCK_BYTES as usize];
const ONES: [u8; BLOCK_BYTES as usize] = [0xff; BLOCK_BYTES as usize];

/// Where the data in `bytes` begin, which start at a block of the device.
///
/// A block of nothing but zeroes or nothing but ones is unwritten. Both are what a drive returns
/// for blocks that were never written or that were discarded (NVMe: DLFEAT bits 2:0, "all bytes
/// cleared to 00h" and "all bytes set to FFh"; erased flash reads as ones), and a block that
/// somebody filled in this way looks the same. Nobody loses information with such a block alone:
/// where it is part of a file or a file system, other blocks are not like it.
pub fn first_data(bytes: &[u8]) -> Option<usize> {
    let blocks = bytes.chunks(BLOCK_BYTES as usize).enumerate();
    let (number, block) = blocks.into_iter().find(|(_, block)| !is_unwritten(block))?;
    let first = block.iter().position(|byte| *byte != 0)?;
    Some(number * BLOCK_BYTES as usize + first)
}

fn is_unwritten(block: &[u8]) -> bool {
    *block == ZEROES[..block.len()] || *block == ONES[..block.len()]
}

/// Reads `ranges` (in bytes) and shows each with its start to `see`, which
/// ends the reading by a break. The reads begin in the order of `ranges`,
/// several at once, so `see` is called in about that order.
pub fn read_each(
    file: &File,
    ranges: &[Range<u64>],
    see: &(impl Fn(u64, &[u8]) -> ControlFlow<()> + Sync),
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let stop = || next.store(ranges.len(), Ordering::Relaxed);
    let reader = || {
        let mut buffer = Vec::new();
        while let Some(range) = ranges.get(next.fetch_add(1, Ordering::Relaxed)) {
            buffer.resize(usize::try_from(range.end - range.start).expect("a range fits into memory"), 0);
            file.read_exact_at(&mut buffer, range.start)
                .inspect_err(|_| stop())
                .map_err(|e| at(range, &e))?;
            if see(range.start, &buffer).is_break() {
                stop();
            }
        }
        Ok(())
    };
    let readers = ranges.len().div_ceil(READS_PER_READER).clamp(1, READERS);
    side_by_side(readers, reader).into_iter().collect()
}

fn at(range: &Range<u64>, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{e} at byte {}", range.start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn zeroes_and_ones_are_unwritten_and_a_mixture_is_data() {
        let mut bytes = vec![0; 3 * 4096 + 512];
        assert_eq!(first_data(&bytes), None);
        bytes[4096..8192].fill(0xff);
        bytes[3 * 4096..].fill(0xff);
        assert_eq!(first_data(&bytes), None);
        bytes[4100] = 0;
        assert_eq!(
            first_data(&bytes),
            Some(4096),
            "a block that is not all ones is data from its first byte"
        );
        assert_eq!(first_data(&[]), None);
    }

    #[test]
    fn every_range_is_seen_once_and_a_break_ends_it() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        let ranges: Vec<_> = (0..256).map(|n| n * 4096..(n + 1) * 4096).collect();
        let places_read = Mutex::new(Vec::new());
        let see = |start, bytes: &[u8]| {
            places_read.lock().unwrap().push((start, bytes.len()));
            if start >= 64 * 4096 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        read_each(&file, &ranges[..64], &see).unwrap();
        let mut starts = std::mem::take(&mut *places_read.lock().unwrap());
        starts.sort_unstable();
        assert!(starts.iter().enumerate().all(|(n, place)| *place == (n as u64 * 4096, 4096)));
        assert_eq!(starts.len(), 64);
        read_each(&file, &ranges, &see).unwrap();
        let count = places_read.lock().unwrap().len();
        assert!(count <= 64 + 2 * READERS, "{count} were read");
    }

    #[test]
    fn an_error_names_its_place() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(8192).unwrap();
        let e = read_each(&file, &[0..4096, 12288..16384], &|_, _| ControlFlow::Continue(())).unwrap_err();
        assert!(e.to_string().contains("at byte 12288"), "{e}");
    }
}
