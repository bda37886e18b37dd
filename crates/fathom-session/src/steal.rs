//! CPU time that others kept from the run: the hypervisor, for other machines, and control groups.

use crate::here::Here;
use fathom_device::counters::ticks;
use fathom_host::cgroup::{QuotaReading, readings};
use fathom_results::{CpuQuota, Fact, STEAL_PERCENT};
use std::time::Instant;

/// The CPU line of /proc/stat, in ticks: all time, and the stolen time.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuTime {
    all: u64,
    stolen: u64,
}

impl CpuTime {
    /// The time since boot.
    pub fn now(here: &Here) -> CpuTime {
        let text = here.root().read_text("/proc/stat").unwrap_or_default();
        parse(text.lines().next().unwrap_or_default())
    }

    /// The share stolen since this reading, as a fact of the record.
    pub fn steal_since(self, here: &Here) -> Fact {
        let now = CpuTime::now(here);
        let all = now.all.saturating_sub(self.all);
        let percent = now.stolen.saturating_sub(self.stolen) as f64 * 100.0 / all.max(1) as f64;
        let value = (all > 0).then(|| format!("{percent:.2}"));
        Fact { name: STEAL_PERCENT.to_owned(), value, source: "/proc/stat, over the run".to_owned() }
    }
}

/// User time includes guest time (proc(5)).
fn parse(line: &str) -> CpuTime {
    let ticks = line.strip_prefix("cpu").and_then(ticks).unwrap_or_default();
    CpuTime { all: ticks[..8].iter().sum(), stolen: ticks[7] }
}

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
    use super::{parse, *};

    #[test]
    fn guest_time_is_not_counted_twice() {
        let time = parse("cpu  10 20 30 400 5 6 7 22 100 100");
        assert_eq!((time.all, time.stolen), (500, 22));
        assert_eq!(parse("").all, 0);
    }

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
