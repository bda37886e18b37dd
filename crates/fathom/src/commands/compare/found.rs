//! The subjects that a person named: runs, procedures, bundles, and files of fio.

use crate::failure::{Exit, Failure};
use crate::found;
use crate::terminal::slow_look;
use fathom_device::bounded;
use fathom_figures::fio::{fio_json, fio_terse, is_terse};
use fathom_session::compared;
use fathom_suites::compare::Subject;
use fathom_text::{carried, shown};
use std::path::Path;

/// The longest output of fio that is read.
const BYTES_MAX: u64 = 256 << 20;

/// The subjects that are meant by this word.
pub(super) fn subjects(runs_dir: &Path, named: &Path) -> Result<Vec<Subject>, Failure> {
    if slow_look().at(named, || named.is_file())
        && let Some(text) = text_of_fio(named)?
    {
        return of_fio(named, &text).map(|subject| vec![subject]);
    }
    let found = found::readable(runs_dir, Some(named))?;
    compared::subjects(&found.dir)
}

/// The text of a file that looks like output of fio.
fn text_of_fio(file: &Path) -> Result<Option<String>, Failure> {
    let cannot =
        |e: std::io::Error| Failure::new(Exit::Usage, format!("cannot read {}: {e}", shown::path(file)));
    let bytes = bounded::file(file, BYTES_MAX).map_err(cannot)?;
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    let is_fio = text.contains("\"fio version\"") || is_terse(&text);
    Ok(is_fio.then_some(text))
}

fn of_fio(file: &Path, text: &str) -> Result<Subject, Failure> {
    let read = if text.contains("\"fio version\"") { fio_json(text) } else { fio_terse(text) };
    let result = read.map_err(|e| Failure::new(Exit::Usage, format!("{}: {e}", shown::path(file))))?;
    let name = file.file_stem().map(carried::of_os).unwrap_or_default();
    Ok(Subject::of_fio(&name, &carried::of_os(file), &result))
}
