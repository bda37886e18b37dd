//! The facts that only the configuration space of a function contains: its port
//! type and its payload sizes.
//!
//! Without root the kernel shows only its first 64 bytes, and the PCI Express
//! capability is after them. Then these facts are unknown, with that reason.

use std::path::PathBuf;

use super::address::Address;
use super::fact::Reading;
use fathom_device::root::{Root, Unknown, Why};

/// Bytes that all users may read.
const HEADER_BYTES: usize = 64;

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
    found: Result<Registers, Unknown>,
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
        let found = root.read_bytes(&path).and_then(|bytes| {
            if bytes.len() <= HEADER_BYTES {
                let reason = "only the first 64 bytes are shown without root";
                return Err(Unknown { why: Why::Denied, ..Unknown::new(&path, reason) });
            }
            let none = || Unknown::absent(&path, "the function has no PCI Express capability");
            registers(&bytes).ok_or_else(none)
        });
        Self { path, found }
    }

    fn fact<T>(&self, register: &str, value: impl Fn(&Registers) -> (T, u32)) -> Reading<T> {
        match &self.found {
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
    use fathom_device::tree::{Tree, TreeEntry};

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
