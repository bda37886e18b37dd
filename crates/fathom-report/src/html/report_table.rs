//! A table of the report.

use super::markup::escape;
use fathom_results::{ReportTable, TableCell};
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
        TableCell::Number(value) => number(*value),
        TableCell::Text(text) => escape(&line(text)),
        TableCell::NotSettled(why) => escape(&line(&settled::all(why))),
    }
}

/// Four significant digits, and whole from 1,000 on.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => {
            let sign = if value < 0.0 { "−" } else { "" };
            sign.to_owned() + &fathom_text::number::grouped(large.round() as u64)
        }
        whole if whole.fract() == 0.0 => format!("{value:.0}").replace('-', "−"),
        small => {
            let decimals = (3 - small.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{value:.decimals$}").replace('-', "−");
            // What is rounded to a thousand is written as a thousand.
            if text.contains("1000.") { text.replace("1000.0", "1,000") } else { text }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_four_digits_and_large_ones_are_whole() {
        let all = [145_700.4, 999.96, 12.345_67, 0.001_234_5, 0.0, 32.0, -3.25, -14_000.0].map(number);
        assert_eq!(all, ["145,700", "1,000", "12.35", "0.001234", "0", "32", "−3.250", "−14,000"]);
    }
}
