//! Prints a result in the forms that were asked for, or writes it to a file.

use crate::args::{Format, ResultArgs};
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say};
use crate::place::OutputPlace;
use crate::screen::Screen;
use fathom_figures::metric::Columns;
use fathom_figures::{DirectionFigures, Row, rows};
use fathom_job::fio_cli::OutputFormat;
use fathom_report::export::Exported;
use fathom_report::terminal::{Layout, Style};
use fathom_report::terse::TerseVersion;
use fathom_report::{document, fio_json, html, normal, series, series_csv, terminal, terse};
use fathom_results::{RunDocument, RunRecord, RunResult};
use fathom_session::exit_of;
use fathom_text::shell::quoted_carried;
use fathom_text::shown;
use std::io;
use std::path::{Path, PathBuf};

/// The run in these forms, one after the other, without colour.
pub fn plain(run: &RunResult, formats: &[Format], terse: TerseVersion) -> Ready {
    formats.iter().map(|f| render(run, *f, terse, Style::PLAIN.into(), false)).collect()
}

/// The run in fio's forms, in the order in which fio prints them, whatever the order of the list. json+ takes the place of json.
pub fn as_fio(run: &RunResult, formats: &[OutputFormat], terse: TerseVersion) -> Ready {
    let is_asked = |format| formats.contains(&format);
    let mut out = Vec::new();
    if is_asked(OutputFormat::Normal) {
        out.push(Ready::text(&normal::header(run)));
    }
    if is_asked(OutputFormat::Terse) {
        out.push(Ready::text(&terse::terse(run, terse)));
    }
    if is_asked(OutputFormat::Json) || is_asked(OutputFormat::JsonPlus) {
        out.push(json(&fio_json::fio_json(run, is_asked(OutputFormat::JsonPlus))));
    }
    if is_asked(OutputFormat::Normal) {
        out.push(Ready::text(&normal::results(run)));
    }
    out.into_iter().collect()
}

/// Writes the run to a place in the forms that were asked for.
pub fn write(run: &RunResult, asked: &ResultArgs, place: OutputPlace<'_>) -> Result<(), Failure> {
    put(run, &text(run, asked, style(&place)), &place)
}

/// The text of the run in the forms that were asked for.
pub fn text(run: &RunResult, asked: &ResultArgs, style: Style) -> Ready {
    let columns = asked.columns.chosen();
    tell_without_percentiles(run, &columns);
    let one = |form: &Format| {
        render(run, *form, TerseVersion::default(), Layout { style, columns: &columns }, asked.series)
    };
    asked.forms().iter().map(one).collect()
}

/// Why there is no percentile at all.
pub const NO_DISTRIBUTION: &str = "the job kept no distribution of latencies";

/// Says on stderr of which jobs there are no percentiles, where a person asked for some.
fn tell_without_percentiles(run: &RunResult, columns: &Columns) {
    if columns.chosen_percents().is_empty() {
        return;
    }
    let is_without = |flow: &DirectionFigures<'_>| match flow.main_latency() {
        Some((_, kept)) => kept.histogram.as_ref().is_none_or(|histogram| histogram.count() == 0),
        None => true,
    };
    let has_none = |row: &&Row<'_>| row.flows_busy().iter().any(is_without);
    for row in rows(run).iter().filter(has_none) {
        say(&format!("note: there are no percentiles of {}: {NO_DISTRIBUTION}", shown::line(row.name())));
    }
}

/// The style of a text for a person at this place.
pub fn style(place: &OutputPlace<'_>) -> Style {
    if place.is_stdout() { Screen::stdout().style } else { Style::PLAIN }
}

/// Writes the text of a run to a place.
pub fn put(run: &RunResult, text: &Ready, place: &OutputPlace<'_>) -> Result<(), Failure> {
    let is_stdout = place.is_stdout();
    match place.write(text) {
        // A terminal that has gone cannot show the text, but the run is saved.
        Err(_) if is_stdout && exit_of(run) == Exit::HungUp => Ok(()),
        written => written,
    }
}

