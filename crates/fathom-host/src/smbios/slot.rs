//! System slots (type 9) in the firmware's table (SMBIOS 3.4, §7.10): the name
//! that is printed next to a slot.
//!
//! The firmware fills the table at power-on. If it calls a slot "available",
//! this proves nothing (M-10); we use only the name and the address.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Structure, structures};
use crate::topology::address::Address;

/// Type of the structure.
const TYPE_SLOT: u8 = 9;

/// Structures before 2.6 are shorter and have no address.
const LEN_WITH_ADDRESS: usize = 0x11;

/// One slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SystemSlot {
    /// `PCI-E Slot 7`.
    pub designation: String,
    /// Its PCI address; `None` if the firmware does not report it.
    pub address: Option<Address>,
    /// Whether it is in use, according to the firmware.
    pub in_use: bool,
    /// Lanes that are wired, by the code of the data bus width.
    pub lanes: Option<u32>,
}

/// All slots of a raw table, in its order. If the table is cut off, the slots
/// before the cut.
pub fn slots(table: &[u8]) -> Vec<SystemSlot> {
    let (structures, _) = structures(table);
    structures.iter().filter(|s| s.kind() == TYPE_SLOT).filter_map(slot).collect()
}

fn slot(structure: &Structure<'_>) -> Option<SystemSlot> {
    Some(SystemSlot {
        designation: structure.text(4)?,
        address: structure.formatted.get(..LEN_WITH_ADDRESS).and_then(address),
        in_use: structure.byte(7)? == 4,
        lanes: lanes(structure.byte(6)?),
    })
}

/// Segment, bus, device and function; all ones mean "no address".
fn address(formatted: &[u8]) -> Option<Address> {
    let (bus, device_function) = (formatted[0xf], formatted[0x10]);
    let domain = u16::from_le_bytes([formatted[0xd], formatted[0xe]]);
    let is_none = (domain, bus, device_function) == (0xffff, 0xff, 0xff);
    let address =
        Address { domain: domain.into(), bus, device: device_function >> 3, function: device_function & 7 };
    (!is_none).then_some(address)
}

/// Codes 8 to 14 are x1, x2, x4, x8, x12, x16, x32.
fn lanes(code: u8) -> Option<u32> {
    let at = usize::from(code).checked_sub(8)?;
    [1, 2, 4, 8, 12, 16, 32].get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure_bytes(kind: u8, fields: &[u8], strings: &[&str]) -> Vec<u8> {
        let mut bytes = vec![kind, fields.len() as u8 + 4, 0, 9];
        bytes.extend(fields);
        strings.iter().for_each(|text| bytes.extend([text.as_bytes(), &[0]].concat()));
        bytes.extend(if strings.is_empty() { &[0, 0][..] } else { &[0] });
        bytes
    }

    /// Slot 7 of M-10: x4, in use, 0000:05:00.0.
    fn slot_seven() -> Vec<u8> {
        let fields = [1, 0xa5, 10, 4, 4, 7, 0, 4, 1, 0, 0, 5, 0];
        structure_bytes(9, &fields, &["PCI-E Slot 7"])
    }

    #[test]
    fn a_slot_has_name_and_address() {
        let table =
            [structure_bytes(0, &[1; 20], &["BIOS", "1.0"]), slot_seven(), structure_bytes(127, &[], &[])];
        let slots = slots(&table.concat());
        assert_eq!(slots.len(), 1);
        assert_eq!(slots[0].designation, "PCI-E Slot 7");
        assert_eq!(slots[0].address.unwrap().to_string(), "0000:05:00.0");
        assert_eq!((slots[0].in_use, slots[0].lanes), (true, Some(4)));
    }

    #[test]
    fn tables_that_break_off_or_say_nothing() {
        let mut bytes = slot_seven();
        assert_eq!(slots(&[&bytes[..], &bytes[..9]].concat()).len(), 1);
        bytes[0xd..0x11].fill(0xff);
        assert_eq!(slots(&bytes)[0].address, None);
        bytes[4] = 3;
        assert!(slots(&bytes).is_empty());
        assert!(slots(&[9, 0, 0, 0, 0, 0]).is_empty());
        assert!(slots(&[]).is_empty());
        let early = structure_bytes(9, &[1, 0xa5, 10, 3, 4, 7, 0, 4, 1], &["J1"]);
        assert_eq!((slots(&early)[0].address, slots(&early)[0].in_use), (None, false));
    }
}
