//! Pacing: when the next I/O may start.
//!
//! Intended starts come from the source with their descriptors, on a schedule
//! that nothing changes: an I/O that could not start in time starts as soon as
//! it can, and its response time counts from its intended start. I/O in flight
//! is not drained before a wait. A job without a pace pays nothing for this:
//! its loop is compiled without it.

mod flow;
mod goal;
mod ramp;
pub mod sleep;
mod think;

pub use flow::{Flows, Share};
pub use ramp::{RampBytes, SharedRamps};

use crate::clock::Clock;
use fathom_job::plan::PlannedJob;
use goal::DepthSearch;
use sleep::{Precision, Sleeper};
use think::{Pause, Pauses};

#[derive(Debug)]
pub struct Pacer {
    clock: Clock,
    began: u64,
    /// Stamp from which its schedule counts: `began`, moved by the pauses that are
    /// not made up for.
    epoch: u64,
    /// Nothing starts before this stamp.
    gate: u64,
    /// Spin until this stamp, as part of a pause.
    spin_until: u64,
    ignores_think: bool,
    /// The length of the last pause, by which the schedule may move where pauses are not made up for; 0 once it has moved.
    unmoved: u64,
    pauses: Option<Pauses>,
    search: Option<DepthSearch>,
    /// Ticks of the ramp that pass before a search begins.
    ramp: u64,
    share: Option<Share>,
    sleeper: Sleeper,
    /// The start for which the worker waits in a submit call, with a slot free; 0 where it does not.
    waits_for: u64,
    /// The stamp at which that wait ends if no I/O completes before; 0 for a wait without such an end.
    wakes_at: u64,
    /// The start for which the worker last waited and was woken late, and when it woke.
    overslept: (u64, u64),
    /// Ticks by which I/Os of this phase began late because the worker slept on, added up.
    woken_late: u64,
}

impl Pacer {
    /// The pace of a plan; `depth` is the deepest queue that may be searched.
    pub fn new(plan: &PlannedJob, clock: Clock, depth: u32, flows: &Flows) -> Pacer {
        let pace = &plan.pace;
        Pacer {
            clock,
            began: 0,
            epoch: 0,
            gate: 0,
            spin_until: 0,
            ignores_think: pace.ignores_think,
            unmoved: 0,
            pauses: pace.think.as_ref().map(|think| Pauses::new(think, &clock)),
            search: pace.goal.as_ref().map(|goal| DepthSearch::new(goal, &clock, depth)),
            ramp: if pace.searches_first() { clock.ticks(plan.ramp.0) } else { 0 },
            share: pace.flow.as_ref().map(|flow| flows.join(flow, &clock)),
            sleeper: Sleeper::new(
                &clock,
                if plan.keeps_gaps() { Precision::Close } else { Precision::Usual },
            ),
            waits_for: 0,
            wakes_at: 0,
            overslept: (0, 0),
            woken_late: 0,
        }
    }

    pub fn begin(&mut self, now: u64) {
        (self.began, self.epoch, self.gate) = (now, now, now);
        (self.overslept, self.woken_late, self.unmoved) = ((0, 0), 0, 0);
        if let Some(pauses) = &mut self.pauses {
            pauses.begin(now);
        }
        if let Some(search) = &mut self.search {
            search.begin(now.saturating_add(std::mem::take(&mut self.ramp)));
        }
    }

    pub fn begin_measured(&mut self, now: u64) {
        self.search.iter_mut().for_each(DepthSearch::give_up);
        self.begin(now);
    }

    /// The stamp of a start that is due `due` ticks into the phase.
    #[inline(always)]
    pub fn intended(&self, due: u64) -> u64 {
        self.epoch + due
    }

    /// The stamp from which due times count.
    #[inline(always)]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Was an I/O that is complete in the measured window submitted at a depth that only the search tried? It counts in no
    /// figure, since the depth that was found is measured.
    #[inline(always)]
    pub fn is_of_search(&self, submitted: u64) -> bool {
        self.search.is_some() && submitted < self.began
    }

    /// The stamp at which the present phase began; starts that were intended
    /// before it belong to the ramp.
    #[inline(always)]
    pub fn began(&self) -> u64 {
        self.began
    }

    /// Was this start intended for the present phase, not for the ramp before it?
    #[inline(always)]
    pub fn is_of_this_phase(&self, intended: u64) -> bool {
        intended >= self.began
    }

