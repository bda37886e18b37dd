//! Every write is read back, was replaced or trimmed, or is counted with its reason.

use super::*;
use crate::desc::Op;
use crate::fixture::planned;
use proptest::prelude::*;

fn written(options: &str) -> Written {
    let text = format!("[j]\nioengine=psync\nfilename=f\nrw=randwrite\nsize=1m\n{options}\n");
    Written::new(&planned(&text).jobs[0]).unwrap()
}

fn write(at_kib: u64, kib: u32) -> Desc {
    Desc::new(Op::Write, at_kib << 10, kib << 10, 0)
}

fn trim(written: &mut Written, desc: &Desc) {
    let trim = written.begin_trim(desc, false);
    written.end_trim(trim, true);
}

fn numbers(written: &mut Written) -> Vec<u64> {
    written.take_readable(|last| last.number)
}

#[test]
fn the_last_whole_write_of_a_place_is_read_back() {
    let mut written = written("bssplit=4k/50:8k/50");
    for (number, (at, kib)) in [(0, 8), (16, 4), (0, 8), (20, 8), (24, 4)].into_iter().enumerate() {
        assert_eq!(written.begin(&write(at, kib)), number as u64);
        written.end(number as u64, true);
    }
    let places = written.take_readable(|last| (last.desc.offset >> 10, last.number));
    assert_eq!(places, [(16, 1), (0, 2), (24, 4)]);
    let unchecked = Unchecked { cut: 1, not_read: 3, ..Default::default() };
    assert_eq!(
        written.account(),
        Account { unchecked, replaced: 1, trimmed: 0 },
        "the writes at 20 KiB and at 0"
    );
    assert_eq!(written.at(&write(0, 8)).map(|last| last.number), Some(2));
    assert_eq!(written.at(&write(0, 4)), None, "a part of a write is no write");
}

#[test]
fn what_is_not_known_is_counted() {
    let mut written = written("bs=4k");
    for at in [0, 4, 4, 8] {
        written.begin(&write(at, 4));
    }
    written.end(0, false);
    written.end(1, true);
    written.end(2, true);
    assert_eq!(numbers(&mut written), [0u64; 0]);
    let unchecked = Unchecked { failed: 1, overlapped: 1, in_flight: 1, ..Default::default() };
    assert_eq!(written.account(), Account { unchecked, replaced: 1, trimmed: 0 });
    trim(&mut written, &Desc::trim(0, 12 << 10, 0));
    let account = written.account();
    assert_eq!(
        (account.unchecked, account.trimmed),
        (Unchecked::default(), 4),
        "what was trimmed is not expected"
    );
}

#[test]
fn a_write_that_is_still_in_flight_is_never_forgotten() {
    let mut written = written("bs=4k");
    written.begin(&write(0, 4));
    written.begin(&write(0, 4));
    written.end(1, true);
    written.begin(&write(0, 4));
    written.end(2, true);
    assert_eq!(written.account().unchecked.overlapped, 1, "the first may land after the third");
    trim(&mut written, &Desc::trim(0, 4096, 0));
    written.begin(&write(0, 4));
    written.end(3, true);
    assert_eq!(written.account().unchecked.overlapped, 1, "and after a trim");
    written.end(0, true);
    written.begin(&write(0, 4));
    written.end(4, true);
    assert_eq!(numbers(&mut written), [4]);
}

#[test]
fn a_write_over_a_trim_in_flight_is_not_expected() {
    let mut written = written("bs=4k");
    let trim = written.begin_trim(&Desc::trim(0, 4096, 0), false);
    written.begin(&write(0, 4));
    written.end(0, true);
    written.end_trim(trim, true);
    assert_eq!(written.account().unchecked.overlapped, 1, "the trim may come after the write");
}

#[test]
fn small_blocks_are_told_apart() {
    let mut written = written("bs=256");
    for number in 0..8 {
        written.begin(&Desc::new(Op::Write, number * 256, 256, 0));
        written.end(number, true);
    }
    assert_eq!(numbers(&mut written).len(), 8);
}

#[test]
fn blocks_that_share_no_byte_are_told_apart_whatever_their_places() {
    let mut written = written("bs=4k");
    // The places of rw=write:1k, and blocks of any size within one unit.
    let places = [(0, 4096), (5120, 4096), (10_240, 4096), (20_481, 100), (20_581, 7), (20_588, 900)];
    for (number, (offset, len)) in places.into_iter().enumerate() {
        written.begin(&Desc::new(Op::Write, offset, len, 0));
        written.end(number as u64, true);
    }
    assert_eq!(numbers(&mut written), [0, 1, 2, 3, 4, 5]);
    assert_eq!(written.account().unchecked.total(), written.account().unchecked.not_read);
}

