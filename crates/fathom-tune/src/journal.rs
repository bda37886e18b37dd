//! The journal: what is changed, written down before it is changed.
//!
//! One file a session, one JSON document a line. A record is on the disk
//! (`fsync` of file and directory) before the setting is written, so whatever
//! happens afterwards, somebody can find out what it was. The last line may be
//! torn by a crash: then its write had not begun, or had already been recorded
//! as intended.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::TuneError;
use super::record::Record;
use super::state_dir::{files_with, read_own};
use fathom_device::Goal;

pub const FORMAT: u32 = 1;
/// Ending of the name of a journal that may have something to undo.
const OPEN: &str = "journal";
/// Ending of the name of one that has nothing left.
pub(super) const CLOSED: &str = "closed";

/// First line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of this form that the writer knew.
    pub fathom_tune_journal: u32,
    /// Name of the session.
    pub session: String,
    /// The boot in which it began.
    pub boot_id: Option<String>,
    /// The process that began it.
    pub pid: u32,
    /// When, seconds since 1970 UTC.
    pub started_unix_s: u64,
    /// What the measurement is for.
    pub goal: Goal,
    /// Hash of the plan.
    pub plan: String,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    contents: JournalContents,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalContents {
    /// Its first line; none if a crash came before it was written.
    pub header: Option<Header>,
    /// The newest record of each change, by sequence number.
    pub records: BTreeMap<u32, Record>,
}

impl JournalContents {
    /// Changes that may still be in force.
    pub fn open(&self) -> impl Iterator<Item = &Record> {
        self.records.values().filter(|record| record.is_open())
    }
}

impl Journal {
    /// Begins a journal in `dir`.
    pub fn create(dir: &Path, header: Header) -> Result<Self, TuneError> {
        let path = dir.join(format!("{}.{OPEN}", header.session));
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(TuneError::state("create", &path))?;
        let contents = JournalContents { header: Some(header.clone()), records: BTreeMap::new() };
        let mut journal = Self { path, file, contents };
        journal.line(&header)?;
        sync_dir(dir)?;
        Ok(journal)
    }

    /// Opens a journal to go on with it. A torn last line is cut off, so that
    /// what follows begins a line of its own.
    pub fn open(path: &Path) -> Result<Self, TuneError> {
        let (contents, len) = parse(path)?;
        let file = OpenOptions::new().append(true).open(path).map_err(TuneError::state("open", path))?;
        file.set_len(len).map_err(TuneError::state("repair", path))?;
        Ok(Self { path: path.to_owned(), file, contents })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says.
    pub fn contents(&self) -> &JournalContents {
        &self.contents
    }

    /// Writes a record, which replaces an older one of the same change. On
    /// return it is on the disk.
    pub fn write(&mut self, record: &Record) -> Result<(), TuneError> {
        self.line(record)?;
        self.contents.records.insert(record.seq, record.clone());
        Ok(())
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), TuneError> {
        let mut text = serde_json::to_vec(line).expect("a record is made of texts and numbers");
        text.push(b'\n');
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_all());
        written.map_err(TuneError::state("write", &self.path))
    }

    pub(super) fn discard(self) -> Result<(), TuneError> {
        fs::remove_file(&self.path).map_err(TuneError::state("remove", &self.path))
    }

    /// Closes the journal, if nothing is left to undo.
    pub fn close(&mut self) -> Result<bool, TuneError> {
        if self.contents.open().next().is_some() {
            return Ok(false);
        }
        let closed = self.path.with_extension(CLOSED);
        fs::rename(&self.path, &closed).map_err(TuneError::state("close", &self.path))?;
        self.path = closed;
        let dir = self.path.parent().unwrap_or(Path::new("/"));
        forget_oldest(dir);
        sync_dir(dir)?;
        Ok(true)
    }
}

const CLOSED_KEPT: usize = 64;

/// Removes the oldest closed journals; their names begin with the time. What
/// cannot be removed stays: it holds nothing that is still to be undone.
fn forget_oldest(dir: &Path) {
    let closed = files_with(dir, CLOSED).unwrap_or_default();
    for path in closed.iter().take(closed.len().saturating_sub(CLOSED_KEPT)) {
        let _ = fs::remove_file(path);
    }
}

/// Reads a journal without changing it.
pub fn read(path: &Path) -> Result<JournalContents, TuneError> {
    parse(path).map(|(contents, _)| contents)
}

/// The journals in `dir` that may have something to undo, oldest first. No
/// directory, no journals.
pub fn open_journals(dir: &Path) -> Result<Vec<PathBuf>, TuneError> {
    let mut open = Vec::new();
    match files_with(dir, OPEN) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        paths => {
            for path in paths.map_err(TuneError::state("list", dir))? {
                if read(&path)?.open().next().is_some() {
                    open.push(path);
                }
            }
        }
    }
    Ok(open)
}

/// The content of the file, and how many of its bytes belong to whole lines.
fn parse(path: &Path) -> Result<(JournalContents, u64), TuneError> {
    let bytes = read_own(path).map_err(TuneError::state("read", path))?;
    let mut contents = JournalContents { header: None, records: BTreeMap::new() };
    let mut whole = 0;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for (at, line) in lines.iter().enumerate() {
        match add(&mut contents, line, at == 0) {
            Ok(()) => whole += line.len() as u64,
            Err(_) if at + 1 == lines.len() => break,
            Err(reason) => return Err(TuneError::Journal { path: path.to_owned(), line: at + 1, reason }),
        }
    }
    Ok((contents, whole))
}

/// A line without its end is torn, even where what is left of it can be read.
fn add(contents: &mut JournalContents, line: &[u8], is_first: bool) -> Result<(), String> {
    if !line.ends_with(b"\n") {
        return Err("torn".to_owned());
    }
    if is_first {
        contents.header = Some(serde_json::from_slice(line).map_err(|e| e.to_string())?);
        return Ok(());
    }
    let record: Record = serde_json::from_slice(line).map_err(|e| e.to_string())?;
    contents.records.insert(record.seq, record);
    Ok(())
}

fn sync_dir(dir: &Path) -> Result<(), TuneError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(TuneError::state("sync", dir))
}
