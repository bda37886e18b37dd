//! What the kernel counted on the disks, against what fathom did.

use crate::group::Row;
use crate::number::{grouped, significant};
use fathom_job::direction::Direction;
use fathom_job::options::DISK_UTIL;
use fathom_results::{DiskDelta, RunResult};

/// Share of the interval with I/O in the device, in percent, at most 100.
///
/// fio calls it `util`. On a device that serves I/Os in parallel it says
/// nothing about how much more the device could do.
pub fn busy_percent(disk: &DiskDelta) -> f64 {
    crate::number::ratio(100.0 * disk.busy_ms as f64, disk.interval_ms as f64).min(100.0)
}

/// I/Os in the device on average: the ticks are milliseconds summed over I/Os
/// (not clock ticks), so their sum per elapsed millisecond is a count.
pub fn in_device(disk: &DiskDelta) -> f64 {
    crate::number::ratio(disk.ticks_ms.iter().sum::<u64>() as f64, disk.interval_ms as f64)
}

/// The disks to report: all, unless no job wants them (`disk_util=0`).
pub fn shown<'a>(run: &'a RunResult, rows: &[Row<'_>]) -> &'a [DiskDelta] {
    let wanted = rows.iter().any(|row| row.first().job.get(&DISK_UTIL));
    if wanted { &run.record.disks } else { &[] }
}

/// How the kernel's count of a direction relates to fathom's, which is the count for all disks
/// together: which disk of several an I/O went to is not recorded.
pub fn compared(kernel: u64, ours: u64, disks: usize) -> String {
    match (kernel, ours) {
        (1.., 1..) if disks > 1 => format!("fathom's {} went to {disks} disks", grouped(ours)),
        (0, 0) => "none".to_owned(),
        (_, 0) => "none of them fathom's".to_owned(),
        (kernel, ours) if kernel == ours => "exactly fathom's".to_owned(),
        (kernel, ours) => {
            let each = crate::number::ratio(kernel as f64, ours as f64);
            format!("{} for each of fathom's {}", significant(each, 3), grouped(ours))
        }
    }
}

/// I/Os that the rows issued to files and devices, by direction; rows of
/// diskless engines reach no disk.
pub fn issued(rows: &[Row<'_>]) -> [u64; 3] {
    let on_disk = rows.iter().filter(|row| row.first().files.iter().any(|f| !f.path.is_empty()));
    on_disk.fold([0; 3], |mut sum, row| {
        for (slot, direction) in sum.iter_mut().zip(Direction::ALL) {
            *slot += row.totals.directions[direction].ios;
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_milliseconds() {
        // V-29: 1,407,990 ms in the device over 35 s are 40.2 I/Os in flight.
        let disk = DiskDelta {
            disk: "sdb".into(),
            interval_ms: 35_000,
            ios: [0, 8_637_747, 0],
            merges: [0; 3],
            sectors: [0; 3],
            ticks_ms: [0, 1_407_990, 0],
            busy_ms: 36_000,
            queue_ms: 1_400_000,
        };
        assert!((in_device(&disk) - 40.2).abs() < 0.05);
        assert_eq!(busy_percent(&disk), 100.0);
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