    #[inline(always)]
    pub fn elapsed(&self, now: u64) -> u64 {
        now.saturating_sub(self.epoch)
    }

    /// How many I/Os may start now, as far as the schedule allows.
    #[inline(always)]
    pub fn allows(&mut self, now: u64, in_flight: u32) -> usize {
        if self.pauses.is_none() && self.search.is_none() && self.share.is_none() {
            return usize::MAX;
        }
        self.allows_of(now, in_flight)
    }

    #[inline(never)]
    fn allows_of(&mut self, now: u64, in_flight: u32) -> usize {
        if now < self.gate {
            return 0;
        }
        let room = self.room(in_flight);
        match &mut self.share {
            Some(share) if room > 0 => match share.wait(now) {
                Some(until) => {
                    self.gate = until;
                    0
                }
                None => room.min(share.room()),
            },
            _ => room,
        }
    }

    #[inline(always)]
    pub fn issued(&mut self, count: usize, now: u64) {
        if let Some(pause) = self.pauses.as_mut().and_then(|p| p.issued(count, now)) {
            self.pause(pause);
        }
        if let Some(share) = &mut self.share {
            share.issued(count as u64);
        }
    }

    /// Counts `count` I/Os that completed and were seen at `now`.
    #[inline(always)]
    pub fn completed(&mut self, count: usize, now: u64) {
        if let Some(pause) = self.pauses.as_mut().and_then(|p| p.completed(count, now)) {
            self.pause(pause);
        }
        if let Some(search) = &mut self.search {
            search.judge(now);
        }
    }

    /// Counts `count` I/Os that were submitted at `submitted` and took `total_ns` each.
    #[inline(always)]
    pub fn took(&mut self, count: u32, total_ns: u64, submitted: u64) {
        if let Some(search) = &mut self.search {
            search.took(count, total_ns, submitted);
        }
    }

    #[cold]
    fn pause(&mut self, pause: Pause) {
        self.gate = pause.until;
        if !self.clock.is_virtual() {
            // Virtual time would not pass while a thread spins.
            self.spin_until = pause.spin_until;
        }
        if self.ignores_think {
            self.unmoved += self.pauses.as_ref().map_or(0, Pauses::length);
        }
    }

    /// The next I/O is due `due` ticks into the phase. Where pauses are not made up for, the schedule moves so that this I/O is due
    /// when the pause ends and not within it; an I/O that is due later keeps its time.
    #[inline(always)]
    pub fn move_schedule(&mut self, due: Option<u64>) {
        if self.unmoved > 0
            && let Some(due) = due
        {
            let within = self.gate.saturating_sub(self.intended(due));
            self.epoch += within.min(std::mem::take(&mut self.unmoved));
        }
    }

    /// The earliest start of an I/O that is due `due` ticks into the phase.
    #[inline(always)]
    pub fn next_start(&self, due: u64) -> u64 {
        self.intended(due).max(self.gate)
    }

    /// How to wait in a submit call at `now`, when the next start is at `next`
    /// and the call would otherwise wait for `wait` completions and `left_ns`:
    /// not at all when the start is too close for the kernel's wake-up.
    #[inline(always)]
    pub fn waiting(&mut self, wait: u32, left_ns: u64, next: u64, now: u64) -> (u32, u64) {
        // What is due already was late before this wait.
        self.waits_for = if next > now { next } else { 0 };
        self.wakes_at = 0;
        let until_ns = self.clock.nanos(next.saturating_sub(now));
        match until_ns.checked_sub(self.sleeper.margin_ns()) {
            _ if self.spin_until > now => (0, 0),
            Some(ns) if ns > 0 && ns < left_ns => {
                self.wakes_at = now + self.clock.ticks(ns);
                (wait, ns)
            }
            Some(ns) if ns > 0 => (wait, left_ns),
            _ => (0, 0),
        }
    }

    /// Does the depth, and not the schedule, hold the next start back?
    #[inline(always)]
    pub fn is_full(&self, in_flight: u32) -> bool {
        self.room(in_flight) == 0
    }

    /// How many more may start before the next pause, at the depth that is being tried.
    #[inline(always)]
    fn room(&self, in_flight: u32) -> usize {
        let by_pause = self.pauses.as_ref().map_or(usize::MAX, |p| p.room(in_flight));
        let by_depth = self.search.as_ref().map_or(usize::MAX, |s| s.room(in_flight));
        by_pause.min(by_depth)
    }

