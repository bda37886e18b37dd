//! `dmidecode -t 17`: the memory modules, as the firmware reports them.

use super::{field, structures};
use crate::printout::figure::number;
use crate::smbios::module::MemorySlot;

/// The title above a slot for a module.
pub(super) const TITLE: &str = "Memory Device";

/// All slots of a printout, filled or not.
pub fn parse(text: &str) -> Vec<MemorySlot> {
    let slot = |lines: Vec<&str>| MemorySlot {
        locator: field(&lines, "Locator").unwrap_or_default().to_owned(),
        bank: field(&lines, "Bank Locator").unwrap_or_default().to_owned(),
        size_mb: field(&lines, "Size").and_then(size_mb),
        speed_mts: field(&lines, "Speed").and_then(speed_mts),
        // The second name is that of versions before 3.2.
        configured_mts: field(&lines, "Configured Memory Speed")
            .or_else(|| field(&lines, "Configured Clock Speed"))
            .and_then(speed_mts),
    };
    structures(text, |line| line == TITLE).into_iter().map(slot).collect()
}

/// `16 GB`, `16384 MB`; an empty slot has `No Module Installed`.
fn size_mb(value: &str) -> Option<u64> {
    let (count, unit) = value.split_once(' ')?;
    let count: u64 = count.parse().ok()?;
    match unit {
        "kB" => Some(count / 1024),
        "MB" => Some(count),
        "GB" => count.checked_mul(1024),
        "TB" => count.checked_mul(1024 * 1024),
        _ => None,
    }
}

/// `3200 MT/s`; versions before 3.0 wrote `MHz` for the same. `Unknown` is none.
fn speed_mts(value: &str) -> Option<u16> {
    value.starts_with(|c: char| c.is_ascii_digit()).then(|| number(value).map(|mts| mts as u16))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_versions_write_them() {
        let sizes = ["16 GB", "16384 MB", "1 TB", "2048 kB", "No Module Installed", "16 EB", "x GB"];
        let expected = [Some(16_384), Some(16_384), Some(1_048_576), Some(2), None, None, None];
        assert_eq!(sizes.map(size_mb), expected);
        assert_eq!(
            ["3200 MT/s", "1333 MHz", "Unknown", ""].map(speed_mts),
            [Some(3200), Some(1333), None, None]
        );
    }

    #[test]
    fn the_array_above_the_modules_is_none_of_them() {
        let text = "Physical Memory Array\n\tSize: 9 GB\nHandle 0x1, DMI type 17, 40 bytes\nMemory Device\n\
                    \tSize: 8 GB\n\tLocator: A1\nHandle 0x2, DMI type 20, 35 bytes\nMemory Device Mapped Address\n\tSize: 1 GB\n";
        let slots = parse(text);
        assert_eq!(slots.len(), 1);
        assert_eq!((slots[0].size_mb, slots[0].locator.as_str()), (Some(8192), "A1"));
    }
}
