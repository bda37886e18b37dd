//! `latency_target`: the deepest queue that keeps a latency.
//!
//! As in fio, the depth doubles while the goal is kept. Then it is halved between the
//! last depth that kept it and the first that did not. Each depth is judged over one
//! window, by the I/Os that were submitted in that window. The whole curve goes into
//! the result, not only the depth that was found.
//!
//! The search itself is not a measurement. The depth that it found is measured
//! for one window; see [`crate::worker`]. With `latency_run` it goes on to the end.

use crate::clock::Clock;
use fathom_job::plan::LatencyGoal;
use fathom_results::outcome::DEPTH_FOUND;

/// Depths whose outcome is kept for the result; a search over 2^16 needs 32.
const CURVE_MAX: usize = 64;

#[derive(Debug)]
pub struct DepthSearch {
    target_ns: u64,
    window: u64,
    share: f64,
    keeps_adapting: bool,
    depth_max: u32,
    depth: u32,
    /// The deepest that kept the goal.
    low: u32,
    /// The shallowest that did not.
    high: u32,
    window_start: u64,
    window_end: u64,
    within: u64,
    beyond: u64,
    curve: Vec<Tried>,
    /// No other depth is tried any more.
    is_settled: bool,
    was_given_up: bool,
}

/// An empty curve whose memory is allocated: no page fault happens while it grows.
fn touched() -> Vec<Tried> {
    let mut curve = vec![Tried { depth: 1, share: 0.0, ios: 0 }; CURVE_MAX];
    std::hint::black_box(&mut curve).clear();
    curve
}

#[derive(Clone, Copy, Debug)]
struct Tried {
    depth: u32,
    share: f64,
    ios: u64,
}

impl DepthSearch {
    pub fn new(goal: &LatencyGoal, clock: &Clock, depth_max: u32) -> DepthSearch {
        DepthSearch {
            target_ns: goal.target.0,
            window: clock.ticks(goal.window.0),
            share: goal.percentile / 100.0,
            keeps_adapting: goal.keeps_adapting,
            depth_max: depth_max.max(1),
            depth: 1,
            low: 0,
            high: depth_max.max(1) + 1,
            window_start: 0,
            window_end: 0,
            within: 0,
            beyond: 0,
            curve: touched(),
            is_settled: false,
            was_given_up: false,
        }
    }

    pub fn begin(&mut self, now: u64) {
        (self.within, self.beyond, self.window_start) = (0, 0, now);
        self.window_end = now.saturating_add(self.window);
    }

    #[inline]
    pub fn room(&self, in_flight: u32) -> usize {
        self.depth.saturating_sub(in_flight) as usize
    }

    /// Counts `count` I/Os that were submitted at `submitted` and took `total_ns` each.
    #[inline]
    pub fn took(&mut self, count: u32, total_ns: u64, submitted: u64) {
        if submitted < self.window_start {
            return;
        }
        let side = if total_ns <= self.target_ns { &mut self.within } else { &mut self.beyond };
        *side += u64::from(count);
    }

    /// At the end of a window, judges its depth and chooses the next one.
    #[inline]
    pub fn judge(&mut self, now: u64) {
        if now >= self.window_end && self.within + self.beyond > 0 && !self.is_settled {
            self.conclude();
            self.begin(now);
        }
    }

    #[cold]
    fn conclude(&mut self) {
        let ios = self.within + self.beyond;
        let share = self.within as f64 / ios as f64;
        if self.curve.len() < CURVE_MAX {
            self.curve.push(Tried { depth: self.depth, share, ios });
        }
        if share >= self.share {
            self.low = self.depth;
        } else {
            self.high = self.depth;
        }
        match self.next_depth() {
            Some(depth) => self.depth = depth,
            None => self.settle(),
        }
    }

    fn next_depth(&self) -> Option<u32> {
        let has_failed = self.high <= self.depth_max;
        let next = match self.low {
            // Not even one I/O at a time keeps the goal, and there is no smaller depth.
            0 => self.high / 2,
            low if has_failed => low + (self.high - low) / 2,
            low => (low * 2).min(self.depth_max),
        };
        (next > 0 && next != self.low && next != self.high).then_some(next)
    }

