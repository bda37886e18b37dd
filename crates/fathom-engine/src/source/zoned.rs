//! The I/Os of a job with `zonemode=zbd`.
//!
//! The source of the job decides direction, size, rate, limits and, for a random job, a place, all as without zones. The table of
//! the file's zones then says where that I/O goes. No more I/Os are made than the queue has room for, because where the next one goes depends on
//! what is complete.

use super::Source;
use crate::desc::{Desc, DescBlock, Op};
use crate::zones::{Claims, Placing, Terms, ZoneTable, ZoneTarget};
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::plan::{PlannedJob, ZonePlan};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// A source whose I/Os go where zones allow it.
pub struct Zoned {
    source: Source,
    claims: Rc<RefCell<Claims>>,
    /// Where sequential I/O is in each file.
    cursors: Vec<PerDirection<Cursor>>,
    is_random: bool,
    /// Zones from one to the next of a sequential job.
    step: usize,
    /// The pass of the source that the cursors are in.
    pass: u32,
    /// An I/O has gone somewhere in this pass.
    was_placed: bool,
    /// Made by the source, and without a place so far.
    waiting: Option<Desc>,
    /// The last I/O for which its file had no more places.
    without_place: Option<Desc>,
    /// Placed in the ramp and not issued in it.
    unissued: VecDeque<Desc>,
    is_blocked: bool,
    failure: Option<String>,
    last_start: u64,
}

/// Where sequential I/O of one direction is in a file.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    zone: usize,
    /// Where the next I/O is; writes are at the write pointer of a sequential zone.
    at: u64,
    /// No I/O of the pass went to the zone.
    is_new: bool,
}

impl Cursor {
    fn to(zone: usize, zone_bytes: u64) -> Cursor {
        Cursor { zone, at: zone as u64 * zone_bytes, is_new: true }
    }
}

/// The terms of a job for a file whose region has these zones.
pub fn terms(plan: &PlannedJob, zones: &ZonePlan, range: Range<usize>, device_open_max: u32) -> Terms {
    let open_max = match zones.open_max {
        0 if zones.ignores_limits => 0,
        0 => device_open_max,
        asked => asked,
    };
    let reset_every = match zones.reset_frequency {
        frequency if frequency > 0.0 => (1.0 / frequency) as u64,
        _ => 0,
    };
    Terms {
        job: plan.id,
        range,
        least_write: plan.block[Direction::Write].min().0.max(1),
        least_read: plan.block[Direction::Read].min().0.max(1),
        open_max,
        own_open_max: zones.own_open_max,
        reads_beyond: zones.reads_beyond,
        writes_remainder: zones.writes_remainder,
        recovers: zones.recovers,
        reset_threshold: zones.reset_threshold,
        reset_every,
        reset_left: reset_every,
        resets: 0,
    }
}

impl Zoned {
    /// The source of a job whose files have the zones of `claims`.
    pub fn new(source: Source, claims: &Rc<RefCell<Claims>>, plan: &PlannedJob, zones: &ZonePlan) -> Zoned {
        let zone_bytes = claims.borrow_mut().ask(0, |table, _, _| table.zone_bytes());
        let mut zoned = Zoned {
            source,
            claims: claims.clone(),
            cursors: vec![PerDirection::default(); plan.files.len()],
            is_random: plan.rw.random,
            step: 1 + (zones.skip.0 / zone_bytes) as usize,
            pass: 0,
            was_placed: false,
            waiting: None,
            without_place: None,
            unissued: VecDeque::with_capacity(plan.depth.reachable.max(1) as usize),
            is_blocked: false,
            failure: None,
            last_start: 0,
        };
        zoned.rewind();
        zoned
    }

