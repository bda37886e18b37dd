//! The guardian: a process that does nothing but outlive us.
//!
//! It holds the reading end of a pipe. If the pipe ends without a word, the
//! process at the other end was killed, and the guardian undoes its journal.
//! It has a session of its own and ignores the signals that end others, so a
//! kill of the whole group spares it. What kills everything at once is left to
//! the journal, which the next start finds.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::error::TuneError;
use super::record::Record;
use super::revert::{RevertOptions, revert_journal};
use super::state_dir::Lock;
use super::writer::Writer;
use crate::root::Root;
use crate::sys::detach;

/// Said by the guardian when nothing can hit it by accident any more.
const READY: &str = "ready";
/// Said to the guardian when there is nothing to undo, or nobody wants it.
const DISMISSED: &[u8] = b"dismissed\n";

/// The guardian as its ward sees it.
#[derive(Debug)]
pub struct Guardian {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guardian {
    /// Starts the guardian of a journal. `command` runs a program that ends up
    /// in [`watch`] with the same path.
    pub fn start(mut command: Command) -> Result<Self, TuneError> {
        let cannot = |e: io::Error| TuneError::Guardian(e.to_string());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(cannot)?;
        let pipe = child.stdin.take();
        let said = child.stdout.take().map(first_line).transpose().map_err(cannot)?.unwrap_or_default();
        if said.trim_end() != READY {
            return Err(TuneError::Guardian(format!("it said {said:?}")));
        }
        Ok(Self { child, pipe })
    }

    /// Tells it that it is not needed any more, and waits for its end.
    pub fn dismiss(mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // If it is gone already, there is nobody to tell.
            let _ = pipe.write_all(DISMISSED);
        }
        let _ = self.child.wait();
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

fn first_line(from: impl Read) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(from).read_line(&mut line)?;
    Ok(line)
}

/// What the guardian does: waits on `pipe` for the end of its ward, and undoes
/// the journal unless it was dismissed. The answer is what was undone.
pub fn watch(
    root: &Root,
    writer: &dyn Writer,
    journal: &Path,
    mut pipe: impl Read,
    mut ready: impl Write,
) -> Result<Vec<Record>, TuneError> {
    // Leading a group already is as good.
    let _ = detach::new_session();
    detach::ignore(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE]);
    let cannot = |e: io::Error| TuneError::Guardian(e.to_string());
    writeln!(ready, "{READY}").and_then(|()| ready.flush()).map_err(cannot)?;
    let mut said = Vec::new();
    // An error on the pipe is the end of it.
    let _ = pipe.read_to_end(&mut said);
    if said == DISMISSED {
        return Ok(Vec::new());
    }
    let dir = journal.parent().unwrap_or(Path::new("/"));
    let _lock = Lock::wait(dir)?;
    match journal.exists() {
        true => revert_journal(root, writer, journal, &RevertOptions::default()),
        // Another revert was quicker.
        false => Ok(Vec::new()),
    }
}
