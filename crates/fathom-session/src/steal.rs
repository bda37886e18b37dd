//! CPU time that the hypervisor gave to other machines during the run.

use crate::here::Here;
use fathom_device::counters::ticks;
use fathom_results::{Fact, STEAL_PERCENT};

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

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn guest_time_is_not_counted_twice() {
        let time = parse("cpu  10 20 30 400 5 6 7 22 100 100");
        assert_eq!((time.all, time.stolen), (500, 22));
        assert_eq!(parse("").all, 0);
    }
}
