//! The history of a procedure: one line for each step that ended.
//!
//! ```text
//! CRC32 {"format":1,"procedure":"ID"}
//! CRC32 {"number":0,…}
//! ```
//! The checksum of a line covers the content of all lines up to its end, so a line that was changed,
//! repeated, left out or moved is noticed. A line is written by one `write` and flushed to stable
//! storage. A process that is killed can leave the last line without its end; such a rest is not a
//! step, and the next writer removes it.

use super::HISTORY;
use super::done::StepRecord;
use super::record::FORMAT;
use crate::directory::SavedDirectory;
use crate::spool::crc_on;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The longest history that is read: a hundred thousand rounds of one job.
pub const HISTORY_MAX_BYTES: u64 = 64 << 20;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Heading {
    format: u32,
    procedure: String,
}

/// How far a history is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryExtent {
    /// Length up to the end of the last whole line, bytes.
    pub bytes: u64,
    /// CRC-32 of the content of all lines.
    pub crc32: u32,
}

/// A history that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub steps: Vec<StepRecord>,
    pub extent: HistoryExtent,
    /// Bytes after the last whole line.
    pub rest_bytes: u64,
    pub damage: Option<String>,
}

/// Appends steps to a history.
#[derive(Debug)]
pub struct HistoryWriter {
    file: File,
    extent: HistoryExtent,
}

impl HistoryWriter {
    /// Begins the history of the procedure `id` in `dir`.
    ///
    /// # Errors
    /// Those of the file system; `AlreadyExists` if there is one.
    pub fn create(dir: &Path, id: &str) -> io::Result<HistoryWriter> {
        let file = File::options().append(true).create_new(true).open(dir.join(HISTORY))?;
        let mut writer = HistoryWriter { file, extent: HistoryExtent::default() };
        writer.line(&Heading { format: FORMAT, procedure: id.to_owned() })?;
        Ok(writer)
    }

    /// Goes on after the last whole line, as `load_procedure` found it. The part of a
    /// line that was cut is removed.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn resume(dir: &Path, extent: HistoryExtent) -> io::Result<HistoryWriter> {
        // What has the name may have become a link since it was read.
        let not_through_link = OFlags::NOFOLLOW.bits().cast_signed();
        let file = File::options().append(true).custom_flags(not_through_link).open(dir.join(HISTORY))?;
        file.set_len(extent.bytes)?;
        Ok(HistoryWriter { file, extent })
    }

    /// Appends a step. It is on stable storage when this returns.
    ///
    /// # Errors
    /// Those of the file system. A part of the line that was written is removed again where possible.
    pub fn append(&mut self, step: &StepRecord) -> io::Result<()> {
        self.line(step)
    }

    /// What has been written.
    pub fn extent(&self) -> HistoryExtent {
        self.extent
    }

    fn line(&mut self, content: &impl Serialize) -> io::Result<()> {
        let content = serde_json::to_string(content)?;
        let crc32 = crc_on(self.extent.crc32, content.as_bytes());
        let line = format!("{crc32:08x} {content}\n");
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(e) = written {
            // Without the rest, the next start finds the end of a line.
            let _ = self.file.set_len(self.extent.bytes);
            return Err(e);
        }
        self.extent = HistoryExtent { bytes: self.extent.bytes + line.len() as u64, crc32 };
        Ok(())
    }
}

impl History {
    /// Reads the history of the procedure `id` up to its end or the first damage.
    pub fn read(dir: &SavedDirectory, id: &str) -> io::Result<History> {
        let text = dir.bytes(HISTORY, HISTORY_MAX_BYTES)?;
        let mut history = History::default();
        let mut is_first = true;
        let mut rest = text.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let read = match is_first {
                true => history.heading(&rest[..end], id),
                false => history.step(&rest[..end]),
            };
            if let Err(what) = read {
                history.damage = Some(format!("{what}, at byte {}", history.extent.bytes));
                return Ok(history);
            }
            is_first = false;
            history.extent.bytes += end as u64 + 1;
            rest = &rest[end + 1..];
        }
        history.rest_bytes = rest.len() as u64;
        if is_first {
            history.damage = Some("cut before its first line ends".to_owned());
        }
        Ok(history)
    }

    fn heading(&mut self, line: &[u8], id: &str) -> Result<(), String> {
        let heading: Heading = self.content(line)?;
        match heading.procedure == id {
            true => Ok(()),
            false => Err(format!("it belongs to the procedure {}", heading.procedure)),
        }
    }

    fn step(&mut self, line: &[u8]) -> Result<(), String> {
        let step: StepRecord = self.content(line)?;
        if step.number as usize != self.steps.len() {
            return Err(format!("step {} is in the place of step {}", step.number, self.steps.len()));
        }
        self.steps.push(step);
        Ok(())
    }

    fn content<T: for<'de> Deserialize<'de>>(&mut self, line: &[u8]) -> Result<T, String> {
        let wrong = || "the checksum of a line is wrong".to_owned();
        let (crc, content) = line.split_at_checked(9).ok_or_else(wrong)?;
        let crc32 = crc_on(self.extent.crc32, content);
        if crc != format!("{crc32:08x} ").as_bytes() {
            return Err(wrong());
        }
        self.extent.crc32 = crc32;
        serde_json::from_slice(content).map_err(|e| format!("a line is invalid: {e}"))
    }
}