    /// A wait in a submit call is over at `now`.
    #[inline(always)]
    pub fn woke(&mut self, now: u64) {
        if self.waits_for > 0 {
            self.sleep_ended(self.waits_for, now);
            // A wait that a completion ended before its time does not show how late the kernel wakes a thread.
            if self.wakes_at > 0 && now >= self.wakes_at && !self.clock.is_virtual() {
                self.sleeper.learn(self.clock.real_nanos(now - self.wakes_at));
            }
            self.waits_for = 0;
        }
    }

    #[inline(always)]
    fn sleep_ended(&mut self, start: u64, now: u64) {
        if now > start {
            self.overslept = (start, now);
        }
    }

    /// An I/O with this intended start begins.
    #[inline(always)]
    pub fn begins(&mut self, intended: u64) {
        let (start, woke) = self.overslept;
        if intended < woke {
            self.woken_late += woke - intended.max(start);
        }
    }

    /// By how much I/Os for which a slot was free began late because the worker slept on, added up, ns. Only starts that were
    /// still to come when a wait began count, so that a target that holds all slots adds nothing.
    pub fn woken_late_ns(&self) -> u64 {
        self.clock.nanos(self.woken_late)
    }

    /// Waits for the start of an I/O with nothing in flight, or for `end` if that comes first; returns the time.
    pub fn rest_for(&mut self, start: u64, end: u64) -> u64 {
        let is_to_come = start > self.clock.now();
        self.rest(start.min(end));
        let now = self.clock.now();
        if is_to_come && start <= end {
            self.sleep_ended(start, now);
        }
        now
    }

    /// Waits for a stamp with nothing in flight, and spins during the spinning part
    /// of a pause.
    fn rest(&mut self, until: u64) {
        while self.clock.now() < self.spin_until.min(until) {
            std::hint::spin_loop();
        }
        self.sleeper.until(&self.clock, until);
    }

    #[inline(always)]
    pub fn is_settled(&self) -> bool {
        self.search.as_ref().is_some_and(DepthSearch::is_settled)
    }

    pub fn notes(&self) -> Vec<(String, String)> {
        self.search.as_ref().map_or_else(Vec::new, DepthSearch::notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pacer(clock: Clock) -> Pacer {
        let plan =
            crate::fixture::planned("[j]\nioengine=libaio\nfilename=f\nrw=read\nrate_iops=10\niodepth=4\n");
        let mut pacer = Pacer::new(&plan.jobs[0], clock, 4, &Flows::default());
        pacer.begin(1_000);
        pacer
    }

    #[test]
    fn only_a_wake_up_behind_the_start_that_was_waited_for_is_late() {
        // In virtual time a tick is a nanosecond.
        let mut pacer = pacer(Clock::virtual_time());
        for (next, at, woken, starts, late) in [
            (5_000, 2_000, 4_000, &[][..], 0),
            (5_000, 4_500, 5_300, &[5_000, 5_200, 5_400], 300 + 100),
            // Nobody waits: the time until the next look is no wake-up.
            (0, 0, 9_000, &[6_000], 400),
            // It was due before the wait: what held it back is the target.
            (8_000, 9_000, 9_700, &[8_000], 400),
            (10_000, 9_700, 10_000, &[10_000], 400),
            // A pause ended behind the planned start of an I/O.
            (11_000, 10_000, 11_050, &[10_900], 450),
        ] {
            if next > 0 {
                pacer.waiting(1, 1_000_000, next, at);
            }
            pacer.woke(woken);
            starts.iter().for_each(|start| pacer.begins(*start));
            assert_eq!(pacer.woken_late_ns(), late, "{next} {at} {woken}");
        }
        pacer.begin_measured(12_000);
        assert_eq!(pacer.woken_late_ns(), 0, "that of the ramp does not count");
    }

    #[test]
    fn a_rest_in_virtual_time_is_never_late() {
        let clock = Clock::virtual_time();
        let mut pacer = pacer(clock);
        let now = clock.now();
        assert_eq!(pacer.rest_for(now + 50, now + 90), now + 50);
        assert_eq!(pacer.rest_for(now + 200, now + 90), now + 90, "something else is due first");
        assert_eq!(pacer.woken_late_ns(), 0);
    }
}
