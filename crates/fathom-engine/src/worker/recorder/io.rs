//! Completed I/O goes into the tally.
//!
//! The loops call these functions for each I/O, or for each row of equal ones.

use super::Recorder;
use crate::desc::{Desc, Op};
use crate::log::LoggedIo;
use crate::worker::failure;
use fathom_job::plan::Pace;
use fathom_results::{JobFailure, Phase};

/// A completed data I/O that needs more than its row.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    pub desc: Desc,
    /// The slot that it had.
    pub slot: u32,
    pub moved: u32,
    /// Stamp before its submit call.
    pub submitted: u64,
    /// Ticks between taking its descriptor and that stamp.
    pub lead: u64,
}

impl Recorder {
    /// `n` completed data I/Os of a queue, of `len` bytes each: submitted at
    /// stamp `submitted`, `lead` ticks after their descriptors were taken, and
    /// seen at `reaped_at`. Returns their total latency, ns.
    #[inline]
    pub fn add_row(&mut self, op: Op, len: u64, n: u32, submitted: u64, lead: u64, reaped_at: u64) -> u64 {
        let completion = self.clock.nanos(reaped_at.saturating_sub(submitted));
        let submission = self.clock.nanos(lead);
        let total = completion + submission;
        let n = u64::from(n);
        let counts = self.tally.of(op);
        counts.ios += n;
        counts.bytes += n * len;
        counts.completion.record_n(completion, n);
        counts.submission.record_n(submission, n);
        counts.total.record_n(total, n);
        self.last_completion = reaped_at;
        if total >= self.watch_ns {
            self.look_closer(op, total, n * len, reaped_at);
        }
        total
    }

    /// One completed data I/O of a queue that is short, or recorded by itself. Returns
    /// its total latency, ns.
    #[cold]
    pub fn add(&mut self, done: &Completed, reaped_at: u64) -> u64 {
        let Completed { desc, slot, moved, submitted, lead } = *done;
        let total_ns = self.add_row(desc.op(), moved.into(), 1, submitted, lead, reaped_at);
        self.tally.of(desc.op()).short_ios += u64::from(moved < desc.len());
        if self.is_one_by_one {
            let priority = self.drawn.as_ref().and_then(|drawn| drawn.of(slot)).unwrap_or(self.priority);
            self.add_to_priority(desc.op(), priority, total_ns, self.clock.nanos(lead));
            self.log_io(&desc, priority, moved.into(), (submitted, lead, reaped_at));
        }
        total_ns
    }

    fn add_to_priority(&mut self, op: Op, priority: u16, total_ns: u64, submission_ns: u64) {
        if let (Some(_), Some(direction)) = (&self.drawn, op.direction()) {
            self.tally.by_priority.record(direction, priority, total_ns - submission_ns, total_ns);
        }
    }

    /// One trim, done whole from `start` to `reaped_at`. Returns its latency, ns.
    #[cold]
    pub fn add_trim(&mut self, desc: &Desc, start: u64, reaped_at: u64) -> u64 {
        let total_ns = self.add_row(Op::Trim, desc.bytes(), 1, start, 0, reaped_at);
        if self.is_logging {
            self.log_io(desc, self.priority, desc.bytes(), (start, 0, reaped_at));
        }
        total_ns
    }

    /// One completed data I/O of a synchronous engine, from `start` to `reaped_at`.
    #[inline(always)]
    pub fn add_one(&mut self, desc: Desc, moved: u32, start: u64, reaped_at: u64) -> u64 {
        let ns = self.clock.nanos(reaped_at.saturating_sub(start));
        let counts = self.tally.of(desc.op());
        counts.ios += 1;
        counts.bytes += u64::from(moved);
        counts.completion.record(ns);
        counts.total.record(ns);
        self.last_completion = reaped_at;
        // Two functions, so that these are two jumps: a single function would need
        // both results at once.
        if moved != desc.len() {
            self.add_short(desc, moved, start, reaped_at);
        } else if ns >= self.watch_ns {
            self.add_watched(desc, moved, start, reaped_at);
        }
        ns
    }

    /// An I/O that moved less than it was asked to.
    #[cold]
    fn add_short(&mut self, desc: Desc, moved: u32, start: u64, reaped_at: u64) {
        self.tally.of(desc.op()).short_ios += u64::from(moved < desc.len());
        self.add_watched(desc, moved, start, reaped_at);
    }

