//! Places that a person names for an output. Every command opens its outputs
//! through this module.
//!
//! A typing error in an output option could destroy a file. So a place is looked
//! at before anything is measured, and again before it is written:
//!
//! * A new file is made. An existing file is replaced if it is empty, is an
//!   output of the same kind ([`OutputKind`]), or is named by `--overwrite`; `fathom fio`
//!   replaces it whatever it holds, as fio does.
//! * Never replaced are a file that the run uses ([`InUse`]), a file of a saved
//!   run, and a file that a loop device, swap or a mount uses ([`KernelFiles`]).
//! * Of devices, only /dev/null and terminals are written to. Pipes and the
//!   descriptors that a shell passes are written to as well. `-` is standard output.
//!
//! A file is replaced in one step. A link stays: what it leads to is judged and
//! replaced.

mod existing;
mod growing;
mod kind;
mod replace;
mod stream;

pub use kind::OutputKind;

use crate::edge::{Ready, print_ready, say_ready};
use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;
use fathom_guard::Door;
use fathom_results::ReadObstacle;
use fathom_session::outputs::{InUse, KernelFiles, can_be_new};
use fathom_text::shell::quoted;
use growing::Growing;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What is going to be written, and what the person allowed.
#[derive(Debug)]
pub struct OutputTerms<'a> {
    /// The kind of output.
    pub kind: OutputKind,
    /// Files that may be replaced whatever they hold.
    pub overwrite: &'a [PathBuf],
    /// Whether the rules of `fathom run` or of `fathom fio` apply.
    pub door: Door,
    /// Files that must stay.
    pub in_use: &'a InUse,
}

/// A place that may be written to.
#[derive(Debug)]
pub struct OutputPlace<'a> {
    asked: OutputTerms<'a>,
    to: To,
    /// The file, if there is something of ours in it.
    growing: Growing,
}

#[derive(Debug)]
enum To {
    Stdout,
    Stderr,
    /// Nothing there yet, or a regular file: made or replaced by the first text.
    File(PathBuf),
    /// A stream, opened when it was looked at.
    Stream(File),
}

impl<'a> OutputPlace<'a> {
    /// Looks at the place, and writes nothing. Without a path it is standard
    /// output.
    ///
    /// # Errors
    /// [`Exit::Refused`] where something would be lost, [`Exit::Usage`] where
    /// the place cannot be written.
    pub fn of(path: Option<&Path>, asked: OutputTerms<'a>) -> Result<Self, Failure> {
        let to = match path {
            None => To::Stdout,
            Some(path) if path == Path::new("-") => To::Stdout,
            Some(path) if path.as_os_str().is_empty() => {
                return Err(Failure::new(
                    Exit::Usage,
                    format!("--output names no file for the {}", asked.kind),
                )
                .hint("--output takes a file, or - for standard output"));
            }
            Some(path) => match slow_look().at(path, || stream::descriptor(path)) {
                Some(1) => To::Stdout,
                Some(2) => To::Stderr,
                Some(_) => To::Stream(stream::of_descriptor(path, &asked)?),
                None => inspect(path, &asked)?,
            },
        };
        Ok(OutputPlace { asked, to, growing: Growing::default() })
    }

    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout)
    }

    /// Writes the text, all of it or nothing to a file. What was written before stays in front of it.
    pub fn write(&self, ready: &Ready) -> Result<(), Failure> {
        let text = ready.as_str();
        match &self.to {
            To::Stdout => print_ready(ready),
            To::Stderr => {
                say_ready(ready);
                Ok(())
            }
            To::Stream(file) => stream::write(file, text.as_bytes()).map_err(|e| {
                Failure::new(Exit::Failed, format!("cannot write the {}: {e}", self.asked.kind))
            }),
            To::File(path) => {
                let judge = || still_a_file(path, &self.asked).map_err(NotWritten::Refused);
                self.growing.add(path, text, judge).map_err(|e| match e {
                    NotWritten::Refused(why) => why,
                    NotWritten::Failed(e) => Failure { exit: Exit::Failed, ..cannot(path, &e) },
                })
            }
        }
    }

    /// Writes a file of bytes, which no terminal is to show: all of it or nothing. Returns what `fill`
    /// returns.
    ///
    /// # Errors
    /// The place is not a file; or those of `fill` and of the file system.
    pub fn fill<T>(self, fill: impl FnOnce(&mut File) -> Result<T, Failure>) -> Result<T, Failure> {
        let To::File(path) = self.to else {
            let message = format!("a {} goes to a file only", self.asked.kind);
            return Err(Failure::new(Exit::Usage, message).hint("--output names a file"));
        };
        still_a_file(&path, &self.asked)?;
        let filled = replace::replace_with(&path, fill);
        filled.map_err(|e| Failure { exit: Exit::Failed, ..cannot(&path, &e) })?
    }
}

