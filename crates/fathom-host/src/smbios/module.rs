//! Memory modules as the firmware lists them: structures of type 17 in the
//! SMBIOS table (DMTF DSP0134, 7.18 Memory Device).

use super::{Structure, structures};

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
pub fn slots(table: &[u8]) -> Option<Vec<MemorySlot>> {
    let (structures, broken) = structures(table);
    let slots = structures.iter().filter(|s| s.kind() == MEMORY_DEVICE).filter_map(slot);
    (!broken).then(|| slots.collect())
}

fn slot(structure: &Structure<'_>) -> Option<MemorySlot> {
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
        let slots = slots(&table.concat()).unwrap();
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
            assert_eq!(slots(bytes), None, "{bytes:?}");
        }
    }
}
