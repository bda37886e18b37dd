//! The page of imported logs and results: for each kind of log its statistics and charts, then the results.

mod chart;
mod grid;
mod smooth;
mod table;

use super::document;
use super::markup::{element, escape};
use super::matrix;
use super::verdict::capital;
use crate::import::{depths_and_jobs, heading_text, left_out};
use fathom_figures::fio::{FioLogKind, Imported};

/// Charts are drawn while the page stays below this many bytes, so that it opens at once.
const CHARTS_UNTIL: usize = 1_000_000;

/// What the forms of a line are.
const FORMS: &str = "<p class=\"note\">Raw: the logged values; where a point is the mean of several, the band is their range. Smoothed: each point is the mean of its neighbours within a fortieth of the time, and of the trend within a sixth; nearer ones count more.</p>\n";

/// The whole document.
pub fn page(imported: &Imported) -> String {
    let usual = if imported.programs.is_empty() { "Logs and results of fio" } else { "Imported results" };
    let title = if imported.title.is_empty() { usual } else { &imported.title };
    let mut body = header(title, imported);
    for kind in imported.kinds() {
        let has_room = body.len() < CHARTS_UNTIL;
        body.push_str(&section(imported, kind, has_room));
    }
    body.push_str(&table::results(imported));
    body.push_str(&table::others(imported));
    depths_and_jobs(imported).iter().for_each(|of| body.push_str(&table::over_depth_and_jobs(of)));
    body.push_str(&grid(imported));
    document(title, &body)
}

fn header(title: &str, imported: &Imported) -> String {
    let unread = imported.unread.iter().map(|file| format!("not read: {}", file.why));
    let left_out = left_out(imported).map(|rows| format!("left out: {rows}"));
    let notes = unread.chain(imported.notes.iter().cloned()).chain(left_out);
    let notes: String = notes.map(|note| element("li", &note)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fio::{FioFlow, FioJob, FioResult, ImportedResult};

    fn result(depth: u64, jobs: u64, ios: u64) -> ImportedResult {
        let (ios, runtime_ms, iops) = (Some(ios), Some(1_000), Some(ios as f64));
        let flow = FioFlow { direction: "read", ios, runtime_ms, iops, ..FioFlow::default() };
        let job = FioJob {
            name: "j".to_owned(),
            depth: Some(depth),
            jobs: Some(jobs),
            direction: Some("randread".to_owned()),
            block_bytes: Some(4096.0),
            flows: vec![flow],
            ..FioJob::default()
        };
        let result = FioResult { jobs: vec![job], ..FioResult::default() };
        ImportedResult { file: format!("d{depth}-j{jobs}.json"), run: None, result }
    }

    #[test]
    fn results_that_differ_in_depth_and_jobs_have_their_table_on_the_page() {
        let results = vec![result(1, 1, 100), result(8, 1, 800), result(8, 4, 1_900)];
        let html = page(&Imported { results, ..Imported::default() });
        let section =
            html.split("<h2>IOPS over depth and jobs: randread, read, 4k</h2>").nth(1).expect("a table");
        let table = section.split("</table>").next().unwrap();
        assert!(table.contains("1 job<small>IOPS</small>") && table.contains("4 jobs<small>"), "{table}");
        assert!(table.contains("<th scope=\"row\">8</th><td>800</td><td>1,900</td>"), "{table}");
        assert!(table.contains("<th scope=\"row\">1</th><td>100</td><td>-</td>"), "{table}");
    }

    #[test]
    fn few_ios_of_an_imported_result_are_a_number() {
        let mut few = result(1, 1, 3);
        few.result.jobs[0].flows[0].latencies.push(fathom_figures::fio::FioLatency {
            kind: "clat",
            max_ns: Some(9_000.0),
            mean_ns: Some(5_000.0),
            percentiles: vec![(99.0, 9_000.0)],
            ..Default::default()
        });
        let html = page(&Imported { results: vec![few], ..Imported::default() });
        let row = html.split("<tbody>").nth(1).unwrap().split("</tr>").next().unwrap();
        assert!(
            row.contains("<td>3 I/Os</td><td>-</td><td>-<small>clat</small></td><td>-</td><td>-</td>"),
            "{row}"
        );
        assert!(row.contains("<td>9.00</td><td>-</td>"), "the slowest, and no multiple of a mean: {row}");
    }
}
