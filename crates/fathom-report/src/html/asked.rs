//! What a job was asked to do, with the rate that it had to keep.

use crate::text::workload;
use fathom_figures::Row;
use fathom_job::direction::Direction;
use fathom_job::plan::Rate;
use fathom_text::number::grouped;
use fathom_text::quantity::bytes;

/// `4 KiB random read · io_uring · depth 16 · 1 worker · asked: 2,000 IOPS`.
pub(super) fn asked(row: &Row<'_>) -> String {
    let each = if row.members.len() > 1 { " per worker" } else { "" };
    let job = row.first();
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
    let told = |direction: &Direction| {
        let rate = match job.pace.rate[*direction]? {
            Rate::Ios(ios) => format!("{} IOPS", grouped(ios)),
            Rate::Bytes(rate) => format!("{}/s", bytes(rate as f64)),
        };
        Some(if used.len() > 1 { format!("{rate} {}", direction.name()) } else { rate })
    };
    let told: Vec<String> = used.iter().filter_map(told).collect();
    match told.is_empty() {
        true => workload(row),
        false => format!("{} · asked: {}{each}", workload(row), told.join(", ")),
    }
}
