//! A log while it is written.

use super::packed::OpenPiece;
use crate::outputs;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Size in bytes of the buffer of lines of one file.
const BUFFER: usize = 256 << 10;

/// A file of lines, with its path for messages. The lines of several jobs come as they are measured.
pub(super) struct LogOut {
    path: PathBuf,
    lines: Counted,
    /// Which bytes are of which job.
    order: Order,
    /// What is not compressed yet, where the log is.
    open_piece: Option<OpenPiece>,
}

/// Counts the bytes that are written.
pub(super) struct Counted {
    file: BufWriter<File>,
    bytes: u64,
}

impl LogOut {
    /// A log, compressed in pieces of so many bytes or not at all.
    pub fn new(path: PathBuf, file: File, piece: Option<usize>) -> Self {
        let lines = Counted { file: BufWriter::with_capacity(BUFFER, file), bytes: 0 };
        LogOut { path, lines, order: Order::default(), open_piece: piece.map(OpenPiece::new) }
    }

    /// Appends lines of a job.
    pub fn append(&mut self, job: u32, write: impl FnOnce(&mut Counted) -> io::Result<()>) -> io::Result<()> {
        let before = self.lines.bytes;
        let outcome = write(&mut self.lines);
        self.order.add(job, self.lines.bytes - before);
        outcome.map_err(|e| self.named(&e))
    }

    /// Appends whole lines or samples of a job.
    pub fn append_bytes(&mut self, job: u32, bytes: &[u8]) -> io::Result<()> {
        let Some(piece) = &mut self.open_piece else {
            return self.append(job, |lines| lines.write_all(bytes));
        };
        if piece.takes(job) {
            piece.bytes.extend_from_slice(bytes);
            return if piece.is_full() { self.end_piece() } else { Ok(()) };
        }
        self.end_piece()?;
        if let Some(piece) = &mut self.open_piece {
            piece.job = job;
        }
        self.append_bytes(job, bytes)
    }

    /// Compresses what is not compressed yet, and writes it.
    pub fn end_piece(&mut self) -> io::Result<()> {
        let Some(piece) = self.open_piece.as_mut().filter(|piece| !piece.bytes.is_empty()) else {
            return Ok(());
        };
        let (job, packed) = (piece.job, piece.end()?);
        self.append(job, |lines| lines.write_all(&packed))
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.lines.file.flush().map_err(|e| self.named(&e))
    }

    /// Puts the lines of one job behind those of the job before it. Where that fails, every line is still there.
    pub fn order(&mut self) -> io::Result<()> {
        if self.order.is_by_job() {
            return Ok(());
        }
        let read = outputs::reopen(self.lines.file.get_ref(), OpenOptions::new().read(true));
        let ordered = read.and_then(|file| self.order.rewrite(&self.path, &file));
        ordered.map_err(|e| {
            let message = format!(
                "{}: all its lines are there, but not job by job, so its times go back and forth: {e}",
                self.path.display()
            );
            io::Error::new(e.kind(), message)
        })
    }

    fn named(&self, e: &io::Error) -> io::Error {
        io::Error::new(e.kind(), format!("{}: {e}", self.path.display()))
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

// The order of the jobs in a log that several share (`per_job_logs=0`).
//
// fio writes one job after the other when all have ended. fathom writes lines as they are measured, so that nothing is lost if it is
// killed, and orders them at the end.

/// Bytes that are copied at once.
const COPY: usize = 256 << 10;

/// Which bytes of a log are of which job, in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct Order {
    parts: Vec<Part>,
}

/// Consecutive lines of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    job: u32,
    from: u64,
    bytes: u64,
}

impl Order {
    /// Lines of a job were appended.
    #[inline]
    pub fn add(&mut self, job: u32, bytes: u64) {
        match self.parts.last_mut() {
            Some(last) if last.job == job => last.bytes += bytes,
            Some(&mut Part { from, bytes: before, .. }) => {
                self.parts.push(Part { job, from: from + before, bytes });
            }
            None => self.parts.push(Part { job, from: 0, bytes }),
        }
    }

    /// Does each job follow the one before it already?
    pub fn is_by_job(&self) -> bool {
        self.parts.is_sorted_by_key(|part| part.job)
    }

    /// Replaces the log at `path`, which is open as `log`, by one in which each job follows the one before it.
    pub fn rewrite(&self, path: &Path, log: &File) -> io::Result<()> {
        let mut parts = self.parts.clone();
        parts.sort_by_key(|part| (part.job, part.from));
        let mut ordered =
            tempfile::Builder::new().prefix(".fathom-log-").tempfile_in(outputs::parent(path))?;
        let mut out = BufWriter::with_capacity(COPY, ordered.as_file_mut());
        let mut buffer = vec![0; COPY];
        for part in parts {
            copy(log, part, &mut buffer, &mut out)?;
        }
        out.flush()?;
        drop(out);
        let (was, now) = (log.metadata()?, path.symlink_metadata()?);
        if (was.dev(), was.ino()) != (now.dev(), now.ino()) {
            return Err(io::Error::other("somebody has put another file in its place"));
        }
        ordered.as_file().set_permissions(was.permissions())?;
        ordered.persist(path).map(|_| ()).map_err(|e| e.error)
    }
}

fn copy(log: &File, part: Part, buffer: &mut [u8], out: &mut impl Write) -> io::Result<()> {
    let (mut from, end) = (part.from, part.from + part.bytes);
    while from < end {
        let room = buffer.len().min((end - from) as usize);
        log.read_exact_at(&mut buffer[..room], from)?;
        out.write_all(&buffer[..room])?;
        from += room as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_put_one_after_the_other_and_keep_their_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x_lat.log");
        let mut order = Order::default();
        let mut text = String::new();
        for (job, line) in [(0, "a1\n"), (1, "b1\n"), (1, "b2\n"), (0, "a2\n"), (2, "c\n"), (0, "a3\n")] {
            text += line;
            order.add(job, line.len() as u64);
        }
        std::fs::write(&path, &text).unwrap();
        assert!(!order.is_by_job() && order.parts.len() == 5, "{order:?}");
        order.rewrite(&path, &File::open(&path).unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a1\na2\na3\nb1\nb2\nc\n");
        assert_eq!(dir.path().read_dir().unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_of_somebody_else_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x_lat.log");
        std::fs::write(&path, "b\na\n").unwrap();
        let log = File::open(&path).unwrap();
        std::fs::rename(&path, dir.path().join("old")).unwrap();
        std::fs::write(&path, "mine\n").unwrap();
        let mut order = Order::default();
        order.add(1, 2);
        order.add(0, 2);
        assert!(order.rewrite(&path, &log).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine\n");
    }
}
