//! The files of a job: there may be a hundred thousand.
//!
//! Files that differ only in the number at the end of their names are one entry with a `count`.

use fathom_job::plan::{FILES_ALL_MAX, TargetKind, is_until_full};
use fathom_job::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One file of one clone, or several whose names are counted up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileRecord {
    /// Path, directory applied. Empty for diskless engines.
    pub path: String,
    /// What exists at the path now.
    pub kind: TargetKind,
    /// Its length now; `None` when it has none.
    pub length: Option<Bytes>,
    /// The unit in which LBAs count: the logical block of a device, 512 bytes
    /// (the kernel's sector) elsewhere.
    pub lba: Bytes,
    /// First byte of the region, from the start of the file.
    pub offset: Bytes,
    /// Length of the region.
    pub size: Bytes,
    /// The file must be at least this long: layout writes up to here when it
    /// is shorter (regular files only).
    pub needs: Bytes,
    /// Bytes that layout writes on behalf of this clone before any job starts: what is missing in a
    /// file that will be read, and that no earlier clone has added.
    pub layout: Bytes,
    /// Bytes of the region that nobody has written since the device was purged,
    /// of regions that are read; `None` where nothing is known of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_written: Option<Bytes>,
    /// Earlier runs had written every byte of the region, of regions that are read, and nothing else had written to the
    /// device since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_written: bool,
    /// How many files: this one, and those with the next numbers at the end of their names.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
}

/// The names of the files that `quick` makes, and removes, begin with this; a number follows.
pub const SCRATCH: &str = "fathom-scratch-";

impl FileRecord {
    /// Is it the file that `quick` makes, and removes as soon as it is open?
    pub fn is_scratch(&self) -> bool {
        self.path.rsplit('/').next().is_some_and(|name| name.starts_with(SCRATCH))
    }

    /// Does it name something of this machine, and not a simulated drive or nothing?
    pub fn is_on_machine(&self) -> bool {
        !self.path.is_empty() && self.kind.is_on_machine()
    }

    /// Does its region end where no space is left (`fill_device` without `size`)?
    pub fn is_until_full(&self) -> bool {
        is_until_full(self.kind, self.size)
    }

    /// The size of its region in words.
    pub fn region(&self) -> String {
        match self.is_until_full() {
            true => "all free space".to_owned(),
            false => self.size.to_string(),
        }
    }

    /// The paths of its files.
    pub fn paths(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let (stem, first) = numbered(&self.path).unwrap_or((&self.path, 0));
        // A plan has no more files; a larger count is damage.
        let rest = (1..self.count.min(FILES_ALL_MAX))
            .map(move |n| Cow::Owned(format!("{stem}{}", first.saturating_add(n))));
        std::iter::once(Cow::Borrowed(self.path.as_str())).chain(rest)
    }

    /// Can `next` be counted as one more of these files? A device always has a separate entry.
    pub(super) fn is_followed_by(&self, next: &FileRecord) -> bool {
        let (Some(mine), Some(next_number)) = (numbered(&self.path), numbered(&next.path)) else {
            return false;
        };
        let is_next = mine.0 == next_number.0 && mine.1.checked_add(self.count) == Some(next_number.1);
        let is_file = matches!(self.kind, TargetKind::File | TargetKind::Missing);
        is_next
            && is_file
            && *self == FileRecord { path: self.path.clone(), count: self.count, ..next.clone() }
    }
}

/// A name without the number at its end, and that number. `None` where there is
/// none, or it has leading zeros, which counting up would lose.
fn numbered(path: &str) -> Option<(&str, u64)> {
    let stem = path.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &path[stem.len()..];
    let is_plain = !digits.starts_with('0') || digits == "0";
    is_plain.then(|| digits.parse().ok()).flatten().map(|number| (stem, number))
}

fn one() -> u64 {
    1
}

fn is_one(count: &u64) -> bool {
    *count == 1
}