    /// An I/O that may have to be logged, or may exceed `max_latency`.
    #[cold]
    fn add_watched(&mut self, desc: Desc, moved: u32, start: u64, reaped_at: u64) {
        let total_ns = self.clock.nanos(reaped_at.saturating_sub(start));
        self.look_closer(desc.op(), total_ns, moved.into(), reaped_at);
        if self.is_logging {
            self.log_io(&desc, self.priority, moved.into(), (start, 0, reaped_at));
        }
    }

    /// A completion of a paced job, `ticks` after its intended start.
    #[inline(always)]
    pub fn respond(&mut self, op: Op, ticks: u64) {
        let ns = self.clock.nanos(ticks);
        if let Some(response) = &mut self.tally.of(op).response {
            response.record(ns);
        }
    }

    /// Completions seen at `reaped_at`, after these intended starts; starts before
    /// `began` were intended for the ramp. It is a separate function, which is short
    /// enough for the registers.
    #[inline(never)]
    pub fn respond_many(&mut self, op: Op, starts: &[u64], began: u64, reaped_at: u64) {
        let Recorder { clock, tally, .. } = self;
        let Some(response) = tally.of(op).response.as_deref_mut() else { return };
        for &start in starts.iter().filter(|&&start| start >= began) {
            response.record(clock.nanos(reaped_at.saturating_sub(start)));
        }
    }

    /// An operation of the fsync family, from `start` to `reaped_at`.
    pub fn add_sync(&mut self, start: u64, reaped_at: u64) {
        let ns = self.clock.nanos(reaped_at.saturating_sub(start));
        self.tally.sync.record_n(ns, 1);
        self.last_completion = reaped_at;
    }

    pub fn add_error(&mut self, op: Op, reaped_at: u64) {
        self.tally.of(op).errors += 1;
        self.last_completion = reaped_at;
    }

    /// I/Os that may exceed `max_latency`, or whose bytes may end the ramp.
    #[cold]
    fn look_closer(&mut self, op: Op, total_ns: u64, bytes: u64, reaped_at: u64) {
        self.judge_latency(op, total_ns);
        if self.ramp_bytes.as_ref().is_some_and(|ramp| ramp.is_over(bytes)) {
            self.ramp_bytes = None;
            self.end_ramp(reaped_at);
        }
    }

    /// `max_latency`: the first I/O beyond it makes the next turn come at once.
    #[cold]
    fn judge_latency(&mut self, op: Op, total_ns: u64) {
        let most = op.direction().and_then(|d| self.latency_max[d]).filter(|most| total_ns > most.0);
        if let Some(most) = most {
            self.too_slow.get_or_insert(TooSlow { op, total_ns, most_ns: most.0 });
            self.times.hurry();
        }
    }

    /// A log has the I/Os that the measured window counts, and no others.
    #[cold]
    fn log_io(
        &mut self,
        desc: &Desc,
        priority: u16,
        moved: u64,
        (submitted, lead, reaped_at): (u64, u64, u64),
    ) {
        if self.times.phase() != Phase::Measure {
            return;
        }
        let (Some(log), Some(from), Some(direction)) =
            (&mut self.log, self.measured_from, desc.op().direction())
        else {
            return;
        };
        let io = LoggedIo {
            at_ns: self.clock.nanos(reaped_at.saturating_sub(from)),
            offset: desc.offset,
            submission_ns: self.clock.nanos(lead),
            completion_ns: self.clock.nanos(reaped_at.saturating_sub(submitted)),
            bytes: moved,
            direction,
            priority,
        };
        if log.add(&io) {
            self.hand_log_over();
        }
    }
}

/// An I/O beyond `max_latency`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooSlow {
    pub(super) op: Op,
    pub(super) total_ns: u64,
    pub(super) most_ns: u64,
}

impl TooSlow {
    pub(super) fn failure(self) -> JobFailure {
        let ms = |ns: u64| ns as f64 / 1e6;
        let message = format!(
            "a {} took {:.3} ms, more than max_latency={:.3} ms allows",
            self.op.name(),
            ms(self.total_ns),
            ms(self.most_ns)
        );
        JobFailure { direction: self.op.direction(), ..failure(libc::ETIMEDOUT, message) }
    }
}

/// Just above the least `max_latency` of any direction.
pub(super) fn watch_ns(pace: &Pace) -> u64 {
    let least = pace.latency_max.iter().filter_map(|(_, most)| *most).map(|most| most.0).min();
    least.map_or(u64::MAX, |least| least.saturating_add(1))
}
