//! Everything as CSV, tidy: one line for each figure of each job and direction.

use super::document::{ImportDocument, document};
use crate::document::quoted;
use fathom_figures::fio::{Imported, run_in_file};

/// The columns.
const HEADINGS: &str = "source,file,job,direction,kind,figure,unit,value";

/// The table, each line ended by a newline.
pub fn csv(imported: &Imported) -> String {
    let ImportDocument { logs, results, details, .. } = document(imported);
    let mut out = format!("{HEADINGS}\n");
    for log in &logs {
        let figures =
            [("mean", log.mean), ("min", log.min), ("max", log.max), ("stddev", log.stddev)].into_iter();
        let figures = figures.chain(log.percentiles.iter().map(|(name, value)| (*name, *value)));
        let file = log.file.as_deref().unwrap_or_default();
        for (name, value) in figures {
            let Some(value) = value else { continue };
            out.push_str(&line(&["log", file, &log.job, log.direction, log.kind, name, log.unit], value));
        }
        out.push_str(&line(&["log", file, &log.job, log.direction, log.kind, "n", "1"], log.n as f64));
    }
    // A table has no place for the mark of a figure that says nothing.
    for figure in results.iter().filter(|figure| !figure.is_too_short && !figure.has_too_few) {
        let (kind, name) = figure.name.split_once(' ').unwrap_or((&figure.name, "mean"));
        // Rows of two runs of one file are told apart by it.
        let file = run_in_file(&figure.file, figure.run);
        let source = if figure.program == "fio" { "result" } else { figure.program };
        let cells = [source, &file, &figure.job, figure.direction, kind, name, figure.unit];
        out.push_str(&line(&cells, figure.value));
        for (name, value) in [("min", figure.min), ("max", figure.max)] {
            let cells = [source, &file, &figure.job, figure.direction, kind, name, figure.unit];
            out.extend(value.map(|value| line(&cells, value)));
        }
        let cells = [source, &file, &figure.job, figure.direction, kind, "n", "1"];
        out.extend(figure.n.map(|n| line(&cells, n as f64)));
    }
    for detail in &details {
        let file = run_in_file(&detail.file, detail.run);
        let cells = ["result", &file, &detail.of, detail.direction, detail.kind, &detail.name, detail.unit];
        out.push_str(&line(&cells, detail.value));
    }
    out
}

fn line(cells: &[&str; 7], value: f64) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    format!("{},{value}\n", cells.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_stays_one_cell_and_is_no_formula() {
        let cases =
            [("a b", "a b"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("=1+2", "'=1+2"), ("＝1", "'＝1")];
        for (text, cell) in cases {
            assert_eq!(quoted(text), cell);
        }
    }
}
