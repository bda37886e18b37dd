//! Blocks in a given order (`random_distribution=sequence`).

use fathom_job::distribution::Distribution;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;

/// The places of a region that come one after the other, and then again.
#[derive(Clone, Debug)]
pub struct Sequence {
    places: Vec<u64>,
    next: usize,
    /// With `random_sequence_stride`: places that the list had before it began again.
    before: u64,
    strides: bool,
}

impl Sequence {
    /// The sequence of a random job that has one.
    pub fn new(plan: &PlannedJob) -> Option<Sequence> {
        match plan.job.get(&opt::RANDOM_DISTRIBUTION) {
            Distribution::Sequence(places) if plan.rw.random => {
                let strides = plan.job.get(&opt::RANDOM_SEQUENCE_STRIDE);
                Some(Sequence { places, next: 0, before: 0, strides })
            }
            _ => None,
        }
    }

    /// The offset of the next I/O of `len` bytes in a region of `size` bytes, whose places are `align` bytes apart. `None` where
    /// it lies behind the region: a pass is over.
    pub fn offset(&mut self, align: u64, len: u64, size: u64) -> Option<u64> {
        let offset = (self.before + self.places[self.next]).checked_mul(align)?;
        if offset.checked_add(len)? > size {
            return None;
        }
        self.next += 1;
        if self.next == self.places.len() {
            self.next = 0;
            self.before += if self.strides { self.places.len() as u64 } else { 0 };
        }
        Some(offset)
    }

    /// Begins a pass.
    pub fn rewind(&mut self) {
        (self.next, self.before) = (0, 0);
    }
}
