//! The files of a job: there may be a hundred thousand.
//!
//! Files that differ only in the number at the end of their names are one entry with a `count`.

use fathom_job::plan::{FILES_ALL_MAX, PlannedFile, TargetKind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

/// One file of one clone, or several whose names are counted up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileRecord {
    /// The first of them.
    #[serde(flatten)]
    pub first: PlannedFile,
    /// How many files: this one, and those with the next numbers at the end of their names.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
}

/// The names of the files that `quick` makes, and removes, begin with this; a number follows.
pub const SCRATCH: &str = "fathom-scratch-";

impl Deref for FileRecord {
    type Target = PlannedFile;

    fn deref(&self) -> &PlannedFile {
        &self.first
    }
}

impl DerefMut for FileRecord {
    fn deref_mut(&mut self) -> &mut PlannedFile {
        &mut self.first
    }
}

impl FileRecord {
    /// Files in a row are one entry.
    pub(super) fn of_all(files: &[PlannedFile]) -> Vec<FileRecord> {
        let mut all: Vec<FileRecord> = Vec::new();
        for file in files {
            let file = FileRecord {
                first: PlannedFile { without_data: None, zones: None, ..file.clone() },
                count: 1,
            };
            match all.last_mut() {
                Some(last) if last.is_followed_by(&file) => last.count += 1,
                _ => all.push(file),
            }
        }
        all
    }

    /// Is it the file that `quick` makes, and removes as soon as it is open?
    pub fn is_scratch(&self) -> bool {
        self.path.rsplit('/').next().is_some_and(|name| name.starts_with(SCRATCH))
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
    fn is_followed_by(&self, next: &FileRecord) -> bool {
        let (Some(mine), Some(next_number)) = (numbered(&self.path), numbered(&next.path)) else {
            return false;
        };
        let is_next = mine.0 == next_number.0 && mine.1.checked_add(self.count) == Some(next_number.1);
        let is_file = matches!(self.kind, TargetKind::File | TargetKind::Missing);
        is_next && is_file && self.first == PlannedFile { path: self.path.clone(), ..next.first.clone() }
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
