//! What a block that was read is checked by: all that it takes, so that any thread can do it.
//!
//! Where the writes come from a state that an earlier run saved, blocks of later writes of that run are not wrong: what should be
//! there is not known to the state.

use super::{Expectation, Origin, Restored};
use crate::desc::Desc;
use fathom_verify::{BlockFormat, Expected, FailedCheck, Fault, FaultKind, HeaderChecks, Lineage, Stamp};

/// A seed of another job is taken for one of this run below these numbers of writes and of jobs.
const OTHERS_MAX: u64 = 1 << 32;
const WRITERS_MAX: u16 = 128;

/// A newer write of the run is recognised up to so many numbers behind the state.
const NEWER_MAX: u64 = 1 << 32;

/// A write or a trim after the state begins and ends at a multiple of this.
const SECTOR: usize = 512;

/// How the blocks of a job are checked.
#[derive(Clone)]
pub(super) struct Judge {
    pub format: BlockFormat,
    pub checks: HeaderChecks,
    pub origin: Origin,
    /// Earlier passes of the same verification.
    pub earlier: Vec<Lineage>,
}

/// An I/O that was read and is to be checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub desc: Desc,
    pub expectation: Expectation,
    /// How many writes the job had issued by then.
    pub issued: u64,
}

/// What was read of a wrong block, and what should have been, where that is known.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    pub received: Vec<u8>,
    pub expected: Option<Vec<u8>>,
}

/// An I/O that was checked.
#[derive(Debug)]
pub(super) struct Judged {
    pub task: Task,
    /// Its wrong blocks, in order, with their contents where those are kept.
    pub faults: Vec<(Fault, Option<Contents>)>,
    /// What is there came after the state that was loaded.
    pub is_newer: bool,
}

impl Judge {
    /// Checks what was read. `keeps` says whether the contents of wrong blocks are wanted.
    pub fn judge(&self, task: Task, data: &mut [u8], keeps: bool) -> Judged {
        let must_be_zeros = matches!(task.expectation, Expectation::Zeros(_));
        let all = match must_be_zeros {
            true => not_zeros(&task.desc, data).into_iter().collect(),
            false => self.faults(task, data),
        };
        if all.is_empty() {
            return Judged { task, faults: Vec::new(), is_newer: false };
        }
        let faults = match self.origin.restored {
            Some(restored) => self.without_newer(task, data, all, restored),
            None => all,
        };
        let is_newer = faults.is_empty();
        let contents = |fault: &Fault| match must_be_zeros {
            true => Contents { received: data.to_vec(), expected: Some(vec![0; data.len()]) },
            false => self.contents(fault, &task.desc, data),
        };
        let with_contents = |fault: Fault| (keeps.then(|| contents(&fault)), fault);
        let faults = faults.into_iter().map(with_contents).map(|(contents, fault)| (fault, contents));
        Judged { task, faults: faults.collect(), is_newer }
    }

    /// The wrong blocks of what was read.
    fn faults(&self, task: Task, data: &mut [u8]) -> Vec<Fault> {
        let number = task.expectation.number();
        let seed = number.filter(|_| self.origin.knows_seeds).map(|number| self.origin.seed(number));
        let expected = Expected { offset: task.desc.offset, seed, write: number };
        let mut faults =
            self.format.check(data, &expected, self.checks, &|seed| self.is_ours(seed, task.issued));
        faults.iter_mut().for_each(|fault| self.name_pass(fault, &task.desc, data));
        faults
    }

    /// Names the block of another run that an earlier pass of this verification wrote.
    fn name_pass(&self, fault: &mut Fault, desc: &Desc, data: &mut [u8]) {
        if self.earlier.is_empty() || fault.kind != (FaultKind::Stale { of_this_run: false }) {
            return;
        }
        let Some(block) = block_of(fault, desc, data) else { return };
        let is_of = |seed, pass: &Lineage| {
            pass.origin(seed, |_| OTHERS_MAX).is_some_and(|write| write.writer < WRITERS_MAX)
        };
        let seeds = self.format.seeds_in(block);
        if seeds.into_iter().any(|seed| self.earlier.iter().any(|pass| is_of(seed, pass))) {
            fault.kind = FaultKind::EarlierPass;
        }
    }

    /// Takes the faults out of which something belongs to a write or a trim that came after the state that was loaded.
    fn without_newer(
        &self,
        task: Task,
        data: &mut [u8],
        faults: Vec<Fault>,
        restored: Restored,
    ) -> Vec<Fault> {
        let mut is_newer = |fault: &Fault| {
            let block = block_of(fault, &task.desc, data);
            block.is_some_and(|block| self.seeds_in(block).any(|seed| self.is_newer(seed, task.issued)))
                || self.may_be_newer(fault, &self.contents(fault, &task.desc, data), restored)
        };
        faults.into_iter().filter(|fault| !is_newer(fault)).collect()
    }

