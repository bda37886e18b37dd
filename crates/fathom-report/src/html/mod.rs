//! A self-contained page: nothing is fetched, nothing needs a script, and it says the same as the
//! terminal report, with charts.
//!
//! Verdict first, then figures, then the evidence for them (charts), then all
//! that is needed to judge or repeat the run: the jobs as planned, the machine,
//! the command. Light and dark follow the reader; print is light.

mod axis;
mod chart;
mod evidence;
mod host;
mod markup;
mod percentile_table;
mod results;
mod self_check;
mod setup;
mod svg;
mod top;

use fathom_figures::{Row, rows};
use fathom_results::RunResult;
use markup::escape;

const STYLE: &str = include_str!("style.css");

/// Charts are drawn while the page stays below this many bytes, so that it can
/// be mailed and opens at once, however many jobs there were.
const CHARTS_UNTIL: usize = 250_000;

/// Jobs whose figures are in the table.
const TABLE_MAX: usize = 100;

/// Jobs whose options are listed one by one.
const JOBS_MAX: usize = 24;

/// The whole document.
pub fn page(run: &RunResult) -> String {
    let rows = rows(run);
    let above =
        [top::header(run), top::verdict(run, &rows), top::tiles(&rows), results::table(&rows, TABLE_MAX)]
            .concat();
    let below = [
        evidence::disks(run, &rows),
        self_check::section(run, &rows),
        evidence::events(run),
        host::section(run),
        setup::jobs(&rows, JOBS_MAX),
        setup::machine(run),
        setup::footer(run),
    ]
    .concat();
    let room = CHARTS_UNTIL.saturating_sub(above.len() + below.len() + STYLE.len());
    let body = [above, charts(&rows, room), below].concat();
    document(&run.record.name, &body)
}

fn document(name: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · fathom</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(name)
    )
}

fn charts(rows: &[Row<'_>], room: usize) -> String {
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        if out.len() > room {
            let left = rows.len() - at;
            out.push_str(&format!("<p class=\"note\">Charts of {left} more jobs are left out to keep this page small; their figures are in the table above.</p>\n"));
            break;
        }
        out.push_str(&evidence::job(row));
    }
    out
}
