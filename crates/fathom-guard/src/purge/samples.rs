//! Samples of what a device holds: both ends, where tables and signatures
//! lie, and windows at random places.

use serde::{Deserialize, Serialize};

use super::drive::BlockInterface;
pub use fathom_device::sampling::WINDOW_BYTES;
use fathom_device::sampling::windows;

/// How much is read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        let places = windows(size_bytes, sampling.windows, sampling.seed);
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
