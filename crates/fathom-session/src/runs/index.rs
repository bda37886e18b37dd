//! The index of runs: one file for each user.
//!
//! It knows the directories in which runs were saved, so a run is found by its id from any
//! directory, and what a list shows of each run, because the records of ten thousand runs have
//! gigabytes. It is a cache: the directories are the truth, and whatever is wrong with the index, a list
//! of runs is the same and takes longer.
//!
//! A change writes a new file and renames it, so a reader finds a whole index and needs no lock. Who changes it holds the
//! lock of the file, so no change of another process is lost. A damaged index is made again. A file that fathom did not
//! make, and an index of a newer version, stay as they are.

use super::rows::{Rows, Unusable};
use crate::state::{is_at, state_dir};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The variable that names another place of the index; empty for none.
pub const VARIABLE: &str = "FATHOM_INDEX";

/// Name of the file in the directory of fathom's state.
const FILE: &str = "runs.jsonl";

/// How often a process asks for a lock that another one holds for milliseconds.
const ASKED_AFTER: Duration = Duration::from_millis(5);

/// Where the index is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunIndex {
    path: Option<PathBuf>,
}

impl RunIndex {
    /// The index of this user: what `FATHOM_INDEX` names; or `runs.jsonl` in `/var/lib/fathom` for root,
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

    /// Its text.
    pub(super) fn text(&self) -> Result<Vec<u8>, Unusable> {
        let path = self.path().ok_or(Unusable::Missing)?;
        examine(path)?;
        Ok(fs::read(path)?)
    }

    /// What it holds.
    pub(super) fn read(&self) -> Result<Rows, Unusable> {
        Rows::read(&self.text()?)
    }

    /// Changes what it holds now, and makes it where there is none. A damaged one is made again, with the directories that
    /// it knew. Waits no longer than this for another process.
    pub(super) fn change(&self, wait: Duration, change: impl FnOnce(&mut Rows)) -> Result<(), Unusable> {
        let path = self.path().ok_or(Unusable::Missing)?;
        let held = locked(path, wait)?;
        let mut rows = match self.read() {
            Err(Unusable::Missing) => Rows::default(),
            Err(Unusable::Older(directories) | Unusable::Damaged(_, directories)) => {
                Rows::of_directories(&directories)
            }
            rows => rows?,
        };
        change(&mut rows);
        Ok(replace(path, &held, &rows.text())?)
    }
}

/// The file with its lock. The file that is locked may have been replaced meanwhile.
fn locked(path: &Path, wait: Duration) -> Result<File, Unusable> {
    let until = Instant::now() + wait;
    loop {
        let file = opened(path)?;
        while let Err(e) = file.try_lock() {
            match e {
                TryLockError::Error(e) => return Err(e.into()),
                TryLockError::WouldBlock if Instant::now() >= until => {
                    return Err(Unusable::Cannot("another program uses it".to_owned()));
                }
                TryLockError::WouldBlock => sleep(ASKED_AFTER),
            }
        }
        if is_at(&file, path).unwrap_or(false) {
            return Ok(file);
        }
    }
}

/// The file, made if there is none.
fn opened(path: &Path) -> Result<File, Unusable> {
    match examine(path) {
        Err(Unusable::Missing) => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            parent.map_or(Ok(()), fs::create_dir_all)?;
        }
        examined => examined?,
    }
    Ok(File::options().read(true).write(true).create(true).truncate(false).open(path)?)
}

/// Puts a new file in the place of the one that is held. Who holds it is the only one that writes the new one, so what has
/// its name was left by a process that was killed. It is not forced to stable storage: after a power failure the index may
/// be damaged, and waiting for the disk costs a run more.
fn replace(path: &Path, held: &File, text: &[u8]) -> std::io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let _ = fs::remove_file(&new);
    let mut file = File::create_new(&new)?;
    let written = file.write_all(text).and_then(|()| {
        let meta = held.metadata()?;
        // Where root changes the index of a user, it stays that of the user.
        if meta.uid() != file.metadata()?.uid() {
            fchown(&file, Some(meta.uid()), Some(meta.gid()))?;
        }
        file.set_permissions(meta.permissions())?;
        fs::rename(&new, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Looks at the kind of the file before it is opened: opening a FIFO would wait.
fn examine(path: &Path) -> Result<(), Unusable> {
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Err(Unusable::Missing),
        Ok(meta) if !meta.is_file() => Err(Unusable::not_ours()),
        meta => Ok(meta.map(drop)?),
    }
}

/// The longest time for which a run waits for the index.
const WAIT: Duration = Duration::from_millis(250);

/// Remembers the directory that holds the directory of a run. A run needs no index, so nothing that
/// goes wrong with it is told here. The index may lie on a file system that does not answer; so a
/// thread writes to it, and the run waits for that thread for a short time only.
pub(crate) fn register(dir: &Path, index: &RunIndex) {
    let Ok(dir) = std::fs::canonicalize(dir) else { return };
    if index.path().is_none() {
        return;
    }
    let (index, (told, ended)) = (index.clone(), channel());
    let register = move || {
        let done = known(&dir, &index);
        let _ = told.send(done);
    };
    if std::thread::Builder::new().name("fathom-index".to_owned()).spawn(register).is_ok() {
        let _ = ended.recv_timeout(WAIT);
    }
}

/// The lines of runs are not read: there may be many of them, and a run begins.
fn known(dir: &Path, index: &RunIndex) -> Result<(), Unusable> {
    if index.text().is_ok_and(|text| Rows::directories_in(&text).iter().any(|known| known == dir)) {
        return Ok(());
    }
    index.change(WAIT, |rows| rows.add(dir))
}
