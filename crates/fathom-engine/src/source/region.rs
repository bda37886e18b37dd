//! The part of a file that a job works on, as its streams and distributions see it.

use fathom_job::direction::PerDirection;

/// What a stream needs to know of its file.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub base: u64,
    /// Length in bytes.
    pub size: u64,
    /// Random offsets are multiples of this, from `base`.
    pub align: PerDirection<u64>,
    /// Smallest block of any direction in use.
    pub unit: u64,
    pub seed: u64,
    /// Where sequential I/O begins, from `base`. For jobs that go backwards it is
    /// one step before the end.
    pub first: i64,
}
