//! What a job has written: which write is the last of each place, and what became of it.
//!
//! The writes are in a list, in the order in which they were issued, 32 bytes each. [`Extents`] says for each file which of
//! them was the last to cover each place. Writes of which nothing is left are dropped from the list when
//! it is longer than what it describes, so a job of any length needs memory for the blocks that it writes and not for
//! its writes. No write is forgotten: each that was issued is read back, was replaced or trimmed, or is counted with the reason why
//! it cannot be checked ([`Account`]).

use super::extents::{Extents, NOBODY, Share};
use crate::desc::{Desc, Op};
use fathom_job::direction::Direction;
use fathom_job::plan::{PlannedFile, PlannedJob, VerifyPolicy, divisor};
use fathom_results::{StateWrite, Unchecked, WriteFate};

/// Most units: their numbers have 32 bits, and the list of writes is a little longer.
const UNITS_MAX: u64 = 1 << 31;

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Right,
    /// It failed or was short, so it is not known what is there.
    Failed,
    /// Another write or a trim of the same place was in flight at the same time, so it is not known which is there.
    Overlapped,
    /// Its place was trimmed, and must read as zeros (`trim_verify_zero`).
    Trimmed,
    /// Of a restored write: something covers a part of it.
    Cut,
}

/// How far a write is with being read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    NotYet,
    /// It was given to be read back.
    Due,
    /// It was read back and checked.
    Checked,
    /// Reading it back failed, which the job that read has counted.
    Unreadable,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    desc: Desc,
    number: u64,
    state: State,
    reading: Reading,
    /// It, or the trim of its place, is in flight.
    is_in_flight: bool,
    /// A sync that was issued after its end has completed.
    is_synced: bool,
}

/// An I/O in flight that changes its place.
#[derive(Clone, Copy, Debug)]
struct Change {
    desc: Desc,
    of: ChangeOf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeOf {
    Write(u64),
    Trim(TrimId),
}

/// A trim in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrimId {
    /// The number of the trim in the job, from 0.
    serial: u64,
    /// The number of the write whose place it is, if that is to read as zeros.
    zeroes: Option<u64>,
}

/// A write that can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWrite {
    /// Where and how long.
    pub desc: Desc,
    /// Its number in the job, from 0.
    pub number: u64,
    /// Its place was trimmed and must read as zeros.
    pub is_trimmed: bool,
}

/// Writes that are not read back; how many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Those that should be checked and cannot be, by reason.
    pub unchecked: Unchecked,
    /// Those of which nothing is left, because later writes cover all of them.
    pub replaced: u64,
    /// Those of which nothing is left, because all that no later write covers was trimmed.
    pub trimmed: u64,
}

/// The writes of one file that are complete and that no sync has covered.
#[derive(Clone, Debug, Default)]
pub struct SyncedWrites(Vec<u64>);

/// What a job has written.
#[derive(Debug)]
pub struct Written {
    files: Vec<Extents>,
    writes: Vec<Write>,
    issued: u64,
    trims: u64,
    /// The writes and trims in flight.
    in_flight: Vec<Change>,
    /// All writes before this number were read back while the job writes, or cannot be.
    unread_from: u64,
    /// All writes before this number were trimmed while the job writes, or are not to be.
    untrimmed_from: u64,
    /// By file, the writes that are complete and in no sync yet; kept where only synced writes are expected.
    unsynced: Option<Vec<SyncedWrites>>,
    /// Writes that were dropped from the list, by what replaced them.
    dropped: Account,
    /// The list is looked through for writes that can be dropped when it is this long.
    compact_at: usize,
}

/// The unit in which the places and lengths of the job's writes differ, as far as the plan shows it.
fn unit(plan: &PlannedJob) -> u64 {
    let sizes = &plan.block[Direction::Write];
    let lengths = [sizes.divisor(), sizes.max(), plan.align[Direction::Write]];
    let offsets = plan.files.iter().map(|file| file.offset);
    lengths.into_iter().chain(offsets).fold(0, |all, bytes| divisor(all, bytes.0)).max(1)
}