    /// A search that has ended runs at the depth that it found. One that keeps
    /// adapting begins again from that depth, since the target may change.
    fn settle(&mut self) {
        self.depth = self.low.max(1);
        if self.keeps_adapting {
            (self.low, self.high) = (self.depth / 2, self.depth_max + 1);
            return;
        }
        self.is_settled = true;
    }

    #[inline]
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// The time for the search is over: it stays at the best depth so far.
    pub fn give_up(&mut self) {
        if !self.keeps_adapting && !self.is_settled {
            self.depth = self.low.max(1);
            self.was_given_up = true;
            self.is_settled = true;
        }
    }

    /// The depth that was found and all that were tried, for the result.
    pub fn notes(&self) -> Vec<(String, String)> {
        let tried = |t: &Tried| format!("{}: {:.3} % of {}", t.depth, t.share * 100.0, t.ios);
        let curve: Vec<String> = self.curve.iter().map(tried).collect();
        let depth = match (self.is_settled, self.low) {
            _ if self.was_given_up => format!("{}, when the time was over", self.depth),
            (true, 0) => "none: not even one I/O at a time keeps it".to_owned(),
            (true, low) => low.to_string(),
            (false, _) => format!("{} when the job ended", self.depth),
        };
        vec![(DEPTH_FOUND.into(), depth), ("latency_target.tried".into(), curve.join(", "))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::units::Nanos;

    fn search(depth_max: u32, keeps_adapting: bool) -> DepthSearch {
        let goal = LatencyGoal { target: Nanos(1000), window: Nanos(10), percentile: 90.0, keeps_adapting };
        let mut search = DepthSearch::new(&goal, &Clock::calibrate(false), depth_max);
        search.begin(0);
        search
    }

    /// Runs windows against a target that keeps the goal up to `good`.
    fn run(search: &mut DepthSearch, good: u32, windows: u64) -> Vec<u32> {
        let mut tried = Vec::new();
        for window in 1..=windows {
            if search.is_settled() {
                break;
            }
            tried.push(search.depth);
            let slow = if search.depth <= good { 10 } else { 11 };
            let now = search.window_start;
            search.took(slow, 1001, now);
            search.took(100 - slow, 1000, now);
            if let Some(before) = now.checked_sub(1) {
                search.took(1000, 5000, before);
            }
            search.judge(window * 10);
        }
        tried
    }

    #[test]
    fn it_doubles_then_halves_to_the_deepest_that_keeps_the_goal() {
        let mut s = search(128, false);
        assert_eq!(run(&mut s, 21, 100), [1, 2, 4, 8, 16, 32, 24, 20, 22, 21]);
        assert_eq!((s.is_settled(), s.depth), (true, 21));
        assert_eq!(s.room(20), 1);
        assert_eq!(s.notes()[0].1, "21");
        assert!(s.notes()[1].1.starts_with("1: 90.000 % of 100, 2: "), "{:?}", s.notes());
    }

    #[test]
    fn the_whole_queue_or_none_of_it_ends_the_search_too() {
        let mut all = search(8, false);
        assert_eq!(run(&mut all, 100, 100), [1, 2, 4, 8]);
        assert_eq!(all.depth, 8);
        let mut none = search(8, false);
        assert_eq!(run(&mut none, 0, 100), [1]);
        assert_eq!(none.notes()[0].1, "none: not even one I/O at a time keeps it");
    }

    #[test]
    fn one_that_keeps_adapting_follows_a_target_that_gets_slower() {
        let mut s = search(64, true);
        run(&mut s, 40, 30);
        assert!((20..=41).contains(&s.depth), "{}", s.depth);
        run(&mut s, 3, 60);
        assert!(s.depth <= 6, "{}", s.depth);
        assert!(!s.is_settled());
    }
}
