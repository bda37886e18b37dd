//! The summary that a person reads at the end of a run.
//!
//! Each row is a compact block; each number has its unit; what the data cannot support is marked or
//! absent. The page ends with the verdict and the doubts.

mod brief;
mod heading;
mod host;
mod job;
mod latency_table;
mod procedure;
mod response;
mod self_check;
mod table;
mod trailer;

pub use fathom_text::painted::Painted;
pub use fathom_text::style::Style;
pub use procedure::procedure;

use fathom_figures::rows;
use fathom_results::RunResult;
use fathom_text::shell::quoted;

/// What is printed at the end of a run: for a judged one (`fathom quick`) the answer and one line
/// per measurement, for others [`details`].
pub fn summary(run: &RunResult, style: Style) -> Painted {
    if run.record.verdict.is_none() {
        return details(run, style);
    }
    let rows = rows(run);
    let more = format!("fathom report --output-format details {}", quoted(&run.dir));
    let blocks = [
        heading::heading(run, style),
        brief::table(&rows, style),
        trailer::judgement(run, style),
        host::brief(run, style),
        self_check::alarm(run, style),
        trailer::events(run, style),
        trailer::files(run, style) + &style.faint("details:") + " " + &more + "\n",
    ];
    style.page(&blocks.into_iter().filter(|b| !b.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// Every row with all of its latencies, ended by a newline.
pub fn details(run: &RunResult, style: Style) -> Painted {
    let rows = rows(run);
    let mut blocks = vec![heading::heading(run, style)];
    blocks.extend(rows.iter().map(|row| job::block(row, style)));
    blocks.push(trailer::disks(run, &rows, style));
    blocks.push(self_check::details(run, &rows, style));
    blocks.push(host::details(run, style));
    blocks.push(trailer::events(run, style));
    blocks.push(trailer::judgement(run, style));
    blocks.push(trailer::files(run, style));
    blocks.retain(|block| !block.is_empty());
    style.page(&blocks.join("\n"))
}
