//! The time in which several workers measured.
//!
//! What they moved together, over that time, is their rate. Workers that measured at the same time share it. Where one waited
//! for another (`wait_for`, `startdelay`) their times add up, else the rate would be that of a time that never was.

/// Windows that together last this share longer than the longest of them were at the same time: what is more are the
/// differences of their starts.
const TOGETHER: f64 = 0.05;

/// The longest of these windows, ns, where they were at the same time; else the time that they cover.
pub(crate) fn measured_ns(windows: impl Iterator<Item = (u64, u64)>) -> u64 {
    let mut windows: Vec<(u64, u64)> = windows.collect();
    windows.sort_unstable();
    let longest = windows.iter().map(|(from, to)| to - from).max().unwrap_or(0);
    let (mut union, mut end) = (0, 0);
    for (from, to) in windows {
        union += to.saturating_sub(from.max(end));
        end = end.max(to);
    }
    let apart = (union - longest) as f64;
    if apart <= TOGETHER * longest as f64 { longest } else { union }
}
