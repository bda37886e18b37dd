//! A name in a job file that is no option of fathom: what was probably meant.

use crate::diagnostic::{Diagnostic, Span};
use crate::{fio_cli, foreign_engines, options};

/// The error, with the hint that helps in a job with that engine.
pub(super) fn option(name: &str, engine: Option<&str>, span: &Span) -> Diagnostic {
    let bare = name.trim_start_matches('-');
    if bare != name && fio_cli::is_name(bare) {
        let found =
            Diagnostic::error("unknown-option", format!("{name} is written as on a command line")).at(span);
        return match options::find(bare) {
            Some(_) => found.hint(format!("in a job file an option has no dashes: {bare}=…")),
            None => found.hint(on_command_line(bare)),
        };
    }
    if options::find(name).is_none() && fio_cli::is_name(name) {
        let message = format!("{name} is a flag of the command line, and not an option of a job");
        return Diagnostic::error("unknown-option", message).at(span).hint(on_command_line(name));
    }
    if let Some(error) = foreign_engines::option_error(name, engine) {
        return error.at(span);
    }
    let found = Diagnostic::error("unknown-option", format!("there is no option {name}")).at(span);
    match options::nearest(bare) {
        Some(near) => found.hint(format!("did you mean {near}?")),
        None => found.hint("fathom fio --cmdhelp=all lists the options"),
    }
}

fn on_command_line(flag: &str) -> String {
    format!("remove it here, and give --{flag} to the command: fathom fio --{flag}… JOBFILE")
}
