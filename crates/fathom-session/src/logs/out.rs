//! A log while it is written.

use super::order::Order;
use crate::outputs;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Size in bytes of the buffer of lines of one file.
const BUFFER: usize = 256 << 10;

/// A file of lines, with its path for messages. The lines of several jobs come as they are measured.
pub(super) struct LogOut {
    path: PathBuf,
    lines: Counted,
    /// Which bytes are of which job.
    order: Order,
}

/// Counts the bytes that are written.
pub(super) struct Counted {
    file: BufWriter<File>,
    bytes: u64,
}

impl LogOut {
    pub fn new(path: PathBuf, file: File) -> Self {
        let lines = Counted { file: BufWriter::with_capacity(BUFFER, file), bytes: 0 };
        LogOut { path, lines, order: Order::default() }
    }

    /// Appends lines of a job.
    pub fn append(&mut self, job: u32, write: impl FnOnce(&mut Counted) -> io::Result<()>) -> io::Result<()> {
        let before = self.lines.bytes;
        let outcome = write(&mut self.lines);
        self.order.add(job, self.lines.bytes - before);
        outcome.map_err(|e| self.named(&e))
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
            let said = format!(
                "{}: all its lines are there, but not job by job, so its times go back and forth: {e}",
                self.path.display()
            );
            io::Error::new(e.kind(), said)
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