/// Says on stderr why a run is incomplete, if the exit code says that it is and nothing on the terminal does: neither do the
/// forms of fio, nor a file.
pub fn tell_incomplete(run: &RunResult, formats: &[Format], is_stdout: bool, exit: Exit) {
    let is_said = is_stdout && formats.iter().any(|format| says_incomplete(*format));
    if let (Exit::Incomplete, false, Some(why)) = (exit, is_said, &run.incomplete) {
        say(&format!("warning: incomplete: {}", fathom_words::incomplete(why)));
    }
}

/// Whether the form can say that a run is incomplete; those of fio cannot.
fn says_incomplete(format: Format) -> bool {
    matches!(format, Format::Summary | Format::Details | Format::Html | Format::Document)
}

/// Writes the HTML page into the directory of a run that has just ended. Its failure is told behind the answer, which is
/// printed all the same.
pub fn page(run: &RunResult) -> Result<PathBuf, Failure> {
    let path = run.dir.join(RunRecord::PAGE);
    let page = Ready::text(&html::page(run));
    match run.record.add_file(&run.dir, RunRecord::PAGE, page.as_str().as_bytes()) {
        Ok(()) => Ok(path),
        Err(e) => Err(page_not_written(&path, &e)),
    }
}

/// The page cannot be written into the directory of what was measured.
pub fn page_not_written(path: &Path, e: &io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot write {}: {e}", path.display()))
}

/// Says on stderr where the page is, and the command that makes one for somebody else; of a run without a page, how to
/// make one.
pub fn tell_page(page: Option<&Path>, id: &str) {
    say(&page_line(page, id, Screen::stderr().style.width));
}

/// As much as there is room for.
fn page_line(page: Option<&Path>, id: &str, columns: usize) -> String {
    let id = quoted_carried(id);
    let told = match page {
        Some(page) => {
            let send = format!("to send it: fathom report --redact -o page.html {id}");
            vec![format!("{} · {send}", shown::path(page)), format!("report.html there · {send}"), send]
        }
        None => {
            let make = format!("make one: fathom report -o page.html {id}");
            vec![format!("{make} · to send it, add --redact"), make]
        }
    };
    let mut lines = told.into_iter().map(|told| format!("page     {told}")).rev();
    let shortest = lines.next().unwrap_or_default();
    lines.rev().find(|line| line.chars().count() <= columns).unwrap_or(shortest)
}

fn render(
    run: &RunResult,
    format: Format,
    version: TerseVersion,
    layout: Layout<'_>,
    has_series: bool,
) -> Ready {
    if let Some(form) = format.export() {
        return Ready::text(&form.write(&Exported::of_run(run, layout.columns, has_series)));
    }
    match format {
        Format::Details => Ready::painted(&terminal::details(run, layout)),
        Format::Normal => Ready::text(&normal::normal(run)),
        Format::Json => json(&fio_json::fio_json(run, false)),
        Format::JsonPlus => json(&fio_json::fio_json(run, true)),
        Format::Terse => Ready::text(&terse::terse(run, version)),
        Format::Html => Ready::text(&html::page_of(run, layout.columns)),
        Format::Csv if has_series => Ready::text(&series_csv(run)),
        Format::Csv => Ready::text(&document::csv_of(run, layout.columns)),
        Format::Document => {
            let document = RunDocument { series: has_series.then(|| series(run)), ..document::document(run) };
            Ready::json(&(serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"))
        }
        // The others are forms of other programs, which were printed above.
        _ => Ready::painted(&terminal::summary(run, layout)),
    }
}

fn json(document: &serde_json::Value) -> Ready {
    Ready::json(&(fio_json::to_text(document) + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_page_fits() {
        let page = Path::new("/data/fathom-runs/20260921-quick-1grxj35qmr2ec/report.html");
        let told = |page, columns| page_line(page, "1grxj35qmr2ec", columns);
        let send = "to send it: fathom report --redact -o page.html 1grxj35qmr2ec";
        assert_eq!(told(Some(page), 200), format!("page     {} · {send}", page.display()));
        assert_eq!(told(Some(page), 100), format!("page     report.html there · {send}"));
        assert_eq!(told(Some(page), 60), format!("page     {send}"));
        let make = "page     make one: fathom report -o page.html 1grxj35qmr2ec";
        assert_eq!(told(None, 100), format!("{make} · to send it, add --redact"));
        assert_eq!(told(None, 60), make);
    }
}
