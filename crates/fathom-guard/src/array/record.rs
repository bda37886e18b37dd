//! The arrays that fathom made, in a directory that only this user can change: one file for each, by its UUID or family.
//!
//! The record says which devices carry superblocks that fathom had written. It never gives consent. It is text: a line
//! that says what it is, then a line for each member.

use std::io;
use std::path::PathBuf;

use crate::created::PrivateDir;
use fathom_device::device::Identity;

/// The first line: what the file is, and its version.
const HEAD: &str = "md array made by fathom, record 1";
const BYTES_MAX: u64 = 1 << 20;
/// The most arrays that are remembered.
const ARRAYS_MAX: usize = 1024;

/// The directory of the records.
#[derive(Debug, Clone)]
pub struct ArrayRecords {
    dir: PathBuf,
}

/// An array that fathom made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayRecord {
    /// What the superblock of each member calls the array: its UUID; with Intel's metadata `imsm-` and the number of its family.
    pub id: String,
    /// What its members are called, each in one line.
    pub members: Vec<String>,
}

impl ArrayRecord {
    pub(super) fn new<'a>(id: String, members: impl IntoIterator<Item = &'a Identity>) -> Self {
        Self { id, members: members.into_iter().map(name).collect() }
    }

    pub(super) fn has(&self, member: &Identity) -> bool {
        self.members.contains(&name(member))
    }

    fn text(&self) -> String {
        format!("{HEAD}\n{}\n", self.members.join("\n"))
    }

    fn parse(id: &str, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let is_one = lines.next() == Some(HEAD);
        is_one.then(|| Self { id: id.to_owned(), members: lines.map(str::to_owned).collect() })
    }
}

/// What stays with a device over boots, in one line; a device without any such name is known by its number in this boot.
pub(super) fn name(device: &Identity) -> String {
    let Identity { serial, wwid, backing_file, .. } = device;
    let has_name = serial.is_some() || wwid.is_some() || backing_file.is_some();
    let number = (!has_name).then(|| (device.dev.to_string(), device.diskseq));
    format!(
        "serial {serial:?}, wwid {wwid:?}, file {backing_file:?}, partition {:?}, {} bytes, number {number:?}",
        device.partition, device.size_bytes
    )
}

impl ArrayRecords {
    /// The records in `dir`, which is made with the first of them.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The record of an array; `None` if fathom did not make it.
    ///
    /// # Errors
    /// It cannot be read, or others could have changed it.
    pub fn load(&self, id: &str) -> io::Result<Option<ArrayRecord>> {
        let read = PrivateDir::open(&self.dir).and_then(|dir| dir.read(&file(id), BYTES_MAX));
        let bytes = match read {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let record = ArrayRecord::parse(id, &String::from_utf8_lossy(&bytes));
        record.map(Some).ok_or_else(|| io::Error::other(format!("{} has an unknown form", file(id))))
    }

    pub(super) fn store(&self, record: &ArrayRecord) -> io::Result<()> {
        let dir = PrivateDir::prepare(&self.dir)?;
        dir.replace(&file(&record.id), |to| to.write_all(record.text().as_bytes()))?;
        dir.forget_oldest(ARRAYS_MAX, u64::MAX, |name| name.starts_with("array-"))
    }

    pub(super) fn forget(&self, id: &str) -> io::Result<()> {
        PrivateDir::open(&self.dir)?.remove(&file(id))
    }
}

/// A UUID or a family that was read has hexadecimal digits and `-` only.
fn file(id: &str) -> String {
    format!("array-{id}.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_found_by_its_uuid_until_it_is_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let records = ArrayRecords::at(place.path().join("arrays"));
        assert_eq!(records.load("00-11").unwrap(), None);
        let record = ArrayRecord { id: "00-11".to_owned(), members: vec!["a\\n".to_owned(), "b".to_owned()] };
        records.store(&record).unwrap();
        assert_eq!(records.load("00-11").unwrap(), Some(record));
        assert_eq!(records.load("00-12").unwrap(), None);
        std::fs::write(place.path().join("arrays/array-00-12.txt"), "something else\na\n").unwrap();
        assert!(records.load("00-12").is_err());
        records.forget("00-11").unwrap();
        assert_eq!(records.load("00-11").unwrap(), None);
    }
}
