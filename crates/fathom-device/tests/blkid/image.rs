//! Images that hold nothing but the bytes by which a format is known.

use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// An image, and what blkid says of it.
pub struct Image {
    /// A line of its answer, `TYPE=xfs` or `PTTYPE=dos`.
    pub says: String,
    patches: Vec<(u64, Vec<u8>)>,
}

/// An image of the type that blkid calls by this name.
pub fn image(name: &str) -> Image {
    Image { says: format!("TYPE={name}"), patches: Vec::new() }
}

/// An image of the partition table that blkid calls by this name.
pub fn table(name: &str) -> Image {
    Image { says: format!("PTTYPE={name}"), patches: Vec::new() }
}

impl Image {
    /// With these bytes at this offset.
    pub fn at(mut self, offset: u64, bytes: &[u8]) -> Self {
        self.patches.push((offset, bytes.to_vec()));
        self
    }

    /// With this number there, little-endian.
    pub fn le16(self, offset: u64, number: u16) -> Self {
        self.at(offset, &number.to_le_bytes())
    }

    pub fn le32(self, offset: u64, number: u32) -> Self {
        self.at(offset, &number.to_le_bytes())
    }

    pub fn le64(self, offset: u64, number: u64) -> Self {
        self.at(offset, &number.to_le_bytes())
    }

    pub fn be16(self, offset: u64, number: u16) -> Self {
        self.at(offset, &number.to_be_bytes())
    }

    pub fn be32(self, offset: u64, number: u32) -> Self {
        self.at(offset, &number.to_be_bytes())
    }

    pub fn be64(self, offset: u64, number: u64) -> Self {
        self.at(offset, &number.to_be_bytes())
    }

    /// Whether any of it is behind this offset.
    pub fn reaches(&self, offset: u64) -> bool {
        self.patches.iter().any(|(at, _)| *at > offset)
    }

    /// Makes `file` this image.
    pub fn write(&self, file: &File, size_bytes: u64) {
        file.set_len(size_bytes).unwrap();
        for (offset, bytes) in &self.patches {
            file.write_all_at(bytes, *offset).unwrap();
        }
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by", self.says)?;
        self.patches
            .iter()
            .try_for_each(|(at, bytes)| write!(f, " {:?} at {at:#x}", bytes.escape_ascii().to_string()))
    }
}

/// CRC-32 of IEEE 802.3 without its inversions.
pub fn crc32(seed: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(seed, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}
