//! The directory of a run.

use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::request::RunDir;
use crate::runs::register;
use crate::{latest, outputs};
use fathom_device::sys::{proc_path, without_proc};
use fathom_results::procedure::{HISTORY, HistoryWriter, ProcedureRecord};
use fathom_results::{RunRecord, spool};
use fathom_text::calendar::Moment;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Makes the directory with the record of a run that begins: exactly the one asked for, or
/// `<runs-dir>/<UTC>-<name>-<id>`. A new directory gets its name when the record is in it, so every
/// directory with the name of a run can be read as one.
pub fn create(record: &RunRecord, at: &RunDir, here: &Here) -> Result<RunDirectory, Failure> {
    match at {
        // A round is found through its procedure.
        RunDir::Exactly(dir) if record.round.is_some() => exact(&record.id, &|dir| record.save_new(dir), dir),
        RunDir::Exactly(dir) => exact(&record.id, &|dir| record.save_new(dir), dir)
            .inspect(|_| register(outputs::parent(dir), here.index())),
        RunDir::In(runs_dir) => {
            let dir = runs_dir.join(name_of(&record.id, &record.name, record.started_unix_ns));
            can_be_made(runs_dir)?;
            new(&record.id, &|dir| record.save_new(dir), runs_dir, &dir)?;
            latest::point_at(runs_dir, &dir, here);
            register(runs_dir, here.index());
            Ok(RunDirectory { path: dir, is_new: true })
        }
    }
}

/// Makes the directory of a procedure with its record, in the same places as that of a run.
pub fn create_procedure(record: &ProcedureRecord, at: &RunDir, here: &Here) -> Result<RunDirectory, Failure> {
    // The history first: where there is a record, there is a history.
    let save = |dir: &Path| {
        HistoryWriter::create(dir, &record.id)?;
        record.save_new(dir)
    };
    match at {
        RunDir::Exactly(dir) => {
            exact(&record.id, &save, dir).inspect(|_| register(outputs::parent(dir), here.index()))
        }
        RunDir::In(runs_dir) => {
            let dir = runs_dir.join(name_of(&record.id, &record.name, record.started_unix_ns));
            can_be_made(runs_dir)?;
            new(&record.id, &save, runs_dir, &dir)?;
            latest::point_at(runs_dir, &dir, here);
            register(runs_dir, here.index());
            Ok(RunDirectory { path: dir, is_new: true })
        }
    }
}

/// Why no run could be saved there. Nothing is made.
pub fn refusal(at: &RunDir) -> Option<Failure> {
    can_be_made(at.path()).err().or_else(|| match at {
        RunDir::Exactly(dir) => {
            let has_entries = std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
            has_entries.then(|| not_empty(dir))
        }
        RunDir::In(_) => None,
    })
}

/// Saves the first file in a directory.
type Save<'a> = &'a dyn Fn(&Path) -> std::io::Result<()>;

/// `<UTC>-<name>-<id>`.
fn name_of(id: &str, name: &str, started_unix_ns: u64) -> String {
    format!("{}-{}-{id}", Moment::of_unix_ns(started_unix_ns).compact(), plain(name))
}

/// The directory of a run that begins. Its record is in it, and belongs to this run alone.
pub struct RunDirectory {
    /// Its path.
    pub path: PathBuf,
    /// This run made it. Otherwise it was there, and empty.
    is_new: bool,
}

impl RunDirectory {
    /// Removes what a run saved that could not begin. A run with a spool stays, and so does a
    /// directory that was there before.
    pub fn undo(&self) {
        if !self.path.join(spool::FILE).exists() {
            let _ = std::fs::remove_file(self.path.join(RunRecord::TOPOLOGY));
            let _ = std::fs::remove_file(self.path.join(RunRecord::FILE));
            let _ = std::fs::remove_file(self.path.join(ProcedureRecord::FILE));
            let _ = std::fs::remove_file(self.path.join(HISTORY));
        }
        if self.is_new {
            // What else is in the directory stays, and the directory with it.
            let _ = std::fs::remove_dir(&self.path);
            latest::take_back(outputs::parent(&self.path), &self.path);
        }
    }
}

/// Makes the directory `dir` in `parent`, with the record.
fn new(id: &str, save: Save<'_>, parent: &Path, dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(parent).map_err(|e| cannot(parent, e))?;
    let partial = partial(parent, id);
    std::fs::create_dir(&partial).map_err(|e| cannot(&partial, e))?;
    let made = save(&partial).and_then(|()| std::fs::rename(&partial, dir));
    made.map_err(|e| {
        RunDirectory { path: partial, is_new: true }.undo();
        taken(dir, e)
    })
}

/// The directory of a run before it has its name.
fn partial(parent: &Path, id: &str) -> PathBuf {
    parent.join(format!(".{id}.partial"))
}

/// Removes what is left of a run that was killed before its directory had its name. Only for ids that
/// no other process uses.
pub fn remove_partial(parent: &Path, id: &str) -> std::io::Result<()> {
    match std::fs::remove_dir_all(partial(parent, id)) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Another run may have taken the directory at the same moment.
fn taken(dir: &Path, e: std::io::Error) -> Failure {
    match e.kind() {
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => not_empty(dir),
        _ => cannot(dir, e),
    }
}

fn not_empty(dir: &Path) -> Failure {
    let message = format!("{} is not empty; a run never overwrites another", dir.display());
    Failure::new(Exit::Usage, message).hint("name a new directory")
}

/// The directory of a run, held open: if somebody puts another directory or a link
/// in its place, the run is still saved in this one.
pub struct HeldDirectory {
    handle: File,
}

impl HeldDirectory {
    /// Opens the directory.
    pub fn open(dir: &Path) -> std::io::Result<HeldDirectory> {
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        let held = HeldDirectory { handle: OpenOptions::new().read(true).custom_flags(flags).open(dir)? };
        std::fs::symlink_metadata(held.path()).map_err(without_proc)?;
        Ok(held)
    }

    /// A path that leads to the directory, even if it was moved.
    pub fn path(&self) -> PathBuf {
        proc_path(&self.handle)
    }
}

fn exact(id: &str, save: Save<'_>, dir: &Path) -> Result<RunDirectory, Failure> {
    can_be_made(dir)?;
    if !dir.exists() {
        new(id, save, outputs::parent(dir), dir)?;
        return Ok(RunDirectory { path: dir.to_owned(), is_new: true });
    }
    let mut entries = std::fs::read_dir(dir).map_err(|e| cannot(dir, e))?;
    if entries.next().is_some() {
        return Err(not_empty(dir));
    }
    save(dir).map_err(|e| taken(dir, e))?;
    Ok(RunDirectory { path: dir.to_owned(), is_new: false })
}

/// Where device nodes are, a directory would be in memory.
fn can_be_made(dir: &Path) -> Result<(), Failure> {
    let there = dir.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("."));
    crate::outputs::can_be_new(&there.join("new")).map_err(|e| cannot(dir, e))
}

fn cannot(dir: &Path, e: std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot make the run's directory {}: {e}", dir.display()))
        .hint("choose another place with --runs-dir or --output-dir")
}

/// A name in a form that can be part of a file name.
pub fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let text: String = name.chars().map(kept).take(40).collect();
    let text = text.trim_matches(['-', '.']).to_owned();
    if text.is_empty() { "run".to_owned() } else { text }
}