impl Written {
    /// Nothing yet, of a job whose units take 4 bytes of memory each; `None` where it has too many.
    pub fn new(plan: &PlannedJob) -> Option<Written> {
        let written = Written::with_unit(&plan.files, unit(plan))?;
        let is_fsynced = plan.verify.as_ref().is_some_and(|verify| verify.policy == VerifyPolicy::Fsynced);
        let unsynced = is_fsynced.then(|| vec![SyncedWrites::default(); plan.files.len()]);
        Some(Written { unsynced, ..written })
    }

    fn with_unit(files: &[PlannedFile], unit: u64) -> Option<Written> {
        if files.iter().map(|file| file.size.0 / unit + 2).sum::<u64>() > UNITS_MAX {
            return None;
        }
        let extents = |file: &PlannedFile| Extents::new(file.offset.0, file.size.0, unit);
        let files: Vec<Extents> = files.iter().map(extents).collect();
        let units: usize = files.iter().map(Extents::len).sum();
        let compact_at = (units + units / 4).max(1 << 16);
        Some(Written { files, compact_at, ..Written::nothing() })
    }

    /// Nothing, of a job that does not write.
    pub fn nothing() -> Written {
        Written {
            files: Vec::new(),
            writes: Vec::new(),
            issued: 0,
            trims: 0,
            in_flight: Vec::new(),
            unread_from: 0,
            untrimmed_from: 0,
            unsynced: None,
            dropped: Account::default(),
            compact_at: 1,
        }
    }

    /// How many writes were issued.
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// A write is issued. Returns its number.
    pub fn begin(&mut self, desc: &Desc) -> u64 {
        if self.writes.len() >= self.compact_at {
            self.compact();
        }
        let state = self.overlap(desc);
        self.files[desc.file() as usize].give(desc, self.writes.len() as u32 + 1);
        let number = self.issued;
        self.issued += 1;
        self.in_flight.push(Change { desc: *desc, of: ChangeOf::Write(number) });
        self.writes.push(Write {
            desc: *desc,
            number,
            state,
            reading: Reading::NotYet,
            is_in_flight: true,
            is_synced: false,
        });
        number
    }

    /// The state of a write that begins. Those in flight at the same place are not known either: they may land after it,
    /// also where another write or a trim came between.
    fn overlap(&mut self, desc: &Desc) -> State {
        let Written { in_flight, writes, .. } = self;
        let mut state = State::Right;
        for other in in_flight.iter().filter(|other| meet(&other.desc, desc)) {
            state = State::Overlapped;
            let number = match other.of {
                ChangeOf::Write(number) => Some(number),
                ChangeOf::Trim(trim) => trim.zeroes,
            };
            if let Some(index) = number.and_then(|number| index_in(writes, number)) {
                writes[index].state = State::Overlapped;
            }
        }
        state
    }

    /// A write has completed, whole or not.
    pub fn end(&mut self, number: u64, is_whole: bool) {
        self.in_flight.retain(|other| other.of != ChangeOf::Write(number));
        let Some(index) = index_in(&self.writes, number) else { return };
        let write = &mut self.writes[index];
        write.is_in_flight = false;
        if !is_whole {
            write.state = State::Failed;
        }
        let file = write.desc.file() as usize;
        if let Some(unsynced) = &mut self.unsynced {
            unsynced[file].0.push(number);
            if unsynced[file].0.len() > 2 * self.compact_at {
                unsynced[file].0.retain(|number| index_in(&self.writes, *number).is_some());
            }
        }
    }

    /// A place is trimmed: what was written there is no longer expected. With `zeroes`, the place of one whole write is
    /// expected to read as zeros from now on.
    pub fn begin_trim(&mut self, desc: &Desc, zeroes: bool) -> TrimId {
        let last = if zeroes { self.at(desc).filter(|last| !last.is_trimmed) } else { None };
        let index = last.and_then(|last| index_in(&self.writes, last.number));
        match index {
            Some(index) => {
                // What was checked before was the write; the zeros are not checked yet.
                let write = &mut self.writes[index];
                (write.state, write.reading, write.is_in_flight) = (State::Trimmed, Reading::NotYet, true);
            }
            None => self.files[desc.file() as usize].give(desc, NOBODY),
        }
        let trim = TrimId { serial: self.trims, zeroes: index.map(|index| self.writes[index].number) };
        self.trims += 1;
        self.in_flight.push(Change { desc: *desc, of: ChangeOf::Trim(trim) });
        trim
    }