/// Why a text is not in its file.
enum NotWritten {
    Refused(Failure),
    Failed(io::Error),
}

impl From<io::Error> for NotWritten {
    fn from(e: io::Error) -> Self {
        NotWritten::Failed(e)
    }
}

/// The file may have been changed during the run. It was not a link before, so nobody named what a
/// new link leads to.
fn still_a_file(path: &Path, asked: &OutputTerms<'_>) -> Result<(), Failure> {
    if path.is_symlink() {
        return Err(refused(path, asked, "a link has been put there meanwhile"));
    }
    match inspect(path, asked)? {
        To::File(_) => Ok(()),
        _ => Err(cannot(path, &io::Error::other("it is not a file any more"))),
    }
}

/// Judges what a path leads to by a descriptor that opens nothing: opening a
/// device alone can rewind a tape or start a watchdog.
fn inspect(path: &Path, asked: &OutputTerms<'_>) -> Result<To, Failure> {
    slow_look().at(path, || judge(path, asked))
}

fn judge(path: &Path, asked: &OutputTerms<'_>) -> Result<To, Failure> {
    let pin = match OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path) {
        Ok(pin) => pin,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return new(path, asked),
        Err(e) => return Err(cannot(path, &e)),
    };
    let meta = pin.metadata().map_err(|e| cannot(path, &e))?;
    let kind = meta.file_type();
    match () {
        () if kind.is_file() => {
            KernelFiles::of_this_machine().refuse(&pin, path)?;
            existing::judge(path, &pin, asked).map(To::File)
        }
        () if kind.is_dir() => Err(cannot(path, &io::Error::other("it is a directory"))),
        () if kind.is_fifo() => stream::fifo(path, &pin).map(To::Stream),
        () if kind.is_char_device() => stream::device(path, &pin, &meta).map(To::Stream),
        () if kind.is_block_device() => Err(refused(path, asked, "it is a device").hint(PLACES)),
        () => Err(refused(path, asked, "it is a socket").hint(PLACES)),
    }
}

/// A file that does not exist yet. Whether it can be created there is tried now.
fn new(path: &Path, asked: &OutputTerms<'_>) -> Result<To, Failure> {
    if path.is_symlink() {
        let reason = "it is a link that leads nowhere, and fathom does not follow it into a new file";
        return Err(refused(path, asked, reason));
    }
    can_be_new(path).map_err(|e| cannot(path, &e))?;
    if let Some(user) = asked.in_use.user_of(path) {
        return Err(refused(path, asked, &format!("it is {user}")));
    }
    replace::try_beside(path).map_err(|e| cannot(path, &e))?;
    Ok(To::File(path.to_owned()))
}

/// What may be named instead.
const PLACES: &str = "an output goes to a file, a pipe, a terminal, or - for standard output";

fn cannot(path: &Path, e: &io::Error) -> Failure {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty() && e.kind() == io::ErrorKind::NotFound);
    if let Some(dir) = dir.filter(|dir| !slow_look().at(dir, || dir.exists())) {
        let message = format!("cannot write {}: there is no directory {}", path.display(), dir.display());
        return Failure::new(Exit::Usage, message).hint(format!("mkdir -p {} creates it", quoted(dir)));
    }
    let message = format!("cannot write {}: {e}", path.display());
    match ReadObstacle::of(e) {
        // A limit is not a wrong command line.
        Some(limit @ (ReadObstacle::OpenFiles | ReadObstacle::Memory)) => {
            Failure::new(Exit::Failed, message).hint(limit.hint())
        }
        _ => Failure::new(Exit::Usage, message),
    }
}

fn refused(path: &Path, asked: &OutputTerms<'_>, why: &str) -> Failure {
    Failure::new(Exit::Refused, format!("refused to write the {} to {}: {why}", asked.kind, path.display()))
}
