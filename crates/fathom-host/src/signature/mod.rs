//! What lies on a device: signatures of everything that keeps data, looked
//! for in the first and the last MiB, and the question whether those are
//! blank at all.
//!
//! A list of our own rather than libblkid keeps the binary free of C
//! libraries. What the list does not know is still data: any byte that is
//! not zero counts.

mod extremes;
mod probes;
mod table;
mod text;

use std::fs::File;
use std::io;

use serde::{Deserialize, Serialize};

pub use extremes::Extremes;
pub use text::NotContents;

/// What kind of thing a signature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A file system.
    FileSystem,
    /// A swap area or hibernation image.
    Swap,
    /// A member of an array, volume group, pool or cache.
    Member,
    /// An encrypted volume.
    Encrypted,
    /// A partition table.
    PartitionTable,
}

/// A signature that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Name of the format.
    pub name: String,
    /// Kind of the format.
    pub class: Class,
    /// Where its magic lies, in bytes from the start of the device.
    pub offset_bytes: u64,
}

/// What the ends of a device hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Contents {
    /// Known things, in the order of the table.
    pub signatures: Vec<Signature>,
    /// Offset in bytes of the first byte that is not zero.
    pub first_nonzero_bytes: Option<u64>,
}

impl Contents {
    /// Looks at the ends of an open device or image of `size_bytes`.
    pub fn read(file: &File, size_bytes: u64) -> io::Result<Self> {
        Ok(Self::of(&Extremes::read(file, size_bytes)?))
    }

    /// Looks at ends that have been read.
    pub fn of(ends: &Extremes) -> Self {
        let mut signatures = table::matches(ends);
        signatures.extend(probes::matches(ends));
        Self { signatures, first_nonzero_bytes: ends.first_nonzero() }
    }

    /// Whether both ends are all zero.
    pub fn is_blank(&self) -> bool {
        self.first_nonzero_bytes.is_none()
    }
}

#[cfg(test)]
mod tests;
