//! `flow`: jobs that share I/O in the ratio of their weights.
//!
//! All jobs of a flow count into one number. A job that has done more than the
//! share of its weight waits. When a job ends, the others take its share.

use crate::clock::Clock;
use fathom_job::plan::Flow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How long a job that is ahead waits where `flow_sleep` does not say, ns: long
/// enough for the others to go on, and short compared with a device's latency.
const WAIT_NS: u64 = 10_000;

/// The number of I/Os by which a job may be ahead, so that it waits less often. The
/// ratio of a run of a million I/Os is still correct to a hundredth of a percent.
const AHEAD_MAX: u64 = 64;

/// The flows of a run, by number.
#[derive(Debug, Default)]
pub struct Flows(Mutex<HashMap<u32, Arc<Group>>>);

#[derive(Debug, Default)]
struct Group {
    issued: AtomicU64,
    weight: AtomicU64,
}

#[derive(Debug)]
pub struct Share {
    group: Arc<Group>,
    weight: u64,
    issued: u64,
    wait: u64,
}

impl Flows {
    pub fn join(&self, flow: &Flow, clock: &Clock) -> Share {
        let mut flows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let group = flows.entry(flow.id).or_default().clone();
        let weight = u64::from(flow.weight);
        group.weight.fetch_add(weight, Ordering::Relaxed);
        let wait_ns = if flow.sleep.0 > 0 { flow.sleep.0 } else { WAIT_NS };
        Share { group, weight, issued: 0, wait: clock.ticks(wait_ns) }
    }
}

impl Share {
    /// I/Os that the job may start before [`Share::wait`] is called again.
    pub fn room(&self) -> usize {
        AHEAD_MAX as usize
    }

    /// The stamp until which the job waits, if it is ahead of the others.
    pub fn wait(&self, now: u64) -> Option<u64> {
        let all = self.group.issued.load(Ordering::Relaxed);
        let weights = self.group.weight.load(Ordering::Relaxed);
        let is_ahead =
            u128::from(self.issued) * u128::from(weights) > u128::from(all) * u128::from(self.weight);
        is_ahead.then(|| now + self.wait)
    }

    pub fn issued(&mut self, count: u64) {
        self.issued += count;
        self.group.issued.fetch_add(count, Ordering::Relaxed);
    }
}

impl Drop for Share {
    /// The job has ended: neither its weight nor what it did counts any more.
    fn drop(&mut self) {
        self.group.weight.fetch_sub(self.weight, Ordering::Relaxed);
        self.group.issued.fetch_sub(self.issued, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::units::Nanos;

    fn share(flows: &Flows, weight: u32) -> Share {
        flows.join(&Flow { id: 7, weight, sleep: Nanos(0) }, &Clock::calibrate(false))
    }

    #[test]
    fn jobs_share_by_weight_and_what_one_leaves_goes_to_the_other() {
        let flows = Flows::default();
        let (mut heavy, mut light) = (share(&flows, 3), share(&flows, 1));
        let mut done = [0u64; 2];
        for _ in 0..100_000 {
            for (at, one) in [&mut heavy, &mut light].into_iter().enumerate() {
                if one.wait(5).is_none() {
                    one.issued(1);
                    done[at] += 1;
                }
            }
        }
        let ratio = done[0] as f64 / done[1] as f64;
        assert!((2.99..3.01).contains(&ratio), "{done:?}");
        drop(heavy);
        assert_eq!((0..1000).filter(|_| light.wait(5).is_none()).count(), 1000);
    }

    #[test]
    fn a_job_alone_in_its_flow_never_waits() {
        let flows = Flows::default();
        let mut alone = share(&flows, 8);
        for _ in 0..1000 {
            assert_eq!(alone.wait(0), None);
            alone.issued(1);
        }
    }
}