#[test]
fn what_was_read_back_while_writing_is_not_read_again() {
    let mut written = written("bs=4k");
    written.compact_at = 4;
    for number in 0..6u64 {
        written.begin(&write(number % 3 * 4, 4));
        if number != 4 {
            written.end(number, true);
        }
        if number == 1 {
            assert_eq!(written.take_complete(1), [write(0, 4)]);
        }
    }
    let taken = written.take_complete(9);
    assert_eq!(taken, [write(0, 4)], "the first after the overwritten ones, up to the one in flight");
    assert!(
        written.end_reading(3, true, true) && !written.end_reading(3, true, true),
        "a write is read back once"
    );
    written.end(4, true);
    assert_eq!(numbers(&mut written), [4, 5]);
}

#[test]
fn only_writes_before_a_completed_sync_are_expected_where_the_job_says_so() {
    let mut written = written("bs=4k\nverify=crc32c\nverify_policy=fsynced");
    for at in [0, 4, 8] {
        written.begin(&write(at, 4));
    }
    written.end(0, true);
    written.end(1, true);
    let first = written.begin_sync(0);
    written.end(2, true);
    assert_eq!(numbers(&mut written), [0u64; 0], "the sync is not complete");
    written.end_sync(first, true);
    assert_eq!(written.at(&write(8, 4)), None, "it was in flight when the sync was issued");
    assert_eq!(numbers(&mut written), [0, 1]);
    assert_eq!(written.account().unchecked.not_synced, 1);
    let failed = written.begin_sync(0);
    written.end_sync(failed, false);
    written.sync_all();
    assert_eq!(
        written.account().unchecked.not_synced,
        1,
        "the kernel may have dropped it after the sync that failed"
    );
}

#[test]
fn a_trimmed_block_is_read_back_as_zeros_until_it_is_written_again() {
    let mut written = written("bs=4k");
    for (number, at) in [0, 4, 8].into_iter().enumerate() {
        written.begin(&write(at, 4));
        written.end(number as u64, true);
    }
    let chosen = written.take_for_trim(9, |number| number != 1);
    assert_eq!(chosen, [write(0, 4), write(8, 4)]);
    for desc in &chosen {
        let trim = written.begin_trim(desc, true);
        assert_eq!(written.at(desc), None, "it is in flight");
        written.end_trim(trim, true);
    }
    written.begin(&write(8, 4));
    written.end(3, true);
    let readable = written.take_readable(|last| (last.number, last.is_trimmed));
    assert_eq!(readable, [(0, true), (1, false), (3, false)]);
    let failed = written.begin_trim(&write(4, 4), true);
    written.end_trim(failed, false);
    assert_eq!(written.account().unchecked.failed, 1, "after a trim that failed nothing is known");
}

#[test]
fn a_long_job_needs_no_more_memory_than_its_blocks() {
    let mut written = written("bs=4k");
    written.compact_at = 600;
    for number in 0..10_000u64 {
        written.begin(&write(number * 7 % 256 * 4, 4));
        written.end(number, true);
        assert!(written.writes.len() <= 700, "{}", written.writes.len());
    }
    assert_eq!(written.account().replaced, 10_000 - 256);
    assert_eq!(numbers(&mut written), (10_000 - 256..10_000).collect::<Vec<u64>>());
    assert_eq!(written.issued(), 10_000);
}

