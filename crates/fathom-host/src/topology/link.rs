//! The link above a function: its current rate, the best rate of both ends, and
//! what it carries.

use std::path::PathBuf;

use super::address::Address;
use super::fact::Reading;
use crate::calc::pcie::{Generation, LANES, LinkDirection, LinkRate, PAYLOAD_DEFAULT_BYTES};
use fathom_device::root::{Root, Unknown, Why};
use serde::Serialize;

/// Speed and width from a pair of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkEnd {
    /// Speed; "Unknown" is unknown.
    pub speed: Reading<Generation>,
    /// Lanes; 0 and 255 are unknown.
    pub lanes: Reading<u32>,
}

impl LinkEnd {
    /// Reads the pair of a function whose names begin with this word: `current` or `max`.
    pub fn read(root: &Root, address: Address, word: &str) -> Self {
        let dir = address.sys_dir();
        Self {
            speed: Reading::read(root, format!("{dir}/{word}_link_speed"), speed),
            lanes: Reading::read(root, format!("{dir}/{word}_link_width"), lanes),
        }
    }

    /// Both, if both are known.
    pub fn rate(&self) -> Option<LinkRate> {
        Some(LinkRate { generation: self.speed.value?, lanes: self.lanes.value? })
    }
}

/// `16.0 GT/s PCIe`; kernels before 5.7 wrote `16 GT/s`.
fn speed(text: &str) -> Option<Generation> {
    let (rate, unit) = text.split_once(' ')?;
    unit.starts_with("GT/s").then(|| Generation::from_gigatransfers(rate.parse().ok()?))?
}

fn lanes(text: &str) -> Option<u32> {
    text.parse().ok().filter(|lanes| LANES.contains(lanes))
}

/// The link between an upstream-facing function and the port above it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The current speed and width.
    pub current: LinkEnd,
    /// The best speed and width of the function.
    pub max: LinkEnd,
    /// The best speed and width of the port above.
    pub partner_max: LinkEnd,
    /// The lower rate of both ends, which a healthy link has. If one end is
    /// unknown, that of the other end.
    pub capable: Option<LinkRate>,
    /// What it carries now, in 10⁶ bytes per second and direction.
    pub raw_mbps: Option<f64>,
    /// What it would carry if it were healthy.
    pub healthy_mbps: Option<f64>,
    /// The highest rate of reads from a drive over it.
    pub ceiling: Option<LinkCeiling>,
}

/// The highest rate of reads from a drive over a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkCeiling {
    /// 10⁶ bytes per second.
    pub mbps: f64,
    /// Payload of the packets, in bytes.
    pub payload_bytes: u32,
    /// Whether the payload size is not known, so that the default is assumed,
    /// which gives the lowest ceiling.
    pub payload_is_assumed: bool,
}

impl LinkCeiling {
    fn of(rate: LinkRate, payload_bytes: Option<u32>) -> Self {
        let size = payload_bytes.unwrap_or(PAYLOAD_DEFAULT_BYTES);
        let mbps = rate.ceiling_mbps(size, LinkDirection::DeviceToHost).round();
        Self { mbps, payload_bytes: size, payload_is_assumed: payload_bytes.is_none() }
    }
}

impl Link {
    /// Reads the link between `function` and the `port` above it;
    /// `payload_bytes` is what the function is set to.
    pub fn read(root: &Root, function: Address, port: Address, payload_bytes: Option<u32>) -> Self {
        let current = LinkEnd::read(root, function, "current");
        let max = LinkEnd::read(root, function, "max");
        let partner_max = LinkEnd::read(root, port, "max");
        let capable = match (max.rate(), partner_max.rate()) {
            (Some(own), Some(partner)) => Some(own.common(partner)),
            (own, partner) => own.or(partner),
        };
        let now = current.rate();
        Self {
            raw_mbps: now.map(LinkRate::raw_mbps),
            healthy_mbps: capable.or(now).map(LinkRate::raw_mbps),
            ceiling: now.map(|rate| LinkCeiling::of(rate, payload_bytes)),
            current,
            max,
            partner_max,
            capable,
        }
    }

