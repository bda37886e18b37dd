//! Baselines: runs that are kept under a name, so that later ones can be compared with them.
//!
//! A baseline is a copy of the directory of the run, so it stays when the runs are removed, and
//! every command reads it like a run. Figures that others measured can be kept too: then the
//! directory has one file with them as they were typed.

mod document;

pub use document::{Baseline, BaselineList, BaselineRun};

use crate::bundle::SAVED_MAX_BYTES;
use crate::exit::{Exit, Failure};
use crate::run_dir::plain;
use crate::state::{is_at, make_own};
use fathom_results::SavedDirectory;
use fathom_text::shown;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The deepest directories of a run: rounds of a procedure, with the files of each.
const DEPTH_MAX: usize = 4;

/// The directory of baselines if no other is named; `None` without a home.
pub fn usual_dir() -> Option<PathBuf> {
    crate::state::state_dir("baselines")
}

/// Keeps a copy of the run in `run` as the baseline `name`. `replaces` allows that there is one.
///
/// # Errors
/// The name cannot be one of a file, there is such a baseline, or a file cannot be copied. Then
/// nothing is changed.
pub fn save(dir: &Path, name: &str, run: &Path, replaces: bool) -> Result<PathBuf, Failure> {
    let mut left = SAVED_MAX_BYTES;
    kept(dir, name, replaces, |partial| {
        copied(&SavedDirectory::open(run)?, Path::new(""), partial, 0, &mut left)
    })
}

/// The file of a baseline that is not a run.
const FIGURES: &str = "figures.txt";

/// More bytes are no figures of a device.
const FIGURES_BYTES_MAX: u64 = 4096;

/// Keeps figures that others measured, such as `read_iops=100293,read_mbps=531.59`.
///
/// # Errors
/// As [`save`].
pub fn save_figures(dir: &Path, name: &str, figures: &str, replaces: bool) -> Result<PathBuf, Failure> {
    kept(dir, name, replaces, |partial| {
        make_own(partial)?;
        let mut file = File::create(partial.join(FIGURES))?;
        file.write_all(figures.as_bytes())?;
        file.sync_all()
    })
}

/// The figures of a baseline that is not a run.
pub fn figures(baseline: &Path) -> Option<String> {
    let bytes = SavedDirectory::open(baseline).ok()?.bytes(FIGURES, FIGURES_BYTES_MAX).ok()?;
    String::from_utf8(bytes).ok()
}

/// Makes the directory of a baseline under another name, and gives it its own when it is complete.
fn kept(
    dir: &Path,
    name: &str,
    replaces: bool,
    make: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<PathBuf, Failure> {
    if plain(name) != name {
        let message =
            format!("{name} cannot be the name of a baseline: letters, digits, -, _ and . make one");
        return Err(Failure::new(Exit::Usage, message).hint(format!("fathom baseline save {}", plain(name))));
    }
    let to = dir.join(name);
    if to.exists() && !replaces {
        return Err(is_taken(name));
    }
    let cannot = |what: &Path, e: io::Error| {
        Failure::new(Exit::Failed, format!("cannot keep the baseline {}: {e}", shown::path(what)))
    };
    make_own(dir).map_err(|e| cannot(dir, e))?;
    remove_left(dir);
    let partial = Partial::make(dir, name).map_err(|e| cannot(&to, e))?;
    let made = make(&partial.path).map_err(NotKept::Failed);
    made.and_then(|()| put(&partial.path, &to, dir, replaces)).map_err(|why| match why {
        NotKept::Taken => is_taken(name),
        NotKept::Failed(e) => cannot(&to, e),
    })?;
    Ok(to)
}

fn is_taken(name: &str) -> Failure {
    Failure::new(Exit::Usage, format!("there is a baseline {name}"))
        .hint("choose another name, or give --replace if the old one is no longer needed")
}

/// Why a copy did not become the baseline.
enum NotKept {
    /// Another process has saved one of this name meanwhile.
    Taken,
    Failed(io::Error),
}

impl From<io::Error> for NotKept {
    fn from(e: io::Error) -> Self {
        NotKept::Failed(e)
    }
}

/// Gives the copy its name. The old baseline is removed when the new one is complete.
fn put(partial: &Path, to: &Path, dir: &Path, replaces: bool) -> Result<(), NotKept> {
    if replaces && to.exists() {
        return Ok(replace(partial, to, dir)?);
    }
    let is_taken = |e: io::Error| match e.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty if !replaces => NotKept::Taken,
        _ => NotKept::Failed(e),
    };
    if !replaces {
        // If two processes save under one name at the same time, only one of them can make this directory. The
        // rename replaces it.
        fs::create_dir(to).map_err(is_taken)?;
    }
    fs::rename(partial, to).inspect_err(|_| drop(fs::remove_dir(to))).map_err(is_taken)?;
    Ok(File::open(dir)?.sync_all()?)
}

/// Puts the copy in the place of the old baseline, which has the name of the copy then and is removed with it. In one step where
/// the file system can: a process that is killed leaves one of the two under the name.
fn replace(partial: &Path, to: &Path, dir: &Path) -> io::Result<()> {
    match renameat_with(CWD, partial, CWD, to, RenameFlags::EXCHANGE) {
        Ok(()) => return File::open(dir)?.sync_all(),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        Err(e) => return Err(e.into()),
    }
    let old = dir.join(format!(".old.{}", std::process::id()));
    fs::rename(to, &old)?;
    fs::rename(partial, to)?;
    File::open(dir)?.sync_all()?;
    fs::remove_dir_all(&old)
}

