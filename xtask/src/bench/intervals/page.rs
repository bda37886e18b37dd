//! The tables in docs/measurement.md, with which the tests compare.

use super::Coverage;

const PAGE: &str = include_str!("../../../../docs/measurement.md");

/// The number in this row and column of the table with this first heading.
fn cell(table: &str, row: &str, column: &str) -> f64 {
    let mut lines = PAGE.lines().skip_while(|line| cells(line).first() != Some(&table));
    let headings = cells(lines.next().unwrap_or_else(|| panic!("the page has no table {table:?}")));
    let at = headings.iter().position(|heading| *heading == column);
    let at = at.unwrap_or_else(|| panic!("table {table:?} has no column {column:?}: {headings:?}"));
    let found = lines.map(cells).take_while(|cells| !cells.is_empty()).find(|cells| cells[0] == row);
    let found = found.unwrap_or_else(|| panic!("table {table:?} has no row {row:?}"));
    found[at].parse().unwrap_or_else(|_| panic!("{table:?}, {row:?}, {column:?}: {:?}", found[at]))
}

fn cells(line: &str) -> Vec<&str> {
    line.strip_prefix('|').map(|rest| rest.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// Fails if the simulated share differs from the page by more than five standard errors of a share
/// of so few trials.
pub fn assert_agrees(table: &str, row: &str, column: &str, now: &Coverage, trials: u64) {
    let then = cell(table, row, column);
    let share = (then / 100.0).clamp(0.01, 0.99);
    let allowed = 500.0 * (share * (1.0 - share) / trials as f64).sqrt();
    let apart = (now.held_percent - then).abs();
    assert!(apart <= allowed, "{table}, {row}, {column}: the page says {then}, simulated {now:?}");
}
