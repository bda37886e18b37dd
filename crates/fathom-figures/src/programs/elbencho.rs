//! The CSV of elbencho: a heading, and a row for each phase. Figures are those of all threads (`last`); its MiB has 2²⁰ bytes.

use super::finding::{Findings, ProgramFinding, RowFault, cut};
use super::format::ProgramFormat;
use super::number::{Comma, MIB, US, Written, lines, readable, value};
use super::program::Program;
use super::result::{ProgramLoad, ProgramResult, ProgramRow};
use crate::metric::of_id;

/// Known by its heading.
pub(super) const FORMAT: ProgramFormat = ProgramFormat { program: Program::Elbencho, is_it, parse };

fn is_it(head: &str) -> bool {
    lines(head).take(50).filter_map(Result::ok).any(|line| heading(line.text).is_some())
}

/// The columns of a heading in lower case; `None` of what is none.
fn heading(text: &str) -> Option<Vec<String>> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    let has = |name: &str| names.iter().any(|own| own == name);
    (has("operation") && has("mib/s [last]") && has("iops [last]")).then_some(names)
}

/// Metric, column, and what one of it is. Entries are files and directories, for which fathom has no metric.
const FIGURES: [(&str, &str, f64); 8] = [
    ("iops", "iops [last]", 1.0),
    ("bandwidth", "mib/s [last]", MIB),
    ("bytes", "mib [last]", MIB),
    ("latency_min", "io lat us [min]", US),
    ("latency_mean", "io lat us [avg]", US),
    ("latency_max", "io lat us [max]", US),
    ("all_cpus", "cpu% [last]", 1.0),
    ("seconds", "time ms [last]", 1e-3),
];

fn parse(text: &str) -> Vec<ProgramResult> {
    let (mut result, mut findings) = (ProgramResult::new(Program::Elbencho), Findings::default());
    let mut names: Vec<String> = Vec::new();
    for line in lines(text) {
        let Some(line) = readable(line, &mut findings) else { continue };
        if let Some(found) = heading(line.text) {
            names = found;
            continue;
        }
        if names.is_empty() || line.text.trim().is_empty() {
            continue;
        }
        let cells = cells(line.text);
        // The last column is the command line, which may be cut and may have commas.
        if cells.len() < names.len() {
            let fault = RowFault::Fields { has: cells.len(), expected: names.len() };
            findings.left_out(line.number, fault);
            continue;
        }
        if result.rows.len() >= super::gather::ROWS_MAX {
            findings.add(ProgramFinding::TooManyRows { line: line.number, most: super::gather::ROWS_MAX });
            break;
        }
        let row = Cells { line: line.number, names: &names, cells: &cells };
        result.version = row.text("version").map(cut).or(result.version);
        result.rows.extend(row.rows(&mut findings));
    }
    vec![ProgramResult { findings: findings.into_all(), ..result }]
}

/// The cells of a line, of which some are in quotation marks.
fn cells(text: &str) -> Vec<String> {
    let (mut all, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => all.push(std::mem::take(&mut cell)),
            _ => cell.push(c),
        }
    }
    all.push(cell);
    all
}

struct Cells<'a> {
    line: u64,
    names: &'a [String],
    cells: &'a [String],
}

impl Cells<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|own| own == name)?;
        self.cells.get(at).map(|cell| cell.trim()).filter(|cell| !cell.is_empty())
    }

    fn whole(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// A row, and a second one for the reads of a mix.
    fn rows(&self, findings: &mut Findings) -> Vec<ProgramRow> {
        let operation = self.text("operation").unwrap_or("?");
        let direction = match operation.to_ascii_uppercase().as_str() {
            "READ" => "read",
            "WRITE" => "write",
            of if of.starts_with("RWMIX") => "write",
            _ => "",
        };
        let of_mix = self.row(direction, "rwmix read ", findings);
        let own = self.row(direction, "", findings);
        let reads = of_mix.filter(|row| row.value("iops").is_some_and(|iops| iops > 0.0));
        let reads = reads.map(|row| ProgramRow { direction: "read", ..row });
        own.into_iter().chain(reads).collect()
    }

    fn row(&self, direction: &'static str, prefix: &str, findings: &mut Findings) -> Option<ProgramRow> {
        let is_random = self.whole("random") == Some(1);
        let is_mix = self.text("operation").is_some_and(|of| of.to_ascii_uppercase().starts_with("RWMIX"));
        let pattern = if is_mix { "rw" } else { direction };
        let rw = (!pattern.is_empty())
            .then(|| if is_random { format!("rand{pattern}") } else { pattern.to_owned() });
        let threads =
            self.whole("threads").and_then(|each| each.checked_mul(self.whole("hosts").unwrap_or(1).max(1)));
        let block_bytes = self.whole("block size").filter(|bytes| *bytes > 0).map(|bytes| bytes as f64);
        let load = ProgramLoad {
            rw,
            block_bytes,
            depth: self.whole("io depth").filter(|it| *it > 0),
            jobs: threads,
        };
        let label = self.text("label").map(|label| format!("{label} ")).unwrap_or_default();
        let key = cut(&format!("{label}{}", self.text("operation").unwrap_or("?")));
        let mut row = ProgramRow { line: self.line, key, direction, load, figures: Vec::new() };
        for (id, name, factor) in FIGURES {
            let column = format!("{prefix}{name}");
            let Some(text) = self.text(&column) else { continue };
            let written = Written { line: self.line, column: &column, text, factor, comma: Comma::IsNone };
            let metric = of_id(id);
            let found = value(written, metric, findings);
            // A phase without I/O, such as one of directories, has 0 in every column.
            row.add(metric, found.filter(|value| *value > 0.0 || metric.id == "all_cpus"));
        }
        let has_io = row.value("iops").is_some() || row.value("bandwidth").is_some();
        has_io.then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_is_a_row_and_a_mix_two() {
        let of = parse(include_str!("../../tests/fixtures/programs/elbencho.csv")).remove(0);
        let told: Vec<_> = of.rows.iter().map(|row| (row.line, row.key.as_str(), row.direction)).collect();
        assert_eq!(
            told,
            [
                (3, "nightly WRITE", "write"),
                (4, "nightly READ", "read"),
                (5, "RWMIX70", "write"),
                (5, "RWMIX70", "read")
            ]
        );
        let read = &of.rows[1];
        assert_eq!((read.value("iops"), read.value("bandwidth")), (Some(200_000.0), Some(781.25 * MIB)));
        assert_eq!(
            (read.value("latency_mean"), read.value("latency_max")),
            (Some(160_000.0), Some(9_000_000.0))
        );
        assert_eq!(
            (read.load.rw.as_deref(), read.load.depth, read.load.jobs),
            (Some("randread"), Some(16), Some(4))
        );
        assert_eq!(
            (of.rows[3].value("iops"), of.rows[3].load.rw.as_deref()),
            (Some(70_000.0), Some("randrw"))
        );
        assert_eq!((of.version.as_deref(), of.findings.len()), (Some("3.0-3"), 0), "{:?}", of.findings);
    }
}
