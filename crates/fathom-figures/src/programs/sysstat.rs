//! `iostat`, `mpstat` and `sar` as text: tables under headings, after a line that names the machine.

use super::columns::{SILENT, SYSSTAT};
use super::finding::{Findings, ProgramFinding, RowFault};
use super::format::ProgramFormat;
use super::gather::Gather;
use super::number::{Line, lines};
use super::program::Program;
use super::report_row::{Column, add_row, columns, cpu_key};
use super::result::ProgramResult;

/// Known by `avg-cpu:` or by a heading of devices that begins its line.
pub(super) const IOSTAT: ProgramFormat = ProgramFormat {
    program: Program::Iostat,
    is_it: |head| program(head) == Some(Program::Iostat),
    parse: |text| read(text, Program::Iostat),
};

/// Known by a heading of processors with `%usr`.
pub(super) const MPSTAT: ProgramFormat = ProgramFormat {
    program: Program::Mpstat,
    is_it: |head| program(head) == Some(Program::Mpstat),
    parse: |text| read(text, Program::Mpstat),
};

/// Known by any other heading that begins with a time.
pub(super) const SAR: ProgramFormat = ProgramFormat {
    program: Program::Sar,
    is_it: |head| program(head) == Some(Program::Sar),
    parse: |text| read(text, Program::Sar),
};

/// Lines in which the first heading is looked for.
const LINES_TO_HEADING: usize = 400;

/// The program that wrote such a text.
fn program(head: &str) -> Option<Program> {
    lines(head).take(LINES_TO_HEADING).filter_map(Result::ok).find_map(|line| {
        let heading = Heading::of(line.text)?;
        match heading.program {
            Some(program) if !heading.columns.is_empty() => Some(program),
            _ => None,
        }
    })
}

/// What the keys of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeysAre {
    Disks,
    Cpus,
    Interrupts,
}

/// A heading, and how the rows below it are read.
#[derive(Debug)]
struct Heading {
    columns: Vec<Column>,
    /// The place of the keys, after the time.
    key: Option<(usize, KeysAre)>,
    /// Fields of a row, without the time.
    fields: usize,
    has_time: bool,
    /// The heading of the processors of `iostat`, whose values stand in the next line.
    is_avg_cpu: bool,
    program: Option<Program>,
    unknown: Vec<String>,
}

impl Heading {
    /// `None` of what is no heading of sysstat.
    fn of(text: &str) -> Option<Heading> {
        let all: Vec<&str> = text.split_whitespace().collect();
        let (time, names) = without_time(&all);
        let is_avg_cpu = names.first() == Some(&"avg-cpu:");
        let names = if is_avg_cpu { &names[1..] } else { names };
        let is_number = |name: &&str| name.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        if names.is_empty() || names.iter().any(is_number) {
            return None;
        }
        let columns = columns(names, SYSSTAT);
        let key = names.iter().enumerate().find_map(|(at, name)| Some((at, keys(name)?)));
        let has_time = time != Time::None;
        let is_heading = is_avg_cpu || has_time || key.is_some_and(|(_, keys)| keys == KeysAre::Disks);
        if !is_heading || !has_time && columns.is_empty() {
            return None;
        }
        // `sar -u ALL` has the same columns in another order.
        let place = |name: &str| names.iter().position(|other| *other == name);
        let is_of_mpstat = place("%irq").is_some_and(|irq| place("%steal").is_none_or(|steal| irq < steal));
        let program = match (has_time, key) {
            (false, _) => Program::Iostat,
            (true, Some((_, KeysAre::Cpus))) if is_of_mpstat => Program::Mpstat,
            (true, _) => Program::Sar,
        };
        let is_known = |name: &&&str| {
            SILENT.contains(*name)
                || SYSSTAT.iter().any(|slot| slot.names.iter().any(|(known, _)| known == *name))
        };
        let unknown = names.iter().filter(|name| !is_known(name)).map(|name| (*name).to_owned()).collect();
        let fields = names.len();
        Some(Heading { columns, key, fields, has_time, is_avg_cpu, program: Some(program), unknown })
    }
}

fn keys(name: &str) -> Option<KeysAre> {
    match name.trim_end_matches(':') {
        "Device" | "DEV" => Some(KeysAre::Disks),
        "CPU" => Some(KeysAre::Cpus),
        "INTR" => Some(KeysAre::Interrupts),
        _ => None,
    }
}

/// What a line of `mpstat` and `sar` begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    None,
    Clock,
    /// `Average:` in any language.
    Average,
}

