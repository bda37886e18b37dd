//! The index of runs: one SQLite database for each user.
//!
//! It knows the directories in which runs were saved, so a run is found by its id from any
//! directory, and what a list shows of each run, because the records of ten thousand runs have
//! gigabytes. It is a cache: the directories are the truth, and whatever is wrong with the index, a list
//! of runs is the same and takes longer.
//!
//! A damaged index is removed and made again. A file that fathom did not make, and an index of a
//! newer version, stay as they are. A lock of another process is waited for, for a short time.

use super::rows;
use super::unusable::Unusable;
use crate::state::state_dir;
use rusqlite::{Connection, OpenFlags};
use std::cmp::Ordering;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that names another place of the index; empty for none.
pub const VARIABLE: &str = "FATHOM_INDEX";

/// Name of the file in the directory of fathom's state.
const FILE: &str = "runs.db";

/// The application id in the header of the database: `FTHM`.
const APPLICATION_ID: i32 = 0x4654_484d;

/// Version of the tables. It changes when they do, or what is read from a record.
pub(super) const VERSION: i32 = 1;

/// Where the index is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunIndex {
    path: Option<PathBuf>,
}

impl RunIndex {
    /// The index of this user: what `FATHOM_INDEX` names; or `runs.db` in `/var/lib/fathom` for root,
    /// and in `$XDG_STATE_HOME/fathom` (`~/.local/state/fathom`) for others. Without a home there is
    /// none.
    pub fn usual() -> RunIndex {
        match std::env::var_os(VARIABLE) {
            Some(none) if none.is_empty() => RunIndex::default(),
            Some(path) => RunIndex::at(path),
            None => RunIndex { path: state_dir(FILE) },
        }
    }

    /// The index in this file.
    pub fn at(path: impl Into<PathBuf>) -> RunIndex {
        RunIndex { path: Some(path.into()) }
    }

    /// The file; `None` where there is no place for one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Opens the index to read it.
    pub(super) fn read(&self, wait: Duration) -> Result<Connection, Unusable> {
        let path = self.path().ok_or(Unusable::Missing)?;
        examine(path)?;
        // A database that was left in the middle of a change needs a writer before it can be read.
        // SQLite opens what may not be written for reading.
        let (db, version) = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, wait)?;
        match version.cmp(&VERSION) {
            Ordering::Less => Err(Unusable::Missing),
            Ordering::Equal => Ok(db),
            Ordering::Greater => Err(Unusable::Newer),
        }
    }

    /// Opens the index to change it, and makes it where there is none.
    pub(super) fn write(&self, wait: Duration) -> Result<Connection, Unusable> {
        let path = self.path().ok_or(Unusable::Missing)?;
        match examine(path) {
            Err(Unusable::Missing) => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                parent.map_or(Ok(()), std::fs::create_dir_all)?;
            }
            examined => examined?,
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let (db, version) = connect(path, flags, wait)?;
        // After a power failure the index may be damaged; waiting for the disk costs a run more.
        db.pragma_update(None, "synchronous", "OFF")?;
        match version.cmp(&VERSION) {
            Ordering::Less => rows::make(&db, APPLICATION_ID, VERSION).map(|()| db),
            Ordering::Equal => Ok(db),
            Ordering::Greater => Err(Unusable::Newer),
        }
    }

    /// Removes a damaged index, so that it is made again.
    pub(super) fn remove(&self) {
        if let Some(path) = self.path().filter(|path| examine(path).is_ok()) {
            let _ = std::fs::remove_file(path);
            let mut journal = path.as_os_str().to_owned();
            journal.push("-journal");
            let _ = std::fs::remove_file(journal);
        }
    }
}

/// The database and the version of its tables, 0 where it has none.
fn connect(path: &Path, flags: OpenFlags, wait: Duration) -> Result<(Connection, i32), Unusable> {
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(wait)?;
    db.pragma_update(None, "trusted_schema", false)?;
    // The first reading takes the lock, and reads the header.
    let version = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((db, version))
}

/// Looks at the file before SQLite opens it: its kind, and by its header who made it. An empty file
/// is what a crash can leave of an index.
fn examine(path: &Path) -> Result<(), Unusable> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(Unusable::Missing),
        meta => meta?,
    };
    // Opening a FIFO would wait.
    if !meta.is_file() {
        return Err(Unusable::NotOurs);
    }
    let mut header = Vec::new();
    File::open(path)?.take(HEADER_BYTES as u64).read_to_end(&mut header)?;
    let is_ours = |header: &[u8]| {
        header.starts_with(b"SQLite format 3\0") && header[68..72] == APPLICATION_ID.to_be_bytes()
    };
    match header.len() {
        0 => Ok(()),
        HEADER_BYTES if is_ours(&header) => Ok(()),
        _ => Err(Unusable::NotOurs),
    }
}

/// Length of the header of a database (SQLite, "Database File Format", 1.3).
const HEADER_BYTES: usize = 100;
