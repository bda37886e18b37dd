//! The guardian: a process that outlives us and then puts back what is left.
//!
//! A stream leads from us to it. If the stream ends without a message, or if the process at its
//! other end was killed and cannot end yet, the guardian undoes the journal. It has a session of
//! its own and ignores the signals that end others, so it survives when the whole group is killed.
//! If everything is killed at once, the journal stays: a later run names it, a new tuning is refused, and `fathom tune revert` puts back what it
//! holds.
//!
//! The guardian shares the lock of the state directory: it is given the same descriptor. So nobody
//! can take the lock between our end and its work, and the lock is released when that work is done,
//! even while a killed process still has it open.

use super::error::TuneError;
use super::record::Record;
use super::revert::{RevertOptions, revert_journal};
use super::state_dir::Lock;
use super::watched_process::WatchedProcess;
use super::writer::Writer;
use super::{journal, sys};
use fathom_device::root::Root;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The guardian sends this when no signal can end it by accident any more.
const READY: &str = "ready";
/// Sent to the guardian when there is nothing to undo, or when nothing is to be undone.
const DISMISSED: &[u8] = b"dismissed\n";
/// How often the guardian looks whether the watched process still runs: two small files of
/// `/proc` are read, some 20 µs of one processor.
const LOOK: Duration = Duration::from_secs(1);

/// The guardian as the watched process sees it.
#[derive(Debug)]
pub struct Guardian {
    child: Child,
    stream: UnixStream,
}

impl Guardian {
    /// Starts the guardian of a journal. `command` runs a program that ends up
    /// in [`watch`] with the same path, its standard input as the stream and
    /// its standard output as the lock.
    pub(super) fn start(mut command: Command, lock: &Lock) -> Result<Self, TuneError> {
        let cannot = |e: io::Error| TuneError::Guardian(e.to_string());
        let (stream, theirs) = UnixStream::pair().map_err(cannot)?;
        let lock = lock.share().map_err(cannot)?;
        command.stdin(OwnedFd::from(theirs)).stdout(lock).stderr(Stdio::null());
        let child = command.spawn().map_err(cannot)?;
        // The command has the guardian's end of the stream open too.
        drop(command);
        let mut message = String::new();
        BufReader::new(&stream).read_line(&mut message).map_err(cannot)?;
        if message.trim_end() != READY {
            return Err(TuneError::Guardian(format!("it said {message:?}")));
        }
        Ok(Self { child, stream })
    }

    /// Tells it that it is not needed any more, and waits for its end.
    pub fn dismiss(mut self) {
        // If it has ended already, it does not need the message.
        let _ = self.stream.write_all(DISMISSED);
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let _ = self.child.wait();
    }
}

/// What the guardian does: waits for the end of the watched process, and undoes the
/// journal unless it was dismissed. The answer is what was undone.
pub fn watch(
    root: &Root,
    writer: &dyn Writer,
    journal: &Path,
    mut stream: UnixStream,
    lock: File,
) -> Result<Vec<Record>, TuneError> {
    // This fails in a process that leads a group already, which is as good.
    let _ = sys::new_session();
    sys::ignore(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE]);
    let cannot = |e: io::Error| TuneError::Guardian(e.to_string());
    // The process that writes the journal is waiting for our message, so it runs now.
    let watched = journal::read(journal)?.header.and_then(|header| WatchedProcess::of(root, header.pid));
    stream.set_read_timeout(Some(LOOK)).map_err(cannot)?;
    writeln!(stream, "{READY}").map_err(cannot)?;
    if is_dismissed(&mut stream, || watched.as_ref().is_none_or(|watched| watched.runs(root))) {
        return Ok(Vec::new());
    }
    let dir = journal.parent().unwrap_or(Path::new("/"));
    let _lock = Lock::shared(dir, lock)?;
    match journal.exists() {
        true => revert_journal(root, writer, journal, &RevertOptions::default()),
        // Another revert was quicker.
        false => Ok(Vec::new()),
    }
}

/// Waits for the end of the stream, or of the process at its other end. Returns whether that
/// process said before that nothing is to be done.
fn is_dismissed(stream: &mut UnixStream, runs: impl Fn() -> bool) -> bool {
    let mut message = Vec::new();
    let mut part = [0; 64];
    loop {
        match stream.read(&mut part) {
            Ok(read) if read > 0 => message.extend_from_slice(&part[..read]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock && runs() => {}
            // An error on the stream is the end of it.
            _ => return message == DISMISSED,
        }
    }
}
