//! The tracking variables of a standard's tests as a table: mean, range and slope of the window, and what is allowed.

use fathom_results::{Determination, StandardReport};
use fathom_text::number::reported;
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_text::table::Table;

/// The table; at most `room` lines. Empty where no test has a measurement window yet.
pub(super) fn determinations(report: &StandardReport, room: usize, style: Style) -> String {
    let all: Vec<&Determination> = report.tests.iter().flat_map(|test| &test.determinations).collect();
    if all.is_empty() {
        return String::new();
    }
    let shown = room.saturating_sub(2).max(1).min(all.len());
    let heading = ["in the window", "steady", "mean", "unit", "range", "at most", "slope", "at most"];
    let row = |one: &&Determination| {
        vec![
            line(&one.variable).into_owned(),
            if one.is_steady { "yes" } else { "NO" }.to_owned(),
            reported(one.mean),
            one.unit.clone(),
            reported(one.range.0),
            reported(one.range.1),
            reported(one.slope.0),
            reported(one.slope.1),
        ]
    };
    let rows =
        [heading.map(str::to_owned).to_vec()].into_iter().chain(all.iter().take(shown).map(row)).collect();
    let more = match all.len() - shown {
        0 => String::new(),
        more => style.faint(&format!("  … {more} more in the report\n")),
    };
    Table { rows }.render(style) + &more
}
