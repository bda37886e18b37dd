//! `vmstat`: a row for each interval, below a heading that is repeated.

use super::columns::VMSTAT;
use super::finding::{Findings, ProgramFinding, RowFault};
use super::format::ProgramFormat;
use super::gather::Gather;
use super::number::{lines, readable};
use super::program::Program;
use super::report_row::{Column, add_row, columns};
use super::result::ProgramResult;

/// Known by its heading.
pub(super) const FORMAT: ProgramFormat = ProgramFormat { program: Program::Vmstat, is_it, parse };

/// Lines in which the heading is looked for.
const LINES_TO_HEADING: usize = 100;

fn is_it(head: &str) -> bool {
    lines(head).take(LINES_TO_HEADING).filter_map(Result::ok).any(|line| heading(line.text).is_some())
}

/// The columns, and how many fields a row has; `None` of what is no heading.
fn heading(text: &str) -> Option<(Vec<Column>, usize)> {
    let mut names: Vec<&str> = text.split_whitespace().collect();
    let has_begin = names.first() == Some(&"r") && names.get(1) == Some(&"b");
    if !has_begin || !["bi", "bo", "us", "id"].iter().all(|name| names.contains(name)) {
        return None;
    }
    // With -t the heading ends with a time zone.
    let last =
        names.iter().rposition(|name| matches!(*name, "id" | "wa" | "st" | "gu")).unwrap_or(names.len() - 1);
    names.truncate(last + 1);
    Some((columns(&names, VMSTAT), names.len()))
}

/// Date, time and zone that may follow the fields of a row (`-t`).
const TIME_FIELDS: usize = 3;

fn parse(text: &str) -> Vec<ProgramResult> {
    let mut findings = Findings::default();
    let (mut first, mut rest) = (Gather::default(), Gather::default());
    let (mut below, mut rows, mut first_line) = (None, 0_u64, 0);
    for line in lines(text) {
        let Some(line) = readable(line, &mut findings) else { continue };
        if let Some(found) = heading(line.text) {
            below = Some(found);
            continue;
        }
        let is_title = line.text.trim_start().starts_with("procs") || line.text.contains("----");
        let Some((columns, fields)) = below.as_ref().filter(|_| !is_title) else { continue };
        let cells: Vec<&str> = line.text.split_whitespace().collect();
        if cells.is_empty() {
            continue;
        }
        if line.is_cut {
            findings.add(ProgramFinding::Cut { line: line.number });
            continue;
        }
        let after = cells.get(*fields..).unwrap_or_default();
        let are_times = after.len() <= TIME_FIELDS && after.first().is_none_or(|date| date.contains('-'));
        if cells.len() < *fields || !are_times {
            findings.left_out(line.number, RowFault::Fields { has: cells.len(), expected: *fields });
            continue;
        }
        rows += 1;
        first_line = if rows == 1 { line.number } else { first_line };
        let gather = if rows == 1 { &mut first } else { &mut rest };
        add_row(columns, (line.number, None, &cells[..*fields]), gather, &mut findings);
    }
    let line = first_line;
    let gather = if rest.is_empty() { first } else { rest };
    match rows {
        0 => {}
        1 => findings.add(ProgramFinding::MayBeSinceBoot { line }),
        _ => findings.add(ProgramFinding::FirstReportLeftOut { line }),
    }
    let rows = gather.into_rows();
    vec![ProgramResult { rows, findings: findings.into_all(), ..ProgramResult::new(Program::Vmstat) }]
}
