//! The metadata of an array on a member. md's own is the superblock of version 1.2 (include/uapi/linux/raid/md_p.h,
//! `mdp_superblock_1`); Intel's firmware has an anchor (IMSM).

use super::metadata::ArrayMetadata;
use fathom_device::device::Identity;
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

/// The logical block of a device that does not tell it.
const SECTOR_BYTES: u32 = 512;

/// The superblock of a member; `None` if it has none of this form.
pub fn superblock(
    device: &File,
    metadata: ArrayMetadata,
    member: &Identity,
) -> io::Result<Option<Superblock>> {
    match metadata {
        ArrayMetadata::Native => Superblock::native(device),
        ArrayMetadata::Imsm => {
            let sector = member.logical_block_bytes.unwrap_or(SECTOR_BYTES);
            read_imsm(device, member.size_bytes, u64::from(sector))
        }
    }
}

const SIGNATURE: &[u8] = b"Intel Raid ISM Cfg Sig. ";
/// The anchor lies so many sectors before the end.
const ANCHOR_SECTORS: u64 = 2;
/// What is read of the anchor.
const IMSM_LEN: usize = 512;
/// Where its fields lie.
const CHECK_SUM: usize = 0x20;
const SIZE: usize = 0x24;
const FAMILY: usize = 0x28;
const GENERATION: usize = 0x2c;
const ORIGINAL_FAMILY: usize = 0x40;
/// How many volumes the container holds, also those that do not run.
const VOLUMES: usize = 0x39;
/// More than mdadm writes (2,210 sectors of 512 bytes): a larger size is no anchor.
const SIZE_MAX: u32 = 2210 * 512;

/// The superblock of a device of this size; `None` if it has none.
///
/// # Errors
/// The device cannot be read, or its container holds several volumes: the metadata of one cannot be erased without that of the
/// others.
pub fn read_imsm(device: &File, size_bytes: u64, sector_bytes: u64) -> io::Result<Option<Superblock>> {
    let Some(at) = size_bytes.checked_sub(ANCHOR_SECTORS * sector_bytes) else { return Ok(None) };
    let mut bytes = vec![0; IMSM_LEN];
    device.read_exact_at(&mut bytes, at)?;
    if bytes.starts_with(SIGNATURE) && bytes[VOLUMES] > 1 {
        let message = format!("its container holds {} volumes, and fathom made one", bytes[VOLUMES]);
        return Err(io::Error::other(message));
    }
    Ok(parse_imsm(&bytes, at, sector_bytes))
}

fn parse_imsm(bytes: &[u8], at: u64, sector_bytes: u64) -> Option<Superblock> {
    let number =
        |from: usize| Some(u32::from_le_bytes(bytes.get(from..from + 4)?.try_into().expect("four bytes")));
    if !bytes.starts_with(SIGNATURE) {
        return None;
    }
    let size = number(SIZE)?.min(SIZE_MAX);
    // Old versions set only the family.
    let family = match number(ORIGINAL_FAMILY)? {
        0 => number(FAMILY)?,
        family => family,
    };
    Some(Superblock {
        id: format!("{IMSM_PREFIX}{family:08x}"),
        stamp: (number(CHECK_SUM)?, number(GENERATION)?),
        extent: imsm_extent(at, u64::from(size), sector_bytes),
    })
}

/// The sectors before the anchor have the rest, the nearest first; then comes the anchor.
fn imsm_extent(at: u64, size: u64, sector_bytes: u64) -> Range<u64> {
    let before = size.div_ceil(sector_bytes).saturating_sub(1);
    at.saturating_sub(before * sector_bytes)..at + sector_bytes
}

/// Before the number of the family, which all members of a container share.
pub const IMSM_PREFIX: &str = "imsm-";

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
            let superblock_read = Superblock::native(&file).unwrap().unwrap();
            assert_eq!(superblock_read.id, "00112233-4455-6677-8899-aabbccddeeff");
            superblock_read.erase(&file).unwrap();
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

#[cfg(test)]
mod imsm_tests {
    use super::*;

    const SIZE_BYTES: u64 = 4 << 20;

    fn member(sector: u64, size: u32, families: (u32, u32)) -> (tempfile::NamedTempFile, File) {
        let place = tempfile::NamedTempFile::new().unwrap();
        let file = place.reopen().unwrap();
        file.write_all_at(&vec![0xaa; SIZE_BYTES as usize], 0).unwrap();
        let mut anchor = vec![0; IMSM_LEN];
        anchor[..SIGNATURE.len()].copy_from_slice(SIGNATURE);
        let mut put = |at: usize, value: u32| anchor[at..at + 4].copy_from_slice(&value.to_le_bytes());
        put(CHECK_SUM, 7);
        put(SIZE, size);
        put(FAMILY, families.0);
        put(ORIGINAL_FAMILY, families.1);
        file.write_all_at(&anchor, SIZE_BYTES - 2 * sector).unwrap();
        (place, file)
    }

    #[test]
    fn it_is_found_before_the_end_and_erased_with_all_that_belongs_to_it() {
        for (sector, size, families, id, zeroes) in [
            // As mdadm 4.2 writes it for four members and one volume: 584 bytes.
            (512, 584, (0x66b5_2c90, 0x66b5_2c90), "imsm-66b52c90", 1024),
            (512, 512, (5, 0), "imsm-00000005", 512),
            (4096, 584, (5, 6), "imsm-00000006", 4096),
            (4096, 9000, (5, 6), "imsm-00000006", 3 * 4096),
        ] {
            let (_place, file) = member(sector, size, families);
            let superblock_read = read_imsm(&file, SIZE_BYTES, sector).unwrap().unwrap();
            assert_eq!(superblock_read.id, id);
            superblock_read.erase(&file).unwrap();
            assert_eq!(read_imsm(&file, SIZE_BYTES, sector).unwrap(), None);
            let mut all = vec![0; SIZE_BYTES as usize];
            file.read_exact_at(&mut all, 0).unwrap();
            let end = (SIZE_BYTES - sector) as usize;
            let is = |range: std::ops::Range<usize>, byte: u8| all[range].iter().all(|it| *it == byte);
            assert!(is(end - zeroes..end, 0) && is(0..end - zeroes, 0xaa) && is(end..all.len(), 0xaa));
        }
    }

    /// A person made a second volume in the container, and stopped it: it is not seen in /sys, and it is not lost.
    #[test]
    fn a_container_with_another_volume_is_left_as_it_is() {
        let (_place, file) = member(512, 584, (1, 1));
        file.write_all_at(&[2], SIZE_BYTES - 2 * 512 + VOLUMES as u64).unwrap();
        let message = read_imsm(&file, SIZE_BYTES, 512).unwrap_err().to_string();
        assert_eq!(message, "its container holds 2 volumes, and fathom made one");
    }

    #[test]
    fn what_is_no_anchor_is_none() {
        let (_place, file) = member(512, 584, (1, 1));
        assert_eq!(read_imsm(&file, SIZE_BYTES, 4096).unwrap(), None, "blocks of another size");
        assert_eq!(read_imsm(&file, 100, 512).unwrap(), None, "a device without room");
    }
}
