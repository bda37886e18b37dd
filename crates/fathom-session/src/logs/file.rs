//! Opens the files of logs; an old log is opened so that it can be emptied.

use super::Where;
use crate::exit::{Exit, Failure};
use crate::outputs::{self, KernelFiles, NoFile};
use fathom_results::{RunRecord, spool};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Opens the files of logs.
pub(super) struct Maker<'a> {
    place: Where<'a>,
    kernel: KernelFiles,
}

/// The file of a log, with its old contents.
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
}

impl LogFile {
    /// Empties the file, and returns it with its path.
    pub fn emptied(self) -> Result<(PathBuf, File), Failure> {
        self.file.set_len(0).map_err(|e| cannot(&self.path, e))?;
        Ok((self.path, self.file))
    }
}

impl<'a> Maker<'a> {
    /// For logs that go to `place`.
    pub fn new(place: Where<'a>) -> Self {
        Maker { place, kernel: KernelFiles::of_this_machine() }
    }

    /// Opens a log. In the run's directory no log exists yet. Elsewhere an older
    /// log is emptied later, as fio does.
    pub fn open(&self, path: &Path) -> Result<LogFile, Failure> {
        let file = match self.place {
            Where::Run(dir) => open_in(dir, path).map_err(|e| cannot(path, e)),
            Where::Here(in_use) => {
                outputs::open_here(path, in_use, &self.kernel).map_err(|why| not_here(path, why))
            }
        }?;
        Ok(LogFile { path: path.to_owned(), file })
    }
}

fn not_here(path: &Path, why: NoFile) -> Failure {
    match why {
        NoFile::InUse(user) => refused(path, &format!("is {user}")),
        NoFile::NotRegular => cannot(path, io::Error::other("it is not a regular file")),
        NoFile::OfKernel(failure) => *failure,
        NoFile::OfSavedRun => refused(path, "belongs to a saved run"),
        NoFile::Failed(e) => cannot(path, e),
    }
}

fn open_in(dir: &Path, path: &Path) -> io::Result<File> {
    if !path.strip_prefix(dir).is_ok_and(stays_below) {
        return Err(outside());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    outputs::no_links().create_new(true).open(path)
}

/// Whether a path that is appended to a directory leads to a place below it.
pub(super) fn stays_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The longest name of a file (Linux, include/uapi/linux/limits.h), bytes.
const NAME_MAX: usize = 255;

/// Why a log with this path cannot be made in the directory of a run, as far as that is known before there is one.
pub(super) fn why_not_in_a_run(path: &Path) -> Option<io::Error> {
    if !stays_below(path) {
        return Some(outside());
    }
    let parts: Vec<&OsStr> = path.iter().collect();
    let own = [RunRecord::FILE, spool::FILE].into_iter().find(|own| parts.len() > 1 && parts[0] == *own);
    let is_long = parts.iter().any(|part| part.len() > NAME_MAX);
    match own {
        Some(own) => Some(io::Error::other(format!("{own} is a file of the run"))),
        None => is_long.then(|| io::Error::other("a name in it is longer than 255 bytes")),
    }
}

/// Why a log elsewhere is not made.
pub(super) fn outside() -> io::Error {
    io::Error::other("a log of `fathom run` stays in the run's directory")
}

fn refused(path: &Path, why: &str) -> Failure {
    let message = format!("refused to write the log {}: it {why}", path.display());
    Failure::new(Exit::Refused, message).hint("give the log another prefix")
}

pub(super) fn cannot(path: &Path, e: io::Error) -> Failure {
    Failure::new(Exit::Usage, format!("cannot make the log {}: {e}", path.display())).hint(
        "write_bw_log, write_iops_log, write_lat_log and write_hist_log take the beginning of a file name",
    )
}
