//! The files of a clone: there may be a hundred thousand.
//!
//! Copies of a plan share them. A saved plan has one entry, with a `count`, for
//! files that differ only in the number at the end of their names.

use super::{PlannedFile, TargetKind};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::Arc;

/// Files in the order in which the clone knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList(Arc<Vec<PlannedFile>>);

/// Files whose names are counted up.
#[derive(Serialize, Deserialize)]
struct Row {
    #[serde(flatten)]
    first: PlannedFile,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: u64,
}

/// Most files of one entry, so that a damaged record cannot fill the memory: this
/// many take two gigabytes.
const COUNT_MAX: u64 = 1 << 24;

impl FileList {
    pub(super) fn for_each_mut(&mut self, change: impl FnMut(&mut PlannedFile)) {
        Arc::make_mut(&mut self.0).iter_mut().for_each(change);
    }
}

impl Deref for FileList {
    type Target = [PlannedFile];

    fn deref(&self) -> &[PlannedFile] {
        &self.0
    }
}

impl From<Vec<PlannedFile>> for FileList {
    fn from(files: Vec<PlannedFile>) -> Self {
        Self(Arc::new(files))
    }
}

impl FromIterator<PlannedFile> for FileList {
    fn from_iter<I: IntoIterator<Item = PlannedFile>>(files: I) -> Self {
        Vec::from_iter(files).into()
    }
}

impl<'a> IntoIterator for &'a FileList {
    type Item = &'a PlannedFile;
    type IntoIter = std::slice::Iter<'a, PlannedFile>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Serialize for FileList {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(
            self.chunk_by(follows).map(|row| Row { first: row[0].clone(), count: row.len() as u64 }),
        )
    }
}

impl<'de> Deserialize<'de> for FileList {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut files = Vec::new();
        for Row { first, count } in Vec::<Row>::deserialize(from)? {
            if count == 1 {
                files.push(first);
                continue;
            }
            let names = names(&first.path, count);
            let names =
                names.ok_or_else(|| D::Error::custom(format!("{count} files from {} on", first.path)))?;
            files.extend(names.map(|path| PlannedFile { path, ..first.clone() }));
        }
        Ok(files.into())
    }
}

/// `count` names, counted up from the first. `None` where the name has no number,
/// or the count cannot be that of a plan.
fn names(first: &str, count: u64) -> Option<impl Iterator<Item = String>> {
    let (stem, number) = numbered(first).filter(|_| (1..=COUNT_MAX).contains(&count))?;
    let end = number.checked_add(count)?;
    Some((number..end).map(move |number| format!("{stem}{number}")))
}

/// Is the second a file like the first, with the next number in its name? A device always has a
/// separate entry.
fn follows(first: &PlannedFile, second: &PlannedFile) -> bool {
    let (Some(a), Some(b)) = (numbered(&first.path), numbered(&second.path)) else { return false };
    let is_next = a.0 == b.0 && a.1.checked_add(1) == Some(b.1);
    let is_file = matches!(first.kind, TargetKind::File | TargetKind::Missing);
    is_next && is_file && *second == PlannedFile { path: second.path.clone(), ..first.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::fixture::one;

    fn saved(files: &FileList) -> Vec<serde_json::Value> {
        let text = serde_json::to_string(files).unwrap();
        let back: FileList = serde_json::from_str(&text).unwrap();
        assert_eq!(back, *files, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn numbered_files_are_one_entry() {
        let plan = one("rw=read bs=4k filesize=4k nrfiles=1000 directory=/data");
        let rows = saved(&plan.jobs[0].files);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0]["path"].as_str(), rows[0]["count"].as_u64()), (Some("/data/t.0.0"), Some(1000)));
    }

    #[test]
    fn others_are_entries_of_their_own() {
        for options in [
            "rw=read bs=4k filename=/dev/fioa",
            "rw=read bs=4k size=16k filename=/data/f08:/data/f09:/data/f9:/data/g10",
            "rw=read bs=4k size=12k filename=/data/f1:/data/f3:/data/f2",
        ] {
            let plan = one(options);
            let rows = saved(&plan.jobs[0].files);
            assert_eq!(rows.len(), plan.jobs[0].files.len(), "{options}");
            assert!(rows.iter().all(|row| row["count"].is_null()), "{options}");
        }
        let mut files = one("rw=read bs=4k size=8k filename=/data/f1:/data/f2").jobs[0].files.clone();
        files.for_each_mut(|file| file.offset.0 = file.path.len() as u64);
        assert_eq!(saved(&files).len(), 1);
        let mut offset = 0;
        files.for_each_mut(|file| {
            offset += 1;
            file.offset.0 = offset;
        });
        assert_eq!(saved(&files).len(), 2);
    }

    #[test]
    fn a_damaged_count_is_an_error() {
        let files = one("rw=read bs=4k filesize=4k nrfiles=2 directory=/data").jobs[0].files.clone();
        let text = serde_json::to_string(&files).unwrap();
        for count in ["0", "99999999999", "18446744073709551615"] {
            let damaged = text.replace("\"count\":2", &format!("\"count\":{count}"));
            assert_ne!(damaged, text);
            assert!(serde_json::from_str::<FileList>(&damaged).is_err(), "{count}");
        }
    }
}
