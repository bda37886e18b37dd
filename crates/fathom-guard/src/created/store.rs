//! The record: in a state directory of the user's own, one file for each
//! directory that holds created files.
//!
//! A run reads and writes the records of the directories that it uses, so what
//! an earlier run made elsewhere costs it nothing.

use super::private_dir::PrivateDir;
use super::{Attachment, Doubt, Entry};
use fathom_device::sys;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Version of the files.
const FORMAT: u32 = 1;
/// The most entries that are kept for a directory; the oldest of more are removed. The largest jobs
/// have this many files.
const ENTRIES_MAX: usize = 1 << 20;
/// A longer file was not written by fathom: an entry takes about 200 bytes.
const BYTES_MAX: u64 = 512 << 20;
/// The most directories that are remembered, and the most bytes of their records; of more, those
/// that were used longest ago are removed.
const DIRECTORIES_MAX: usize = 1024;
const RECORDS_BYTES_MAX: u64 = 256 << 20;

type Directory = (u64, u64);

/// The files that fathom created, as a state directory records them.
#[derive(Debug)]
pub struct CreatedFiles {
    dir: PathBuf,
    /// Each record is read once, because a run asks about each of its files.
    known: Mutex<HashMap<PathBuf, Result<Arc<Known>, String>>>,
}

#[derive(Debug)]
struct Known {
    dev: u64,
    /// The recorded attachment of the disk and the present one, where both are known.
    attachments: Option<(Attachment, Attachment)>,
    entries: HashMap<u64, Entry>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    format: u32,
    /// Its path, for a person who reads this; `None` where the path is not UTF-8.
    directory: Option<PathBuf>,
    /// Which attachment of the disk it was on; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attachment: Option<Attachment>,
    files: Vec<Entry>,
}

impl CreatedFiles {
    /// The record in the directory `dir`, which is created when something is recorded.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), known: Mutex::default() }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether fathom created the file and nobody has touched it since. It
    /// must be open for reading.
    pub(crate) fn check(&self, file: &File) -> Result<(), Doubt> {
        let unknown = |e: io::Error| Doubt::Unknown(e.to_string());
        let path = sys::path_of(file).map_err(unknown)?;
        let known = self.of(path.parent().unwrap_or(Path::new("/"))).map_err(Doubt::Unknown)?;
        let meta = file.metadata().map_err(unknown)?;
        let entry = known.entries.get(&meta.ino()).filter(|_| known.dev == meta.dev());
        let entry = entry.ok_or_else(|| Doubt::NotRecorded { list: Some(self.dir.clone()) })?;
        entry.differs(&meta).map_or(Ok(()), |what| Err(Doubt::Changed(what)))?;
        if known.attachments.as_ref().is_some_and(|(then, now)| then.may_differ(now)) {
            return Err(Doubt::Elsewhere);
        }
        entry.holds(file)
    }

    /// Records files as they are now, in place of what was recorded before. The keys are the
    /// directories that the files are in.
    pub(crate) fn record(&self, new: HashMap<PathBuf, Vec<Entry>>) -> io::Result<()> {
        self.replace(new).map_err(|e| io::Error::new(e.kind(), self.name(&e)))
    }

    fn replace(&self, new: HashMap<PathBuf, Vec<Entry>>) -> io::Result<()> {
        let dir = PrivateDir::prepare(&self.dir)?;
        let _lock = dir.lock()?;
        for (directory, entries) in new {
            renew(&dir, &directory, entries)?;
        }
        dir.forget_oldest(DIRECTORIES_MAX, RECORDS_BYTES_MAX, is_record)
    }

    fn of(&self, directory: &Path) -> Result<Arc<Known>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(directory) {
            return known.clone();
        }
        let read = self.read(directory).map(Arc::new).map_err(|e| self.name(&e));
        known.insert(directory.to_owned(), read.clone());
        read
    }

    fn read(&self, directory: &Path) -> io::Result<Known> {
        let (dev, inode) = identity(directory)?;
        let document = match PrivateDir::open(&self.dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Document::default(),
            dir => read(&dir?, &name_of((dev, inode)))?,
        };
        let entries = document.files.into_iter().map(|entry| (entry.inode, entry)).collect();
        Ok(Known { dev, attachments: document.attachment.zip(Attachment::of(dev)), entries })
    }

    fn name(&self, e: &io::Error) -> String {
        format!("the record of created files in {}: {e}", self.dir.display())
    }
}

/// Replaces the record of one directory.
fn renew(dir: &PrivateDir, directory: &Path, new: Vec<Entry>) -> io::Result<()> {
    let (dev, inode) = identity(directory)?;
    let name = name_of((dev, inode));
    let old = match read(dir, &name) {
        // fathom does not use a record that it cannot read, but keeps it, because somebody may need
        // it.
        Err(e) if e.kind() == io::ErrorKind::InvalidData => {
            dir.keep_aside(&name, &format!("{name}.damaged"))?;
            Document::default()
        }
        document => document?,
    };
    let attachment = Attachment::of(dev);
    let is_elsewhere = |(then, now): (&Attachment, &Attachment)| then.may_differ(now);
    let mut files = match old.attachment.as_ref().zip(attachment.as_ref()).is_some_and(is_elsewhere) {
        true => Vec::new(),
        false => old.files,
    };
    let inodes: HashSet<u64> = new.iter().map(|new| new.inode).collect();
    files.retain(|old| !inodes.contains(&old.inode) && !is_gone(directory, dev, old));
    files.extend(new);
    files.drain(..files.len().saturating_sub(ENTRIES_MAX));
    let directory = Some(directory.to_owned()).filter(|path| path.to_str().is_some());
    let document = Document { format: FORMAT, directory, attachment, files };
    dir.replace(&name, |to| Ok(serde_json::to_writer(to, &document)?))
}

fn identity(directory: &Path) -> io::Result<Directory> {
    fs::metadata(directory).map(|meta| (meta.dev(), meta.ino()))
}

fn name_of((dev, inode): Directory) -> String {
    format!("created-{dev:x}-{inode:x}.json")
}

fn is_record(name: &str) -> bool {
    name.starts_with("created-") && name.ends_with(".json")
}

fn read(dir: &PrivateDir, name: &str) -> io::Result<Document> {
    let bytes = match dir.read(name, BYTES_MAX) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Document::default()),
        bytes => bytes?,
    };
    let document: Document =
        serde_json::from_slice(&bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
    match document.format {
        FORMAT => Ok(document),
        other => Err(io::Error::other(format!("{name} has the unknown format {other}"))),
    }
}

/// Whether a recorded file is known to be gone. Where another file system is
/// mounted over it, it may come back.
fn is_gone(directory: &Path, dev: u64, old: &Entry) -> bool {
    let Some(name) = &old.name else { return false };
    match fs::symlink_metadata(directory.join(&**name)) {
        Ok(meta) => meta.dev() == dev && !old.is_of(&meta),
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    }
}