    /// The seeds of all writes of which something is in a block. A pattern has none, so there the header of a later write may be in
    /// any sector.
    fn seeds_in<'a>(&'a self, block: &'a mut [u8]) -> impl Iterator<Item = u64> + 'a {
        let begins = if self.format.pattern.is_some() { block.len() } else { 1 };
        (0..begins).step_by(SECTOR).flat_map(|at| self.format.seeds_in(&mut block[at..]))
    }

    /// May each sector that is not right be of a later write or trim that names no write: the zeros of a trim or of
    /// `buffer_compress_percentage`, or the pattern of a block that begins elsewhere?
    fn may_be_newer(&self, fault: &Fault, contents: &Contents, restored: Restored) -> bool {
        let Contents { received, expected: Some(expected) } = contents else { return false };
        let zeros = restored.trims || (restored.shifted.is_some() && self.format.zero_percent > 0);
        parts_of_sectors(fault.offset, received.len()).all(|part| {
            let at = fault.offset + part.start as u64;
            let (received, expected) = (&received[part.clone()], &expected[part]);
            received == expected
                || (zeros && received.iter().all(|byte| *byte == 0))
                || restored.shifted.is_some_and(|most| self.is_shifted(received, at, most))
        })
    }

    /// Is this the pattern of an I/O that begins before this place, and less than `most` bytes before it?
    fn is_shifted(&self, received: &[u8], at: u64, most: u64) -> bool {
        // I/Os begin where sectors do, and a header may be in the middle of one.
        let mut before = (at % SECTOR as u64..most).step_by(SECTOR).take_while(|before| *before <= at);
        before.any(|before| self.format.holds_pattern(at, at - before, received))
    }

    /// Is this the seed of a write that the job issued after the state was saved?
    fn is_newer(&self, seed: u64, known: u64) -> bool {
        let own = self.origin.job as u16;
        let issued = |writer: u16| if writer == own { known + NEWER_MAX } else { 0 };
        self.origin.lineage.origin(seed, issued).is_some_and(|write| write.number >= known)
    }

    /// Is this the seed of a write of this run? How much other jobs wrote is not known here; of random numbers, one in
    /// tens of millions is taken for a seed of theirs.
    fn is_ours(&self, seed: u64, issued: u64) -> bool {
        let Origin { lineage, job, knows_seeds, .. } = self.origin;
        let issued = |writer: u16| if writer == job as u16 { issued } else { OTHERS_MAX };
        let write = lineage.origin(seed, issued).filter(|_| knows_seeds);
        write.is_some_and(|write| write.writer == job as u16 || write.writer < WRITERS_MAX)
    }

    /// What was read of a block, and what was written: it is made again from the seed that was expected, or from that of the
    /// header that was read, if it belongs to this place. When it was issued is known from that header only.
    fn contents(&self, fault: &Fault, desc: &Desc, data: &[u8]) -> Contents {
        let from = (fault.offset - desc.offset) as usize;
        let range = from..from + fault.len as usize;
        let received = data[range.clone()].to_vec();
        let here = fault.received.filter(|received| received.offset == fault.offset);
        let identity =
            fault.expected.or(here).or(if self.format.method.has_header() { None } else { Some(NO_HEADER) });
        let expected = identity.map(|identity| {
            let same = here.filter(|here| here.seed == identity.seed).unwrap_or(identity);
            let stamp = Stamp {
                seed: identity.seed,
                write: identity.write,
                thread: if fault.expected.is_some() { self.origin.job as u16 + 1 } else { identity.thread },
                seconds: same.seconds,
                nanos: same.nanos,
            };
            let mut whole = vec![0; data.len()];
            self.format.write(&mut whole, desc.offset, &stamp);
            whole[range].to_vec()
        });
        Contents { received, expected }
    }
}

/// The parts of `len` bytes at `offset` that are in one sector each.
fn parts_of_sectors(offset: u64, len: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let first = SECTOR - (offset % SECTOR as u64) as usize;
    let ends = (first..len).step_by(SECTOR).chain([len]);
    ends.scan(0, |start, end| Some(std::mem::replace(start, end)..end))
}

/// The block that is wrong, in what was read.
fn block_of<'a>(fault: &Fault, desc: &Desc, data: &'a mut [u8]) -> Option<&'a mut [u8]> {
    let from = fault.offset.saturating_sub(desc.offset) as usize;
    data.get_mut(from..from + fault.len as usize)
}

/// Of blocks without a header, all are alike.
const NO_HEADER: fathom_verify::Identity =
    fathom_verify::Identity { offset: 0, seed: 0, seconds: 0, nanos: 0, thread: 0, write: 0 };

/// What is wrong with a trimmed place that must read as zeros.
fn not_zeros(desc: &Desc, data: &[u8]) -> Option<Fault> {
    let at = data.iter().position(|byte| *byte != 0)? as u32;
    Some(Fault {
        offset: desc.offset,
        len: data.len() as u32,
        kind: FaultKind::NotTrimmed { first: at },
        check: FailedCheck::Pattern { at, received: data[at as usize], expected: 0 },
        expected: None,
        received: None,
        part: None,
    })
}
