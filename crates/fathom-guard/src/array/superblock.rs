//! The metadata of an array on a member. md's own is the superblock of version 1.2 (include/uapi/linux/raid/md_p.h,
//! `mdp_superblock_1`); that of Intel's firmware is in `imsm`.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Where version 1.2 lies, and how much room it has.
pub const AT_BYTES: u64 = 4096;
const LEN: usize = 4096;
/// `MD_SB_MAGIC`.
const MAGIC: u32 = 0xa92b_4efc;
/// What md writes before the data lies in this range: superblock, list of bad blocks, bitmap. The gap up to
/// the data may have 128 MiB, of which md leaves the rest as it was.
const METADATA_MAX_BYTES: u64 = 1 << 20;

/// What is read of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superblock {
    /// The array that the member belongs to: the UUID that `md/uuid` shows, or `imsm-` and the number of the family.
    pub id: String,
    /// Changes whenever it is written: its check sum, and the number of its version.
    pub stamp: (u32, u32),
    /// The bytes that it lies in, and what else is kept for the array beside data.
    pub extent: Range<u64>,
}

impl Superblock {
    /// That of md; `None` if the device has none.
    pub fn native(device: &File) -> io::Result<Option<Self>> {
        let mut bytes = vec![0; LEN];
        match device.read_exact_at(&mut bytes, AT_BYTES) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        Ok(Self::parse(&bytes))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let part = |at: usize, len: usize| bytes.get(at..at + len);
        let number = |at: usize| Some(u32::from_le_bytes(part(at, 4)?.try_into().ok()?));
        if (number(0)?, number(4)?) != (MAGIC, 1) {
            return None;
        }
        let sectors = u64::from_le_bytes(part(128, 8)?.try_into().ok()?);
        let end = sectors.saturating_mul(512).min(AT_BYTES + METADATA_MAX_BYTES);
        // Check sum, and events.
        let stamp = (number(216)?, number(200)?);
        Some(Self { id: uuid(part(16, 16)?), stamp, extent: AT_BYTES..end.max(AT_BYTES + LEN as u64) })
    }

    /// Overwrites it with zeroes.
    pub fn erase(&self, device: &File) -> io::Result<()> {
        let len = self.extent.end.saturating_sub(self.extent.start);
        device.write_all_at(&vec![0; len as usize], self.extent.start)?;
        device.sync_all()
    }
}

/// 8-4-4-4-12 hexadecimal digits.
fn uuid(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    parts.map(|(from, to)| &digits[from..to]).join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(data_offset_sectors: u64) -> (tempfile::NamedTempFile, File) {
        let place = tempfile::NamedTempFile::new().unwrap();
        let file = place.reopen().unwrap();
        file.write_all_at(&vec![0xaa; 4 << 20], 0).unwrap();
        let mut bytes = [0; LEN];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[4..8].copy_from_slice(&1u32.to_le_bytes());
        (0..16).for_each(|at| bytes[16 + at] = at as u8 * 0x11);
        bytes[128..136].copy_from_slice(&data_offset_sectors.to_le_bytes());
        file.write_all_at(&bytes, AT_BYTES).unwrap();
        (place, file)
    }

    #[test]
    fn it_is_read_and_erased_and_nothing_else_is() {
        for (sectors, zero_to) in [(2048, 1 << 20), (262_144, 4096 + (1 << 20)), (0, 8192)] {
            let (_place, file) = member(sectors);
            let found = Superblock::native(&file).unwrap().unwrap();
            assert_eq!(found.id, "00112233-4455-6677-8899-aabbccddeeff");
            found.erase(&file).unwrap();
            assert_eq!(Superblock::native(&file).unwrap(), None);
            let mut all = vec![0; 4 << 20];
            file.read_exact_at(&mut all, 0).unwrap();
            let zero = |range: std::ops::Range<usize>| all[range].iter().all(|byte| *byte == 0);
            assert!(
                zero(4096..zero_to) && all[..4096].iter().chain(&all[zero_to..]).all(|byte| *byte == 0xaa)
            );
        }
    }

    #[test]
    fn what_is_no_superblock_is_none() {
        let place = tempfile::NamedTempFile::new().unwrap();
        let file = place.reopen().unwrap();
        assert_eq!(Superblock::native(&file).unwrap(), None, "an empty file");
        file.write_all_at(&[0xfc; 8192], 0).unwrap();
        assert_eq!(Superblock::native(&file).unwrap(), None, "other bytes");
    }
}
