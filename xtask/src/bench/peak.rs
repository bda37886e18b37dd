//! The peak of a child's resident memory.

use std::fs;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// Time between two readings of the peak, which only rises.
const LOOK: Duration = Duration::from_millis(2);

/// Watches a child until it ends; returns how it ended, and its peak in KiB.
pub fn watch(child: &mut Child) -> std::io::Result<(ExitStatus, u64)> {
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    loop {
        // Gone or a zombie: the last reading is kept.
        let text = fs::read_to_string(&status).unwrap_or_default();
        highest = highest.max(peak_kib(&text).unwrap_or(0));
        if let Some(ended) = child.try_wait()? {
            return Ok((ended, highest));
        }
        std::thread::sleep(LOOK);
    }
}

fn peak_kib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_and_a_zombie_has_none() {
        assert_eq!(peak_kib("Name:\tfathom\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\n"), Some(1234));
        assert_eq!(peak_kib("Name:\tfathom\nState:\tZ (zombie)\n"), None);
    }
}
