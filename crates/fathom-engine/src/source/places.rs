//! Where the next I/O of a direction goes: forwards, backwards, or to a random place.

use super::seed::Random;
use super::stream::Stream;
use super::strides::Strides;
use fathom_job::direction::{Direction, PerDirection};

/// Chooses the place of the next I/O of a direction.
#[derive(Clone, Debug)]
pub struct Places {
    /// Percent of I/Os at random places; 0 for sequential jobs.
    pub random_percent: PerDirection<u32>,
    /// Random jobs: this many I/Os follow each other (or stay at one place).
    pub run: u32,
    /// I/Os that are left of the current run of such I/Os.
    pub run_left: u32,
    /// A run of I/Os repeats its first place (`rw_sequencer=identical`).
    pub identical: bool,
    /// File and offset of the last random I/O.
    pub last: Option<(usize, u64)>,
    /// Sequential jobs: bytes skipped after each I/O.
    pub hole: i64,
    /// The zones of each file, if the job has zones; every I/O then counts as one of a run.
    pub strides: Vec<Strides>,
}

/// An I/O to be placed.
#[derive(Clone, Copy, Debug)]
pub struct UnplacedIo {
    pub file: usize,
    pub direction: Direction,
    /// Length in bytes.
    pub len: u64,
    /// The length that it may shrink to if `len` does not fit any more.
    pub smallest: u64,
}

impl Places {
    /// Offset and length in the stream of the wanted I/O's file; `None` when the pass
    /// over the file is over.
    #[inline]
    pub fn next(
        &mut self,
        wanted: UnplacedIo,
        stream: &mut Stream,
        random: &mut Random,
    ) -> Option<(u64, u64)> {
        let UnplacedIo { direction, .. } = wanted;
        if self.run_left > 0 {
            if let Some(strides) = self.strides.get_mut(wanted.file) {
                return strided(strides, wanted, stream, random, self.random_percent[direction] > 0);
            }
            self.run_left -= 1;
            if let Some(place) = self.continued(wanted, stream) {
                return Some(place);
            }
        }
        let percent = self.random_percent[direction];
        if percent == 100 || (percent > 0 && random.percent(percent)) {
            self.run_left = self.run.saturating_sub(1);
            let place = wanted.fit(|len| stream.random(direction, len, random))?;
            self.last = Some((wanted.file, place.0));
            return Some(place);
        }
        wanted.fit(|len| stream.sequential(direction, len, self.hole))
    }

    /// Begins a pass.
    pub fn restart(&mut self) {
        self.strides.iter_mut().for_each(Strides::rewind);
    }

    /// The next I/O of a run: after the last one, or at its place (`identical`).
    fn continued(&self, wanted: UnplacedIo, stream: &mut Stream) -> Option<(u64, u64)> {
        if !self.identical {
            return stream.sequential(wanted.direction, wanted.len, 0);
        }
        let (file, offset) = self.last?;
        (file == wanted.file && stream.holds(offset, wanted.len)).then_some((offset, wanted.len))
    }
}

/// The next I/O in a file with zones.
fn strided(
    strides: &mut Strides,
    wanted: UnplacedIo,
    stream: &mut Stream,
    random: &mut Random,
    is_random: bool,
) -> Option<(u64, u64)> {
    let direction = wanted.direction;
    strides.enter(stream, direction);
    let place = wanted.fit(|len| match is_random {
        true => stream.random(direction, len, random),
        false => stream.sequential(direction, len, 0),
    })?;
    strides.count(place.1);
    Some(place)
}

impl UnplacedIo {
    /// Places the I/O with its length. If a varying size does not fit any more, the smallest
    /// size is placed.
    #[inline]
    fn fit(self, mut place: impl FnMut(u64) -> Option<(u64, u64)>) -> Option<(u64, u64)> {
        place(self.len).or_else(|| (self.smallest < self.len).then(|| place(self.smallest)).flatten())
    }
}
