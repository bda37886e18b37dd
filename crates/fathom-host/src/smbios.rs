//! The firmware's table of the machine (SMBIOS, DMTF DSP0134), read raw from
//! `/sys/firmware/dmi/tables/DMI`. Only root may read it.
//!
//! The firmware fills it at power-on: names that are printed on the board,
//! sizes and speeds of the parts that were present then.

use crate::topology::address::Address;

/// The file with the table.
pub const TABLE: &str = "/sys/firmware/dmi/tables/DMI";

/// Type of the structure that ends a table.
const END_OF_TABLE: u8 = 127;

/// Bytes of the header that every structure has: type, length, handle.
const HEADER_BYTES: usize = 4;

/// One structure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structure<'t> {
    /// The part with fixed places, the header too.
    pub formatted: &'t [u8],
    /// The strings, a zero between two.
    pub strings: &'t [u8],
}

impl Structure<'_> {
    fn kind(&self) -> u8 {
        self.formatted[0]
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.formatted.get(at).copied()
    }

    fn word(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(at)?, self.byte(at + 1)?]))
    }

    /// The string whose number (from 1) is at the offset.
    fn text(&self, at: usize) -> Option<String> {
        let number = usize::from(self.byte(at)?);
        let text = self.strings.split(|byte| *byte == 0).nth(number.checked_sub(1)?)?;
        let text = String::from_utf8_lossy(text).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// The structures up to the end of the table, and whether the table is cut off before its end.
fn structures(table: &[u8]) -> (Vec<Structure<'_>>, bool) {
    let mut records = Vec::new();
    let mut rest = table;
    while let Some((structure, after)) = first(rest) {
        if structure.kind() == END_OF_TABLE {
            return (records, false);
        }
        records.push(structure);
        rest = after;
    }
    // Some tables end without their last structure.
    (records, !rest.is_empty())
}

/// The first structure of a table, and what follows. It has a formatted part and
/// strings. A zero ends each string, and another zero ends the list.
pub(crate) fn first(table: &[u8]) -> Option<(Structure<'_>, &[u8])> {
    let len = usize::from(*table.get(1)?);
    let formatted = table.get(..len).filter(|_| len >= HEADER_BYTES)?;
    let after = &table[len..];
    let end = after.windows(2).position(|pair| pair == [0, 0])?;
    Some((Structure { formatted, strings: &after[..end] }, &after[end + 2..]))
}

// Memory modules as the firmware lists them: structures of type 17 in the
// SMBIOS table (DMTF DSP0134, 7.18 Memory Device).

/// A slot for a memory module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySlot {
    /// Its name on the board, `DIMM_A1`.
    pub locator: String,
    /// Its bank or channel, `NODE 1 CHANNEL A`.
    pub bank: String,
    /// Megabytes of the module in it; `None` if it is empty.
    pub size_mb: Option<u64>,
    /// The highest speed of the module, in MT/s; `None` where it is not reported.
    pub speed_mts: Option<u16>,
    /// The speed that it runs at, in MT/s.
    pub configured_mts: Option<u16>,
}

impl MemorySlot {
    /// The memory channel, if the names contain it: `…CHANNEL A…` in either
    /// name, or a locator that ends in a letter and a number, `CPU1_DIMM_A1`,
    /// whose letter is the channel. Boards have different naming rules, so
    /// there may be no answer.
    pub fn channel(&self) -> Option<String> {
        let named = |name: &str| {
            let name = name.to_uppercase();
            let at = name.find("CHANNEL")? + "CHANNEL".len();
            let rest = name[at..].trim_start_matches([' ', '_', '-']);
            let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
            (!word.is_empty()).then(|| format!("{}{word}", &name[..at]))
        };
        let by_letter = |name: &str| {
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let mut last = stem.chars().rev();
            let ends_so =
                last.next()?.is_ascii_uppercase() && last.next().is_none_or(|c| !c.is_ascii_alphabetic());
            (stem.len() < name.len() && ends_so).then(|| stem.to_owned())
        };
        named(&self.bank).or_else(|| named(&self.locator)).or_else(|| by_letter(&self.locator))
    }
}

/// Type of the structure, and offsets in it.
const MEMORY_DEVICE: u8 = 17;
const SIZE: usize = 0x0c;
const LOCATOR: usize = 0x10;
const BANK: usize = 0x11;
const SPEED: usize = 0x15;
const EXTENDED_SIZE: usize = 0x1c;
const CONFIGURED_SPEED: usize = 0x20;

/// All slots of the table. `None` if the bytes are not such a table.
pub fn memory_slots(table: &[u8]) -> Option<Vec<MemorySlot>> {
    let (structures, broken) = structures(table);
    let slots = structures.iter().filter(|s| s.kind() == MEMORY_DEVICE).filter_map(memory_slot);
    (!broken).then(|| slots.collect())
}

fn memory_slot(structure: &Structure<'_>) -> Option<MemorySlot> {
    // 0: not reported; 0xffff: too large for the field.
    let speed = |at: usize| structure.word(at).filter(|mts| *mts != 0 && *mts != u16::MAX);
    Some(MemorySlot {
        locator: structure.text(LOCATOR).unwrap_or_default(),
        bank: structure.text(BANK).unwrap_or_default(),
        size_mb: size_mb(structure)?,
        speed_mts: speed(SPEED),
        configured_mts: speed(CONFIGURED_SPEED),
    })
}

