//! Texts with a line for each I/O, as libraries of traces publish them, and as blkparse prints them (`trace_columns`).

use super::blktrace::SECTOR;
use super::event::Queued;
use super::in_order::InOrder;
use super::iolog::number;
use super::{DefectKind, NS_PER_US, TraceDefect, TraceLine, TraceLines, TraceOp, TracePlace};
use fathom_text::carried;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Read;

/// Texts with a name of their own: their columns.
pub(super) const PRESETS: &[(&str, &str)] = &[
    // https://iotta.snia.org/traces/block-io/388: Microsoft Research Cambridge.
    ("msr", "time_filetime,device,device,op,offset,length,-"),
    // https://github.com/alibaba/block-traces
    ("alibaba", "device,op,offset,length,time_us"),
    // The default format of blkparse: `8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]`.
    ("blkparse", "major_minor - - time_s - action op sector - sectors"),
];

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// A time, in so many nanoseconds.
    Time(u64),
    Op,
    /// The first byte, in units of so many.
    Offset(u64),
    /// The length, in units of so many bytes.
    Length(u64),
    /// The device, or a part of its name.
    Device,
    /// The numbers of the device, as blkparse prints them.
    MajorMinor,
    /// What was done with the I/O; only `Q` is replayed.
    Action,
    Skipped,
}

const COLUMNS: &[(&str, Column)] = &[
    ("time_s", Column::Time(1_000_000_000)),
    ("time_ms", Column::Time(1_000_000)),
    ("time_us", Column::Time(NS_PER_US)),
    ("time_ns", Column::Time(1)),
    ("time_filetime", Column::Time(100)),
    ("op", Column::Op),
    ("offset", Column::Offset(1)),
    ("sector", Column::Offset(SECTOR)),
    ("length", Column::Length(1)),
    ("sectors", Column::Length(SECTOR)),
    ("device", Column::Device),
    ("major_minor", Column::MajorMinor),
    ("action", Column::Action),
    ("-", Column::Skipped),
];

/// What the columns of a text are, and what separates them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceColumns {
    /// The names of the columns. With `,` between them, fields of the text are separated by `,`, `;` or a tab; otherwise by white space.
    names: String,
}

impl TraceColumns {
    /// Reads the name of a known text, or a list of columns.
    ///
    /// # Errors
    /// What is wrong with the list.
    pub fn read(text: &str) -> Result<TraceColumns, String> {
        let preset = PRESETS.iter().find(|(name, _)| *name == text.trim());
        let columns = TraceColumns { names: preset.map_or(text.trim(), |(_, names)| names).to_owned() };
        for name in columns.names() {
            if column(name).is_none() {
                let known: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
                return Err(format!("there is no column `{name}`; there are {}", known.join(", ")));
            }
        }
        let kinds = columns.kinds();
        let count = |is: fn(&Column) -> bool| kinds.iter().filter(|column| is(column)).count();
        for (what, count) in [
            ("a time", count(|column| matches!(column, Column::Time(_)))),
            ("op", count(|column| *column == Column::Op)),
            ("offset or sector", count(|column| matches!(column, Column::Offset(_)))),
            ("length or sectors", count(|column| matches!(column, Column::Length(_)))),
        ] {
            if count != 1 {
                return Err(format!("{what} is named {count} times, and has to be named once"));
            }
        }
        Ok(columns)
    }

    /// May fields be empty, so that each separator counts?
    fn has_separators(&self) -> bool {
        self.names.contains(',')
    }

    fn names(&self) -> Vec<&str> {
        match self.has_separators() {
            true => self.names.split(',').map(str::trim).collect(),
            false => self.names.split_whitespace().collect(),
        }
    }

    fn kinds(&self) -> Vec<Column> {
        self.names().into_iter().filter_map(column).collect()
    }
}

fn column(name: &str) -> Option<Column> {
    COLUMNS.iter().find(|(known, _)| *known == name).map(|(_, column)| *column)
}

/// The I/Os of a text, in the order of their times.
#[derive(Debug)]
pub struct Columns<R> {
    lines: TraceLines<R>,
    parser: Parser,
    order: InOrder,
}