    /// A trim has completed.
    pub fn end_trim(&mut self, trim: TrimId, is_whole: bool) {
        self.in_flight.retain(|other| other.of != ChangeOf::Trim(trim));
        let Some(index) = trim.zeroes.and_then(|number| index_in(&self.writes, number)) else { return };
        let write = &mut self.writes[index];
        write.is_in_flight = false;
        if !is_whole {
            write.state = State::Failed;
        }
    }

    /// A sync of a file is issued: it covers the writes that are complete.
    pub fn begin_sync(&mut self, file: u32) -> SyncedWrites {
        let of_file = self.unsynced.as_mut().and_then(|unsynced| unsynced.get_mut(file as usize));
        of_file.map(std::mem::take).unwrap_or_default()
    }

    /// The sync has completed. After one that failed, the kernel may have dropped what it was to write, and a later sync says
    /// nothing of it.
    pub fn end_sync(&mut self, covered: SyncedWrites, is_done: bool) {
        for number in covered.0.into_iter().filter(|_| is_done) {
            if let Some(index) = index_in(&self.writes, number) {
                self.writes[index].is_synced = true;
            }
        }
    }

    /// All files are synced at the end of the job.
    pub fn sync_all(&mut self) {
        for file in 0..self.files.len() as u32 {
            let covered = self.begin_sync(file);
            self.end_sync(covered, true);
        }
    }

    /// The write that must be at the place of this read, if one write covers the whole of it.
    pub fn at(&self, desc: &Desc) -> Option<LastWrite> {
        let owner = self.files.get(desc.file() as usize)?.owner(desc)?;
        let write = &self.writes[owner as usize - 1];
        let is_that = write.desc.offset == desc.offset && write.desc.bytes() == desc.bytes();
        (is_that && self.is_expected(write)).then(|| LastWrite::of(write))
    }

    /// Is this write complete and known, and is nothing in flight over it?
    fn is_expected(&self, write: &Write) -> bool {
        !write.is_in_flight
            && matches!(write.state, State::Right | State::Trimmed)
            && (write.is_synced || self.unsynced.is_none())
    }

    /// Every write that can be read back whole, in the order in which they were issued, as `make` has it. They are due now.
    pub fn take_readable<T>(&mut self, make: impl Fn(LastWrite) -> T) -> Vec<T> {
        let mut readable = Vec::new();
        for index in 0..self.writes.len() {
            if self.standing(index) == Standing::Readable {
                self.writes[index].reading = Reading::Due;
                readable.push(make(LastWrite::of(&self.writes[index])));
            }
        }
        readable
    }

    /// A write was read back: it was checked, or could not be read. False where this is not the read that counts: of a write that
    /// was read before, or, if only writes that were given to be read back count (`only_due`), of any other.
    pub fn end_reading(&mut self, number: u64, is_checked: bool, only_due: bool) -> bool {
        let index = index_in(&self.writes, number);
        let Some(write) = index.map(|index| &mut self.writes[index]) else { return false };
        let counts = write.reading == Reading::Due || (!only_due && write.reading == Reading::NotYet);
        if counts {
            write.reading = if is_checked { Reading::Checked } else { Reading::Unreadable };
        }
        counts
    }

    /// Bytes of a write, if it is due to be read back.
    pub fn due_bytes(&self, number: u64) -> Option<u64> {
        let write = &self.writes[index_in(&self.writes, number)?];
        (write.reading == Reading::Due).then(|| write.desc.bytes())
    }

    /// The writes that were not read back, by reason; without those whose reading failed.
    pub fn account(&self) -> Account {
        let mut account = self.dropped;
        for index in 0..self.writes.len() {
            account.add(self.standing(index));
        }
        account
    }

    /// What a write is to the verification now.
    fn standing(&self, index: usize) -> Standing {
        if self.writes[index].is_read() { Standing::Done } else { self.remains(index) }
    }

    /// The same, whether it was read back or not.
    fn remains(&self, index: usize) -> Standing {
        self.remains_of(&self.writes[index], self.share(index))
    }

    /// What of its place still belongs to a write.
    fn share(&self, index: usize) -> Share {
        let desc = &self.writes[index].desc;
        self.files[desc.file() as usize].share(desc, index as u32 + 1)
    }

