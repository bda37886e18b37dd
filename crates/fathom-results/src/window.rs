//! What one worker did in one interval.
//!
//! A [`Window`] holds only what happened inside it, so the windows of a run add up to its totals.
//! A run has one of them for each second of each worker, so it is as small as can be: what is zero,
//! or follows from the rest, is not written.

use crate::latency_window::LatencyWindow;
use crate::phase::Phase;
use crate::wire::{classes, fields, known};
use fathom_job::direction::Direction;
use fathom_stats::Moments;
use minicbor::Encode;
use minicbor::decode::{self, Decoder};
use minicbor::encode::{self, Encoder, Write};

/// The length of a window that has none: one second.
const LENGTH_NS: u64 = 1_000_000_000;

/// What one worker did in one interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Plan id of the job.
    pub job: u32,
    /// Ramp windows are kept but never counted.
    pub phase: Phase,
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// First instant after it, ns since the start of the run.
    pub end_ns: u64,
    /// The directions in which any I/O happened.
    pub directions: Vec<(Direction, DirectionWindow)>,
    /// Latency of the fsync family.
    pub sync: LatencyWindow,
    /// I/Os by the depth at submission, in fio's classes 1, 2, 4 … ≥64.
    pub depth: [u64; 7],
    /// Submit calls by their number of I/Os, in fio's classes 0, 4, 8 … >64.
    pub submit: [u64; 7],
    /// Reaps by their number of I/Os, in the same classes.
    pub complete: [u64; 7],
}

/// Counts of one direction in one interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionWindow {
    /// I/Os completed.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// I/Os that moved less than asked.
    pub short_ios: u64,
    /// I/Os that failed (with `continue_on_error`).
    pub errors: u64,
    /// From descriptor taken to completion seen (fio's `lat`).
    pub total: LatencyWindow,
    /// From the start of the submit call to completion seen (fio's `clat`).
    pub completion: LatencyWindow,
    /// From descriptor taken to the start of the submit call (fio's `slat`;
    /// empty for synchronous engines).
    pub submission: LatencyWindow,
    /// From the instant at which a paced job intended to start the I/O to
    /// completion seen: the time that a user of a busy system waits. Empty for jobs
    /// without a rate, in which an I/O starts whenever another has ended.
    pub response: LatencyWindow,
    /// The latencies of each priority, where I/Os of the job have several (`cmdprio_*`).
    pub priorities: Vec<PriorityWindow>,
}

/// The latency of the I/Os of one priority in one interval: of the whole I/O, or of its completion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriorityWindow {
    /// The priority, as ioprio_set(2) encodes it.
    pub ioprio: u16,
    /// Their latency.
    pub latency: LatencyWindow,
}

/// Numbers of the fields of a window.
mod field {
    pub const JOB: u8 = 0;
    pub const PHASE: u8 = 1;
    pub const START_NS: u8 = 2;
    /// Where it is not one second.
    pub const LENGTH_NS: u8 = 3;
    pub const DIRECTIONS: u8 = 4;
    pub const SYNC: u8 = 5;
    /// Depth, submit and complete.
    pub const CLASSES: u8 = 6;
}

/// Number of the field of a direction that names what follows from the completion latency: a sum of the
/// numbers below. The counts are the fields 0 to 3, the latencies 4 to 7, in their order above.
const FOLLOWS: usize = 8;

/// Number of the field of a direction that has the latencies by priority, a map from each priority.
const PRIORITIES: usize = 9;

/// The total latency is the completion latency.
const TOTAL: u8 = 1;
/// The response time is the total latency: every I/O began when it was meant to.
const RESPONSE: u8 = 2;
/// There are as many submission latencies as completion latencies, all of them 0.
const SUBMISSION: u8 = 4;
/// There are as many I/Os as completion latencies.
const IOS: u8 = 8;

impl Window {
    /// An interval in which nothing completed.
    pub fn quiet(job: u32, phase: Phase, start_ns: u64, end_ns: u64) -> Self {
        let (directions, sync) = Default::default();
        let (depth, submit, complete) = ([0; 7], [0; 7], [0; 7]);
        Window { job, phase, start_ns, end_ns, directions, sync, depth, submit, complete }
    }

