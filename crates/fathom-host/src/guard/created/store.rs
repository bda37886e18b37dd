//! The record: one file in a state directory of the user's own.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::private_dir::PrivateDir;
use super::{Doubt, Entry};

/// Name of the file in the state directory.
const FILE: &str = "created.json";
/// Where a file of that name goes that is no record.
const DAMAGED: &str = "created.json.damaged";
/// Version of the file.
const FORMAT: u32 = 1;
/// Entries kept; of more, the oldest go. The largest jobs have this many files.
const ENTRIES_MAX: usize = 1 << 17;
/// A longer file was not written by fathom: an entry takes about 300 bytes.
const BYTES_MAX: u64 = 256 << 20;

/// Entries by device and inode.
type ByInode = HashMap<(u64, u64), Entry>;

/// The files that fathom created, as a state directory knows them.
#[derive(Debug)]
pub struct CreatedFiles {
    dir: PathBuf,
    /// Read once: a run asks about each of its files.
    known: OnceLock<Result<ByInode, String>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Document {
    format: u32,
    files: Vec<Entry>,
}

impl CreatedFiles {
    /// Those of the directory `dir`, which is made when something is recorded.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), known: OnceLock::new() }
    }

    /// Whether fathom created the file and nobody has touched it since. It
    /// must be open for reading.
    pub(in crate::guard) fn check(&self, file: &File) -> Result<(), Doubt> {
        let known = self.known.get_or_init(|| self.by_inode().map_err(|e| self.name(&e)));
        let known = known.as_ref().map_err(|why| Doubt::Unknown(why.clone()))?;
        let meta = file.metadata().map_err(|e| Doubt::Unknown(e.to_string()))?;
        known.get(&(meta.dev(), meta.ino())).ok_or(Doubt::NotRecorded)?.holds(file)
    }

    /// Records files as they are now, in place of what was known of them.
    pub(in crate::guard) fn record(&self, new: Vec<Entry>) -> io::Result<()> {
        self.replace(new).map_err(|e| io::Error::new(e.kind(), self.name(&e)))
    }

    fn replace(&self, new: Vec<Entry>) -> io::Result<()> {
        let dir = PrivateDir::prepare(&self.dir)?;
        let _lock = dir.lock()?;
        let mut files = match read(&dir) {
            // What cannot be understood is believed by nobody, and may be
            // somebody's all the same.
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                dir.keep_aside(FILE, DAMAGED)?;
                Vec::new()
            }
            files => files?,
        };
        let inodes: HashSet<(u64, u64)> = new.iter().map(|new| (new.dev, new.inode)).collect();
        let in_use: HashSet<u64> = new.iter().map(|new| new.dev).collect();
        files.retain(|old| !inodes.contains(&(old.dev, old.inode)) && !is_gone(old, &in_use));
        files.extend(new);
        files.drain(..files.len().saturating_sub(ENTRIES_MAX));
        dir.replace(FILE, &serde_json::to_vec(&Document { format: FORMAT, files })?)
    }

    fn by_inode(&self) -> io::Result<ByInode> {
        let files = match PrivateDir::open(&self.dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            dir => read(&dir?)?,
        };
        Ok(files.into_iter().map(|entry| ((entry.dev, entry.inode), entry)).collect())
    }

    fn name(&self, e: &io::Error) -> String {
        format!("the record of created files in {}: {e}", self.dir.display())
    }
}

fn read(dir: &PrivateDir) -> io::Result<Vec<Entry>> {
    let bytes = match dir.read(FILE, BYTES_MAX) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes?,
    };
    let document: Document =
        serde_json::from_slice(&bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
    match document.format {
        FORMAT => Ok(document.files),
        other => Err(io::Error::other(format!("{FILE} has the unknown format {other}"))),
    }
}

/// Whether a recorded file is known to be gone. Only files on a file system
/// that this run has just used are looked for: another one may be unmounted,
/// which means nothing, or hang.
fn is_gone(old: &Entry, in_use: &HashSet<u64>) -> bool {
    let Some(path) = old.path.as_deref().filter(|_| in_use.contains(&old.dev)) else { return false };
    match fs::symlink_metadata(path) {
        Ok(meta) => meta.dev() == old.dev && !old.is_of(&meta),
        Err(e) if e.kind() == io::ErrorKind::NotFound => !is_hidden(path, old.dev),
        Err(_) => false,
    }
}

/// Whether the place of a missing file belongs to another file system now: the
/// one that holds the file may come back.
fn is_hidden(path: &Path, dev: u64) -> bool {
    let there = path.ancestors().skip(1).find_map(|dir| fs::symlink_metadata(dir).ok());
    there.is_none_or(|meta| meta.dev() != dev)
}
