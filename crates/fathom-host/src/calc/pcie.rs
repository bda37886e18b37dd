//! What a PCI Express link carries: lanes × transfer rate × coding ÷ 8
//! (M-11, V-80), in each direction at once.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

pub use super::generation::Generation;
use super::packet::{LinkDirection, efficiency};

/// The share that link-layer packets, skip sequences and the drive's own queue
/// entries need, in addition to packet headers. It is an estimate (research,
/// host §2.1), so results are called a ceiling and not a rate.
const HOUSEKEEPING: f64 = 0.03;

/// A speed and a width: what a link has, or could have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "LinkRateRecord")]
pub struct LinkRate {
    /// Speed of a lane.
    pub generation: Generation,
    /// Lanes.
    pub lanes: u32,
}

impl LinkRate {
    /// What the lanes carry in one direction, in 10⁶ bytes per second,
    /// including headers.
    pub fn raw_mbps(self) -> f64 {
        self.generation.lane_mbps() * f64::from(self.lanes)
    }

    /// The most that a drive can move over it: raw, less packet headers at
    /// this payload size, less housekeeping. A result above [`Self::raw_mbps`]
    /// did not come over this link.
    pub fn ceiling_mbps(self, payload_bytes: u32, direction: LinkDirection) -> f64 {
        self.raw_mbps() * efficiency(self.generation, payload_bytes, direction) * (1.0 - HOUSEKEEPING)
    }

    /// The slower speed and the narrower width of two ends: the best link
    /// between them.
    pub fn common(self, other: Self) -> Self {
        Self { generation: self.generation.min(other.generation), lanes: self.lanes.min(other.lanes) }
    }
}

impl fmt::Display for LinkRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x{}", self.generation, self.lanes)
    }
}

/// A link as JSON: generation and lanes, with the rates that follow from them.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkRateRecord {
    /// Generation of the standard, 1 to 6.
    generation: Generation,
    /// Rate of a lane, GT/s.
    gigatransfers: f64,
    /// Number of lanes.
    lanes: u32,
    /// Rate in each direction before the cost of packets, 10⁶ bytes/s.
    raw_mbps: f64,
}

impl From<LinkRate> for LinkRateRecord {
    fn from(link: LinkRate) -> Self {
        let LinkRate { generation, lanes } = link;
        let gigatransfers = generation.gigatransfers();
        Self { generation, gigatransfers, lanes, raw_mbps: link.raw_mbps().round() }
    }
}

/// The text does not describe a link.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a link; write it as gen4x4 or 16x4 (GT/s and lanes)")]
pub struct LinkRateError(String);

/// Accepts `gen4x4`, `Gen4 x4` and `16x4`, which is sixteen gigatransfers on
/// four lanes. It does not accept `4x4`, because 4 GT/s is not a rate of PCI
/// Express.
impl FromStr for LinkRate {
    type Err = LinkRateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase().replace(' ', "");
        let parsed = || {
            let (speed, lanes) = lower.split_once('x')?;
            let generation = match speed.strip_prefix("gen") {
                Some(number) => Generation::from_number(number.parse().ok()?)?,
                None => Generation::from_gigatransfers(speed.trim_end_matches("gt/s").parse().ok()?)?,
            };
            let lanes = lanes.parse().ok().filter(|lanes| LANES.contains(lanes))?;
            Some(Self { generation, lanes })
        };
        parsed().ok_or_else(|| LinkRateError(text.to_owned()))
    }
}

/// The widths of the standard (12 and 32 were removed in 6.0).
pub const LANES: [u32; 7] = [1, 2, 4, 8, 12, 16, 32];

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(link: &str) -> f64 {
        link.parse::<LinkRate>().unwrap().raw_mbps().round()
    }

    /// The table of the bandwidth model: x1, x4, x8, x16 of each generation.
    #[test]
    fn raw_rates_of_every_generation() {
        let table = [
            (1, [250.0, 1000.0, 2000.0, 4000.0]),
            (2, [500.0, 2000.0, 4000.0, 8000.0]),
            (3, [985.0, 3938.0, 7877.0, 15754.0]),
            (4, [1969.0, 7877.0, 15754.0, 31508.0]),
            (5, [3938.0, 15754.0, 31508.0, 63015.0]),
            (6, [7375.0, 29500.0, 59000.0, 118_000.0]),
        ];
        for (generation, rates) in table {
            for (lanes, rate) in [1, 4, 8, 16].into_iter().zip(rates) {
                assert_eq!(raw(&format!("gen{generation}x{lanes}")), rate, "gen{generation} x{lanes}");
            }
        }
    }

    /// M-11: x4 and x8 of the second generation. V-79, V-80: one lane of the
    /// first and of the second.
    #[test]
    fn the_guides_own_figures() {
        assert_eq!(raw("5x4"), 2000.0);
        assert_eq!(raw("5x8"), 4000.0);
        assert_eq!(raw("2.5x1"), 250.0);
        assert_eq!(raw("5x1"), 500.0);
    }

    #[test]
    fn ceilings_of_x4_drives() {
        let ceiling = |link: &str, payload| {
            let mbps = link.parse::<LinkRate>().unwrap().ceiling_mbps(payload, LinkDirection::DeviceToHost);
            (mbps / 100.0).round() / 10.0
        };
        let table = [("gen3x4", 3.2, 3.5), ("gen4x4", 6.4, 7.0), ("gen5x4", 12.9, 14.0)];
        for (link, small, large) in table {
            assert_eq!((ceiling(link, 128), ceiling(link, 256)), (small, large), "{link}");
        }
    }

    #[test]
    fn what_is_no_link_is_refused() {
        for text in ["", "x4", "gen7x4", "gen4", "4x4", "gen4x3", "gen4x-4"] {
            assert!(text.parse::<LinkRate>().is_err(), "{text}");
        }
        assert_eq!("Gen3 x8".parse::<LinkRate>().unwrap().to_string(), "Gen3 x8");
    }

    #[test]
    fn two_ends_agree_on_the_lesser_of_both() {
        let (device, port): (LinkRate, LinkRate) = ("gen4x4".parse().unwrap(), "gen3x16".parse().unwrap());
        assert_eq!(device.common(port).to_string(), "Gen3 x4");
    }
}
