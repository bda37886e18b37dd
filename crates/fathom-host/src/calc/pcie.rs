//! What a PCI Express link carries: lanes × transfer rate × coding ÷ 8
//! (M-11, V-80), in each direction at once.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The share that link-layer packets, skip sequences and the drive's own queue
/// entries need, in addition to packet headers. It is an estimate (research,
/// host §2.1), so results are called a ceiling and not a rate.
const HOUSEKEEPING: f64 = 0.03;

/// A speed and a width: what a link has, or could have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// From the Link Status register of a PCI Express function (PCI Express Base 5.0, §7.5.3.8), as lspci, and tools older than it,
    /// print it: bits 3:0 speed, 9:4 width. 0x1011 is one lane of 2.5 GT/s (V-79). `None` for an unknown speed, and for the width 0
    /// of an empty port.
    pub fn of_status(register: u16) -> Option<Self> {
        let generation = Generation::from_number((register & 0xf) as u8)?;
        let lanes = u32::from(register >> 4 & 0x3f);
        (lanes > 0).then_some(Self { generation, lanes })
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
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

// The generations of PCI Express.

/// A generation of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "u8")]
pub enum Generation {
    /// 2.5 GT/s, 8b/10b.
    Gen1,
    /// 5 GT/s, 8b/10b.
    Gen2,
    /// 8 GT/s, 128b/130b.
    Gen3,
    /// 16 GT/s, 128b/130b.
    Gen4,
    /// 32 GT/s, 128b/130b.
    Gen5,
    /// 64 GT/s, four-level signals in flits.
    Gen6,
}

impl Generation {
    /// All generations, the first one first.
    pub const ALL: [Self; 6] = [Self::Gen1, Self::Gen2, Self::Gen3, Self::Gen4, Self::Gen5, Self::Gen6];

    /// 1 to 6.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The generation with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|generation| generation.number() == number)
    }

    /// Transfers per second and lane, in 10⁹.
    pub fn gigatransfers(self) -> f64 {
        [2.5, 5.0, 8.0, 16.0, 32.0, 64.0][self as usize]
    }

    /// The generation whose lanes run at this rate.
    pub fn from_gigatransfers(rate: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|generation| (generation.gigatransfers() - rate).abs() < 0.01)
    }

    /// The line coding of a lane.
    pub fn coding(self) -> &'static str {
        match self {
            Self::Gen1 | Self::Gen2 => "8b/10b",
            Self::Gen3 | Self::Gen4 | Self::Gen5 => "128b/130b",
            Self::Gen6 => "flit 236/256",
        }
    }

    /// The share of the bits that packets may use. A flit of 256 bytes has
    /// 236 for packets (PCI Express 6.0, §4.2.3.4).
    pub fn coding_share(self) -> f64 {
        match self {
            Self::Gen1 | Self::Gen2 => 8.0 / 10.0,
            Self::Gen3 | Self::Gen4 | Self::Gen5 => 128.0 / 130.0,
            Self::Gen6 => 236.0 / 256.0,
        }
    }

    /// What one lane carries in one direction, in 10⁶ bytes per second.
    pub fn lane_mbps(self) -> f64 {
        self.gigatransfers() * 1000.0 * self.coding_share() / 8.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gen{}", self.number())
    }
}

impl From<Generation> for u8 {
    fn from(generation: Generation) -> u8 {
        generation.number()
    }
}

// What packet headers cost on a PCI Express link.

/// The direction of the data, seen from the drive's host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDirection {
    /// A read of the drive: the drive writes into the host's memory.
    DeviceToHost,
    /// A write to the drive: the host answers the drive's reads.
    HostToDevice,
}

/// Maximum payload sizes that a port may be set to (Device Control 7:5), in
/// bytes.
pub const PAYLOADS_BYTES: [u32; 6] = [128, 256, 512, 1024, 2048, 4096];

/// The payload of a port until somebody raises it.
pub const PAYLOAD_DEFAULT_BYTES: u32 = 128;

/// Bytes of overhead for each payload: framing 4, checksum 4, and the header,
/// which is four words for a write to a 64-bit address and three for an answer.
/// In a flit, framing and checksum belong to the flit and are in its own share.
fn overhead_bytes(generation: Generation, direction: LinkDirection) -> u32 {
    let header = match direction {
        LinkDirection::DeviceToHost => 16,
        LinkDirection::HostToDevice => 12,
    };
    match generation {
        Generation::Gen6 => header,
        _ => header + 8,
    }
}

/// The share of a link's bytes that is payload, with packets as long as
/// `payload_bytes`: 128 → 84.2 % of a read and 86.5 % of a write.
pub fn efficiency(generation: Generation, payload_bytes: u32, direction: LinkDirection) -> f64 {
    let payload = f64::from(payload_bytes);
    payload / (payload + f64::from(overhead_bytes(generation, direction)))
}

/// From this share of the ceiling on, the link is the limit. The ceiling's
/// estimate of headers and housekeeping is not more exact than that.
const LIMIT_SHARE: f64 = 0.95;

/// A measured rate compared with what a link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// V-78, V-79: a device of sixteen lanes whose link trained with one lane.
    #[test]
    fn a_link_of_one_lane() {
        let rate = LinkRate::of_status(0x1011).unwrap();
        assert_eq!((rate.generation.gigatransfers(), rate.lanes), (2.5, 1));
        assert_eq!(rate.raw_mbps(), 250.0);
    }

    #[test]
    fn other_registers() {
        assert_eq!(LinkRate::of_status(0x1044).unwrap().to_string(), "Gen4 x4");
        assert_eq!(LinkRate::of_status(0), None);
        assert_eq!(LinkRate::of_status(0x001f), None);
    }

    #[test]
    fn shares_by_payload_size() {
        let tenths =
            |payload, direction| (efficiency(Generation::Gen4, payload, direction) * 1000.0).round() / 10.0;
        let table = [(128, 84.2, 86.5), (256, 91.4, 92.8), (512, 95.5, 96.2)];
        for (payload, read, write) in table {
            assert_eq!(tenths(payload, LinkDirection::DeviceToHost), read);
            assert_eq!(tenths(payload, LinkDirection::HostToDevice), write);
        }
        // Root complexes often answer a read in pieces of a cache line, whatever the payload size.
        assert_eq!(tenths(64, LinkDirection::HostToDevice), 76.2);
    }

    #[test]
    fn a_flit_pays_for_headers_only() {
        let (flit, plain) = (Generation::Gen6, Generation::Gen5);
        assert!(
            efficiency(flit, 256, LinkDirection::DeviceToHost)
                > efficiency(plain, 256, LinkDirection::DeviceToHost)
        );
    }

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
