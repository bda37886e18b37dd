//! The tight loop: one file, one block size, no other features.
//!
//! It makes the same kind of stream as the general path (tests compare the
//! coverage and mix of both) with a tenth of the instructions.

use super::stream::Stream;
use super::{Source, Turns};
use crate::desc::{Desc, DescBlock, Op};
use fathom_job::direction::Direction;

impl Source {
    /// Does the job qualify? Decided once, when the source is built.
    pub(super) fn qualifies_for_tight(&self) -> bool {
        let used = match self.turns {
            Turns::One(d) => vec![d],
            Turns::Mixed { .. } => vec![Direction::Read, Direction::Write],
            Turns::TrimThenWrite | Turns::Scheduled | Turns::HalfScheduled { .. } => return false,
        };
        let first = used[0];
        let size = self.sizes[first].fixed();
        self.streams.len() == 1
            && self.places.run <= 1
            && self.places.strides.is_empty()
            && self.places.hole == 0
            && !self.cadence.is_used()
            && size.is_some()
            && used.iter().all(|&d| {
                self.sizes[d].fixed() == size
                    && self.places.random_percent[d] == self.places.random_percent[first]
                    && self.streams[0].is_alike(first, d)
            })
            && (self.places.random_percent[first] == 100
                || (self.places.random_percent[first] == 0 && matches!(self.turns, Turns::One(_))))
    }

    /// What its I/Os have in common, where it qualifies: the first direction of
    /// a mix, since the two are of one size.
    pub(super) fn template(&self) -> Desc {
        let direction = match self.turns {
            Turns::One(d) => d,
            _ => Direction::Read,
        };
        let len = self.sizes[direction].fixed().unwrap_or(0);
        match direction {
            Direction::Trim => Desc::trim(0, len, 0),
            _ => Desc::new(direction.into(), 0, len as u32, 0),
        }
    }

    pub(super) fn fill_tight(&mut self, out: &mut [Desc; DescBlock::LEN]) -> usize {
        let direction = match self.turns {
            Turns::One(d) => d,
            _ => Direction::Read,
        };
        let len = self.sizes[direction].fixed().unwrap_or(0);
        let mut is_new_pass = false;
        loop {
            let want = if self.is_ramp { out.len() } else { self.budget.allows(out.len(), len) };
            let made = self.fill_pass(&mut out[..want], direction, len);
            if made > 0 {
                self.boundary.begin_block();
            }
            self.is_stuck = made == 0 && want > 0 && is_new_pass;
            if made > 0 || self.is_stuck || self.next_pass().is_none() {
                return made;
            }
            is_new_pass = true;
        }
    }

    /// Fills from the current pass only.
    fn fill_pass(&mut self, out: &mut [Desc], direction: Direction, len: u64) -> usize {
        let template = self.template;
        let is_random = self.places.random_percent[direction] > 0;
        let stream = &mut self.streams[0];
        let made = if is_random {
            stream.random_block(direction, template, len, out, &mut self.random)
        } else {
            sequential_block(stream, direction, template, len, out)
        };
        if let Turns::Mixed { read_percent } = self.turns {
            for desc in &mut out[..made] {
                let op = if self.random.percent(read_percent) { Op::Read } else { Op::Write };
                *desc = desc.with_op(op);
            }
        }
        self.budget.take_many(made as u64, len);
        made
    }
}

fn sequential_block(
    stream: &mut Stream,
    direction: Direction,
    template: Desc,
    len: u64,
    out: &mut [Desc],
) -> usize {
    let mut made = 0;
    for desc in out {
        let Some((offset, _)) = stream.sequential(direction, len, 0) else { break };
        *desc = template.at(offset);
        made += 1;
    }
    made
}