impl<R: Read> Columns<R> {
    /// Begins to read a text.
    pub fn begin(input: R, columns: &TraceColumns) -> Self {
        let parser = Parser {
            has_separators: columns.has_separators(),
            kinds: columns.kinds(),
            files: Vec::new(),
            numbers: HashMap::new(),
        };
        Columns { lines: TraceLines::new(input), parser, order: InOrder::default() }
    }

    /// Where the bytes come from.
    pub fn into_input(self) -> R {
        self.lines.into_input()
    }

    /// The carried name of a file.
    pub fn file_name(&self, file: usize) -> String {
        carried::of_bytes(&self.parser.files[file])
    }

    /// The last line.
    pub fn place(&self) -> TracePlace {
        self.lines.place()
    }

    /// The next I/O; `None` at the end. Empty lines, a first line with names, and actions other than `Q` are left out.
    ///
    /// # Errors
    /// What is wrong with a line. Nothing may be read after that.
    pub fn next_event(&mut self) -> Result<Option<TraceLine>, TraceDefect> {
        let Columns { lines, parser, order } = self;
        order.next(|| {
            loop {
                let at = lines.next_place();
                let Some(text) = lines.next_line()? else { return Ok(None) };
                let queued = parser.line(at, text).map_err(|kind| TraceDefect { at, kind })?;
                if queued.is_some() {
                    return Ok(queued);
                }
            }
        })
    }
}

/// Reads lines.
#[derive(Debug)]
struct Parser {
    kinds: Vec<Column>,
    has_separators: bool,
    files: Vec<Vec<u8>>,
    /// The place in `files` of each.
    numbers: HashMap<Vec<u8>, usize>,
}

impl Parser {
    fn line(&mut self, at: TracePlace, text: &[u8]) -> Result<Option<Queued>, DefectKind> {
        let is_first = at == TracePlace::line(1);
        // Spreadsheet programs put this mark before a text in UTF-8.
        let text = text.strip_prefix(b"\xef\xbb\xbf").filter(|_| is_first).unwrap_or(text);
        let fields = self.split(text);
        let field = |is: fn(Column) -> bool| {
            let column = self.kinds.iter().position(|column| is(*column));
            column.and_then(|column| fields.get(column).copied())
        };
        let time = field(|column| matches!(column, Column::Time(_)));
        let names_columns = is_first && self.has_no_number(&fields);
        let is_other = self.kinds.contains(&Column::Action)
            && field(|column| column == Column::Action).is_none_or(|action| action != b"Q");
        if text.trim_ascii().is_empty() || is_other || names_columns {
            return Ok(None);
        }
        let missing = || DefectKind::Fields { fields: fields.len(), columns: self.kinds.len() };
        let word = field(|column| column == Column::Op).ok_or_else(missing)?;
        let (flushes, op) =
            operation(word).ok_or_else(|| DefectKind::UnknownAction(carried::of_bytes(word)))?;
        let place = field(|column| matches!(column, Column::Offset(_)));
        // blkparse prints the name of the process where a flush has no place.
        let is_empty = flushes && place.is_none_or(|place| place.starts_with(b"["));
        let at_ns = self.number("time", time.ok_or_else(missing)?)?;
        let data = match op.filter(|_| !is_empty) {
            None => None,
            Some(op) => {
                let len = field(|column| matches!(column, Column::Length(_)));
                let offset = self.number("offset", place.ok_or_else(missing)?)?;
                Some((op, offset, self.number("length", len.ok_or_else(missing)?)?))
            }
        };
        let name = self.name(&fields).ok_or_else(missing)?;
        let file = self.file(name);
        Ok(Some(Queued { at, at_ns, file, flushes, data }))
    }