    /// A pass begins: all files at their first zones.
    fn rewind(&mut self) {
        let mut claims = self.claims.borrow_mut();
        for (file, cursors) in self.cursors.iter_mut().enumerate() {
            let first = claims.terms(file as u32).range.start;
            let zone_bytes = claims.ask(file as u32, |table, _, _| table.zone_bytes());
            *cursors = PerDirection::from_fn(|_| Cursor::to(first, zone_bytes));
        }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    pub fn begins_cold(&mut self) -> bool {
        self.source.begins_cold()
    }

    /// Does it wait until something is complete, although it has more I/Os?
    pub fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// As many I/Os as have a place and a slot.
    pub fn fill(&mut self, out: &mut [Desc; DescBlock::LEN]) -> usize {
        self.make(out, DescBlock::LEN, 0)
    }

    /// One I/O of a paced job and its start: its zone gives no other write until it is complete, so no more are made before they are due.
    pub fn fill_paced(
        &mut self,
        out: &mut [Desc; DescBlock::LEN],
        due: &mut [u64; DescBlock::LEN],
        elapsed: u64,
    ) -> usize {
        let count = self.make(out, 1, elapsed);
        if let Some(desc) = out[..count].first() {
            self.last_start = self.source.take_start(desc).max(self.last_start);
            due[0] = self.last_start;
        }
        count
    }

    fn make(&mut self, out: &mut [Desc; DescBlock::LEN], most: usize, elapsed: u64) -> usize {
        self.is_blocked = false;
        let mut count = 0;
        while count < most
            && let Some(desc) = self.unissued.pop_front()
        {
            out[count] = desc;
            count += 1;
        }
        let room = self.claims.borrow().room().min(most - count);
        let end = count + room;
        while count < end
            && let Some(desc) = self.next(elapsed)
        {
            out[count] = desc;
            count += 1;
        }
        // Without room, something is in flight that makes room.
        self.is_blocked = count == 0 && (room == 0 || self.waiting.is_some());
        count
    }

    /// The next I/O that has a place now.
    fn next(&mut self, elapsed: u64) -> Option<Desc> {
        while self.failure.is_none() {
            let desc = match self.waiting.take() {
                Some(desc) => desc,
                None => match self.source.next_of_pass(elapsed, 0) {
                    Some(desc) => desc,
                    None => {
                        self.end_empty_pass();
                        return None;
                    }
                },
            };
            if self.pass != self.source.passes() {
                self.end_empty_pass();
                (self.pass, self.was_placed) = (self.source.passes(), false);
                self.rewind();
            }
            if desc.op().direction().is_none() {
                return Some(desc);
            }
            if self.failure.is_some() {
                return None;
            }
            let placed = match self.is_random {
                true => self.place_at_random(desc),
                false => self.place_in_sequence(desc),
            };
            match placed {
                Ok(Placed::At(desc)) => {
                    self.was_placed = true;
                    self.claims.borrow_mut().claim(desc);
                    return Some(desc);
                }
                Ok(Placed::FileOver) if self.may_wait_for(desc) => {
                    self.rewind();
                    self.waiting = Some(desc);
                    return None;
                }
                Ok(Placed::FileOver) => {
                    self.without_place = Some(desc);
                    self.source.give_up_file(desc);
                }
                Ok(Placed::Later) => {
                    self.waiting = Some(desc);
                    return None;
                }
                Ok(Placed::Never) => self.fail(desc),
                Err(why) => self.failure = Some(why),
            }
        }
        None
    }

    /// May another job write what this job is to read, and that is not there in all of its only file?
    fn may_wait_for(&self, desc: Desc) -> bool {
        if self.was_placed || self.cursors.len() > 1 || desc.op() != Op::Read {
            return false;
        }
        let mut claims = self.claims.borrow_mut();
        let is_writer = claims.is_writer();
        claims.ask(0, |table, _, _| table.has_other_writers(is_writer))
    }

    /// A pass is over. A job that found no place in all of it has failed.
    fn end_empty_pass(&mut self) {
        let without_place = self.without_place.take();
        if let Some(desc) = without_place.filter(|_| !self.was_placed) {
            self.fail(desc);
        }
    }

    #[cold]
    fn fail(&mut self, desc: Desc) {
        self.failure = Some(match desc.op() {
            Op::Read => "no zone of the region holds a block of data to be read; hint: a job before this one that writes \
                it (stonewall), or read_beyond_wp=1"
                .to_owned(),
            Op::Trim => "no zone of the region holds data, so there is none to reset".to_owned(),
            _ => "no zone of the region can be written: no more may be open, writes to the others have failed, or they are \
                read-only or offline; hint: reset the zones with a job of rw=trim, or raise max_open_zones"
                .to_owned(),
        });
    }

    fn place_at_random(&mut self, desc: Desc) -> Result<Placed, String> {
        let len = desc.bytes();
        let mut claims = self.claims.borrow_mut();
        let (is_writer, can_write) = (claims.is_writer(), !matches!(desc.op(), Op::Trim));
        let placing = claims.ask(desc.file(), |table, terms, target| match desc.op() {
            Op::Read => Ok((Op::Read, table.random_read(desc.offset, len, terms))),
            Op::Trim => Ok((Op::Trim, table.trim(table.index_of(desc.offset), true, terms))),
            _ => table.random_write(desc.offset, len, terms, target).map(|placing| (Op::Write, placing)),
        })?;
        if placing != (Op::Read, Placing::Nowhere) {
            return Ok(Placed::of(desc, placing.1));
        }
        // As in fio, a job that also writes begins with a write where there is nothing to read.
        let is_mixed = is_writer && can_write;
        let (least, others) = claims
            .ask(desc.file(), |table, terms, _| (terms.least_write, table.has_other_writers(is_writer)));
        if is_mixed {
            let write = Desc::new(Op::Write, desc.offset, least as u32, desc.file());
            let placing = claims.ask(desc.file(), |table, terms, target| {
                table.random_write(write.offset, least, terms, target)
            })?;
            return Ok(match placing {
                Placing::At(..) => Placed::of(write, placing),
                other => Placed::of(desc, other),
            });
        }
        Ok(if others { Placed::Later } else { Placed::Never })
    }

    /// A sequential job goes from zone to zone of its region. With `zoneskip` the first one follows the last.
    fn place_in_sequence(&mut self, desc: Desc) -> Result<Placed, String> {
        let desc = self.unless_caught_up(desc);
        let (file, step) = (desc.file(), self.step);
        let Some(direction) = desc.op().direction() else { return Ok(Placed::At(desc)) };
        let cursor = &mut self.cursors[file as usize][direction];
        self.claims.borrow_mut().ask(file, |table, terms, target| {
            let zone_bytes = table.zone_bytes();
            // Each zone is looked at once; with a skip, the first of them again.
            for _ in 0..=terms.range.len() {
                if cursor.zone >= terms.range.end {
                    if step == 1 {
                        return Ok(Placed::FileOver);
                    }
                    *cursor = Cursor::to(terms.range.start, zone_bytes);
                }
                let placing = in_zone(cursor, desc, table, terms, target)?;
                if placing == Placing::ZoneOver {
                    *cursor = Cursor::to(cursor.zone + step, zone_bytes);
                    continue;
                }
                if let Placing::At(offset, len) = placing {
                    (cursor.at, cursor.is_new) = (offset + len, false);
                }
                return Ok(Placed::of(desc, placing));
            }
            Ok(Placed::FileOver)
        })
    }

    /// The read of a sequential job that also writes, and whose reads have caught up with its writes, is a write instead.
    fn unless_caught_up(&mut self, desc: Desc) -> Desc {
        let mut claims = self.claims.borrow_mut();
        if desc.op() != Op::Read || !claims.is_writer() {
            return desc;
        }
        let PerDirection { read, write, .. } = self.cursors[desc.file() as usize];
        let (is_read, least) = claims.ask(desc.file(), |table, terms, _| {
            (table.is_read(read.zone, read.at, terms), terms.least_write)
        });
        let is_behind = read.zone >= write.zone && is_read;
        if is_behind { Desc::new(Op::Write, desc.offset, least as u32, desc.file()) } else { desc }
    }

    pub fn restart(&mut self, unissued: impl Iterator<Item = Desc>, ios: u64, bytes: u64) {
        self.source.restart(std::iter::empty(), ios, bytes);
        self.take_back(unissued);
        self.last_start = 0;
        self.take_resets();
    }

    /// Zones that were reset for writes since the start or the ramp.
    pub fn take_resets(&mut self) -> u64 {
        self.claims.borrow_mut().take_resets()
    }

    /// They keep their places, and come again first.
    pub fn take_back(&mut self, unissued: impl Iterator<Item = Desc>) {
        self.unissued.extend(unissued.filter(|desc| desc.op().direction().is_some()));
    }
}

/// What became of an I/O of the source.
enum Placed {
    At(Desc),
    /// It waits for something in flight, or for another job.
    Later,
    /// The file has no more places in this pass.
    FileOver,
    /// There is no place.
    Never,
}

impl Placed {
    fn of(desc: Desc, placing: Placing) -> Placed {
        match placing {
            Placing::At(offset, len) if desc.op() == Op::Trim => {
                Placed::At(Desc::trim(offset, len, desc.file()))
            }
            Placing::At(offset, len) => Placed::At(Desc::new(desc.op(), offset, len as u32, desc.file())),
            Placing::Blocked => Placed::Later,
            Placing::ZoneOver => Placed::FileOver,
            Placing::Nowhere => Placed::Never,
        }
    }
}

/// The place of a sequential I/O in the zone of the cursor.
fn in_zone(
    cursor: &Cursor,
    desc: Desc,
    table: &mut ZoneTable,
    terms: &mut Terms,
    target: &ZoneTarget,
) -> Result<Placing, String> {
    let zone = table.zones()[cursor.zone];
    let len = desc.bytes();
    match desc.op() {
        Op::Read => Ok(table.read_at(cursor.zone, cursor.at, len, terms)),
        Op::Trim if !cursor.is_new => Ok(Placing::ZoneOver),
        Op::Trim => Ok(table.trim(cursor.zone, false, terms)),
        _ if zone.is_sequential => table.sequential_write(cursor.zone, len, cursor.is_new, terms, target),
        _ if cursor.at + len > zone.end() => Ok(Placing::ZoneOver),
        _ => Ok(Placing::At(cursor.at, len)),
    }
}
