//! `--idle-prof`: how idle the processors were during the run. The kernel counts
//! that; fio runs a thread on each processor that counts how often it gets to run.

use fathom_report::idleness::IDLENESS;
use fathom_results::{Fact, RunResult};
use fathom_session::Here;

/// Name, idle time and total time since boot, in ticks: of the machine, then of each processor.
pub struct Idleness(Vec<(String, u64, u64)>);

impl Idleness {
    /// Reads what the kernel has counted until now.
    pub fn now(here: &Here) -> Idleness {
        let text = here.root().read_text("/proc/stat").unwrap_or_default();
        Idleness(text.lines().filter_map(line).collect())
    }

    /// Adds to the result how idle the machine was since this reading, and with `each` also
    /// every processor.
    pub fn note(&self, here: &Here, each: bool, run: &mut RunResult) {
        let now = Idleness::now(here);
        let shown = if each { usize::MAX } else { 1 };
        for (name, idle, all) in now.0.iter().take(shown) {
            let Some((_, idle_then, all_then)) = self.0.iter().find(|then| then.0 == *name) else { continue };
            let (idle, all) = (idle.saturating_sub(*idle_then), all.saturating_sub(*all_then));
            let percent = idle as f64 * 100.0 / all.max(1) as f64;
            run.record.host.push(Fact {
                name: format!("{IDLENESS}{}", name.strip_prefix("cpu").unwrap_or(name)),
                value: (all > 0).then(|| format!("{percent:.2}")),
                source: "/proc/stat, over the run".to_owned(),
            });
        }
    }
}

/// `cpuN user nice system idle iowait …`; waiting for I/O is idle.
fn line(text: &str) -> Option<(String, u64, u64)> {
    let mut words = text.split_whitespace();
    let name = words.next().filter(|name| name.starts_with("cpu"))?;
    let fields: Vec<u64> = words.take(8).filter_map(|word| word.parse().ok()).collect();
    let idle = fields.get(3)? + fields.get(4)?;
    Some((name.to_owned(), idle, fields.iter().sum()))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn waiting_for_io_is_idle() {
        assert_eq!(line("cpu1 10 20 30 400 5 6 7 22 100 100"), Some(("cpu1".to_owned(), 405, 500)));
        assert_eq!(line("intr 1 2 3 4 5"), None);
        assert_eq!(line("cpu 1"), None);
    }
}
