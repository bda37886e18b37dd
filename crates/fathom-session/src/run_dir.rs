//! The directory of a run.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::here::Here;
use crate::latest;
use crate::request::RunDir;
use fathom_results::{RunRecord, spool};
use fathom_text::calendar::Moment;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Makes the directory with the record of a run that begins: exactly the one asked for, or
/// `<runs-dir>/<UTC>-<name>-<id>`. A new directory gets its name when the record is in it, so every
/// directory with the name of a run can be read as one.
pub fn create(record: &RunRecord, at: &RunDir, here: &Here) -> Result<PathBuf, Failure> {
    match at {
        RunDir::Exactly(dir) => exact(record, dir),
        RunDir::In(runs_dir) => {
            let stamp = Moment::of_unix_ns(record.started_unix_ns).compact();
            let dir = runs_dir.join(format!("{stamp}-{}-{}", plain(&record.name), record.id));
            can_be_made(runs_dir)?;
            new(record, runs_dir, &dir)?;
            latest::point_at(runs_dir, &dir, here);
            Ok(dir)
        }
    }
}

/// Makes the directory `dir` in `parent`, with the record.
fn new(record: &RunRecord, parent: &Path, dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(parent).map_err(|e| cannot(parent, e))?;
    let partial = parent.join(format!(".{}.partial", record.id));
    std::fs::create_dir(&partial).map_err(|e| cannot(&partial, e))?;
    let made = record.save(&partial).and_then(|()| std::fs::rename(&partial, dir));
    made.map_err(|e| {
        undo(&partial);
        cannot(dir, e)
    })
}

/// Removes what a run saved that could not begin. A run with a spool stays.
pub fn undo(dir: &Path) {
    if dir.join(spool::FILE).exists() {
        return;
    }
    // What else is in the directory stays, and the directory with it.
    let _ = std::fs::remove_file(dir.join(RunRecord::FILE));
    let _ = std::fs::remove_file(dir.join(RunRecord::TOPOLOGY));
    let _ = std::fs::remove_dir(dir);
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

fn exact(record: &RunRecord, dir: &Path) -> Result<PathBuf, Failure> {
    can_be_made(dir)?;
    if !dir.exists() {
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        new(record, parent.unwrap_or(Path::new(".")), dir)?;
        return Ok(dir.to_owned());
    }
    let mut entries = std::fs::read_dir(dir).map_err(|e| cannot(dir, e))?;
    if entries.next().is_some() {
        return Err(Failure::new(
            Exit::Usage,
            format!("{} is not empty; a run never overwrites another", dir.display()),
        )
        .hint("name a new directory"));
    }
    record.save(dir).map_err(|e| cannot(dir, e))?;
    Ok(dir.to_owned())
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
