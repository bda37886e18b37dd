//! What Intel's firmware and mdadm keep on a member: an anchor in the last sector but one, and what does not fit into it in
//! the sectors before (mdadm, super-intel.c, `struct imsm_super`; seen on members that mdadm 4.2 wrote).

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::superblock::Superblock;

const SIGNATURE: &[u8] = b"Intel Raid ISM Cfg Sig. ";
/// The anchor lies so many sectors before the end.
const ANCHOR_SECTORS: u64 = 2;
/// What is read of the anchor.
const LEN: usize = 512;
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
pub fn read(device: &File, size_bytes: u64, sector_bytes: u64) -> io::Result<Option<Superblock>> {
    let Some(at) = size_bytes.checked_sub(ANCHOR_SECTORS * sector_bytes) else { return Ok(None) };
    let mut bytes = vec![0; LEN];
    device.read_exact_at(&mut bytes, at)?;
    if bytes.starts_with(SIGNATURE) && bytes[VOLUMES] > 1 {
        let said = format!("its container holds {} volumes, and fathom made one", bytes[VOLUMES]);
        return Err(io::Error::other(said));
    }
    Ok(parse(&bytes, at, sector_bytes))
}

fn parse(bytes: &[u8], at: u64, sector_bytes: u64) -> Option<Superblock> {
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
        id: format!("{PREFIX}{family:08x}"),
        stamp: (number(CHECK_SUM)?, number(GENERATION)?),
        extent: extent(at, u64::from(size), sector_bytes),
    })
}

/// The sectors before the anchor have the rest, the nearest first; then comes the anchor.
fn extent(at: u64, size: u64, sector_bytes: u64) -> Range<u64> {
    let before = size.div_ceil(sector_bytes).saturating_sub(1);
    at.saturating_sub(before * sector_bytes)..at + sector_bytes
}

/// Before the number of the family, which all members of a container share.
pub const PREFIX: &str = "imsm-";

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE_BYTES: u64 = 4 << 20;

    fn member(sector: u64, size: u32, families: (u32, u32)) -> (tempfile::NamedTempFile, File) {
        let place = tempfile::NamedTempFile::new().unwrap();
        let file = place.reopen().unwrap();
        file.write_all_at(&vec![0xaa; SIZE_BYTES as usize], 0).unwrap();
        let mut anchor = vec![0; LEN];
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
            let found = read(&file, SIZE_BYTES, sector).unwrap().unwrap();
            assert_eq!(found.id, id);
            found.erase(&file).unwrap();
            assert_eq!(read(&file, SIZE_BYTES, sector).unwrap(), None);
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
        let said = read(&file, SIZE_BYTES, 512).unwrap_err().to_string();
        assert_eq!(said, "its container holds 2 volumes, and fathom made one");
    }

    #[test]
    fn what_is_no_anchor_is_none() {
        let (_place, file) = member(512, 584, (1, 1));
        assert_eq!(read(&file, SIZE_BYTES, 4096).unwrap(), None, "blocks of another size");
        assert_eq!(read(&file, 100, 512).unwrap(), None, "a device without room");
    }
}
