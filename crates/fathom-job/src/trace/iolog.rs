//! fio's own text of I/Os, versions 2 and 3 (`write_iolog`, `read_iolog`).
//!
//! A line of version 2 is `FILE ACTION [OFFSET LENGTH]`; in version 3 a time in microseconds is before it. fio 3.33 writes microseconds
//! there, though its manual says milliseconds. The names of files have no white space.

use super::event::check_extent;
use super::{
    DefectKind, HEADER_2, HEADER_3, NS_PER_US, TraceDefect, TraceEvent, TraceLine, TraceLines, TraceOp,
    TracePlace,
};
use fathom_text::carried;
use std::collections::HashMap;
use std::io::Read;

/// A file that a trace names.
#[derive(Debug)]
struct Named {
    name: Vec<u8>,
    is_open: bool,
}

/// The events of a trace, one by one.
#[derive(Debug)]
pub struct Iolog<R> {
    lines: TraceLines<R>,
    has_times: bool,
    files: Vec<Named>,
    /// The number of each file by its name.
    numbers: HashMap<Vec<u8>, usize>,
    last_us: u64,
    /// The file of the last line, which is most often that of the next.
    recent: usize,
}

impl<R: Read> Iolog<R> {
    /// Reads the line with the version.
    ///
    /// # Errors
    /// There is none, or it is of another version.
    pub fn begin(input: R) -> Result<Self, TraceDefect> {
        let mut lines = TraceLines::new(input);
        let has_times = match lines.next_line() {
            Ok(Some(line)) if line.trim_ascii_end() == HEADER_3.as_bytes() => true,
            Ok(Some(line)) if line.trim_ascii_end() == HEADER_2.as_bytes() => false,
            Err(unreadable @ TraceDefect { kind: DefectKind::Unreadable(_), .. }) => return Err(unreadable),
            Ok(_) | Err(_) => {
                return Err(TraceDefect { at: TracePlace::line(1), kind: DefectKind::NoVersion });
            }
        };
        Ok(Iolog { lines, has_times, files: Vec::new(), numbers: HashMap::new(), last_us: 0, recent: 0 })
    }

    /// The carried name of a file.
    pub fn file_name(&self, file: usize) -> String {
        carried::of_bytes(&self.files[file].name)
    }

    /// The last line.
    pub fn place(&self) -> TracePlace {
        self.lines.place()
    }

    /// Where the bytes come from.
    pub fn into_input(self) -> R {
        self.lines.into_input()
    }

    /// The next event; `None` at the end. Empty lines are left out.
    ///
    /// # Errors
    /// What is wrong with the line. Nothing may be read after that.
    pub fn next_event(&mut self) -> Result<Option<TraceLine>, TraceDefect> {
        let Iolog { lines, has_times, files, numbers, last_us, recent } = self;
        loop {
            let Some(text) = lines.next_line()? else { return Ok(None) };
            let mut parsed = Parser { has_times: *has_times, files, numbers, last_us, recent };
            match parsed.line(text) {
                Ok(None) => {}
                Ok(Some((at_ns, event))) => {
                    return Ok(Some(TraceLine { at: lines.place(), at_ns, event }));
                }
                Err(kind) => return Err(lines.defect(kind)),
            }
        }
    }
}

/// Reads one line with what is known from those before it.
struct Parser<'a> {
    has_times: bool,
    files: &'a mut Vec<Named>,
    numbers: &'a mut HashMap<Vec<u8>, usize>,
    last_us: &'a mut u64,
    recent: &'a mut usize,
}

