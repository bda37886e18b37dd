//! Printing a result in the forms that were asked for.

use crate::cli::Format;
use crate::failure::{Exit, Failure, print};
use fathom_report::{fio_json, html, normal, terminal, terse};
use fathom_results::RunResult;
use std::io::IsTerminal;
use std::path::Path;

/// Prints the run, or writes it to a file in one step.
pub fn write(run: &RunResult, formats: &[Format], file: Option<&Path>) -> Result<(), Failure> {
    let colour = file.is_none() && std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text: String = formats.iter().map(|f| render(run, *f, colour)).collect();
    let Some(file) = file else { return print(&text) };
    replace(file, &text)
}

/// Replaces a file by the text: a reader sees the old or the new, whole.
pub fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    let cannot =
        |e: std::io::Error| Failure::new(Exit::Failed, format!("cannot write {}: {e}", file.display()));
    if file.exists() && !file.is_file() {
        // A pipe or a terminal is written to, not replaced.
        return std::fs::write(file, text).map_err(cannot);
    }
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, text).map_err(cannot)?;
    std::fs::rename(&partial, file).map_err(cannot)
}

fn render(run: &RunResult, format: Format, colour: bool) -> String {
    let style = terminal::Style { colour, width: 100 };
    match format {
        Format::Summary => terminal::summary(run, style),
        Format::Details => terminal::details(run, style),
        Format::Normal => normal::normal(run),
        Format::Json => fio_json::to_text(&fio_json::fio_json(run, false)),
        Format::JsonPlus => fio_json::to_text(&fio_json::fio_json(run, true)),
        Format::Terse => terse::terse(run, terse::TerseVersion::V3),
        Format::Html => html::page(run),
    }
}
