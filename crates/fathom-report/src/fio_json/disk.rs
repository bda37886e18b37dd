//! fio's `disk_util`: the kernel's counters of the disks below the targets.

use fathom_figures::disk::busy_percent;
use fathom_results::DiskDelta;
use serde_json::{Value, json};

/// One disk. 3.33 knows reads and writes; discards have no key.
pub(super) fn object(disk: &DiskDelta) -> Value {
    json!({
        "name": disk.disk,
        "read_ios": disk.ios[0],
        "write_ios": disk.ios[1],
        "read_merges": disk.merges[0],
        "write_merges": disk.merges[1],
        "read_ticks": disk.ticks_ms[0],
        "write_ticks": disk.ticks_ms[1],
        "in_queue": disk.queue_ms,
        "util": busy_percent(disk),
    })
}
