//! The descriptor source: what to do next, 64 I/Os at a time.
//!
//! Everything about a job that decides *which* I/O comes next is behind
//! [`Source::fill`]: direction, size, file, offset, fsync cadence, limits. The
//! worker's loop sees finished 16-byte descriptors, so what a job does not use
//! costs its loop nothing. Jobs with one file, one block size and no extras
//! (the usual benchmark) use a tight loop of their own.

pub mod arrivals;
pub mod bitmap;
pub mod budget;
mod build;
mod cadence;
mod feed;
pub mod files;
pub mod permutation;
mod places;
mod region;
mod replay;
pub mod seed;
mod sequence;
pub mod size;
mod skew;
pub mod stream;
mod strides;
#[cfg(test)]
mod tests;
mod tight;
pub mod zoned;

use crate::desc::{Desc, DescBlock, Op};
use arrivals::Schedule;
use budget::{Boundary, Budget};
use cadence::Cadence;
use fathom_job::direction::{Direction, PerDirection};
pub use feed::{Feed, Listed};
use files::FileChooser;
use places::{Places, UnplacedIo};
pub use replay::Replayed;
use seed::Random;
use size::SizeMix;
use std::collections::VecDeque;
use stream::Stream;

#[derive(Debug)]
pub struct Source {
    random: Random,
    streams: Vec<Stream>,
    files: FileChooser,
    turns: Turns,
    sizes: PerDirection<SizeMix>,
    smallest: PerDirection<u64>,
    places: Places,
    cadence: Cadence,
    budget: Budget,
    /// A sequential direction that is at the end of a file goes on at its start.
    goes_round: bool,
    /// A file whose blocks have all had random I/O begins again, and is not left for the others: some files have more I/O than others.
    renews_files: bool,
    /// The ramp is not over, so limits do not apply yet.
    is_ramp: bool,
    tight: bool,
    /// What all I/Os of the tight loop have in common.
    template: Desc,
    /// A whole pass had no room for an I/O.
    is_stuck: bool,
    /// Passes that have begun after the first one.
    passes: u32,
    /// The I/Os end with each pass, until [`Source::begin_next_pass`].
    holds_passes: bool,
    /// A pass is over, and nothing has begun the next one.
    is_between_passes: bool,
    /// Where a pass begins on a cache without its pages.
    boundary: Boundary,
    /// The write that follows a trim of the same range.
    owed: Option<Desc>,
    /// Descriptors made in the ramp and not issued in it, in order.
    unissued: VecDeque<Desc>,
    /// Intended starts of the directions that have a rate.
    schedules: PerDirection<Option<Schedule>>,
}

/// Whose turn it is: reads or writes.
#[derive(Clone, Copy, Debug)]
enum Turns {
    One(Direction),
    /// A random draw for each I/O, or for each run of `every` (`rw:N` sequencing).
    Mixed {
        read_percent: u32,
    },
    /// Both have a rate: the one whose intended start is earlier.
    Scheduled,
    /// One of them has a rate: a random draw, but the other does not wait for it.
    HalfScheduled {
        read_percent: u32,
    },
    TrimThenWrite,
}

impl Turns {
    /// Do reads and writes alternate?
    fn are_two(self) -> bool {
        matches!(self, Turns::Mixed { .. } | Turns::Scheduled | Turns::HalfScheduled { .. })
    }
}

impl Source {
    /// Does it make only reads and writes?
    pub fn is_plain(&self) -> bool {
        !self.cadence.is_used() && !matches!(self.turns, Turns::TrimThenWrite | Turns::One(Direction::Trim))
    }

    /// Does it make operations of the fsync family?
    pub fn syncs(&self) -> bool {
        self.cadence.is_used()
    }

    pub fn fill(&mut self, out: &mut [Desc; DescBlock::LEN]) -> usize {
        if self.tight && self.unissued.is_empty() && !self.boundary.is_holding() {
            return self.fill_tight(out);
        }
        let mut count = 0;
        while count < out.len() {
            let Some(desc) = self.next_of_pass(0, count) else { break };
            out[count] = desc;
            count += 1;
        }
        count
    }

    /// Does the block that was filled last begin a pass on a cache from which the pages of the files have to go?
    #[inline(always)]
    pub fn begins_cold(&mut self) -> bool {
        self.boundary.take_due()
    }

    /// The next I/O of a block that has `count` of them; `None` at the end of a pass, too, where the next block begins cold.
    fn next_of_pass(&mut self, elapsed: u64, count: usize) -> Option<Desc> {
        if let Some(held) = self.boundary.take_held() {
            return Some(held);
        }
        let desc = self.next(elapsed)?;
        self.boundary.admits(desc, count).then_some(desc)
    }

    /// One I/O, for what puts others between them.
    fn next_one(&mut self) -> Option<Desc> {
        self.next_of_pass(0, 0)
    }