    /// Reads a window into this one, whose memory is used again.
    pub(crate) fn read(&mut self, from: &mut Decoder<'_>) -> Result<(), decode::Error> {
        let mut new = Window::quiet(0, Phase::Prepare, 0, 0);
        let mut length_ns = LENGTH_NS;
        let (mut has_directions, mut has_sync) = (false, false);
        fields(from, |number, from| {
            match number {
                field::JOB => new.job = from.u32()?,
                // A phase that only a later version knows is not counted either.
                field::PHASE => new.phase = known(from, &mut ())?.unwrap_or(Phase::Prepare),
                field::START_NS => new.start_ns = from.u64()?,
                field::LENGTH_NS => length_ns = from.u64()?,
                field::DIRECTIONS => {
                    read_directions(&mut self.directions, from)?;
                    has_directions = true;
                }
                field::SYNC => {
                    self.sync.read(from)?;
                    has_sync = true;
                }
                field::CLASSES => {
                    [new.depth, new.submit, new.complete] = classes::unpack(from.bytes()?)?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        new.end_ns = new.start_ns.saturating_add(length_ns);
        if has_directions {
            new.directions = std::mem::take(&mut self.directions);
        }
        if has_sync {
            new.sync = std::mem::take(&mut self.sync);
        }
        *self = new;
        Ok(())
    }
}

/// A map from the number of a direction, its place in [`Direction::ALL`].
fn read_directions(
    all: &mut Vec<(Direction, DirectionWindow)>,
    from: &mut Decoder<'_>,
) -> Result<(), decode::Error> {
    let mut read = 0;
    fields(from, |number, from| {
        let Some(direction) = Direction::ALL.get(usize::from(number)) else { return Ok(false) };
        if all[..read].iter().any(|(before, _)| before == direction) {
            return Err(decode::Error::message("a direction is repeated"));
        }
        if read == all.len() {
            all.push((*direction, DirectionWindow::default()));
        }
        all[read].0 = *direction;
        all[read].1.read(from)?;
        read += 1;
        Ok(true)
    })?;
    all.truncate(read);
    Ok(())
}

impl<C> Encode<C> for Window {
    fn encode<W: Write>(&self, to: &mut Encoder<W>, context: &mut C) -> Result<(), encode::Error<W::Error>> {
        let length_ns = self.end_ns.wrapping_sub(self.start_ns);
        let sets = [&self.depth, &self.submit, &self.complete];
        let has_classes = sets.iter().any(|set| **set != [0; 7]);
        let (has_length, has_sync) = (length_ns != LENGTH_NS, self.sync != LatencyWindow::default());
        to.map(4 + [has_length, has_sync, has_classes].map(u64::from).iter().sum::<u64>())?;
        to.u8(field::JOB)?.u32(self.job)?.u8(field::PHASE)?.encode(self.phase)?;
        to.u8(field::START_NS)?.u64(self.start_ns)?;
        if has_length {
            to.u8(field::LENGTH_NS)?.u64(length_ns)?;
        }
        to.u8(field::DIRECTIONS)?.map(self.directions.len() as u64)?;
        for (direction, counts) in &self.directions {
            counts.encode(to.u8(*direction as u8)?, context)?;
        }
        if has_sync {
            self.sync.encode(to.u8(field::SYNC)?, context)?;
        }
        if has_classes {
            to.u8(field::CLASSES)?.bytes(&classes::pack(sets))?;
        }
        Ok(())
    }
}

impl DirectionWindow {
    /// The latencies in the order of their fields.
    fn latencies(&self) -> [&LatencyWindow; 4] {
        [&self.total, &self.completion, &self.submission, &self.response]
    }

    fn latencies_mut(&mut self) -> [&mut LatencyWindow; 4] {
        [&mut self.total, &mut self.completion, &mut self.submission, &mut self.response]
    }

    fn read(&mut self, from: &mut Decoder<'_>) -> Result<(), decode::Error> {
        let (mut counts, mut is_read, mut follows) = ([0; 4], [false; 4], 0);
        self.priorities.clear();
        fields(from, |number, from| {
            match usize::from(number) {
                at @ 0..4 => counts[at] = from.u64()?,
                at @ 4..8 => {
                    self.latencies_mut()[at - 4].read(from)?;
                    is_read[at - 4] = true;
                }
                FOLLOWS => follows = from.u8()?,
                PRIORITIES => self.priorities = read_priorities(from)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        [self.ios, self.bytes, self.short_ios, self.errors] = counts;
        is_read[0] |= follows & TOTAL > 0;
        is_read[3] |= follows & RESPONSE > 0;
        let missing = self.latencies_mut().into_iter().zip(is_read).filter(|(_, is_read)| !is_read);
        missing.for_each(|(latency, _)| *latency = LatencyWindow::default());
        self.follow(follows);
        Ok(())
    }

    /// Adds what follows from the completion latency.
    fn follow(&mut self, what: u8) {
        if what & TOTAL > 0 {
            self.total.clone_from(&self.completion);
        }
        if what & RESPONSE > 0 {
            self.response.clone_from(&self.total);
        }
        if what & SUBMISSION > 0 {
            self.submission = self.no_submission();
        }
        if what & IOS > 0 {
            self.ios = self.completion.moments.count();
        }
    }

    /// What follows from the completion latency.
    fn following(&self) -> u8 {
        let none = LatencyWindow::default();
        let is_same = |one: &LatencyWindow, other: &LatencyWindow| *one != none && one == other;
        let n = self.completion.moments.count();
        let is = [
            (TOTAL, is_same(&self.total, &self.completion)),
            (RESPONSE, is_same(&self.response, &self.total)),
            (SUBMISSION, n > 0 && self.submission == self.no_submission()),
            (IOS, n > 0 && self.ios == n),
        ];
        is.iter().map(|(what, is)| what * u8::from(*is)).sum()
    }

    /// The submission latency of I/Os that did not wait for their submit call.
    fn no_submission(&self) -> LatencyWindow {
        let n = self.completion.moments.count();
        LatencyWindow { moments: Moments::from_parts((n, 0, 0, 0, 0)), histogram: None }
    }
}

fn read_priorities(from: &mut Decoder<'_>) -> Result<Vec<PriorityWindow>, decode::Error> {
    let len = from.map()?.ok_or_else(|| decode::Error::message("a map of unknown length"))?;
    let one = |_| {
        let mut one = PriorityWindow { ioprio: from.u16()?, ..PriorityWindow::default() };
        one.latency.read(from).map(|()| one)
    };
    (0..len).map(one).collect()
}

impl<C> Encode<C> for DirectionWindow {
    fn encode<W: Write>(&self, to: &mut Encoder<W>, context: &mut C) -> Result<(), encode::Error<W::Error>> {
        let follows = self.following();
        let is_left_out = |what: u8| follows & what > 0;
        let counts = [self.ios * u64::from(!is_left_out(IOS)), self.bytes, self.short_ios, self.errors];
        let counts = (0_u8..).zip(counts).filter(|(_, count)| *count > 0);
        let none = LatencyWindow::default();
        let latencies = (4_u8..).zip(self.latencies()).zip([TOTAL, 0, SUBMISSION, RESPONSE]);
        let latencies = latencies.filter(|((_, one), what)| !is_left_out(*what) && **one != none);
        let has_priorities = !self.priorities.is_empty();
        let others = usize::from(follows > 0) + usize::from(has_priorities);
        to.map((counts.clone().count() + latencies.clone().count() + others) as u64)?;
        for (number, count) in counts {
            to.u8(number)?.u64(count)?;
        }
        for ((number, latency), _) in latencies {
            latency.encode(to.u8(number)?, context)?;
        }
        if follows > 0 {
            to.u8(FOLLOWS as u8)?.u8(follows)?;
        }
        if has_priorities {
            to.u8(PRIORITIES as u8)?.map(self.priorities.len() as u64)?;
            for PriorityWindow { ioprio, latency } in &self.priorities {
                latency.encode(to.u16(*ioprio)?, context)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::Histogram;

    fn latency(ns: u64) -> LatencyWindow {
        let mut histogram = Histogram::new();
        histogram.record_n(ns, 3);
        LatencyWindow { moments: *histogram.totals(), histogram: Some(histogram.sparse()) }
    }

    fn read(window: &Window, into: &mut Window) -> usize {
        let bytes = minicbor::to_vec(window).unwrap();
        into.read(&mut Decoder::new(&bytes)).unwrap();
        bytes.len()
    }

    /// Windows of all shapes are read one into the other, and each is what was written.
    #[test]
    fn nothing_is_left_of_the_window_before() {
        let (some, other) = (latency(500), latency(70_000));
        let sums = LatencyWindow { moments: other.moments, histogram: None };
        let mixed = LatencyWindow { moments: some.moments, histogram: other.histogram.clone() };
        let emptied = LatencyWindow { histogram: Some(Default::default()), ..LatencyWindow::default() };
        let zeros = LatencyWindow { moments: Moments::from_parts((3, 0, 0, 0, 0)), histogram: None };
        let all = [LatencyWindow::default(), some, other, sums, mixed, emptied, zeros];
        let counts = |at: usize| {
            let one = |n: usize| all[(at / n) % all.len()].clone();
            let (total, completion, submission, response) = (one(1), one(2), one(4), one(3));
            let (ios, bytes) = (at as u64 % 5, 4096);
            let of_priority = |ioprio| PriorityWindow { ioprio, latency: one(5) };
            let priorities = [0, 0x2000, 0x4003].map(of_priority)[..at % 4].to_vec();
            DirectionWindow {
                ios,
                bytes,
                errors: 1,
                total,
                completion,
                submission,
                response,
                priorities,
                ..DirectionWindow::default()
            }
        };
        let mut into = Window::quiet(9, Phase::Ramp, 5, 6);
        for at in 0..200 {
            let end_ns = if at % 3 == 0 { 3 + LENGTH_NS } else { 7 };
            let mut window = Window::quiet(1, Phase::Measure, 3, end_ns);
            window.sync = all[at % all.len()].clone();
            window.depth[at % 7] = 1;
            window.submit = [at as u64; 7];
            window.directions = Direction::ALL.into_iter().take(at % 4).zip((at..).map(counts)).collect();
            read(&window, &mut into);
            assert_eq!(into, window, "window {at}");
        }
    }

    #[test]
    fn what_follows_from_the_completion_latency_is_not_written() {
        let mut window = Window::quiet(0, Phase::Measure, 0, LENGTH_NS);
        let completion = latency(1000);
        let counts = DirectionWindow { ios: 3, completion: completion.clone(), ..DirectionWindow::default() };
        window.directions = vec![(Direction::Read, counts)];
        let mut into = Window::quiet(0, Phase::Measure, 0, 0);
        let alone = read(&window, &mut into);
        assert_eq!(into, window);
        window.directions[0].1.total = completion.clone();
        window.directions[0].1.response = completion;
        window.directions[0].1.submission.moments = Moments::from_parts((3, 0, 0, 0, 0));
        assert_eq!(read(&window, &mut into), alone);
        assert_eq!(into, window);
    }
}
