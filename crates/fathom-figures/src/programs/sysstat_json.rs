//! `iostat -o JSON`, `mpstat -o JSON` and `sadf -j`.
//!
//! The reports of a document are read one by one, so what a killed program wrote before its end is read, each report has its line,
//! and the memory is that of one report.

use super::columns::{Of, SYSSTAT};
use super::finding::{Findings, ProgramFinding, RowFault};
use super::format::ProgramFormat;
use super::gather::Gather;
use super::program::Program;
use super::report_row::{add_row, columns, cpu_key, is_of};
use super::result::ProgramResult;
use serde_json::{Map, Value};

/// Known by its processors or disks.
pub(super) const IOSTAT: ProgramFormat = ProgramFormat {
    program: Program::Iostat,
    is_it: |head| program(head) == Some(Program::Iostat),
    parse: |text| read(text, Program::Iostat),
};

/// Known by its processors, and a time that is a text.
pub(super) const MPSTAT: ProgramFormat = ProgramFormat {
    program: Program::Mpstat,
    is_it: |head| program(head) == Some(Program::Mpstat),
    parse: |text| read(text, Program::Mpstat),
};

/// Any other.
pub(super) const SADF: ProgramFormat = ProgramFormat {
    program: Program::Sar,
    is_it: |head| program(head) == Some(Program::Sar),
    parse: |text| read(text, Program::Sar),
};

fn program(head: &str) -> Option<Program> {
    let body = head.split_once("\"sysstat\"")?.1;
    if body.contains("\"avg-cpu\"") || body.contains("\"disk_device\"") {
        return Some(Program::Iostat);
    }
    let is_of_mpstat =
        body.contains("\"usr\"") && body.contains("\"cpu-load\"") && !body.contains("\"file-date\"");
    Some(if is_of_mpstat { Program::Mpstat } else { Program::Sar })
}

fn read(text: &str, program: Program) -> Vec<ProgramResult> {
    let mut all = Vec::new();
    let mut scan = Scan { text, at: 0, line: 1 };
    while scan.pass("\"statistics\"") {
        let mut reader = Reader::new(program);
        reader.result.host = scan.host();
        let is_whole = scan.reports(&mut |line, report| reader.report(line, report));
        if !is_whole {
            reader.findings.add(ProgramFinding::Cut { line: scan.line });
        }
        all.push(reader.finish());
    }
    all
}

/// A place in a document.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

/// The end of a report that is read; a longer one is none.
const REPORT_MAX: usize = 16 << 20;

impl Scan<'_> {
    /// Goes behind the next such text; `false` where there is none.
    fn pass(&mut self, what: &str) -> bool {
        let found = memchr::memmem::find(&self.text.as_bytes()[self.at..], what.as_bytes());
        found.is_some_and(|length| {
            self.advance(length + what.len());
            true
        })
    }

    fn advance(&mut self, length: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + length];
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.at += length;
    }

    /// The last name of a host before this place.
    fn host(&self) -> Option<String> {
        let from = self.at.saturating_sub(4096);
        let before = &self.text.as_bytes()[from..self.at];
        let name = memchr::memmem::rfind(before, b"\"nodename\"")?;
        let rest = std::str::from_utf8(&before[name + 10..]).ok()?;
        Some(super::finding::cut(rest.split('"').nth(1)?))
    }

    /// Gives each object of the list that follows, with its line; `false` where the list has no end.
    fn reports(&mut self, to: &mut impl FnMut(u64, Result<&str, RowFault>)) -> bool {
        let (mut depth, mut begin, mut is_text, mut is_escaped) = (0_u32, None, false, false);
        let from = self.at;
        let mut line = self.line;
        for (at, byte) in self.text.bytes().enumerate().skip(from) {
            line += u64::from(byte == b'\n');
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                _ if is_text => {}
                b'{' => {
                    if depth == 0 {
                        begin = Some((at, line));
                    }
                    depth += 1;
                }
                b'}' if depth > 0 => {
                    depth -= 1;
                    if let (0, Some((start, of))) = (depth, begin) {
                        let length = at + 1 - start;
                        let report = &self.text[start..=at];
                        let fits = length <= REPORT_MAX;
                        to(of, if fits { Ok(report) } else { Err(RowFault::TooLong { bytes: length }) });
                    }
                }
                b']' if depth == 0 => {
                    (self.at, self.line) = (at + 1, line);
                    return true;
                }
                _ => {}
            }
        }
        (self.at, self.line) = (self.text.len(), line);
        false
    }
}

