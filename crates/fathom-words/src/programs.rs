//! What is odd about imported results of other programs, and what of them could not be read.

use fathom_figures::programs::{ProgramFinding, RowFault};
use fathom_text::number::{significant, trimmed};
use fathom_text::words::counted;

/// Something to know about a result of a program, as a sentence.
pub fn finding(of: &ProgramFinding) -> String {
    match of {
        ProgramFinding::LeftOut { times, line, fault } => left_out(*times, *line, fault),
        ProgramFinding::Cut { line } => {
            format!("it ends in the middle of line {line}, which is left out: what it lacks is not known")
        }
        ProgramFinding::FirstReportLeftOut { line } => format!(
            "the first report (line {line}) is left out: without -y it is the mean since boot, and the text does not say whether -y was given"
        ),
        ProgramFinding::MayBeSinceBoot { line } => format!(
            "its only report (line {line}) is the mean since boot, unless -y was given: the text does not say it"
        ),
        ProgramFinding::AveragesOnly => "only the averages that the program made are in it".to_owned(),
        ProgramFinding::DecimalComma { line } => {
            format!("numbers have a decimal comma, from line {line} on; they are read as such")
        }
        ProgramFinding::Restarted { line } => format!("the machine was restarted (line {line})"),
        ProgramFinding::NotRead { names, count } => {
            let more = if *count > names.len() as u64 { " and others" } else { "" };
            format!("not read, because no figure of fathom is like it: {}{more}", names.join(", "))
        }
        ProgramFinding::Unit { line, rows, says, is } => {
            let [says, is] = [says, is].map(|bytes| trimmed(*bytes, 0));
            let rows = counted(*rows, "row");
            format!(
                "MB/s should be {says} bytes per second, but IOPS times the size of an I/O is {is} for each of them in {rows}, first in line {line}: the latter is taken"
            )
        }
        ProgramFinding::Contradiction { line, rows, iops, block_bytes, bytes_per_second } => {
            let [iops, block, bytes] =
                [iops, block_bytes, bytes_per_second].map(|value| significant(*value, 4));
            let rows = counted(*rows, "row");
            format!(
                "line {line}: {iops} IOPS of {block} bytes are not {bytes} bytes per second; the bandwidth is left out, in {rows}"
            )
        }
        ProgramFinding::TooManyRows { line, most } => {
            format!("it has more than {most} rows; from line {line} on, new ones are left out")
        }
        ProgramFinding::Failed { line, times } => {
            format!("{} of the run failed, first in line {line}", counted(*times, "part"))
        }
    }
}

fn left_out(times: u64, line: u64, fault: &RowFault) -> String {
    let (what, why) = match fault {
        RowFault::NoNumber { column, text } => {
            ("value", format!("{column} is {text:?}, which is not a number"))
        }
        RowFault::Impossible { column, text } => {
            ("value", format!("{column} is {text:?}, which no machine reaches"))
        }
        RowFault::Negative { column, text } => {
            ("value", format!("{column} is {text:?}, and it cannot be below zero"))
        }
        RowFault::Fields { has, expected } => {
            ("line", format!("it has {}, and its heading {expected}", counted(*has as u64, "field")))
        }
        RowFault::TooLong { bytes } => ("line", format!("it has {bytes} bytes")),
        RowFault::NotJson { why } => ("part", format!("it is no JSON: {why}")),
    };
    match times {
        1 => format!("line {line}: {why}; this {what} is left out"),
        _ => format!(
            "line {line}: {why}; this and {} are left out",
            counted(times - 1, &format!("other {what}"))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finding_names_its_line() {
        let fault = |fault: RowFault| ProgramFinding::LeftOut { times: 3, line: 7, fault };
        let (column, text) = ("r/s".to_owned(), "nan".to_owned());
        let cases = [
            (fault(RowFault::NoNumber { column: column.clone(), text: text.clone() }), "r/s is \"nan\""),
            (
                fault(RowFault::Impossible { column: column.clone(), text: text.clone() }),
                "no machine reaches",
            ),
            (fault(RowFault::Negative { column, text }), "below zero; this and 2 other values are left out"),
            (fault(RowFault::Fields { has: 1, expected: 3 }), "it has 1 field, and its heading 3"),
            (fault(RowFault::TooLong { bytes: 70_000 }), "it has 70000 bytes"),
            (fault(RowFault::NotJson { why: "x".to_owned() }), "it is no JSON: x"),
            (ProgramFinding::Cut { line: 7 }, "middle of line 7"),
            (ProgramFinding::FirstReportLeftOut { line: 7 }, "since boot"),
            (ProgramFinding::MayBeSinceBoot { line: 7 }, "since boot"),
            (ProgramFinding::DecimalComma { line: 7 }, "decimal comma, from line 7"),
            (ProgramFinding::Restarted { line: 7 }, "restarted (line 7)"),
            (
                ProgramFinding::Unit { line: 7, rows: 2, says: 1e6, is: 1_024_000.0 },
                "is 1024000 for each of them in 2 rows",
            ),
            (
                ProgramFinding::Contradiction {
                    line: 7,
                    rows: 1,
                    iops: 10.0,
                    block_bytes: 4096.0,
                    bytes_per_second: 9.0,
                },
                "line 7: 10.00 IOPS of 4096 bytes are not 9.000 bytes per second",
            ),
            (ProgramFinding::TooManyRows { line: 7, most: 5 }, "from line 7 on"),
            (ProgramFinding::Failed { line: 7, times: 1 }, "1 part of the run failed, first in line 7"),
        ];
        for (of, part) in cases {
            let told = finding(&of);
            assert!(told.contains(part) && told.contains("line 7"), "{told}");
        }
        let names = vec!["proc/s".to_owned()];
        let told = finding(&ProgramFinding::NotRead { names, count: 2 });
        assert!(told.ends_with("is like it: proc/s and others"), "{told}");
    }
}
