//! The page of imported logs and results: for each kind of log its statistics and charts, then the results.

mod chart;
mod grid;
mod smooth;
mod table;

use super::document;
use super::markup::{element, escape};
use super::matrix;
use super::verdict::capital;
use crate::import::heading_text;
use fathom_figures::fio::{FioLogKind, Imported};

/// Charts are drawn while the page stays below this many bytes, so that it opens at once.
const CHARTS_UNTIL: usize = 1_000_000;

/// What the forms of a line are.
const FORMS: &str = "<p class=\"note\">Raw: the logged values; where a point is the mean of several, the band is their range. Smoothed: each point is the mean of its neighbours within a fortieth of the time, and of the trend within a sixth; nearer ones count more.</p>\n";

/// The whole document.
pub fn page(imported: &Imported) -> String {
    let title = if imported.title.is_empty() { "Logs and results of fio" } else { &imported.title };
    let mut body = header(title, imported);
    for kind in imported.kinds() {
        let has_room = body.len() < CHARTS_UNTIL;
        body.push_str(&section(imported, kind, has_room));
    }
    body.push_str(&table::results(imported));
    body.push_str(&grid(imported));
    document(title, &body)
}

fn header(title: &str, imported: &Imported) -> String {
    let unread = imported.unread.iter().map(|file| format!("not read: {}", file.why));
    let notes: String =
        unread.chain(imported.notes.iter().cloned()).map(|note| element("li", &note)).collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul class=\"care\">{notes}</ul>\n") };
    let meta = escape(&heading_text(imported));
    format!("<header>\n<h1>{}</h1>\n<p class=\"meta\">{meta}</p>\n{notes}</header>\n", escape(title))
}

fn section(imported: &Imported, kind: FioLogKind, has_room: bool) -> String {
    let heading = capital(kind.title());
    let charts = if has_room { chart::charts(imported, kind) } else { Vec::new() };
    let figures = figures(&charts);
    let note = match (charts.is_empty(), has_room) {
        (false, _) => FORMS,
        (true, true) => "<p class=\"note\">Too short for a chart.</p>\n",
        (true, false) => "<p class=\"note\">Charts are left out to keep this page small.</p>\n",
    };
    let table = table::logs(imported, kind);
    format!(
        "<article>\n<h2>{heading}</h2>\n{table}<div class=\"charts\">\n{figures}</div>\n{note}</article>\n"
    )
}

/// IOPS over block size and mix; empty where the results do not differ in both.
fn grid(imported: &Imported) -> String {
    let Some(grid) = grid::iops(imported) else { return String::new() };
    let (heading, figures) = (&grid.title, figures(&[matrix::heat(&grid), matrix::columns(&grid)]));
    format!("<article>\n<h2>{heading}</h2>\n<div class=\"charts\">\n{figures}</div>\n</article>\n")
}

fn figures(drawings: &[String]) -> String {
    drawings.iter().map(|svg| format!("<figure>\n{svg}</figure>\n")).collect()
}