    /// Fewer lanes than both ends have.
    pub fn is_narrowed(&self) -> bool {
        self.compare(|now, could| now.lanes < could.lanes)
    }

    /// Whether it is slower than both ends support. A link may slow down while idle.
    pub fn is_slowed(&self) -> bool {
        self.compare(|now, could| now.generation < could.generation)
    }

    fn compare(&self, is_less: impl Fn(LinkRate, LinkRate) -> bool) -> bool {
        self.current.rate().zip(self.capable).is_some_and(|(now, could)| is_less(now, could))
    }

    /// Whether the port above, not the function, sets the limit.
    pub fn is_slot_limited(&self) -> bool {
        let ends = self.max.rate().zip(self.partner_max.rate());
        ends.is_some_and(|(own, partner)| own.common(partner).raw_mbps() < own.raw_mbps())
    }
}

// What a link must carry, and what it can carry.

/// A sum of needs, in 10⁶ bytes per second and direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

// The facts that only the configuration space of a function contains: its port
// type and its payload sizes.
//
// Without root the kernel shows only its first 64 bytes, and the PCI Express
// capability is after them. Then these facts are unknown, with that reason.

/// Bytes that all users may read.
const HEADER_BYTES: usize = 64;

/// Bytes in which the capabilities are. What follows is not asked for: each word of it is a request to the device, which a
/// virtual machine makes slow.
const SPACE_BYTES: usize = 256;

/// Offset of the pointer to the first capability, and the capability of PCI
/// Express (PCI Local Bus 3.0 §6.7, PCI Express Base 5.0 §7.5.3).
const CAPABILITIES_POINTER: usize = 0x34;
const CAPABILITY_EXPRESS: u8 = 0x10;

/// A list of capabilities longer than this is a loop: 256 bytes hold at most
/// 48 of four bytes.
const CAPABILITIES_MAX: usize = 48;

/// The PCI Express capability of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Express {
    path: PathBuf,
    registers: Result<Registers, Unknown>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Registers {
    capabilities: u16,
    device_capabilities: u32,
    device_control: u16,
}

impl Express {
    /// Reads the function's `config`.
    pub fn read(root: &Root, address: Address) -> Self {
        let path = PathBuf::from(address.sys_dir()).join("config");
        let read_registers = root.read_first(&path, SPACE_BYTES).and_then(|bytes| {
            if bytes.len() <= HEADER_BYTES {
                let reason = "only the first 64 bytes are shown without root";
                return Err(Unknown { why: Why::Denied, ..Unknown::new(&path, reason) });
            }
            let none = || Unknown::absent(&path, "the function has no PCI Express capability");
            registers(&bytes).ok_or_else(none)
        });
        Self { path, registers: read_registers }
    }

    fn fact<T>(&self, register: &str, value: impl Fn(&Registers) -> (T, u32)) -> Reading<T> {
        match &self.registers {
            Err(unknown) => Reading::unknown(unknown.clone()),
            Ok(registers) => {
                let (value, raw) = value(registers);
                Reading::known(value, &self.path, format!("{register} 0x{raw:x}"))
            }
        }
    }

    /// Device/port type, bits 7:4 of the capabilities register.
    pub fn port_type(&self) -> Reading<u8> {
        self.fact("PCIe capabilities", |r| ((r.capabilities >> 4 & 0xf) as u8, u32::from(r.capabilities)))
    }

    /// Bytes of payload that the function can take, Device Capabilities 2:0.
    pub fn payload_capable_bytes(&self) -> Reading<u32> {
        self.fact("Device Capabilities", |r| (128 << (r.device_capabilities & 7), r.device_capabilities))
    }