/// Copies files and directories. Links and devices do not belong to a run. `left` is how many bytes may still be copied: a
/// sparse file of a terabyte would fill the disk.
fn copied(run: &SavedDirectory, below: &Path, to: &Path, depth: usize, left: &mut u64) -> io::Result<()> {
    make_own(to)?;
    for entry in fs::read_dir(run.path().join(below))? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        let path = below.join(entry.file_name());
        if kind.is_file() {
            let file = run.file_below(&path)?;
            *left = left.checked_sub(file.metadata()?.len()).ok_or_else(|| too_long(run))?;
            let mut copy = File::create_new(&target)?;
            io::copy(&mut file.take(SAVED_MAX_BYTES), &mut copy)?;
            copy.sync_all()?;
        } else if kind.is_dir() && depth < DEPTH_MAX {
            copied(run, &path, &target, depth + 1, left)?;
        }
    }
    Ok(())
}

fn too_long(run: &SavedDirectory) -> io::Error {
    let run = shown::path(run.path());
    io::Error::other(format!("{run} has more than {SAVED_MAX_BYTES} bytes, which no run of a day has"))
}

/// The names of the baselines in `dir`, in alphabetical order. A directory that does not exist has none.
///
/// # Errors
/// The directory cannot be read.
pub fn names(dir: &Path) -> Result<Vec<String>, Failure> {
    let cannot = |e| Failure::new(Exit::Failed, format!("cannot list {}: {e}", shown::path(dir)));
    let entries = match fs::read_dir(dir) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot)?,
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    Ok(names)
}

/// The directory of the baseline `name`.
///
/// # Errors
/// There is none; the hint lists those that there are.
pub fn saved(dir: &Path, name: &str) -> Result<PathBuf, Failure> {
    let known = names(dir)?;
    if known.iter().any(|known| known == name) {
        return Ok(dir.join(name));
    }
    let hint = match known.as_slice() {
        [] => "none is kept yet: fathom baseline save NAME keeps the newest run".to_owned(),
        known => format!("kept are: {}", known.join(", ")),
    };
    Err(Failure::new(Exit::Usage, format!("there is no baseline {name}")).hint(hint))
}

/// Ending of its name.
const ENDING: &str = ".partial";

/// A directory that a baseline is made in; what is in it is removed with this value.
struct Partial {
    path: PathBuf,
    /// Its lock.
    _held: File,
}

impl Partial {
    /// Makes it in `dir`.
    fn make(dir: &Path, name: &str) -> io::Result<Partial> {
        let path = dir.join(format!(".{name}.{}{ENDING}", std::process::id()));
        loop {
            make_own(&path)?;
            // Another process may take it for an old one until it is locked.
            match locked(&path) {
                Ok(Some(held)) => return Ok(Partial { path, _held: held }),
                Ok(None) => std::thread::yield_now(),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Locks the directory; `None` where another process has it, or another directory has its name by now.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let held = File::open(path)?;
    match held.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(e)) => return Err(e),
    }
    Ok(is_at(&held, path)?.then_some(held))
}

/// Removes what killed processes left. What cannot be removed stays, and is tried again by the next one.
fn remove_left(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_partial = name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(ENDING));
        if is_partial && let Ok(Some(_held)) = locked(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(dir: &Path) -> Vec<String> {
        let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// A signal ends a copy anywhere. What is still copied by another process stays.
    #[test]
    fn what_a_killed_process_left_goes_with_the_next_baseline() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".a.4711.partial/rounds")).unwrap();
        fs::write(dir.path().join(".a.4711.partial/rounds/spool"), "half").unwrap();
        let used = Partial::make(dir.path(), "used").unwrap();
        save_figures(dir.path(), "b", "read_iops=1", false).unwrap();
        let name = used.path.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(entries(dir.path()), [name, "b".to_owned()]);
        drop(used);
        assert_eq!(entries(dir.path()), ["b"]);
    }

    #[test]
    fn a_baseline_is_replaced_and_the_old_one_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        save_figures(dir.path(), "b", "read_iops=1", false).unwrap();
        let sentence = save_figures(dir.path(), "b", "read_iops=2", false).unwrap_err().message;
        assert_eq!(sentence, "there is a baseline b");
        save_figures(dir.path(), "b", "read_iops=2", true).unwrap();
        assert_eq!(figures(&dir.path().join("b")).as_deref(), Some("read_iops=2"));
        assert_eq!(entries(dir.path()), ["b"]);
    }

    /// Two processes save under one name: the other one was faster.
    #[test]
    fn a_name_that_is_taken_meanwhile_is_told_as_one_that_was_taken() {
        let at = tempfile::tempdir().unwrap();
        let taken = save_figures(at.path(), "one", "read_iops=1", false)
            .and_then(|_| save_figures(at.path(), "one", "read_iops=2", false))
            .unwrap_err();
        for is_complete in [false, true] {
            let name = format!("late-{is_complete}");
            let failed = kept(at.path(), &name, false, |partial| {
                fs::create_dir(at.path().join(&name))?;
                if is_complete {
                    fs::write(at.path().join(&name).join(FIGURES), "read_iops=3")?;
                }
                make_own(partial)
            });
            let failed = failed.unwrap_err();
            assert_eq!(
                (failed.exit, failed.message.as_str()),
                (Exit::Usage, &*format!("there is a baseline {name}"))
            );
            assert_eq!(failed.hints, taken.hints);
            assert!(at.path().join(&name).exists(), "it is that of the other process");
        }
        assert_eq!(entries(at.path()), ["late-false", "late-true", "one"], "the copies are removed");
    }
}
