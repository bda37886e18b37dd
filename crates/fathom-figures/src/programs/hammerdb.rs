//! The log of HammerDB: one line for each test, with new orders and transactions per minute.

use super::finding::{Findings, ProgramFinding};
use super::format::ProgramFormat;
use super::number::{Comma, Written, lines, readable, value};
use super::program::Program;
use super::result::{ProgramLoad, ProgramResult, ProgramRow};
use crate::metric::of_id;

/// Known by the line of a result.
pub(super) const FORMAT: ProgramFormat = ProgramFormat { program: Program::HammerDb, is_it, parse };

/// The beginning of a result.
const RESULT: &str = "TEST RESULT : System achieved ";

fn is_it(head: &str) -> bool {
    head.contains(RESULT)
        || head.contains("HammerDB CLI v")
        || head.contains("Active Virtual Users configured")
}

fn parse(text: &str) -> Vec<ProgramResult> {
    let (mut result, mut findings) = (ProgramResult::new(Program::HammerDb), Findings::default());
    let mut users = None;
    for line in lines(text) {
        let Some(line) = readable(line, &mut findings) else { continue };
        if let Some(version) = line.text.trim().strip_prefix("HammerDB CLI v") {
            result.version = Some(super::finding::cut(version.trim()));
        }
        if line.text.contains("FINISHED FAILED") {
            findings.add(ProgramFinding::Failed { line: line.number, times: 1 });
        }
        if let Some((before, _)) = line.text.split_once(" Active Virtual Users configured") {
            users = before.rsplit([' ', ':', '"']).next().and_then(|count| count.parse().ok());
        }
        let Some((_, told)) = line.text.split_once(RESULT) else { continue };
        if line.is_cut {
            findings.add(ProgramFinding::Cut { line: line.number });
            continue;
        }
        let load = ProgramLoad { jobs: users.take(), ..ProgramLoad::default() };
        let mut row = ProgramRow { line: line.number, key: "test".to_owned(), load, ..ProgramRow::default() };
        for metric in ["nopm", "tpm"] {
            let column = metric.to_uppercase();
            let Some(text) = before(told, &column) else { continue };
            let written =
                Written { line: line.number, column: &column, text, factor: 1.0, comma: Comma::IsNone };
            // Of some databases TPM is 0 where it could not be counted.
            let counted = value(written, of_id(metric), &mut findings).filter(|value| *value > 0.0);
            row.add(of_id(metric), counted);
        }
        if !row.figures.is_empty() && result.rows.len() < super::gather::ROWS_MAX {
            result.rows.push(row);
        }
    }
    vec![ProgramResult { findings: findings.into_all(), ..result }]
}

/// The number before a unit; between TPM and its number stands the name of the database.
fn before<'a>(told: &'a str, unit: &str) -> Option<&'a str> {
    let words: Vec<&str> =
        told.split_whitespace().map(|word| word.trim_end_matches(['"', ',', '.'])).collect();
    let at = words.iter().position(|word| *word == unit)?;
    if unit == "NOPM" {
        return at.checked_sub(1).map(|before| words[before]);
    }
    let number =
        words[..at].iter().rev().find(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    // What is not a number is named.
    let after_from = || words.iter().position(|word| *word == "from").and_then(|from| words.get(from + 1));
    number.or_else(after_from).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_the_line_are_read() {
        let text = "HammerDB CLI v4.9\nVuser 1:8 Active Virtual Users configured\n\
            Vuser 1:TEST RESULT : System achieved 73685 NOPM from 338989 SQL Server TPM\n\
            Vuser 1:TEST RESULT : System achieved 348164 Oracle TPM at 75689 NOPM\n\
            \"TEST RESULT : System achieved 0 Oracle TPM at 27975 NOPM\",\n\
            Vuser 3:FINISHED FAILED\nVuser 1:TEST RESULT : System achieved nan NOPM from inf Oracle TPM\n";
        let of = parse(text).remove(0);
        let told: Vec<_> =
            of.rows.iter().map(|row| (row.line, row.value("nopm"), row.value("tpm"))).collect();
        let expected = [
            (3, Some(73_685.0), Some(338_989.0)),
            (4, Some(75_689.0), Some(348_164.0)),
            (5, Some(27_975.0), None),
        ];
        assert_eq!(told, expected);
        assert_eq!((of.version.as_deref(), of.rows[0].load.jobs), (Some("4.9"), Some(8)));
        assert_eq!(of.findings[0], ProgramFinding::Failed { line: 6, times: 1 });
        assert!(
            matches!(of.findings[1], ProgramFinding::LeftOut { times: 2, line: 7, .. }),
            "{:?}",
            of.findings
        );
        assert_eq!(of.labels()[1..], ["test #1", "test #2"]);
    }
}
