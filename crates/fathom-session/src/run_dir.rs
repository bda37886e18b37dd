//! The directory of a run.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::here::Here;
use crate::latest;
use crate::request::RunDir;
use fathom_results::{RunRecord, spool};
use fathom_text::calendar::Moment;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Makes the directory with the record of a run that begins: exactly the one asked for, or
/// `<runs-dir>/<UTC>-<name>-<id>`. A new directory gets its name when the record is in it, so every
/// directory with the name of a run can be read as one.
pub fn create(record: &RunRecord, at: &RunDir, here: &Here) -> Result<RunDirectory, Failure> {
    match at {
        RunDir::Exactly(dir) => exact(record, dir),
        RunDir::In(runs_dir) => {
            let stamp = Moment::of_unix_ns(record.started_unix_ns).compact();
            let dir = runs_dir.join(format!("{stamp}-{}-{}", plain(&record.name), record.id));
            can_be_made(runs_dir)?;
            new(record, runs_dir, &dir)?;
            latest::point_at(runs_dir, &dir, here);
            Ok(RunDirectory { path: dir, is_new: true })
        }
    }
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
        }
        if self.is_new {
            // What else is in the directory stays, and the directory with it.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// Makes the directory `dir` in `parent`, with the record.
fn new(record: &RunRecord, parent: &Path, dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(parent).map_err(|e| cannot(parent, e))?;
    let partial = parent.join(format!(".{}.partial", record.id));
    std::fs::create_dir(&partial).map_err(|e| cannot(&partial, e))?;
    let made = record.save_new(&partial).and_then(|()| std::fs::rename(&partial, dir));
    made.map_err(|e| {
        RunDirectory { path: partial, is_new: true }.undo();
        taken(dir, e)
    })
}

/// Another run may have taken the directory at the same moment.
fn taken(dir: &Path, e: std::io::Error) -> Failure {
    match e.kind() {
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => not_empty(dir),
        _ => cannot(dir, e),
    }
}

fn not_empty(dir: &Path) -> Failure {
    let said = format!("{} is not empty; a run never overwrites another", dir.display());
    Failure::new(Exit::Usage, said).hint("name a new directory")
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
        Ok(HeldDirectory { handle: OpenOptions::new().read(true).custom_flags(flags).open(dir)? })
    }

    /// A path that leads to the directory, even if it was moved.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()))
    }
}

fn exact(record: &RunRecord, dir: &Path) -> Result<RunDirectory, Failure> {
    can_be_made(dir)?;
    if !dir.exists() {
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        new(record, parent.unwrap_or(Path::new(".")), dir)?;
        return Ok(RunDirectory { path: dir.to_owned(), is_new: true });
    }
    let mut entries = std::fs::read_dir(dir).map_err(|e| cannot(dir, e))?;
    if entries.next().is_some() {
        return Err(not_empty(dir));
    }
    record.save_new(dir).map_err(|e| taken(dir, e))?;
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
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let text: String = name.chars().map(kept).take(40).collect();
    let text = text.trim_matches(['-', '.']).to_owned();
    if text.is_empty() { "run".to_owned() } else { text }
}
