//! What the kernel counted on the disks, against what fathom did, in words.

use fathom_figures::disk::flush_requests;
use fathom_job::direction::Direction;
use fathom_results::DiskDelta;
use fathom_text::number::{grouped, significant};

/// How the kernel's count of a direction on this disk relates to fathom's, which is the count for all disks
/// together: which disk of several an I/O went to is not recorded. Flushes that a sync asked for are told apart.
pub fn of_disk(disk: &DiskDelta, at: usize, ours: u64, disks: usize, syncs: Option<u64>) -> String {
    let is_write = Direction::ALL[at] == Direction::Write && disks == 1;
    let flushes = match syncs.filter(|_| is_write) {
        Some(syncs) => flush_requests(disk.ios[at] + disk.merges[at], ours, disk.flushes, syncs),
        None => 0,
    };
    let told = compared(disk.ios[at].saturating_sub(flushes), ours, disks);
    // A few more come from the edges of the time.
    match ours > 0 && flushes * FLUSHES_ONE_IN > ours {
        true => format!("{told}, and {} flushes without data", grouped(flushes)),
        false => compared(disk.ios[at], ours, disks),
    }
}

/// Fewer flushes than one in so many I/Os are not told.
const FLUSHES_ONE_IN: u64 = 20;

fn compared(kernel: u64, ours: u64, disks: usize) -> String {
    match (kernel, ours) {
        (1.., 1..) if disks > 1 => format!("fathom's {} went to {disks} disks", grouped(ours)),
        (0, 0) => "none".to_owned(),
        (_, 0) => "none of them fathom's".to_owned(),
        (kernel, ours) if kernel == ours => "exactly fathom's".to_owned(),
        (kernel, ours) => {
            let each = kernel as f64 / ours as f64;
            format!("{} for each of fathom's {}", significant(each, 3), grouped(ours))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_are_no_writes_of_data() {
        let disk = |writes: u64, flushes: Option<u64>| DiskDelta {
            disk: "loop1".to_owned(),
            interval_ms: 2_000,
            ios: [0, writes, 0],
            merges: [0; 3],
            sectors: [0, 942 * 8, 0],
            ticks_ms: [0; 3],
            busy_ms: 0,
            queue_ms: 0,
            flushes,
        };
        let told = |writes, flushes, syncs| of_disk(&disk(writes, flushes), 1, 942, 1, Some(syncs));
        assert_eq!(told(1_884, Some(1_884), 942), "exactly fathom's, and 942 flushes without data");
        assert_eq!(told(2_826, None, 942), "2.00 for each of fathom's 942, and 942 flushes without data");
        assert_eq!(told(1_884, Some(0), 0), "2.00 for each of fathom's 942");
        assert_eq!(told(945, Some(3), 3), "1.00 for each of fathom's 942");
    }

    #[test]
    fn comparisons_are_ratios() {
        // T-34: batches of 16 became one I/O each.
        assert_eq!(compared(767_604, 12_280_820, 1), "0.0625 for each of fathom's 12,280,820");
        assert_eq!(compared(3_000, 3_700, 2), "fathom's 3,700 went to 2 disks");
        assert_eq!(compared(71, 0, 1), "none of them fathom's");
        assert_eq!(compared(8, 8, 1), "exactly fathom's");
    }
}