    /// Does none of the fields that hold numbers begin like one? That is a line with names of columns, and not a damaged I/O.
    fn has_no_number(&self, fields: &[&[u8]]) -> bool {
        let is_number =
            |column: &Column| matches!(column, Column::Time(_) | Column::Offset(_) | Column::Length(_));
        let numbers = self.kinds.iter().zip(fields).filter(|(column, _)| is_number(column));
        let begins = |(_, field): (_, &&[u8])| {
            field.strip_prefix(b"-").unwrap_or(field).first().is_some_and(u8::is_ascii_digit)
        };
        !numbers.into_iter().any(begins)
    }

    fn split<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        match self.has_separators {
            true => text.split(|byte| b",;\t".contains(byte)).map(<[u8]>::trim_ascii).collect(),
            false => text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect(),
        }
    }

    /// The number in the column of a time, an offset or a length, in nanoseconds or bytes.
    fn number(&self, what: &'static str, word: &[u8]) -> Result<u64, DefectKind> {
        let unit = self.kinds.iter().find_map(|column| match (what, column) {
            ("time", Column::Time(unit))
            | ("offset", Column::Offset(unit))
            | ("length", Column::Length(unit)) => Some(*unit),
            _ => None,
        });
        scaled(what, word, unit.unwrap_or(1))
    }

    /// The name of the device, whose parts are joined by `.`; a text without one has one device.
    fn name(&self, fields: &[&[u8]]) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        for (index, column) in self.kinds.iter().enumerate() {
            match column {
                Column::Device if name.is_empty() => name.extend_from_slice(fields.get(index)?),
                Column::Device => name.extend([b".", *fields.get(index)?].concat()),
                Column::MajorMinor => {
                    let numbers = String::from_utf8_lossy(fields.get(index)?).replace(',', ":");
                    name.extend(format!("/dev/block/{numbers}").into_bytes());
                }
                _ => {}
            }
        }
        if name.is_empty() { Some(b"trace".to_vec()) } else { Some(name) }
    }

    fn file(&mut self, name: Vec<u8>) -> usize {
        if let Some(file) = self.numbers.get(&name) {
            return *file;
        }
        self.files.push(name.clone());
        self.numbers.insert(name, self.files.len() - 1);
        self.files.len() - 1
    }
}

/// What an operation does: does it flush first, and what then.
fn operation(word: &[u8]) -> Option<(bool, Option<TraceOp>)> {
    match word.to_ascii_lowercase().as_slice() {
        b"r" | b"read" | b"0" => return Some((false, Some(TraceOp::Read))),
        b"w" | b"write" | b"1" => return Some((false, Some(TraceOp::Write))),
        b"d" | b"discard" | b"trim" | b"unmap" => return Some((false, Some(TraceOp::Trim))),
        b"f" | b"flush" | b"sync" | b"fsync" => return Some((true, None)),
        _ => {}
    }
    // As the kernel prints it: F for a flush before it, the operation, and what is said of it.
    let (flushes, rest) = word.strip_prefix(b"F").map_or((false, word), |rest| (true, rest));
    let (op, flags) = rest.split_first()?;
    let op = match op {
        b'R' => Some(TraceOp::Read),
        b'W' => Some(TraceOp::Write),
        b'D' => Some(TraceOp::Trim),
        b'N' | b'F' if flushes => None,
        _ => return None,
    };
    flags.iter().all(|flag| b"FASMEU".contains(flag)).then_some((flushes, op))
}

/// A number of units, perhaps with decimals.
fn scaled(what: &'static str, word: &[u8], unit: u64) -> Result<u64, DefectKind> {
    let point = word.iter().position(|byte| *byte == b'.').filter(|_| what == "time");
    let (whole, decimals) = point.map_or((word, &[][..]), |at| (&word[..at], &word[at + 1..]));
    let no_number = || DefectKind::NoNumber { what, word: carried::of_bytes(word) };
    let whole = number(what, whole).map_err(|_| no_number())?.checked_mul(unit).ok_or_else(no_number)?;
    let (mut place, mut part) = (unit, 0);
    for digit in decimals {
        place /= 10;
        part += place * u64::from(digit.checked_sub(b'0').filter(|digit| *digit < 10).ok_or_else(no_number)?);
    }
    whole.checked_add(part).ok_or_else(no_number)
}