    /// Fills a block of a paced job, and says when each I/O is due, in ticks after
    /// the phase began; `elapsed` ticks have passed since then.
    pub fn fill_paced(
        &mut self,
        out: &mut [Desc; DescBlock::LEN],
        due: &mut [u64; DescBlock::LEN],
        elapsed: u64,
    ) -> usize {
        if self.tight && self.unissued.is_empty() && !self.boundary.is_holding() {
            let count = self.fill_tight(out);
            self.take_starts(&out[..count], &mut due[..count]);
            return count;
        }
        // Where one direction does not wait for the other, the next I/O
        // depends on the time.
        let room = if matches!(self.turns, Turns::HalfScheduled { .. }) { 1 } else { out.len() };
        let mut count = 0;
        while count < room {
            let Some(desc) = self.next_of_pass(elapsed, count) else { break };
            (out[count], due[count]) = (desc, self.take_start(&desc));
            count += 1;
        }
        count
    }

    /// Sets when I/Os of one length are due. If there is a rate, they are of one
    /// direction.
    fn take_starts(&mut self, descs: &[Desc], due: &mut [u64]) {
        let (Some(first), Source { schedules, random, .. }) = (descs.first(), self) else { return };
        match first.op().direction().and_then(|d| schedules[d].as_mut()) {
            Some(schedule) => schedule.take_many(first.bytes(), due, random),
            None => due.fill(0),
        }
    }

    /// When an I/O is due; 0 where its direction has no rate.
    #[inline(always)]
    fn take_start(&mut self, desc: &Desc) -> u64 {
        let Some(direction) = desc.op().direction() else { return 0 };
        let Some(schedule) = &mut self.schedules[direction] else { return 0 };
        let len = if direction == Direction::Trim { desc.bytes() } else { desc.len().into() };
        schedule.take(len, &mut self.random)
    }

    fn due(&self, direction: Direction) -> u64 {
        self.schedules[direction].as_ref().map_or(0, Schedule::due)
    }

    /// The ramp is over. Its only limit was its time; all limits of the job apply
    /// from the start of the measured window. Offsets go on where they
    /// were, as in fio, beginning with those that were made in the ramp and not
    /// issued. The `ios` that are in flight, of `bytes` bytes, complete in the
    /// measured window and count towards its limits.
    pub fn restart(&mut self, unissued: impl Iterator<Item = Desc>, ios: u64, bytes: u64) {
        self.is_ramp = false;
        self.take_back(unissued);
        self.unissued.extend(self.boundary.take_held());
        self.cadence.restart();
        self.budget.restart(ios, bytes);
        for d in Direction::ALL {
            self.sizes[d].forget();
            if let Some(schedule) = &mut self.schedules[d] {
                schedule.restart();
            }
        }
    }

    /// Takes back I/Os that were not issued; they come again, but without their syncs.
    pub fn take_back(&mut self, unissued: impl Iterator<Item = Desc>) {
        self.unissued.extend(unissued.filter(|desc| desc.op().direction().is_some()));
    }

    /// Can an I/O to this file come before another file replaces it?
    pub fn has_open(&self, file: u32) -> bool {
        self.files.has_open(file as usize)
    }

    /// Sizes of the I/Os so far, for directions whose size varies.
    pub fn sizes_sent(&self) -> PerDirection<Vec<(u64, u64)>> {
        PerDirection::from_fn(|d| self.sizes[d].sent())
    }

    /// Is there no place for any of its I/Os, although its limits allow more?
    pub fn is_stuck(&self) -> bool {
        self.is_stuck
    }

    /// From now on nothing follows a pass until [`Source::begin_next_pass`]. A ramp has no passes. fio limits the bytes of a pass
    /// only for engines that queue: with others a pass ends with the files or with the job.
    fn hold_passes(&mut self, queues: bool) {
        self.holds_passes = true;
        if !queues {
            self.budget.forget_passes();
        }
    }

    /// Is a pass over that nothing has followed yet?
    fn is_between_passes(&self) -> bool {
        self.is_between_passes
    }

    /// Begins the pass that follows, if one does.
    fn begin_next_pass(&mut self) -> bool {
        self.is_between_passes = false;
        self.is_stuck |= self.budget.is_stuck();
        !self.is_stuck && self.begin_pass().is_some()
    }

    /// Counts I/Os of the verification; see [`Budget::add`].
    fn add(&mut self, ios: u64, bytes: u64) {
        self.budget.add(ios, bytes);
    }

    pub fn ended_by_ios(&self) -> bool {
        self.budget.ended_by_ios()
    }

    fn next(&mut self, elapsed: u64) -> Option<Desc> {
        if let Some(write) = self.owed.take() {
            self.issue(write, write.bytes());
            return Some(write);
        }
        // As in fio, nothing is synced after the last write; that is what
        // `end_fsync` is for.
        if self.is_over() {
            return None;
        }
        if let Some(sync) = self.cadence.take_due() {
            return Some(sync);
        }
        if let Some(desc) = self.unissued.pop_front() {
            self.issue(desc, desc.bytes());
            return Some(desc);
        }
        let (desc, len) = self.make(elapsed)?;
        if matches!(self.turns, Turns::TrimThenWrite) {
            self.owed = Some(desc.with_op(Op::Write));
        }
        self.issue(desc, len);
        Some(desc)
    }