    fn remains_of(&self, write: &Write, share: Share) -> Standing {
        match write.state {
            _ if share.bytes == 0 && share.rest_is_free => Standing::Trimmed,
            _ if share.bytes == 0 => Standing::Replaced,
            _ if write.is_in_flight => Standing::InFlight,
            State::Failed => Standing::Failed,
            State::Overlapped => Standing::Overlapped,
            State::Cut => Standing::Cut,
            _ if share.bytes < write.desc.bytes() => Standing::Cut,
            _ if !self.is_expected(write) => Standing::NotSynced,
            _ => Standing::Readable,
        }
    }

    /// The oldest writes from this number on that are complete and of which `is_taken`: at most `most`, by their index, and the
    /// number from which the next search begins.
    fn oldest(&self, from: u64, most: usize, is_taken: impl Fn(usize, &Write) -> bool) -> (Vec<usize>, u64) {
        let first = self.writes.partition_point(|write| write.number < from);
        let (mut taken, mut next) = (Vec::new(), from);
        let complete =
            self.writes.iter().enumerate().skip(first).take_while(|(_, write)| !write.is_in_flight);
        for (index, write) in complete {
            if taken.len() == most {
                break;
            }
            next = write.number + 1;
            if is_taken(index, write) {
                taken.push(index);
            }
        }
        (taken, next)
    }

    /// The oldest writes that are complete, whole and not yet read back: at most `most`, which are due now.
    pub fn take_complete(&mut self, most: usize) -> Vec<Desc> {
        let is_readable = |index, _: &Write| self.standing(index) == Standing::Readable;
        let (taken, next) = self.oldest(self.unread_from, most, is_readable);
        self.unread_from = next;
        let mut due = |index: usize| {
            self.writes[index].reading = Reading::Due;
            self.writes[index].desc
        };
        taken.into_iter().map(&mut due).collect()
    }

    /// How many writes are not yet read back and can be, and their bytes; `None` while something is in flight.
    pub fn unread(&self) -> Option<(u64, u64)> {
        if !self.in_flight.is_empty() {
            return None;
        }
        let first = self.writes.partition_point(|write| write.number < self.unread_from);
        let readable = (first..self.writes.len()).filter(|&index| self.standing(index) == Standing::Readable);
        Some(readable.fold((0, 0), |(ios, bytes), index| (ios + 1, bytes + self.writes[index].desc.bytes())))
    }

    /// The oldest writes that are complete, whole, and chosen to be trimmed by their number: at most `most`.
    pub fn take_for_trim(&mut self, most: usize, is_chosen: impl Fn(u64) -> bool) -> Vec<Desc> {
        let is_taken = |index: usize, write: &Write| {
            matches!(self.standing(index), Standing::Readable | Standing::NotSynced | Standing::Done)
                && self.files[write.desc.file() as usize].owner(&write.desc) == Some(index as u32 + 1)
                && is_chosen(write.number)
        };
        let (taken, next) = self.oldest(self.untrimmed_from, most, is_taken);
        self.untrimmed_from = next;
        taken.into_iter().map(|index| self.writes[index].desc).collect()
    }

    /// How many writes the list has.
    pub fn listed(&self) -> usize {
        self.writes.len()
    }

    /// Every write of which something is left, and what became of it: what a state of the verification holds. A place that
    /// was trimmed is in no state.
    pub fn kept(&self) -> impl Iterator<Item = StateWrite> {
        let kept = |(index, write): (usize, &Write)| {
            let fate = match self.remains(index) {
                _ if write.state == State::Trimmed => return None,
                Standing::Trimmed | Standing::Replaced | Standing::Done => return None,
                // A write that is in no sync yet may be there or not, as one in flight.
                Standing::InFlight | Standing::NotSynced => WriteFate::InFlight,
                Standing::Failed => WriteFate::Failed,
                Standing::Overlapped => WriteFate::Overlapped,
                Standing::Cut => WriteFate::Cut,
                Standing::Readable => WriteFate::Whole,
            };
            let Write { desc, number, .. } = write;
            let (file, bytes) = (desc.file(), desc.len());
            Some(StateWrite { file, bytes, offset: desc.offset, number: *number, fate })
        };
        self.writes.iter().enumerate().filter_map(kept)
    }

