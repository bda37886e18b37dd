//! Drives: NVMe, and SATA or SAS.

mod apst;
mod background;
mod cache;
mod drive;
mod errors;
mod firmware;
mod health;
mod lbaf;
mod mdts;
mod multipath;
mod ns_share;
mod poll_queues;
mod ps;
mod qdepth;
mod scsi_qdepth;
mod temp;
mod utilisation;
mod wear_budget;

use super::Check;

/// The checks of the families `nvme` and `scsi`.
pub(super) const CHECKS: &[Check] = &[
    apst::CHECK,
    ps::CHECK,
    temp::CHECK,
    health::CHECK,
    errors::CHECK,
    firmware::CHECK,
    lbaf::CHECK,
    cache::CHECK,
    utilisation::CHECK,
    ns_share::CHECK,
    poll_queues::CHECK,
    qdepth::CHECK,
    background::CHECK,
    multipath::CHECK,
    wear_budget::CHECK,
    mdts::CHECK,
    scsi_qdepth::CHECK,
];
