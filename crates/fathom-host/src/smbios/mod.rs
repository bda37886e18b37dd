//! The firmware's table of the machine (SMBIOS, DMTF DSP0134), read raw from
//! `/sys/firmware/dmi/tables/DMI`. Only root may read it.
//!
//! The firmware fills it at power-on: names that are printed on the board,
//! sizes and speeds of the parts that were present then.

pub mod module;
pub mod slot;

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
    let mut found = Vec::new();
    let mut rest = table;
    while let Some((structure, after)) = first(rest) {
        if structure.kind() == END_OF_TABLE {
            return (found, false);
        }
        found.push(structure);
        rest = after;
    }
    // Some tables end without their last structure.
    (found, !rest.is_empty())
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