struct Reader {
    result: ProgramResult,
    findings: Findings,
    first: Gather,
    first_line: u64,
    reports: u64,
    rest: Gather,
}

impl Reader {
    fn new(program: Program) -> Reader {
        let result = ProgramResult::new(program);
        let findings = Findings::default();
        Reader {
            result,
            findings,
            first: Gather::default(),
            first_line: 0,
            reports: 0,
            rest: Gather::default(),
        }
    }

    fn report(&mut self, line: u64, report: Result<&str, RowFault>) {
        let parsed = report.and_then(|text| {
            serde_json::from_str::<Map<String, Value>>(text)
                .map_err(|e| RowFault::NotJson { why: super::finding::cut(&e.to_string()) })
        });
        let tables = match parsed {
            Ok(tables) => tables,
            Err(fault) => return self.findings.left_out(line, fault),
        };
        self.reports += 1;
        self.first_line = if self.reports == 1 { line } else { self.first_line };
        for (name, table) in &tables {
            match table {
                Value::Array(rows) => rows.iter().for_each(|row| self.table(line, name, row)),
                Value::Object(_) if name != "timestamp" => self.table(line, name, table),
                _ => {}
            }
        }
    }

    /// A row of a table, or a table of one row.
    fn table(&mut self, line: u64, name: &str, row: &Value) {
        let Value::Object(row) = row else { return };
        let mut cells = Vec::new();
        flatten(row, &mut cells);
        let names: Vec<&str> = cells.iter().map(|(name, _)| *name).collect();
        let columns = columns(&names, SYSSTAT);
        if columns.is_empty() {
            return self.findings.not_read(name);
        }
        let key = key(row).or_else(|| {
            // A table of one row that is of no disk: all of them together.
            is_of(&columns, Of::Disks).then(|| Of::Disks.key().to_owned())
        });
        let values: Vec<&str> = cells.iter().map(|(_, value)| value.as_str()).collect();
        let is_first = self.result.program == Program::Iostat && self.reports == 1;
        let gather = if is_first { &mut self.first } else { &mut self.rest };
        add_row(&columns, (line, key.as_deref(), &values), gather, &mut self.findings);
    }

    fn finish(mut self) -> ProgramResult {
        let line = self.first_line;
        let gather = match (self.first.is_empty(), self.rest.is_empty()) {
            (false, true) => {
                self.findings.add(ProgramFinding::MayBeSinceBoot { line });
                self.first
            }
            (false, false) => {
                self.findings.add(ProgramFinding::FirstReportLeftOut { line });
                self.rest
            }
            (true, _) => self.rest,
        };
        self.result.rows = gather.into_rows();
        self.result.findings = self.findings.into_all();
        self.result
    }
}

/// The numbers of an object, and those of objects in it.
fn flatten<'a>(row: &'a Map<String, Value>, cells: &mut Vec<(&'a str, String)>) {
    for (name, value) in row {
        match value {
            Value::Number(number) => cells.push((name, number.to_string())),
            Value::Object(below) => flatten(below, cells),
            _ => {}
        }
    }
}

/// The disk or the processor of a row.
fn key(row: &Map<String, Value>) -> Option<String> {
    let name = |key: &str| match row.get(key)? {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let disk = || name("disk_device").or_else(|| name("disk-device"));
    name("cpu")
        .map(|cpu| cpu_key(&cpu))
        .or_else(disk)
        .or_else(|| name("intr").map(|it| format!("interrupt {it}")))
}
