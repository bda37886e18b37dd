//! The rate of each target alone beside what its PCIe link carries (contract M-3): a card in a slow slot is known by it.

use super::gathered::CellRow;
use crate::suite::{Shown, SuiteTarget};
use fathom_results::ReportRemark;
use fathom_results::procedure::ProcedureRecord;

/// The title of the column with the share of the link's rate.
pub const LINK_SHARE: &str = "% of the link";

/// From this share on the link holds a card back. In the slides the card in the slow slot reaches 84 % of its link, the
/// others at most 75 % of theirs (M-3).
const HELD_BACK_FROM: f64 = 0.8;

/// More than this share is no share of the link that the drive names: an emulated drive names one that carries nothing. The
/// measured rate and the payloads behind the link's rate leave some per cent open.
const POSSIBLE: f64 = 1.05;

/// What the link of each target carries in one direction, in MB/s, packet headers included.
pub struct Links {
    mbps: Vec<Option<f64>>,
}

impl Links {
    /// By the host as it was seen before the first round.
    pub fn of(record: &ProcedureRecord, targets: &[SuiteTarget]) -> Links {
        let of =
            |target: &SuiteTarget| record.fact(&format!("target.{}.link_mbps", target.path))?.parse().ok();
        Links { mbps: targets.iter().map(of).collect() }
    }

    /// The rate of a row for one target alone, as a share of its link's.
    pub fn share(&self, row: &CellRow<'_>) -> Option<f64> {
        let [target] = row.cell.set.as_slice() else { return None };
        let share = row.mean(Shown::of_id("bandwidth"))?.value / (*self.mbps.get(*target)?)?;
        Some(share).filter(|share| *share <= POSSIBLE)
    }

    /// Each target whose link holds it back.
    pub fn remarks(&self, rows: &[CellRow<'_>]) -> Vec<ReportRemark> {
        let of_row = |row: &CellRow<'_>| {
            let share = self.share(row).filter(|share| *share >= HELD_BACK_FROM)?;
            let target = *row.cell.set.first()?;
            let link_bytes_per_second = self.mbps[target]? * 1e6;
            Some(ReportRemark::LinkHolds { target: target as u64 + 1, share, link_bytes_per_second })
        };
        let mut all: Vec<ReportRemark> = rows.iter().filter_map(of_row).collect();
        all.dedup();
        all
    }
}
