//! Samples of what a device holds: both ends, where tables and signatures
//! lie, and windows at random places.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::drive::BlockInterface;
use fathom_device::sampling::SplitMix;

/// One sample.
pub const WINDOW_BYTES: u64 = 64 << 10;
/// Read whole at both ends, where tables and signatures lie.
const END_BYTES: u64 = 1 << 20;

/// How much is read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sampling {
    /// Random windows, in addition to both ends.
    pub windows: u32,
    /// The seed by which they are chosen.
    pub seed: u64,
}

impl Default for Sampling {
    /// 300 windows (19 MiB): all empty, they bound the rest to 1 %.
    fn default() -> Self {
        Self { windows: 300, seed: 0x5eed }
    }
}

/// What a window held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowContent {
    /// Nothing but zeroes.
    Zero,
    /// Nothing but ones.
    Ones,
    /// Something, by its fingerprint.
    Data(u64),
    /// It could not be read.
    Unreadable,
}

/// What was read at the sampled places at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowSamples {
    pub(super) size_bytes: u64,
    pub(super) sampling: Sampling,
    pub(super) windows: Vec<(u64, WindowContent)>,
}

impl WindowSamples {
    /// Reads the sampled places of a device of `size_bytes`.
    pub fn read(drive: &(impl BlockInterface + ?Sized), size_bytes: u64, sampling: Sampling) -> Self {
        let places = places(size_bytes, sampling);
        let windows = places.into_iter().map(|at| (at, read_window(drive, at, size_bytes))).collect();
        Self { size_bytes, sampling, windows }
    }

    pub(super) fn at(&self, offset: u64) -> Option<WindowContent> {
        self.windows.iter().find(|(at, _)| *at == offset).map(|(_, held)| *held)
    }
}

fn read_window(drive: &(impl BlockInterface + ?Sized), at: u64, size_bytes: u64) -> WindowContent {
    let mut bytes = vec![0; WINDOW_BYTES.min(size_bytes - at) as usize];
    match drive.read_at(at, &mut bytes) {
        Err(_) => WindowContent::Unreadable,
        Ok(()) if bytes.iter().all(|&b| b == 0) => WindowContent::Zero,
        Ok(()) if bytes.iter().all(|&b| b == 0xff) => WindowContent::Ones,
        Ok(()) => WindowContent::Data(fingerprint(&bytes)),
    }
}

/// FNV-1a, 64 bits: distinguishes two windows, and need not resist an attacker.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Offsets of the windows: both ends, and random ones, each once. A device
/// that has no more windows than are wanted is read whole.
fn places(size_bytes: u64, sampling: Sampling) -> Vec<u64> {
    let count = size_bytes.div_ceil(WINDOW_BYTES);
    let end = (END_BYTES / WINDOW_BYTES).min(count);
    let mut windows: Vec<u64> = (0..end).chain(count - end..count).collect();
    if count <= u64::from(sampling.windows) + 2 * end {
        windows = (0..count).collect();
    } else {
        let mut random = SplitMix::from_seed(sampling.seed);
        windows.extend((0..sampling.windows).map(|_| random.next_bits() % count));
    }
    windows.sort_unstable();
    windows.dedup();
    windows.into_iter().map(|window| window * WINDOW_BYTES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_chooses_the_places_and_the_ends_are_always_among_them() {
        let of = |seed| places(1 << 40, Sampling { windows: 50, seed });
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let places = of(1);
        assert!((0..16).all(|n| places.contains(&(n * WINDOW_BYTES))));
        assert_eq!(*places.last().unwrap(), (1 << 40) - WINDOW_BYTES);
    }
}
