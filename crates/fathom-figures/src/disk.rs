//! What the kernel counted on the disks below a run, as figures.

use crate::ratio;
use crate::row::Row;
use fathom_job::direction::Direction;
use fathom_job::options::DISK_UTIL;
use fathom_job::plan::TargetKind;
use fathom_results::{DiskDelta, RunResult};

/// Share of the interval with I/O in the device, in percent, at most 100.
///
/// fio calls it `util`. On a device that serves I/Os in parallel it says
/// nothing about how much more the device could do.
pub fn busy_percent(disk: &DiskDelta) -> f64 {
    ratio(100.0 * disk.busy_ms as f64, disk.interval_ms as f64).min(100.0)
}

/// I/Os in the device on average: the ticks are milliseconds summed over I/Os
/// (not clock ticks), so their sum per elapsed millisecond is a count.
pub fn in_device(disk: &DiskDelta) -> f64 {
    ratio(disk.ticks_ms.iter().sum::<u64>() as f64, disk.interval_ms as f64)
}

/// How many of the writes that the kernel counted on a disk, merged ones included, carry no data, where `ours` were done.
///
/// A sync has the disk flush its write cache. The kernel asks for it with an empty write, which it counts among the writes, and
/// then counts the flush itself too. A device that takes no write through its cache (FUA) flushes once more for a write with
/// `sync=`, without such a write; and devices without requests of their own count no flush. So the surplus is the flushes',
/// up to the larger of both numbers: the flushes that were counted and the syncs that were asked for.
pub fn flush_requests(kernel: u64, ours: u64, flushes: Option<u64>, syncs: u64) -> u64 {
    kernel.saturating_sub(ours).min(flushes.unwrap_or(0).max(syncs))
}

/// Syncs that the rows asked of devices, and writes that are synced one by one; `None` where a target is a file: at a sync,
/// a file system writes blocks of its own, so not every write more is a flush.
pub fn syncs(rows: &[Row<'_>]) -> Option<u64> {
    let is_device = |row: &Row<'_>| row.first().files.iter().all(|file| file.kind == TargetKind::Block);
    on_disk(rows).all(is_device).then(|| on_disk(rows).map(Row::syncs).sum())
}

/// The disks to report: all, unless no job wants them (`disk_util=0`).
pub fn shown<'a>(run: &'a RunResult, rows: &[Row<'_>]) -> &'a [DiskDelta] {
    let wanted = rows.iter().any(|row| row.first().job.get(&DISK_UTIL));
    if wanted { &run.record.disks } else { &[] }
}

/// I/Os that the rows issued to files and devices while the kernel counted, by direction; rows of
/// diskless engines reach no disk.
pub fn issued(rows: &[Row<'_>]) -> [u64; 3] {
    Direction::ALL.map(|direction| on_disk(rows).map(|row| row.moved(direction).ios).sum())
}

fn on_disk<'a, 'r>(rows: &'r [Row<'a>]) -> impl Iterator<Item = &'r Row<'a>> {
    rows.iter().filter(|row| row.first().files.iter().any(|f| !f.path.is_empty()))
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
            flushes: None,
        };
        assert!((in_device(&disk) - 40.2).abs() < 0.05);
        assert_eq!(busy_percent(&disk), 100.0);
    }
}