/// What happens next to a job that writes.
#[derive(Clone, Debug)]
enum Step {
    Write {
        at: u64,
        bytes: u32,
    },
    /// One of the writes in flight completes.
    End {
        which: usize,
        is_whole: bool,
    },
    Trim {
        at: u64,
        bytes: u32,
        zeroes: bool,
        is_in_flight: bool,
    },
    EndTrims,
    /// Some writes are read back, and so many of those are checked.
    ReadBack {
        most: usize,
        checked: usize,
    },
    Sync {
        is_done: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let place = || (0u64..60, 1u32..12);
    let step = prop_oneof![
        5 => place().prop_map(|(at, bytes)| Step::Write { at, bytes }),
        4 => (0usize..8, prop::bool::weighted(0.9)).prop_map(|(which, is_whole)| Step::End { which, is_whole }),
        1 => (place(), any::<bool>(), any::<bool>())
            .prop_map(|((at, bytes), zeroes, is_in_flight)| Step::Trim { at, bytes, zeroes, is_in_flight }),
        1 => Just(Step::EndTrims),
        1 => (0usize..5, 0usize..5).prop_map(|(most, checked)| Step::ReadBack { most, checked }),
        1 => prop::bool::weighted(0.8).prop_map(|is_done| Step::Sync { is_done }),
    ];
    prop::collection::vec(step, 1..120)
}

/// A job, what became of each byte, and how many of its writes were read back.
struct Trial {
    written: Written,
    in_flight: Vec<(u64, Desc)>,
    trims: Vec<TrimId>,
    checked: u64,
    unreadable: u64,
    /// Writes that are accounted for twice.
    again: u64,
    /// Of each byte, the write that must be there, if only one can be: a write, or a trim without a number.
    bytes: Vec<Option<u64>>,
}

impl Trial {
    fn step(&mut self, step: &Step, grain: u64) {
        let place = |at: u64, bytes: u32| (at * grain, bytes * grain as u32);
        match *step {
            Step::Write { at, bytes } => {
                let (offset, bytes) = place(at, bytes);
                let desc = Desc::new(Op::Write, offset, bytes, 0);
                let number = self.written.begin(&desc);
                self.bytes[offset as usize..][..bytes as usize].fill(Some(number));
                self.in_flight.push((number, desc));
            }
            Step::End { which, is_whole } if !self.in_flight.is_empty() => {
                let (number, _) = self.in_flight.remove(which % self.in_flight.len());
                self.written.end(number, is_whole);
            }
            Step::Trim { at, bytes, zeroes, is_in_flight } => {
                let (offset, bytes) = place(at, bytes);
                let desc = Desc::trim(offset, bytes.into(), 0);
                let done = self.written.at(&desc).filter(|_| zeroes).is_some_and(|last| {
                    let write = self.written.writes.iter().find(|write| write.number == last.number);
                    write.is_some_and(|write| matches!(write.reading, Reading::Checked | Reading::Unreadable))
                });
                let trim = self.written.begin_trim(&desc, zeroes);
                // It was checked as a write, and is to be checked as zeros.
                self.again += u64::from(done && trim.zeroes.is_some());
                self.bytes[offset as usize..][..bytes as usize].fill(None);
                match is_in_flight {
                    true => self.trims.push(trim),
                    false => self.written.end_trim(trim, true),
                }
            }
            Step::EndTrims => {
                self.trims.drain(..).for_each(|trim| self.written.end_trim(trim, true));
            }
            Step::ReadBack { most, checked } => {
                let due = self.written.take_complete(most);
                for (n, desc) in due.iter().enumerate() {
                    let number = self.written.at(desc).expect("it is due").number;
                    match n < checked {
                        true => self.checked += u64::from(self.written.end_reading(number, true, true)),
                        false => self.unreadable += u64::from(self.written.end_reading(number, false, true)),
                    }
                }
            }
            Step::Sync { is_done } => {
                let covered = self.written.begin_sync(0);
                self.written.end_sync(covered, is_done);
            }
            Step::End { .. } => {}
        }
    }

    /// Each write that was issued is accounted for once.
    fn is_complete(&self) -> Result<(), TestCaseError> {
        let Account { unchecked, replaced, trimmed } = self.written.account();
        let sum = self.checked + self.unreadable + unchecked.total() + replaced + trimmed;
        prop_assert_eq!(sum, self.written.issued() + self.again, "{:?}", self.written.account());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a job writes, in whatever order it completes: every write is accounted for once, and what is read back must be
    /// there, because no other write or trim of the place can have come after it.
    #[test]
    fn no_write_is_skipped_in_silence(
        steps in steps(),
        grain in prop::sample::select(vec![512u64, 700, 1]),
        compact_at in prop::sample::select(vec![4usize, 1 << 16]),
        policy in prop::sample::select(vec!["completed", "fsynced"]),
    ) {
        let mut written = written(&format!("bs=512\nverify=crc32c\nverify_policy={policy}"));
        written.compact_at = compact_at;
        let bytes = vec![None; 1 << 20];
        let (in_flight, trims) = (Vec::new(), Vec::new());
        let mut trial = Trial { written, in_flight, trims, checked: 0, unreadable: 0, again: 0, bytes };
        for step in &steps {
            trial.step(step, grain);
            trial.is_complete()?;
        }
        let before = trial.written.account().unchecked.not_read;
        let readable = trial.written.take_readable(|last| last);
        prop_assert_eq!(readable.len() as u64, before);
        for LastWrite { desc, number, is_trimmed } in readable {
            let bytes = &trial.bytes[desc.offset as usize..][..desc.bytes() as usize];
            let right = if is_trimmed { None } else { Some(number) };
            prop_assert!(bytes.iter().all(|byte| *byte == right), "{:?} {}", desc, number);
            trial.checked += u64::from(trial.written.end_reading(number, true, true));
        }
        trial.is_complete()?;
        prop_assert_eq!(trial.written.account().unchecked.not_read, 0);
    }
}