/// `None` if the structure is too short to contain it; `Some(None)` for an empty slot.
fn size_mb(structure: &Structure<'_>) -> Option<Option<u64>> {
    Some(match structure.word(SIZE)? {
        0 => None,
        0x7fff => {
            let field = structure.formatted.get(EXTENDED_SIZE..EXTENDED_SIZE + 4)?;
            let bytes: [u8; 4] = field.try_into().ok()?;
            Some(u64::from(u32::from_le_bytes(bytes) & 0x7fff_ffff))
        }
        // If the highest bit is set, the size is in kilobytes.
        size if size != u16::MAX && size & 0x8000 != 0 => Some(u64::from(size & 0x7fff) / 1024),
        size => Some(u64::from(size)),
    })
}

// System slots (type 9) in the firmware's table (SMBIOS 3.4, §7.10): the name
// that is printed next to a slot.
//
// The firmware fills the table at power-on. If it calls a slot "available",
// this proves nothing; we use only the name and the address.

/// Type of the structure.
const TYPE_SLOT: u8 = 9;

/// Structures before 2.6 are shorter and have no address.
const LEN_WITH_ADDRESS: usize = 0x11;

/// The names of all slots of a raw table (`PCI-E Slot 7`), in its order, with their PCI addresses; `None` if the firmware does not
/// report it. If the table is cut off, the slots before the cut.
pub fn system_slots(table: &[u8]) -> Vec<(String, Option<Address>)> {
    let (structures, _) = structures(table);
    let slot = |structure: &Structure<'_>| {
        Some((structure.text(4)?, structure.formatted.get(..LEN_WITH_ADDRESS).and_then(address)))
    };
    structures.iter().filter(|s| s.kind() == TYPE_SLOT).filter_map(slot).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smbios::END_OF_TABLE;

    fn device(size: u16, extended: u32, speed: u16, strings: &[&str]) -> Vec<u8> {
        let mut body = vec![0u8; 0x22];
        (body[0], body[1]) = (MEMORY_DEVICE, 0x22);
        body[SIZE..SIZE + 2].copy_from_slice(&size.to_le_bytes());
        (body[LOCATOR], body[BANK]) = (1, 2);
        body[SPEED..SPEED + 2].copy_from_slice(&speed.to_le_bytes());
        body[EXTENDED_SIZE..EXTENDED_SIZE + 4].copy_from_slice(&extended.to_le_bytes());
        body[CONFIGURED_SPEED..CONFIGURED_SPEED + 2].copy_from_slice(&speed.to_le_bytes());
        strings.iter().for_each(|text| body.extend([text.as_bytes(), b"\0"].concat()));
        body.push(0);
        body
    }

    #[test]
    fn sizes_in_each_form() {
        let table = [
            device(16384, 0, 3200, &["DIMM_A1", "P0 CHANNEL A"]),
            device(0x7fff, 65536, 3200, &["DIMM_A2", "P0 CHANNEL A"]),
            device(0, 0, 0, &["DIMM_B1", "P0 CHANNEL B"]),
            device(0x8000 | 2048, 0, 0, &["X", "Y"]),
            vec![END_OF_TABLE, 4, 0, 0, 0, 0],
        ];
        let slots = memory_slots(&table.concat()).unwrap();
        let sizes: Vec<Option<u64>> = slots.iter().map(|slot| slot.size_mb).collect();
        assert_eq!(sizes, [Some(16384), Some(65536), None, Some(2)]);
        assert_eq!((slots[0].speed_mts, slots[3].speed_mts), (Some(3200), None));
        assert_eq!(slots[2].bank, "P0 CHANNEL B");
    }

    #[test]
    fn channels_by_the_names_of_boards() {
        let channel = |locator: &str, bank: &str| {
            let slot = MemorySlot {
                locator: locator.to_owned(),
                bank: bank.to_owned(),
                size_mb: None,
                speed_mts: None,
                configured_mts: None,
            };
            slot.channel()
        };
        assert_eq!(channel("DIMM 0", "P0 CHANNEL A").as_deref(), Some("P0 CHANNELA"));
        assert_eq!(channel("ChannelB-DIMM0", "BANK 2").as_deref(), Some("CHANNELB"));
        assert_eq!(channel("CPU1_DIMM_C2", "NODE 1").as_deref(), Some("CPU1_DIMM_C"));
        assert_eq!(channel("A1", ""), Some("A".to_owned()));
        assert_eq!(channel("DIMM 0", ""), None);
        assert_eq!(channel("DIMM0", "BANK 0"), None);
    }

    #[test]
    fn what_is_no_table() {
        for bytes in [&b"nonsense"[..], &[17, 34, 0], &[17, 2, 0, 0, 0, 0], &[17, 34, 0, 0, 1, 2, 3]] {
            assert_eq!(memory_slots(bytes), None, "{bytes:?}");
        }
    }

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
        let slots = system_slots(&table.concat());
        assert_eq!(slots.len(), 1);
        assert_eq!(slots[0].0, "PCI-E Slot 7");
        assert_eq!(slots[0].1.unwrap().to_string(), "0000:05:00.0");
    }

    #[test]
    fn tables_that_break_off_or_say_nothing() {
        let mut bytes = slot_seven();
        assert_eq!(system_slots(&[&bytes[..], &bytes[..9]].concat()).len(), 1);
        bytes[0xd..0x11].fill(0xff);
        assert_eq!(system_slots(&bytes)[0].1, None);
        bytes[4] = 3;
        assert!(system_slots(&bytes).is_empty());
        assert!(system_slots(&[9, 0, 0, 0, 0, 0]).is_empty());
        assert!(system_slots(&[]).is_empty());
        let early = structure_bytes(9, &[1, 0xa5, 10, 3, 4, 7, 0, 4, 1], &["J1"]);
        assert_eq!(system_slots(&early), [("J1".to_owned(), None)]);
    }
}
