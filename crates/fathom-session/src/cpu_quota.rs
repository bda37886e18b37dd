//! The CPU time that a control group gave fathom during the run.

use crate::here::Here;
use fathom_host::cgroup::{QuotaReading, readings};
use fathom_results::CpuQuota;
use std::time::Instant;

/// Readings at the beginning of a run.
pub struct QuotaWatch {
    begun: Instant,
    before: Vec<QuotaReading>,
}

impl QuotaWatch {
    /// Takes the first readings.
    pub fn start(here: &Here) -> QuotaWatch {
        QuotaWatch { begun: Instant::now(), before: readings(here.root()) }
    }

    /// The group that was stopped most often since then. `None` where no group has a quota.
    pub fn end(self, here: &Here) -> Option<CpuQuota> {
        let elapsed_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        grown(&self.before, &readings(here.root()), elapsed_us)
    }
}

fn grown(before: &[QuotaReading], after: &[QuotaReading], elapsed_us: u64) -> Option<CpuQuota> {
    let of = |now: &QuotaReading| {
        let earlier = before.iter().find(|earlier| earlier.group == now.group)?;
        Some(CpuQuota {
            quota_ns: now.quota_us * 1_000,
            period_ns: now.period_us * 1_000,
            periods: elapsed_us.div_ceil(now.period_us),
            stopped: now.stopped.saturating_sub(earlier.stopped),
        })
    };
    after.iter().filter_map(of).max_by_key(|quota| quota.stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_that_was_stopped_most_often_counts() {
        let reading = |group: &str, quota_us, stopped| {
            let group = group.into();
            QuotaReading { group, quota_us, period_us: 100_000, stopped }
        };
        let before = [reading("own", 20_000, 7), reading("above", 150_000, 900)];
        let after = [reading("own", 20_000, 51), reading("above", 150_000, 901), reading("new", 1, 99)];
        let quota = grown(&before, &after, 4_930_000);
        assert_eq!(
            quota,
            Some(CpuQuota { quota_ns: 20_000_000, period_ns: 100_000_000, periods: 50, stopped: 44 })
        );
        assert_eq!(grown(&[], &after, 1), None);
    }
}