    /// Have the limits ended the job? A limit that only ends the pass begins the
    /// next one.
    fn is_over(&mut self) -> bool {
        self.budget.is_spent() && !self.is_ramp && self.next_pass().is_none()
    }

    /// Counts an I/O of `len` bytes; the caller already knows this length.
    fn issue(&mut self, desc: Desc, len: u64) {
        self.budget.take(len);
        if let Some(direction) = desc.op().direction() {
            self.sizes[direction].count(len);
        }
        if desc.op() == Op::Write {
            self.cadence.after_write(desc.file());
        }
    }

    /// The next I/O and its length.
    fn make(&mut self, elapsed: u64) -> Option<(Desc, u64)> {
        let direction = self.turn(elapsed);
        let want = self.sizes[direction].draw(&mut self.random);
        let mut is_new_pass = false;
        loop {
            let Some(file) = self.files.pick(&mut self.random) else {
                if is_new_pass {
                    // No I/O fits, even into a whole pass: there is nothing to do.
                    self.is_stuck = true;
                    return None;
                }
                self.next_pass()?;
                is_new_pass = true;
                continue;
            };
            let place = self.place(file, direction, want);
            if let Some((offset, len)) = place.or_else(|| self.place_again(file, direction, want)) {
                let desc = match direction {
                    Direction::Trim => Desc::trim(offset, len, file as u32),
                    _ => Desc::new(direction.into(), offset, len as u32, file as u32),
                };
                return Some((desc, len));
            }
            self.end_of_file(file, direction);
        }
    }

    fn turn(&mut self, elapsed: u64) -> Direction {
        let or_other = |d| if d == Direction::Read { Direction::Write } else { Direction::Read };
        match self.turns {
            Turns::Scheduled if self.due(Direction::Read) <= self.due(Direction::Write) => Direction::Read,
            Turns::Scheduled => Direction::Write,
            Turns::HalfScheduled { read_percent } => {
                let wanted =
                    if self.random.percent(read_percent) { Direction::Read } else { Direction::Write };
                if self.due(wanted) > elapsed { or_other(wanted) } else { wanted }
            }
            Turns::One(direction) => direction,
            Turns::TrimThenWrite => Direction::Trim,
            Turns::Mixed { read_percent } if self.random.percent(read_percent) => Direction::Read,
            Turns::Mixed { .. } => Direction::Write,
        }
    }

    fn place(&mut self, file: usize, direction: Direction, len: u64) -> Option<(u64, u64)> {
        let wanted = UnplacedIo { file, direction, len, smallest: self.smallest[direction] };
        self.places.next(wanted, &mut self.streams[file], &mut self.random)
    }

    /// A place in a file that begins again.
    fn place_again(&mut self, file: usize, direction: Direction, len: u64) -> Option<(u64, u64)> {
        if !self.renews_files || self.places.random_percent[direction] == 0 {
            return None;
        }
        self.streams[file].rewind();
        self.boundary.round();
        self.place(file, direction, len)
    }

    /// The file's region has no room left for this direction. A file that has no room
    /// although it is at its start is closed in every job, because the search for a
    /// place must come to an end.
    fn end_of_file(&mut self, file: usize, direction: Direction) {
        let stream = &mut self.streams[file];
        let goes_on = match self.places.random_percent[direction] {
            0 => self.goes_round && stream.rewind_direction(direction),
            100.. => false,
            // One kind of place has no room left, but the other may have.
            _ => {
                let was_used = !stream.is_at_start();
                stream.rewind();
                was_used
            }
        };
        match goes_on {
            true => self.boundary.round(),
            false => self.files.close(file),
        }
    }

    /// Passes that have begun after the first one.
    fn passes(&self) -> u32 {
        self.passes
    }

    /// An I/O that was made is not issued, and no other one goes to its file in this pass.
    fn give_up_file(&mut self, desc: Desc) {
        self.budget.give_back(desc.bytes());
        self.files.close(desc.file() as usize);
    }

    fn next_pass(&mut self) -> Option<()> {
        if self.holds_passes && !self.is_ramp {
            self.is_between_passes = true;
            return None;
        }
        self.begin_pass()
    }

    fn begin_pass(&mut self) -> Option<()> {
        if !self.is_ramp && !self.budget.begin_pass() {
            return None;
        }
        self.boundary.pass();
        self.passes = self.passes.wrapping_add(1);
        self.streams.iter_mut().for_each(Stream::restart);
        self.places.restart();
        self.files.reopen(&mut self.random);
        Some(())
    }
}
