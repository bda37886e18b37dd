//! The names that a disk has from its maker: serial number and world-wide name.
//!
//! Each family keeps them in another place, so this is a list of places, and the first answer
//! counts. Text that names nothing (blank, or one character repeated, as cheap USB bridges report)
//! does not count as a serial.

use std::path::Path;

use crate::device::DevNumber;
use crate::root::Root;

/// Relative to the disk's directory: NVMe controllers and MMC cards
/// (`device/serial`), virtio and zoned null_blk (`serial`).
const SERIAL_FILES: [&str; 2] = ["device/serial", "serial"];

/// NVMe namespaces (`wwid`), SCSI and ATA (`device/wwid`), device-mapper
/// (`dm/uuid`), md (`md/uuid`).
const WWID_FILES: [&str; 4] = ["wwid", "device/wwid", "dm/uuid", "md/uuid"];

/// The serial number of the whole disk in `sys_dir`.
pub fn serial(root: &Root, sys_dir: &Path, number: DevNumber) -> Option<String> {
    let files = SERIAL_FILES.iter().map(|file| sys_dir.join(file));
    let mut texts = files.filter_map(|file| root.read_text(file).ok());
    texts
        .find_map(|text| meaningful(&text))
        .or_else(|| unit_serial_page(root, sys_dir))
        .or_else(|| udev_serial(root, number))
}

/// The world-wide name of the whole disk in `sys_dir`.
pub fn wwid(root: &Root, sys_dir: &Path) -> Option<String> {
    let files = WWID_FILES.iter().map(|file| sys_dir.join(file));
    let mut texts = files.filter_map(|file| root.read_text(file).ok());
    texts.find_map(|text| meaningful(&text))
}

/// SCSI vital product data page 0x80: four bytes of header, the last two the
/// length, then the serial (SPC-4 §7.8.16).
fn unit_serial_page(root: &Root, sys_dir: &Path) -> Option<String> {
    let page = root.read_bytes(sys_dir.join("device/vpd_pg80")).ok()?;
    let len = u16::from_be_bytes([*page.get(2)?, *page.get(3)?]);
    let text = page.get(4..)?;
    let text = text.get(..usize::from(len)).unwrap_or(text);
    meaningful(&String::from_utf8_lossy(text))
}

/// The serial that udev found, for bridges that report neither of the above.
fn udev_serial(root: &Root, number: DevNumber) -> Option<String> {
    let record = root.read_text(format!("/run/udev/data/b{number}")).ok()?;
    let mut lines = record.lines();
    let text = lines.find_map(|line| line.strip_prefix("E:ID_SERIAL_SHORT="))?;
    meaningful(text)
}

fn meaningful(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    // An md array with external metadata has a UUID of zeroes.
    let mut chars = text.chars().filter(|c| *c != '-');
    let first = chars.next()?;
    let says_something = chars.any(|c| c != first) && !text.contains('\u{fffd}');
    says_something.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::meaningful;

    #[test]
    fn placeholders_are_no_serial() {
        for text in
            ["", "   ", "\0\0", "00000000", "    FFFF  ", "a\u{fffd}", "00000000-0000-0000-0000-000000000000"]
        {
            assert_eq!(meaningful(text), None, "{text:?}");
        }
        assert_eq!(meaningful("uuid.0-1").as_deref(), Some("uuid.0-1"));
        assert_eq!(meaningful("  S3X9 12\0\0").as_deref(), Some("S3X9 12"));
    }
}
