//! A table of the report.

use super::markup::escape;
use fathom_results::{ReportTable, TableCell};
use fathom_text::number::reported;
use fathom_text::shown::line;
use fathom_words::settled;

/// The table.
pub(super) fn table(table: &ReportTable) -> String {
    let head: String =
        table.columns.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(&line(name)))).collect();
    let rows: String = table.rows.iter().map(|row| self::row(row)).collect();
    format!(
        "<div class=\"{}\"><table class=\"results\">\n<caption>{}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        if table.columns.len() > NARROW_MAX { "wide whole" } else { "wide narrow" },
        escape(&line(&table.title))
    )
}

/// A table with more columns is as wide as the page; another has half of it, with a plot in the other half.
const NARROW_MAX: usize = 4;

fn row(cells: &[TableCell]) -> String {
    let cell = |(at, cell): (usize, &TableCell)| match (at, text(cell)) {
        (0, text) => format!("<th scope=\"row\">{text}</th>"),
        (_, text) => format!("<td>{text}</td>"),
    };
    format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
}

fn text(cell: &TableCell) -> String {
    match cell {
        TableCell::Number(value) => reported(*value),
        TableCell::Text(text) => escape(&line(text)),
        TableCell::NotSettled(why) => escape(&line(&settled::all(why))),
    }
}
