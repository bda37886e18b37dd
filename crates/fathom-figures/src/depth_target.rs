//! How many I/Os a job is meant to keep in flight. By Little's law, latency grows with that number.

use crate::row::Row;
use crate::workload::in_flight_max;

/// The I/Os that all clones of a job keep in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthTarget {
    /// It is not known.
    #[default]
    Unknown,
    /// A rate or pauses decide it, and the depth is only a limit.
    HeldBack,
    /// So many.
    Of(u64),
}

impl Row<'_> {
    /// What its plan says.
    pub fn depth_target(&self) -> DepthTarget {
        let all: u64 = self.members.iter().map(|member| u64::from(in_flight_max(&member.planned))).sum();
        if self.is_held_back() { DepthTarget::HeldBack } else { DepthTarget::Of(all) }
    }
}
