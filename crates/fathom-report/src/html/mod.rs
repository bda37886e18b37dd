//! A self-contained page: nothing is fetched, nothing needs a script, and it says the same as the
//! terminal report, with charts. It is made to be sent to somebody else.
//!
//! The title names the device and the host. Then come the verdict, all measurements in one picture and in one table, and
//! the charts of each measurement. The environment is folded away at the end. Light and dark follow the reader;
//! print is light. The script (`page.js`) adds values at the pointer, zoom, sorting and copies of
//! the data; a content security policy admits this script and these styles, and nothing else.

mod asked;
mod axis;
mod chart;
mod comparison;
mod conditions;
mod copied;
mod evidence;
mod forest;
mod host;
pub mod import;
mod live;
mod markup;
mod matrix;
mod meanwhile;
mod measurement;
mod overview;
mod percentile_table;
pub(crate) mod policy;
mod power_cut;
mod procedure;
mod report_plot;
mod report_table;
mod results;
mod round_dots;
mod self_check;
mod setup;
mod standard;
mod subject;
mod svg;
mod verdict;
mod verified;

pub use comparison::comparison_page;
pub use live::live_page;
pub use power_cut::power_cut_page;
pub use procedure::procedure_page;
pub use standard::{AboveTables, saved_page, standard_page};

use crate::text::is_fill;
use fathom_figures::metric::Columns;
use fathom_figures::{Row, rows};
use fathom_results::RunResult;
use markup::escape;

pub(crate) const STYLE: &str = include_str!("style.css");

pub(crate) const SCRIPT: &str = include_str!("page.js");

/// Charts are drawn while the page stays below this many bytes, so that it can
/// be mailed and opens at once, however many jobs there were.
const CHARTS_UNTIL: usize = 400_000;

/// What the charts show before the measurement.
const RAMP: &str =
    "<p class=\"note\">The grey part at the left of a chart is the ramp: it is not counted.</p>\n";

/// Jobs whose figures are in the table.
const TABLE_MAX: usize = 100;

/// Jobs whose options are listed one by one.
const JOBS_MAX: usize = 24;

/// The whole document.
pub fn page(run: &RunResult) -> String {
    page_of(run, Columns::USUAL)
}

/// The same, with the columns that a person chose in the table of results.
pub fn page_of(run: &RunResult, columns: &Columns) -> String {
    let mut all = rows(run);
    // What was done before the measurement comes last.
    all.sort_by_key(|row| is_fill(run, row));
    let (rows, preparation) = all.split_at(all.partition_point(|row| !is_fill(run, row)));
    let above = [
        verdict::header(run, &all),
        verdict::verdict(run, &all),
        verified::section(run),
        overview::overview(rows),
        results::table(run, rows, columns, TABLE_MAX),
        conditions::section(run, &all, preparation),
    ]
    .concat();
    let environment = [
        evidence::disks(run, &all),
        evidence::events(run),
        host::section(run),
        setup::jobs(&all, JOBS_MAX),
        setup::machine(run),
    ]
    .concat();
    let below = format!(
        "{}{}<section class=\"environment\">\n<h2>Environment</h2>\n{environment}</section>\n{}",
        meanwhile::section(run),
        results::preparation(run, preparation, columns),
        setup::footer(run)
    );
    let room = CHARTS_UNTIL.saturating_sub(above.len() + below.len() + STYLE.len() + SCRIPT.len());
    let body = [above, measurements(run, rows, room), below].concat();
    document(&verdict::title(run), &body)
}

fn document(title: &str, body: &str) -> String {
    let policy = policy::of(STYLE, SCRIPT);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · fathom</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title)
    )
}

fn measurements(run: &RunResult, rows: &[Row<'_>], room: usize) -> String {
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        if out.len() > room {
            let left = rows.len() - at;
            out.push_str(&format!("<p class=\"note\">Charts of {left} more jobs are left out to keep this page small; their figures are in the table above.</p>\n"));
            break;
        }
        out.push_str(&measurement::measurement(run, row));
    }
    if out.contains("class=\"band ramp\"") { RAMP.to_owned() + &out } else { out }
}
