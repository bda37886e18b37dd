//! The open files of a job that keeps fewer open than it has (`openfiles`).
//!
//! Each open file has a seat, and engines know files by their seats. A file that
//! the source is done with gives its seat to the next one that an I/O comes for;
//! that I/O, and those behind it, wait until nothing is in flight on it. A job
//! whose files all stay open has none of this: its files are their own seats.

use super::{Worker, failure};
use crate::engine::{EngineError, Replacement};
use crate::finish;
use crate::open;
use crate::target::{OpenHow, TargetSource};
use fathom_results::JobFailure;
use std::collections::HashMap;

/// Who sits where.
pub struct Seats<'a> {
    targets: &'a dyn TargetSource,
    how: OpenHow,
    /// The file of each seat.
    files: Vec<u32>,
    seat_of: HashMap<u32, u32>,
    /// Where the search for a seat to be given away begins.
    hand: usize,
    /// Files that were opened in the course of the job.
    opened: u64,
}

/// What seating needs of a loop.
pub struct Loop<'e> {
    /// Tells the engine of another file.
    pub replace: &'e mut dyn FnMut(&Replacement<'_>) -> Result<(), EngineError>,
    /// Is anything in flight on a seat?
    pub is_busy: &'e dyn Fn(u32) -> bool,
}

impl<'a> Seats<'a> {
    /// The first `count` files of a job sit in the seats of the same numbers.
    pub fn new(targets: &'a dyn TargetSource, how: OpenHow, count: usize) -> Self {
        let files: Vec<u32> = (0..count as u32).collect();
        let seat_of = files.iter().map(|&file| (file, file)).collect();
        Seats { targets, how, files, seat_of, hand: 0, opened: 0 }
    }

    /// The file in a seat.
    pub fn file_of(&self, seat: u32) -> u32 {
        self.files[seat as usize]
    }

    /// The seat to be given away: that of a file for which no I/O comes any more.
    /// Where there is none, that of any file. `None` while they are all busy.
    fn next_to_give(
        &mut self,
        is_wanted: impl Fn(u32) -> bool,
        is_busy: &dyn Fn(u32) -> bool,
    ) -> Option<u32> {
        let count = self.files.len();
        let from_hand = || (0..count).map(|step| (self.hand + step) % count);
        let mut unwanted = from_hand().filter(|&seat| !is_wanted(self.files[seat])).peekable();
        let idle = |seat: &usize| !is_busy(*seat as u32);
        let seat = match unwanted.peek() {
            Some(_) => unwanted.find(idle),
            None => from_hand().find(idle),
        }?;
        self.hand = seat + 1;
        Some(seat as u32)
    }

    fn give(&mut self, seat: u32, file: u32) {
        let before = std::mem::replace(&mut self.files[seat as usize], file);
        self.seat_of.remove(&before);
        self.seat_of.insert(file, seat);
    }

    /// For the notes of the result.
    pub fn notes(&self) -> [(String, String); 2] {
        let note = |name: &str, value: String| (name.to_owned(), value);
        [
            note("files.kept_open", self.files.len().to_string()),
            note("files.opened_while_running", self.opened.to_string()),
        ]
    }
}

impl Worker<'_> {
    /// Lets the I/Os at hand go as far as their files have seats; the first of
    /// them gets one if it can. False once a file cannot be opened, which ends
    /// the job.
    #[cold]
    pub fn seat(&mut self, at: &mut Loop<'_>) -> bool {
        while let (Some(desc), Some(seats)) = (self.block.held(), &mut self.seats) {
            let file = desc.file();
            let seat = match seats.seat_of.get(&file) {
                Some(&seat) => seat,
                // What may go already uses its seats, and is not in flight yet.
                None if !self.block.is_empty() => return true,
                None => match seats.next_to_give(|file| self.source.has_open(file), at.is_busy) {
                    None => return true,
                    Some(seat) => match self.open_in(seat, file, at) {
                        Ok(()) => seat,
                        Err(why) => {
                            self.broken = Some(why);
                            self.block.clear();
                            return false;
                        }
                    },
                },
            };
            self.block.let_go(desc.in_file(seat));
        }
        true
    }

    /// Closes the file in a seat and opens another one there.
    fn open_in(&mut self, seat: u32, file: u32, at: &mut Loop<'_>) -> Result<(), JobFailure> {
        let place = seat as usize;
        if finish::syncs(self.plan) {
            finish::sync(self, place)?;
        }
        let Some(seats) = &mut self.seats else { return Ok(()) };
        let planned = &self.plan.files[file as usize];
        let failed = |e: std::io::Error| failure(e.raw_os_error().unwrap_or(0), e.to_string());
        let (targets, how, plan) = (seats.targets, seats.how, self.plan);
        let open = || {
            let opened = targets.open(&planned.path, how)?;
            open::settle_opened(plan, planned, &opened);
            Ok(opened)
        };
        let opened = self.lender.during(&mut self.recorder, open, || ()).0.map_err(failed)?;
        (at.replace)(&Replacement { seat: place, file: &opened, planned })
            .map_err(|e| failure(e.source.raw_os_error().unwrap_or(0), e.to_string()))?;
        let closed = std::mem::replace(&mut self.files[place], opened);
        self.lender.during(&mut self.recorder, || drop(closed), || ());
        seats.give(seat, file);
        seats.opened += 1;
        Ok(())
    }

    /// The job's file that a descriptor is about, which engines know by its seat.
    pub fn file_of(&self, seat: u32) -> u32 {
        self.seats.as_ref().map_or(seat, |seats| seats.file_of(seat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::NoTargets;

    fn seats(count: usize) -> Seats<'static> {
        Seats::new(&NoTargets, OpenHow::default(), count)
    }

    #[test]
    fn a_file_that_is_done_gives_its_seat_once_nothing_is_in_flight() {
        let mut seats = seats(3);
        assert_eq!(seats.next_to_give(|file| file != 1, &|_| false), Some(1));
        assert_eq!(seats.next_to_give(|file| file != 1, &|seat| seat == 1), None, "it is waited for");
        assert_eq!(seats.next_to_give(|_| true, &|seat| seat == 2), Some(0), "all are wanted");
        assert_eq!(seats.next_to_give(|_| true, &|_| true), None);
    }

    #[test]
    fn seats_that_are_free_are_given_in_turn() {
        let mut seats = seats(2);
        let mut given = |file| {
            let seat = seats.next_to_give(|_| false, &|_| false).unwrap();
            seats.give(seat, file);
            (seat, seats.file_of(seat), seats.seat_of.len())
        };
        assert_eq!([given(7), given(8), given(9)], [(0, 7, 2), (1, 8, 2), (0, 9, 2)]);
    }
}