    /// What a state holds of a job that wrote these regions and had issued so many writes; `None` where it has too many units.
    pub fn restored(files: &[PlannedFile], writes: &[StateWrite], issued: u64) -> Option<Written> {
        let places = writes.iter().flat_map(|write| [write.offset, u64::from(write.bytes)]);
        let unit = files.iter().map(|file| file.offset.0).chain(places).fold(0, divisor).max(1);
        let mut written = Written::with_unit(files, unit)?;
        for write in writes {
            written.restore(write);
        }
        written.issued = issued;
        Some(written)
    }

    fn restore(&mut self, write: &StateWrite) {
        let desc = Desc::new(Op::Write, write.offset, write.bytes, write.file);
        let Some(file) = self.files.get_mut(write.file as usize) else { return };
        file.give(&desc, self.writes.len() as u32 + 1);
        let state = match write.fate {
            WriteFate::Failed => State::Failed,
            WriteFate::Overlapped => State::Overlapped,
            // What covers it may have been a trim, which the state does not hold.
            WriteFate::Cut => State::Cut,
            WriteFate::Whole | WriteFate::InFlight => State::Right,
        };
        self.writes.push(Write {
            desc,
            number: write.number,
            state,
            reading: Reading::NotYet,
            is_in_flight: write.fate == WriteFate::InFlight,
            is_synced: true,
        });
    }

    /// Drops the writes of which nothing is left.
    #[cold]
    fn compact(&mut self) {
        let mut kept: Vec<Write> = Vec::with_capacity(self.writes.len() / 2);
        for index in 0..self.writes.len() {
            let write = self.writes[index];
            let share = self.share(index);
            if share.bytes == 0 && !write.is_in_flight {
                let standing = if write.is_read() { Standing::Done } else { self.remains_of(&write, share) };
                self.dropped.add(standing);
                continue;
            }
            kept.push(write);
            // A later write has a larger index, so a place that was renumbered is not taken for another write's.
            let file = &mut self.files[write.desc.file() as usize];
            file.renumber(&write.desc, index as u32 + 1, kept.len() as u32);
        }
        self.compact_at = (2 * kept.len()).max(self.compact_at);
        self.writes = kept;
    }
}

/// What a write is to the verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Done,
    Readable,
    Replaced,
    Trimmed,
    InFlight,
    Failed,
    Overlapped,
    Cut,
    NotSynced,
}

impl Account {
    fn add(&mut self, standing: Standing) {
        let unchecked = &mut self.unchecked;
        let count = match standing {
            Standing::Done => return,
            Standing::Readable => &mut unchecked.not_read,
            Standing::Replaced => &mut self.replaced,
            Standing::Trimmed => &mut self.trimmed,
            Standing::InFlight => &mut unchecked.in_flight,
            Standing::Failed => &mut unchecked.failed,
            Standing::Overlapped => &mut unchecked.overlapped,
            Standing::Cut => &mut unchecked.cut,
            Standing::NotSynced => &mut unchecked.not_synced,
        };
        *count += 1;
    }
}

impl Write {
    /// Was it read back, whether that succeeded or not?
    fn is_read(&self) -> bool {
        matches!(self.reading, Reading::Checked | Reading::Unreadable)
    }
}

impl LastWrite {
    fn of(write: &Write) -> LastWrite {
        LastWrite { desc: write.desc, number: write.number, is_trimmed: write.state == State::Trimmed }
    }
}

/// Do two I/Os have bytes in common?
fn meet(one: &Desc, other: &Desc) -> bool {
    one.file() == other.file()
        && one.offset < other.offset + other.bytes()
        && other.offset < one.offset + one.bytes()
}

/// Where the write of a number is in the list. Writes that were added after the last ones were dropped have consecutive numbers,
/// so their distance from the end is known.
fn index_in(writes: &[Write], number: u64) -> Option<usize> {
    let behind = writes.last()?.number.checked_sub(number)? as usize;
    match (writes.len() - 1).checked_sub(behind) {
        Some(index) if writes[index].number == number => Some(index),
        _ => writes.binary_search_by_key(&number, |write| write.number).ok(),
    }
}

#[cfg(test)]
mod tests;
