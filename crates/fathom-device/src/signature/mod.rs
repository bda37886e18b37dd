//! What is on a device: signatures of everything that keeps data, looked
//! for at both ends and wherever a format keeps a spare superblock, and the
//! question whether those places are blank at all.
//!
//! A list of our own rather than libblkid keeps the binary free of C
//! libraries; a test compares the list with what blkid finds. What the list
//! does not know is still data. The rest of the device is looked at by
//! [`Samples`], where an answer depends on it.

mod blocks;
mod partitions;
mod probes;
mod samples;
mod spares;
mod table;
mod text;
mod view;

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use partitions::partitions;
pub use samples::Samples;
pub use text::NotContents;
use view::Deadline;
pub use view::View;

/// What kind of thing a signature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signature {
    /// Name of the format.
    pub name: String,
    /// Kind of the format.
    pub class: Class,
    /// Where its magic lies, in bytes from the start of the device.
    pub offset_bytes: u64,
}

/// What a device holds at both ends and at the places of spare superblocks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contents {
    /// Known things, in the order of the tables.
    pub signatures: Vec<Signature>,
    /// Offset in bytes of the first byte that is not zero, in a block that is
    /// neither all zero nor all ones.
    pub first_nonzero_bytes: Option<u64>,
}

impl Contents {
    /// Looks at an open device or image of `size_bytes`.
    pub fn read(file: &File, size_bytes: u64) -> io::Result<Self> {
        Self::read_range(file, 0..size_bytes)
    }

    /// Looks at it, unless it takes longer than this.
    pub fn read_within(file: &File, size_bytes: u64, limit: Duration) -> io::Result<Self> {
        Ok(Self::of(&View::read_until(file, 0..size_bytes, Deadline::after(limit))?))
    }

    /// Looks at a range of it as if that were a device.
    pub fn read_range(file: &File, range: Range<u64>) -> io::Result<Self> {
        Ok(Self::of(&View::read(file, range)?))
    }

    /// Looks at what has been read.
    pub fn of(view: &View) -> Self {
        let mut signatures = table::matches(view);
        signatures.extend(probes::matches(view));
        signatures.extend(spares::matches(view, &signatures));
        // A format with several magics is reported once.
        let mut names = BTreeSet::new();
        signatures.retain(|signature| names.insert(signature.name.clone()));
        Self { signatures, first_nonzero_bytes: view.first_data() }
    }
}

#[cfg(test)]
mod tests;
