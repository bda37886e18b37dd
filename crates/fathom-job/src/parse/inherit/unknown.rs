//! A name in a job file that is no option of fathom: what was probably meant.

use crate::diagnostic::{Diagnostic, Span};
use crate::{fio_cli, options};

/// The error, with the hint that helps.
pub(super) fn option(name: &str, span: &Span) -> Diagnostic {
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
    if let Some(engine) = options::foreign_engine(name) {
        let message = format!("{name} is an option of fio's engine {engine}, which fathom does not have");
        return Diagnostic::error("unknown-option", message)
            .at(span)
            .hint("fathom fio --enghelp lists the engines");
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