impl Parser<'_> {
    #[inline]
    fn line(&mut self, text: &[u8]) -> Result<Option<(Option<u64>, TraceEvent)>, DefectKind> {
        match self.usual(text) {
            Some(io) => Ok(Some(io)),
            None => self.any(text),
        }
    }

    /// A line as fio writes most of them: a read or write of the file of the line before, with one blank between words. `None` for every
    /// other line, which [`Parser::any`] reads.
    #[inline]
    fn usual(&mut self, text: &[u8]) -> Option<(Option<u64>, TraceEvent)> {
        let mut rest = text;
        let before = *self.last_us;
        let (now, at_ns) = match self.has_times {
            true => {
                let now = leading(&mut rest, b' ')?;
                (now, Some(now.checked_mul(NS_PER_US)?))
            }
            false => (before, None),
        };
        let file = *self.recent;
        let named = self.files.get(file).filter(|named| named.is_open && now >= before)?;
        rest = rest.strip_prefix(named.name.as_slice())?;
        let (op, mut rest) = match rest.strip_prefix(b" read ") {
            Some(rest) => (TraceOp::Read, rest),
            None => (TraceOp::Write, rest.strip_prefix(b" write ")?),
        };
        let offset = leading(&mut rest, b' ')?;
        let len = leading(&mut rest, b'\n')?;
        check_extent(offset, len).ok()?;
        *self.last_us = now;
        Some((at_ns, TraceEvent::Io { op, file, offset, len }))
    }

    /// Any line, word by word.
    fn any(&mut self, text: &[u8]) -> Result<Option<(Option<u64>, TraceEvent)>, DefectKind> {
        let mut rest = text;
        let mut next = || next_word(&mut rest);
        let Some(first) = next() else { return Ok(None) };
        let time = self.has_times.then_some(first);
        let name = if self.has_times { next() } else { Some(first) };
        let (action, offset, len, more) = (next(), next(), next(), next());
        let (Some(name), Some(action), None) = (name, action, more) else {
            return Err(self.miscounted(text));
        };
        let place = match (offset, len) {
            (None, None) => None,
            (Some(offset), Some(len)) => Some((offset, len)),
            _ => return Err(self.miscounted(text)),
        };
        let at_ns = time.map(|word| self.time(word)).transpose()?;
        let event = match place {
            None => self.of_file(name, action)?,
            Some((offset, len)) => self.io(name, action, offset, len)?,
        };
        Ok(Some((at_ns, event)))
    }

    #[cold]
    fn miscounted(&self, text: &[u8]) -> DefectKind {
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        let expected = match self.has_times {
            true => "version 3 has 3 (TIME FILE ACTION) or 5 (with OFFSET LENGTH)",
            false => "version 2 has 2 (FILE ACTION) or 4 (with OFFSET LENGTH)",
        };
        DefectKind::Words { words, expected }
    }

    #[inline]
    fn time(&mut self, word: &[u8]) -> Result<u64, DefectKind> {
        let (now, before) = (number("time", word)?, *self.last_us);
        if now < before {
            return Err(DefectKind::TimeGoesBack { now, before });
        }
        *self.last_us = now;
        now.checked_mul(NS_PER_US).ok_or(DefectKind::TimeBeyondNumbers)
    }

    /// The number of a file.
    #[inline]
    fn find(&mut self, name: &[u8]) -> Option<usize> {
        if self.files.get(*self.recent).is_none_or(|file| file.name != name) {
            *self.recent = *self.numbers.get(name)?;
        }
        Some(*self.recent)
    }

    fn of_file(&mut self, name: &[u8], action: &[u8]) -> Result<TraceEvent, DefectKind> {
        if action == b"add" {
            let file = self.find(name).unwrap_or_else(|| {
                self.numbers.insert(name.to_owned(), self.files.len());
                self.files.push(Named { name: name.to_owned(), is_open: false });
                self.files.len() - 1
            });
            return Ok(TraceEvent::Add(file));
        }
        let is_open = match action {
            b"open" => true,
            b"close" => false,
            _ => return Err(DefectKind::UnknownAction(carried::of_bytes(action))),
        };
        let file = self.find(name).ok_or_else(|| DefectKind::NotAdded(carried::of_bytes(name)))?;
        self.files[file].is_open = is_open;
        Ok(if is_open { TraceEvent::Open(file) } else { TraceEvent::Close(file) })
    }

    #[inline]
    fn io(
        &mut self,
        name: &[u8],
        action: &[u8],
        offset: &[u8],
        len: &[u8],
    ) -> Result<TraceEvent, DefectKind> {
        let op = match action {
            b"read" => TraceOp::Read,
            b"write" => TraceOp::Write,
            b"trim" => TraceOp::Trim,
            b"sync" => TraceOp::Sync,
            b"datasync" => TraceOp::Datasync,
            b"wait" => return Ok(TraceEvent::Wait(number("time", offset)?)),
            _ => return Err(DefectKind::UnknownAction(carried::of_bytes(action))),
        };
        let (offset, len) = (number("offset", offset)?, number("length", len)?);
        let file = self.find(name).filter(|file| self.files[*file].is_open);
        let file = file.ok_or_else(|| DefectKind::NotOpen(carried::of_bytes(name)))?;
        if op.is_sync() {
            return Ok(TraceEvent::Io { op, file, offset, len: 0 });
        }
        check_extent(offset, len)?;
        Ok(TraceEvent::Io { op, file, offset, len })
    }
}

/// Takes the next word of a line. Nearly every byte is above the space, and is compared once.
#[inline]
fn next_word<'a>(line: &mut &'a [u8]) -> Option<&'a [u8]> {
    let is_space = |byte: &u8| *byte <= b' ' && byte.is_ascii_whitespace();
    let start = line.iter().position(|byte| !is_space(byte))?;
    let word = &line[start..];
    let (word, rest) = word.split_at(word.iter().position(is_space).unwrap_or(word.len()));
    *line = rest;
    Some(word)
}

/// Takes a number of at most 19 digits, which fits in 64 bits, and the byte behind it: this one, or the end.
#[inline]
fn leading(text: &mut &[u8], end: u8) -> Option<u64> {
    let (mut value, mut count) = (0_u64, 0);
    for byte in text.iter() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            if *byte != end {
                return None;
            }
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        count += 1;
    }
    *text = text.get(count + 1..).unwrap_or_default();
    (1..=19).contains(&count).then_some(value)
}

/// Reads a number.
#[inline]
pub(super) fn number(what: &'static str, word: &[u8]) -> Result<u64, DefectKind> {
    digits(word).ok_or_else(|| no_number(what, word))
}

#[inline]
fn digits(word: &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for byte in word {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(digit.into())?;
    }
    (!word.is_empty()).then_some(value)
}

#[cold]
fn no_number(what: &'static str, word: &[u8]) -> DefectKind {
    DefectKind::NoNumber { what, word: carried::of_bytes(word) }
}
