//! The lines of a file whose bytes come piece by piece.

use super::{DefectKind, TraceDefect};

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// The longest line: a path of 4,096 bytes, each of them escaped, and numbers.
pub(super) const LINE_MAX: usize = 16 << 10;

/// Lines, in constant memory. `read` fills a buffer and returns how many bytes it wrote; 0 is the end.
#[derive(Debug)]
pub struct TraceLines<R> {
    read: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    line: u64,
}

impl<R: FnMut(&mut [u8]) -> Result<usize, String>> TraceLines<R> {
    /// The lines of what `read` yields.
    pub fn new(read: R) -> Self {
        TraceLines { read, buffer: vec![0; PIECE + LINE_MAX], start: 0, end: 0, line: 0 }
    }

    /// The number of the last line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The bytes begin again.
    pub(super) fn rewind(&mut self) {
        (self.start, self.end, self.line) = (0, 0, 0);
    }

    /// A defect of the last line.
    pub fn defect(&self, kind: DefectKind) -> TraceDefect {
        TraceDefect { line: self.line, kind }
    }

    /// The next line without its end; `None` at the end.
    ///
    /// # Errors
    /// The bytes cannot be read, a line is too long, or the last one has no end.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, TraceDefect> {
        let mut looked_at = self.start;
        loop {
            if let Some(at) = self.buffer[looked_at..self.end].iter().position(|byte| *byte == b'\n') {
                let (from, to) = (self.start, looked_at + at);
                self.start = to + 1;
                self.line += 1;
                let line = &self.buffer[from..to];
                let is_long = TraceDefect { line: self.line, kind: DefectKind::LongLine };
                return if line.len() > LINE_MAX { Err(is_long) } else { Ok(Some(line)) };
            }
            let held = self.end - self.start;
            let defect = |kind| TraceDefect { line: self.line + 1, kind };
            if held > LINE_MAX {
                return Err(defect(DefectKind::LongLine));
            }
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end, looked_at) = (0, held, held);
            match (self.read)(&mut self.buffer[held..]) {
                Ok(0) if held == 0 => return Ok(None),
                Ok(0) => return Err(defect(DefectKind::Cut)),
                Ok(count) => self.end += count.min(self.buffer.len() - held),
                Err(why) => return Err(defect(DefectKind::Unreadable(why))),
            }
        }
    }
}
