//! Which files of a saved run or procedure go into its bundle: those that fathom saved in it, and nothing that somebody else put
//! there.
//!
//! The seal of a run names its files. A page that somebody put there later is not one of them, and a page can hold a program, which the browser
//! would run. The page is made again from the bundle.

use super::manifest;
use fathom_results::procedure::{CUT, HISTORY, ProcedureRecord, ROUNDS, is_procedure, load_procedure};
use fathom_results::{RunRecord, SavedDirectory, Seal, spool};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// What a directory holds, by paths in it.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// What fathom saved, in order.
    pub saved: Vec<PathBuf>,
    /// What it did not save, in order: files, links and whole directories.
    pub foreign: Vec<PathBuf>,
}

impl Contents {
    /// Looks at the directory of a run or a procedure.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn of(dir: &SavedDirectory) -> io::Result<Contents> {
        let mut contents = Contents::default();
        match is_procedure(dir.path()) {
            true => contents.add_procedure(dir)?,
            false => contents.add_run(dir, Path::new(""))?,
        }
        contents.saved.sort_unstable();
        contents.foreign.sort_unstable();
        Ok(contents)
    }

    fn add_procedure(&mut self, dir: &SavedDirectory) -> io::Result<()> {
        for (name, kind) in entries(dir)? {
            let is_saved = kind.is_file() && [ProcedureRecord::FILE, HISTORY].iter().any(|it| name == **it);
            match is_saved {
                true => self.saved.push(name.into()),
                false if kind.is_dir() && name == ROUNDS => self.add_rounds(dir)?,
                false => self.add_foreign(Path::new(""), &name),
            }
        }
        Ok(())
    }

    fn add_rounds(&mut self, dir: &SavedDirectory) -> io::Result<()> {
        let (rounds, known) = (dir.below(ROUNDS)?, KnownRounds::of(dir.path()));
        for (name, kind) in entries(&rounds)? {
            match name.to_str().filter(|name| kind.is_dir() && known.has(name)) {
                Some(round) => self.add_run(&rounds.below(round)?, &Path::new(ROUNDS).join(round))?,
                None => self.add_foreign(Path::new(ROUNDS), &name),
            }
        }
        Ok(())
    }

    fn add_run(&mut self, dir: &SavedDirectory, below: &Path) -> io::Result<()> {
        let seal = Seal::saved_in(dir);
        for (name, kind) in entries(dir)? {
            match kind.is_file() && is_of_run(dir, seal.as_ref(), &name) {
                true => self.saved.push(below.join(name)),
                false => self.add_foreign(below, &name),
            }
        }
        Ok(())
    }

    /// The manifest and the digests of a bundle from which the directory came are made again, so nothing is lost with it.
    fn add_foreign(&mut self, below: &Path, name: &OsStr) {
        if below != Path::new("") || name != manifest::FILE && name != manifest::SUMS {
            self.foreign.push(below.join(name));
        }
    }
}

/// The files of a run that was killed before it was sealed, and of one whose record was changed.
const UNSEALED: [&str; 3] = [RunRecord::FILE, spool::FILE, RunRecord::TOPOLOGY];

/// Did fathom save this file with the run? What was changed since goes into the bundle, whose report names the damage; but a page
/// that was changed does not.
fn is_of_run(dir: &SavedDirectory, seal: Option<&Seal>, name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    match seal {
        _ if name == RunRecord::FILE => true,
        Some(seal) if name == RunRecord::PAGE => seal.fits_in(dir, name),
        Some(seal) => seal.holds(name),
        None => UNSEALED.contains(&name),
    }
}

/// The rounds of a procedure.
struct KnownRounds {
    /// Those of the history; `None` where that cannot be read, or goes on.
    ended: Option<HashSet<String>>,
}

impl KnownRounds {
    fn of(dir: &Path) -> KnownRounds {
        let saved = load_procedure(dir).ok().filter(|saved| saved.record.conclusion.is_some());
        KnownRounds {
            ended: saved.map(|saved| saved.rounds().map(|round| round.directory.clone()).collect()),
        }
    }

    /// Tries that were cut are rounds, too.
    fn has(&self, name: &str) -> bool {
        self.ended.as_ref().is_none_or(|ended| ended.contains(name) || name.contains(CUT))
    }
}

/// What a directory holds, without following links.
fn entries(dir: &SavedDirectory) -> io::Result<Vec<(OsString, std::fs::FileType)>> {
    std::fs::read_dir(dir.path())?
        .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))))
        .collect()
}
