//! How a pass visits its files: each block once or not, to their end or not.

use super::{BlockSizes, PlannedJob};
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;

impl PlannedJob {
    /// Is each random offset drawn without regard to those before it (`norandommap`)? As in fio, this holds
    /// for every distribution that is not uniform.
    pub fn draws_freely(&self) -> bool {
        self.job.get(&options::NORANDOMMAP) || !self.job.get(&options::RANDOM_DISTRIBUTION).is_uniform()
    }

    /// Does it write each byte of its region once in a pass, with data of its own?
    pub fn writes_all(&self) -> bool {
        let only_writes = Direction::ALL.into_iter().all(|d| self.uses(d) == (d == Direction::Write));
        only_writes && ends_with_files(self) && !self.job.get(&options::ZERO_BUFFERS)
    }
}

/// Does one pass visit each block once? Not where offsets are drawn freely, not when blocks and their
/// alignment differ, and not when some I/Os continue after the last one instead of drawing an offset.
pub(super) fn covers_once(planned: &PlannedJob) -> bool {
    let used = || Direction::ALL.into_iter().filter(|d| planned.uses(*d));
    let is_aligned = used().all(|d| planned.align[d] == planned.block[d].min());
    let percent = planned.job.get(&options::PERCENTAGE_RANDOM);
    let is_drawn = used().all(|d| percent[d] == 100) && planned.rw.postfix.is_none_or(|run| run == 1);
    planned.rw.random && !planned.draws_freely() && is_aligned && is_drawn
}

/// Does a pass end where its files do? Otherwise it goes on until its bytes are moved: reads and
/// writes each have their own position in a region, holes leave blocks out, and drawn offsets never
/// run out.
pub(super) fn ends_with_files(planned: &PlannedJob) -> bool {
    let has_hole = planned.rw.postfix.is_some_and(|hole| hole != 0);
    let is_two_way = planned.uses(Direction::Read) && planned.uses(Direction::Write);
    if planned.rw.random { covers_once(planned) } else { !has_hole && !is_two_way }
}

/// The block size, when every direction in use has the same single one.
pub(super) fn one_block(planned: &PlannedJob) -> Option<Bytes> {
    let mut sizes = Direction::ALL.into_iter().filter(|d| planned.uses(*d)).map(|d| match planned.block[d] {
        BlockSizes::Fixed(size) => Some(size),
        _ => None,
    });
    let first = sizes.next().flatten()?;
    sizes.all(|size| size == Some(first)).then_some(first)
}
