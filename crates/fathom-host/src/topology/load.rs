//! What a link must carry, and what it can carry.

use schemars::JsonSchema;
use serde::Serialize;

/// A sum of needs, in 10⁶ bytes per second and direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct LinkNeed {
    /// With the links as they are.
    pub now_mbps: f64,
    /// With the links as they would be if they were healthy.
    pub healthy_mbps: f64,
    /// Number of devices.
    pub devices: usize,
}

impl LinkNeed {
    pub(super) fn add(&mut self, other: Self) {
        self.now_mbps += other.now_mbps;
        self.healthy_mbps += other.healthy_mbps;
        self.devices += other.devices;
    }
}

/// The three sums of a link, and what it can carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Load {
    /// The selected drives; all, if the user named none.
    pub selected: LinkNeed,
    /// All storage.
    pub storage: LinkNeed,
    /// All endpoints.
    pub all: LinkNeed,
    /// What the link carries now; unknown without a link.
    pub capacity_mbps: Option<f64>,
    /// What it would carry if it were healthy.
    pub capacity_healthy_mbps: Option<f64>,
}

impl Load {
    /// Need of the selected drives ÷ capacity if every link were healthy: above 1 they cannot all
    /// run at full rate together.
    pub fn ratio_healthy(&self) -> Option<f64> {
        Some(self.selected.healthy_mbps / self.capacity_healthy_mbps?)
    }
}
