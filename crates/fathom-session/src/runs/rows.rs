//! The tables of the index, and its rows.
//!
//! SQLite finds a damaged page and no damaged text in it, so each row has a checksum. A row whose
//! checksum is wrong says that the index is damaged.

use super::head::{RunHead, RunState};
use super::kept::kept_text;
use super::saved_run::Listed;
use super::stamp::FileStamp;
use super::unusable::Unusable;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What the index knows of the runs in a directory, by their names.
pub(super) type Known = HashMap<OsString, (FileStamp, RunHead)>;

const TABLES: &str = "
DROP TABLE IF EXISTS run;
DROP TABLE IF EXISTS directory;
CREATE TABLE directory (number INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE run (
  directory INTEGER NOT NULL, name BLOB NOT NULL,
  size_bytes INTEGER NOT NULL, mtime_s INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  id TEXT NOT NULL, title TEXT NOT NULL, started_unix_ns INTEGER NOT NULL, state INTEGER NOT NULL,
  target TEXT, engine TEXT, headline TEXT, note TEXT, tags TEXT NOT NULL, devices TEXT NOT NULL,
  crc32 INTEGER NOT NULL,
  PRIMARY KEY (directory, name)
) WITHOUT ROWID;
";

/// Makes the tables, empty.
pub(super) fn make(db: &Connection, application_id: i32, version: i32) -> Result<(), Unusable> {
    // Of two processes that begin an index, the second finds it made.
    let all = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    if all.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))? != version {
        all.execute_batch(TABLES)?;
        all.pragma_update(None, "application_id", application_id)?;
        all.pragma_update(None, "user_version", version)?;
    }
    Ok(all.commit()?)
}

/// Looks at every page, also those that nobody reads now.
pub(super) fn check(db: &Connection) -> Result<(), Unusable> {
    let found: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(Unusable::Damaged(found.replace('\n', ": "))) }
}

/// The directories in which runs were saved.
pub(super) fn directories(db: &Connection) -> Result<Vec<PathBuf>, Unusable> {
    let mut all = db.prepare("SELECT path FROM directory ORDER BY path")?;
    let paths = all.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    paths.map(|path| Ok(PathBuf::from(OsString::from_vec(path?)))).collect()
}

/// Whether the index knows a directory.
pub(super) fn has_directory(db: &Connection, path: &Path) -> Result<bool, Unusable> {
    Ok(number_of(db, path)?.is_some())
}

/// Adds a directory.
pub(super) fn add_directory(db: &Connection, path: &Path) -> Result<(), Unusable> {
    db.execute("INSERT OR IGNORE INTO directory (path) VALUES (?1)", [path.as_os_str().as_bytes()])?;
    Ok(())
}

/// Forgets a directory and its runs.
pub(super) fn forget_directory(db: &Connection, path: &Path) -> Result<(), Unusable> {
    let Some(number) = number_of(db, path)? else { return Ok(()) };
    db.execute("DELETE FROM run WHERE directory = ?1", [number])?;
    db.execute("DELETE FROM directory WHERE number = ?1", [number])?;
    Ok(())
}

fn number_of(db: &Connection, path: &Path) -> Result<Option<i64>, Unusable> {
    let mut number = db.prepare("SELECT number FROM directory WHERE path = ?1")?;
    Ok(number.query_row([path.as_os_str().as_bytes()], |row| row.get(0)).optional()?)
}

/// What is known of the runs in a directory, and how many rows were damaged.
pub(super) fn known(db: &Connection, dir: &Path) -> Result<(Known, usize), Unusable> {
    let mut all = db.prepare(
        "SELECT name, size_bytes, mtime_s, mtime_ns, inode, id, title, started_unix_ns, state, target, engine,
         headline, note, tags, devices, crc32 FROM run JOIN directory ON number = directory WHERE path = ?1",
    )?;
    let mut rows = all.query([dir.as_os_str().as_bytes()])?;
    let (mut known, mut damaged) = (Known::new(), 0);
    while let Some(row) = rows.next()? {
        match of_row(row)? {
            Some((name, stamp, head)) => drop(known.insert(name, (stamp, head))),
            None => damaged += 1,
        }
    }
    Ok((known, damaged))
}

/// Saves the runs of a directory that are not in the index as they are, and forgets those that have
/// gone. What is wrong with a damaged run may pass, so it is not kept.
pub(super) fn save(db: &Connection, dir: &Path, new: &[&Listed], gone: &[OsString]) -> Result<(), Unusable> {
    let all = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    add_directory(&all, dir)?;
    let number = number_of(&all, dir)?.unwrap_or_default();
    {
        let mut delete = all.prepare("DELETE FROM run WHERE directory = ?1 AND name = ?2")?;
        for name in gone {
            delete.execute(params![number, name.as_bytes()])?;
        }
        let mut insert = all.prepare(
            "INSERT OR REPLACE INTO run VALUES
             (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?;
        for listed in new {
            let (Ok(head), Some(stamp)) = (&listed.run.head, listed.stamp) else { continue };
            let name = listed.run.directory();
            let (tags, devices) = (head.tags.join("\n"), head.devices.join("\n"));
            insert.execute(params![
                number,
                name.as_bytes(),
                stamp.size_bytes as i64,
                stamp.mtime_s,
                stamp.mtime_ns,
                stamp.inode as i64,
                head.id,
                head.name,
                head.started_unix_ns as i64,
                head.state as u8,
                head.target,
                head.engine,
                head.headline,
                head.note,
                tags,
                devices,
                crc32(name, stamp, head),
            ])?;
        }
    }
    Ok(all.commit()?)
}

/// A run, or nothing where its checksum is wrong. SQLite has signed numbers of 64 bits only; they are
/// read as they were written.
fn of_row(row: &Row<'_>) -> Result<Option<(OsString, FileStamp, RunHead)>, rusqlite::Error> {
    let text = |column: usize| row.get::<_, String>(column).map(|text| kept_text(&text));
    let some =
        |column: usize| row.get::<_, Option<String>>(column).map(|text| text.as_deref().map(kept_text));
    let list = |column: usize| {
        let text: String = row.get(column)?;
        Ok::<_, rusqlite::Error>(text.split('\n').filter(|it| !it.is_empty()).map(kept_text).collect())
    };
    let stamp = FileStamp {
        size_bytes: row.get::<_, i64>(1)? as u64,
        mtime_s: row.get(2)?,
        mtime_ns: row.get(3)?,
        inode: row.get::<_, i64>(4)? as u64,
    };
    let state: u8 = row.get(8)?;
    let Some(state) = RunState::ALL.get(usize::from(state)).copied() else { return Ok(None) };
    let head = RunHead {
        id: text(5)?,
        name: text(6)?,
        started_unix_ns: row.get::<_, i64>(7)? as u64,
        state,
        target: some(9)?,
        engine: some(10)?,
        headline: some(11)?,
        note: some(12)?,
        tags: list(13)?,
        devices: list(14)?,
    };
    let name = OsString::from_vec(row.get(0)?);
    let is_whole = row.get::<_, u32>(15)? == crc32(&name, stamp, &head);
    Ok(is_whole.then_some((name, stamp, head)))
}

fn crc32(name: &OsStr, stamp: FileStamp, head: &RunHead) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(name.as_bytes());
    sum.update(format!("\0{stamp:?}{head:?}").as_bytes());
    sum.finalize()
}
