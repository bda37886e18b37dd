//! The lines of a file whose bytes come piece by piece.

use super::{DefectKind, TraceDefect, TracePlace, read_piece};
use std::io::Read;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// The longest line: a path of 4,096 bytes, each of them escaped, and numbers.
pub(super) const LINE_MAX: usize = 16 << 10;

/// Lines, in constant memory.
#[derive(Debug)]
pub struct TraceLines<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    line: u64,
}

impl<R: Read> TraceLines<R> {
    /// The lines of these bytes.
    pub fn new(input: R) -> Self {
        TraceLines { input, buffer: vec![0; PIECE + LINE_MAX], start: 0, end: 0, line: 0 }
    }

    /// The last line.
    pub fn place(&self) -> TracePlace {
        TracePlace::line(self.line)
    }

    /// The next line.
    pub fn next_place(&self) -> TracePlace {
        TracePlace::line(self.line + 1)
    }

    /// Where the bytes come from.
    pub fn into_input(self) -> R {
        self.input
    }

    /// A defect of the last line.
    pub fn defect(&self, kind: DefectKind) -> TraceDefect {
        TraceDefect { at: self.place(), kind }
    }

    /// The next line without its end; `None` at the end.
    ///
    /// # Errors
    /// The bytes cannot be read, a line is too long, or the last one has no end.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, TraceDefect> {
        let mut looked_at = self.start;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[looked_at..self.end]) {
                let (from, to) = (self.start, looked_at + at);
                self.start = to + 1;
                self.line += 1;
                if to - from > LINE_MAX {
                    return Err(self.defect(DefectKind::LongLine));
                }
                return Ok(Some(&self.buffer[from..to]));
            }
            let held = self.end - self.start;
            let defect = |kind| TraceDefect { at: TracePlace::line(self.line + 1), kind };
            if held > LINE_MAX {
                return Err(defect(DefectKind::LongLine));
            }
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end, looked_at) = (0, held, held);
            match read_piece(&mut self.input, &mut self.buffer[held..]) {
                Ok(0) if held == 0 => return Ok(None),
                Ok(0) => return Err(defect(DefectKind::Cut)),
                Ok(count) => self.end += count.min(self.buffer.len() - held),
                Err(why) => return Err(defect(DefectKind::Unreadable(why))),
            }
        }
    }
}