    /// Bytes of payload that it is set to, Device Control 7:5.
    pub fn payload_bytes(&self) -> Reading<u32> {
        self.fact("Device Control", |r| (128 << (r.device_control >> 5 & 7), u32::from(r.device_control)))
    }

    /// Largest read request, in bytes, Device Control 14:12.
    pub fn read_request_bytes(&self) -> Reading<u32> {
        self.fact("Device Control", |r| (128 << (r.device_control >> 12 & 7), u32::from(r.device_control)))
    }
}

fn registers(bytes: &[u8]) -> Option<Registers> {
    let at = express_offset(bytes)?;
    let half =
        |offset: usize| Some(u16::from_le_bytes(bytes.get(at + offset..at + offset + 2)?.try_into().ok()?));
    let word =
        |offset: usize| Some(u32::from_le_bytes(bytes.get(at + offset..at + offset + 4)?.try_into().ok()?));
    Some(Registers { capabilities: half(2)?, device_capabilities: word(4)?, device_control: half(8)? })
}

fn express_offset(bytes: &[u8]) -> Option<usize> {
    let mut at = usize::from(*bytes.get(CAPABILITIES_POINTER)? & 0xfc);
    for _ in 0..CAPABILITIES_MAX {
        if at < HEADER_BYTES {
            return None;
        }
        if *bytes.get(at)? == CAPABILITY_EXPRESS {
            return Some(at);
        }
        at = usize::from(*bytes.get(at + 1)? & 0xfc);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::tree::Tree;
    use fathom_device::tree::TreeEntry;

    #[test]
    fn speeds_as_kernels_write_them() {
        let table = [
            ("2.5 GT/s PCIe", Some(1)),
            ("2.5 GT/s", Some(1)),
            ("8 GT/s", Some(3)),
            ("32.0 GT/s PCIe", Some(5)),
            ("Unknown", None),
            ("Unknown speed", None),
            ("", None),
            ("8", None),
        ];
        for (text, generation) in table {
            assert_eq!(speed(text).map(Generation::number), generation, "{text}");
        }
        assert_eq!(["0", "255", "63", "4", "x"].map(lanes), [None, None, None, Some(4), None]);
    }

    fn express(bytes: &[u8]) -> Express {
        let address: Address = "0000:41:00.0".parse().unwrap();
        let mut tree = Tree::default();
        let path = format!("{}/config", address.sys_dir());
        tree.insert(path, TreeEntry::File { bytes: bytes.to_vec(), mode: None });
        Express::read(&Root::held(&tree), address)
    }

    /// Power management at 0x40, then PCI Express at 0x50.
    fn space() -> Vec<u8> {
        let mut bytes = vec![0; 256];
        bytes[0x34] = 0x40;
        bytes[0x40..0x42].copy_from_slice(&[0x01, 0x50]);
        bytes[0x50..0x54].copy_from_slice(&[0x10, 0, 0x42, 0]);
        bytes[0x54] = 2;
        bytes[0x58..0x5a].copy_from_slice(&0x2830u16.to_le_bytes());
        bytes
    }

    #[test]
    fn registers_are_found_behind_other_capabilities() {
        let express = express(&space());
        assert_eq!(express.port_type().value, Some(4));
        assert_eq!(express.payload_capable_bytes().value, Some(512));
        assert_eq!(express.payload_bytes().value, Some(256));
        assert_eq!(express.payload_bytes().raw.as_deref(), Some("Device Control 0x2830"));
        assert_eq!(express.read_request_bytes().value, Some(512));
    }

    #[test]
    fn what_is_hidden_missing_or_broken_is_unknown() {
        assert!(express(&space()[..64]).payload_bytes().is_denied());
        let mut without = space();
        without[0x41] = 0;
        assert_eq!(express(&without).payload_bytes().why, Some(Why::Missing));
        let mut looped = space();
        looped[0x41] = 0x40;
        assert_eq!(express(&looped).port_type().value, None);
        assert_eq!(express(&space()[..0x56]).port_type().value, None);
    }
}
