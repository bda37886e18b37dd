//! Samples of a whole device: is there data anywhere?

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_text::number::grouped;
use serde::{Deserialize, Serialize};

use super::blocks::{self, BLOCK_BYTES};
use crate::sampling::{SplitMix, one_in_each_piece, places_needed};
use crate::sys;

/// The part of a device; a look misses data in this part or more only with the probability `DOUBT`.
const PART: f64 = 0.001;
/// The probability that a look misses data in `PART` of a device.
const DOUBT: f64 = 0.001;
/// How much of a small device is read at once.
const STRETCH_BYTES: u64 = 1 << 20;

/// What a look at blocks all over a device found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Samples {
    /// Places that were chosen, a block of 4 KiB each. Two of them may share a
    /// block, which is then read once and counts twice.
    pub blocks: u64,
    /// Whether they are all that there are.
    pub is_whole: bool,
    /// Offset in bytes of the first data that were seen. The look ends with
    /// the first, so there may be more before and behind it.
    pub data_at_bytes: Option<u64>,
}

impl Samples {
    /// Looks at an open device of `size_bytes`: at 6,905 blocks of 4 KiB at
    /// random places, one in each piece of equal length (which finds data in
    /// 0.1 % of the device with a probability of 99.9 %, see
    /// `one_in_each_piece`), or at all of it where it has no more blocks.
    ///
    /// The blocks are read in ascending order and several at once: a hard disk
    /// needs about a minute, a flash drive less than a second. The places are
    /// others each time, so that no data are always missed.
    ///
    /// The holes of a loop device's file are not asked for: reading a hole
    /// takes no I/O, and a look that knows nothing of files is the same for
    /// every device.
    pub fn take(file: &File, size_bytes: u64) -> io::Result<Self> {
        Self::with(file, size_bytes, SplitMix::unpredictable())
    }

    pub(super) fn with(file: &File, size_bytes: u64, random: SplitMix) -> io::Result<Self> {
        let all = size_bytes.div_ceil(BLOCK_BYTES);
        let wanted = places_needed(PART, DOUBT);
        let is_whole = all <= u64::from(wanted);
        let ranges = match is_whole {
            true => cut(size_bytes),
            false => chosen(size_bytes, wanted, random),
        };
        sys::forget_cached(file, 0, size_bytes);
        let found = first_data(file, &ranges);
        // Nobody needs these blocks in the page cache.
        sys::forget_cached(file, 0, size_bytes);
        let blocks = if is_whole { all } else { u64::from(wanted) };
        Ok(Self { blocks, is_whole, data_at_bytes: found? })
    }
}

fn cut(size_bytes: u64) -> Vec<Range<u64>> {
    let starts = (0..size_bytes).step_by(STRETCH_BYTES as usize);
    starts.map(|start| start..(start + STRETCH_BYTES).min(size_bytes)).collect()
}

/// The blocks that hold the random bytes; two bytes may lie in one block.
fn chosen(size_bytes: u64, count: u32, mut random: SplitMix) -> Vec<Range<u64>> {
    let bytes = one_in_each_piece(&mut random, size_bytes, count);
    let mut starts: Vec<u64> = bytes.into_iter().map(|at| at & !(BLOCK_BYTES - 1)).collect();
    starts.dedup();
    starts.into_iter().map(|start| start..(start + BLOCK_BYTES).min(size_bytes)).collect()
}

fn first_data(file: &File, ranges: &[Range<u64>]) -> io::Result<Option<u64>> {
    const NONE: u64 = u64::MAX;
    let first = AtomicU64::new(NONE);
    blocks::read_each(file, ranges, &|start, bytes| match blocks::first_data(bytes) {
        None => ControlFlow::Continue(()),
        Some(at) => {
            first.fetch_min(start + at as u64, Ordering::Relaxed);
            ControlFlow::Break(())
        }
    })?;
    let first = first.into_inner();
    Ok((first != NONE).then_some(first))
}

/// What it found, as a clause: `looks empty: …`. [`Samples::take`] says what that proves.
impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.data_at_bytes, self.is_whole) {
            (Some(at), true) => write!(f, "holds data of no known format, from byte {at}"),
            (Some(at), false) => {
                write!(f, "holds data of no known format, found at byte {at} by random samples")
            }
            (None, true) => f.write_str("was read as a whole and holds no data"),
            (None, false) => {
                write!(f, "looks empty: {} places were read and all are empty", grouped(self.blocks))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn sample(size_bytes: u64, data: &[(u64, u64)], seed: u64) -> Samples {
        let image = tempfile::tempfile().unwrap();
        image.set_len(size_bytes).unwrap();
        for (offset, len) in data {
            image.write_all_at(&vec![7; *len as usize], *offset).unwrap();
        }
        Samples::with(&image, size_bytes, SplitMix::from_seed(seed)).unwrap()
    }

    /// An extent of 0.1 %, wherever it lies: what made a device look blank.
    #[test]
    fn a_thousandth_of_a_device_is_found() {
        const SIZE: u64 = (1 << 30) + 512;
        for (seed, offset) in [(1, 30 << 20), (2, 77_777_777), (3, SIZE - 5_000_000)] {
            let samples = sample(SIZE, &[(offset, SIZE / 1000)], seed);
            let at = samples.data_at_bytes.expect("the extent is longer than two pieces");
            assert!((offset..offset + SIZE / 1000).contains(&at), "{at}");
            assert!(samples.to_string().contains("by random samples"), "{samples}");
        }
    }

    #[test]
    fn a_blank_device_is_blank_to_a_bound() {
        let samples = sample(4 << 30, &[], 1);
        assert_eq!((samples.is_whole, samples.data_at_bytes, samples.blocks), (false, None, 6905));
        let message = samples.to_string();
        assert_eq!(message, "looks empty: 6,905 places were read and all are empty");
    }

    #[test]
    fn every_byte_of_a_small_device_is_read() {
        let whole = 6905 * 4096;
        for (size, at) in [(whole, 13_000_001), (whole, whole - 1), (4096 + 512, 4096 + 511), (512, 0)] {
            let samples = sample(size, &[(at, 1)], 1);
            assert_eq!((samples.is_whole, samples.data_at_bytes), (true, Some(at)));
        }
        assert!(!sample(whole + 512, &[], 1).is_whole);
        assert_eq!(sample(whole, &[], 1).to_string(), "was read as a whole and holds no data");
    }
}
