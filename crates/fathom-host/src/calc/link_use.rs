//! Can a link carry a measured rate? Every bandwidth result should pass this
//! plausibility test.

use schemars::JsonSchema;
use serde::Serialize;

use super::pcie::{LinkDirection, LinkRate};

/// From this share of the ceiling on, the link is the limit. The ceiling's
/// estimate of headers and housekeeping is not more exact than that.
const LIMIT_SHARE: f64 = 0.95;

/// A measured rate compared with what a link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkUse {
    /// The link has room left.
    Below,
    /// The link is the limit.
    AtLimit,
    /// More than the lanes can carry: the data did not come over this link, but
    /// from a cache of the host or from another device.
    Impossible,
}

/// Judges a rate, in 10⁶ bytes per second in one direction.
pub fn judge(mbps: f64, link: LinkRate, payload_bytes: u32, direction: LinkDirection) -> LinkUse {
    if mbps > link.raw_mbps() {
        LinkUse::Impossible
    } else if mbps >= link.ceiling_mbps(payload_bytes, direction) * LIMIT_SHARE {
        LinkUse::AtLimit
    } else {
        LinkUse::Below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M-3: of eight slots only the first is at its link's limit.
    #[test]
    fn slots_of_the_slides() {
        let rows = [
            ("gen1x4", 842.0, LinkUse::AtLimit),
            ("gen2x8", 1468.0, LinkUse::Below),
            ("gen2x4", 1421.0, LinkUse::Below),
            ("gen2x8", 1510.0, LinkUse::Below),
            ("gen2x8", 1516.0, LinkUse::Below),
            ("gen2x4", 1420.0, LinkUse::Below),
            ("gen2x4", 1427.0, LinkUse::Below),
            ("gen2x8", 1512.0, LinkUse::Below),
        ];
        for (link, mbps, found) in rows {
            assert_eq!(
                judge(mbps, link.parse().unwrap(), 128, LinkDirection::DeviceToHost),
                found,
                "{link} {mbps}"
            );
        }
    }

    #[test]
    fn more_than_the_lanes_carry() {
        let link = "gen3x4".parse().unwrap();
        assert_eq!(judge(3939.0, link, 512, LinkDirection::DeviceToHost), LinkUse::Impossible);
        assert_eq!(judge(3500.0, link, 512, LinkDirection::HostToDevice), LinkUse::AtLimit);
    }
}
