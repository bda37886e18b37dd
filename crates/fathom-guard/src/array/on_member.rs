//! The superblock of a member: md's own, or that of Intel's firmware.

use super::imsm;
use super::metadata::ArrayMetadata;
use super::superblock::Superblock;
use fathom_device::device::Identity;
use std::fs::File;
use std::io;

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
            imsm::read(device, member.size_bytes, u64::from(sector))
        }
    }
}