/// The fields after the time.
fn without_time<'a, 'b>(all: &'a [&'b str]) -> (Time, &'a [&'b str]) {
    let Some(first) = all.first() else { return (Time::None, all) };
    let is_clock = first.len() >= 7
        && first.len() <= 11
        && first.matches(':').count() == 2
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.chars().all(|c| c.is_ascii_digit() || c == ':');
    if is_clock {
        let is_half = all.get(1).is_some_and(|half| matches!(*half, "AM" | "PM"));
        return (Time::Clock, &all[1 + usize::from(is_half)..]);
    }
    let is_word = first.ends_with(':') && !first.contains(|c: char| c.is_ascii_digit());
    if is_word && !matches!(*first, "avg-cpu:" | "Device:") {
        return (Time::Average, &all[1..]);
    }
    (Time::None, all)
}

/// A run of the program as it is read.
struct Reader {
    result: ProgramResult,
    findings: Findings,
    heading: Option<Heading>,
    /// Of the first report of `iostat`.
    first: Gather,
    first_line: u64,
    reports: u64,
    /// Has the report its table of disks?
    has_disks: bool,
    rest: Gather,
    averages: Gather,
}

fn read(text: &str, program: Program) -> Vec<ProgramResult> {
    let mut all = Vec::new();
    let mut reader = Reader::new(program);
    for line in lines(text) {
        match line {
            Err((number, fault)) => reader.findings.left_out(number, fault),
            Ok(line) if line.text.starts_with("Linux ") => {
                all.extend(std::mem::replace(&mut reader, Reader::new(program)).finish());
                reader.result.host = host(line.text);
            }
            Ok(line) => reader.line(line),
        }
    }
    all.extend(reader.finish());
    all
}

/// `Linux 6.1.0 (name) …`
fn host(text: &str) -> Option<String> {
    let name = text.split_once('(')?.1.split_once(')')?.0;
    (!name.is_empty()).then(|| super::finding::cut(name))
}

impl Reader {
    fn new(program: Program) -> Reader {
        Reader {
            result: ProgramResult::new(program),
            findings: Findings::default(),
            heading: None,
            first: Gather::default(),
            first_line: 0,
            reports: 0,
            has_disks: false,
            rest: Gather::default(),
            averages: Gather::default(),
        }
    }

    fn line(&mut self, line: Line<'_>) {
        if line.text.trim().is_empty() {
            self.heading = None;
            return;
        }
        if line.text.contains("RESTART") {
            self.findings.add(ProgramFinding::Restarted { line: line.number });
            return;
        }
        match Heading::of(line.text) {
            Some(heading) => self.begin(heading, line.number),
            None => self.row(line),
        }
    }

    fn begin(&mut self, heading: Heading, line: u64) {
        if heading.columns.is_empty() {
            let names: Vec<&str> = heading.unknown.iter().take(3).map(String::as_str).collect();
            self.findings.not_read(&names.join(" "));
        } else {
            heading.unknown.iter().for_each(|name| self.findings.not_read(name));
        }
        let is_new = heading.is_avg_cpu || self.has_disks || self.reports == 0;
        if !heading.has_time && is_new {
            self.reports += 1;
            self.first_line = if self.reports == 1 { line } else { self.first_line };
        }
        self.has_disks = !heading.is_avg_cpu;
        self.heading = Some(heading);
    }

    fn row(&mut self, line: Line<'_>) {
        let Some(heading) = self.heading.as_ref().filter(|heading| !heading.columns.is_empty()) else {
            return;
        };
        let all: Vec<&str> = line.text.split_whitespace().collect();
        let (time, cells) = without_time(&all);
        if line.is_cut {
            self.findings.add(ProgramFinding::Cut { line: line.number });
            return;
        }
        if cells.len() != heading.fields || heading.has_time && time == Time::None {
            let fault = RowFault::Fields { has: cells.len(), expected: heading.fields };
            self.findings.left_out(line.number, fault);
            return;
        }
        let key = heading.key.and_then(|(at, keys)| Some((cells.get(at)?, keys)));
        let key = key.map(|(name, keys)| match keys {
            KeysAre::Disks => (*name).to_owned(),
            KeysAre::Cpus => cpu_key(name),
            KeysAre::Interrupts => format!("interrupt {name}"),
        });
        let gather = match time {
            Time::Average => &mut self.averages,
            Time::None if self.reports <= 1 => &mut self.first,
            _ => &mut self.rest,
        };
        add_row(&heading.columns, (line.number, key.as_deref(), cells), gather, &mut self.findings);
    }

    /// The result; `None` without a row and without anything to say.
    fn finish(mut self) -> Option<ProgramResult> {
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
            (true, true) if !self.averages.is_empty() => {
                self.findings.add(ProgramFinding::AveragesOnly);
                self.averages
            }
            (true, _) => self.rest,
        };
        self.result.rows = gather.into_rows();
        self.result.findings = self.findings.into_all();
        (!self.result.rows.is_empty() || !self.result.findings.is_empty()).then_some(self.result)
    }
}
