//! A command line that fathom does not understand: what is wrong with it, in one sentence, and what
//! to type instead.
//!
//! clap finds the mistake. Its error says where it is; the sentence and the hint are made here, because
//! only here is known what a person may have meant. A hint is a whole command line with the words
//! that were typed, so that it can be copied. Before a command line is offered, it is parsed: none
//! is offered that leads to the next error of the parser.

mod argument;
mod first_word;
mod missing;
mod other_words;
mod own_job;
mod typed;
mod value;

use crate::failure::{Exit, Failure};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
pub use first_word::is_job_file;
use typed::Typed;

/// The failure for `error`, which `root` found in `words` (the command line without the name of the
/// program, as carried text).
pub fn failure(error: &clap::Error, root: &Command, words: Vec<String>) -> Failure {
    // Only a command that is built knows how its arguments are written.
    let mut built = root.clone();
    built.build();
    let typed = Typed::of(root, &built, words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            first_word::unknown(&typed, &given(error, ContextKind::InvalidSubcommand))
        }
        ErrorKind::UnknownArgument => argument::unexpected(&typed, &given(error, ContextKind::InvalidArg)),
        ErrorKind::MissingRequiredArgument => missing::required(&typed, &all(error, ContextKind::InvalidArg)),
        ErrorKind::ArgumentConflict => missing::conflict(
            &typed,
            &given(error, ContextKind::InvalidArg),
            &all(error, ContextKind::PriorArg),
        ),
        ErrorKind::InvalidValue
        | ErrorKind::ValueValidation
        | ErrorKind::NoEquals
        | ErrorKind::TooManyValues
        | ErrorKind::TooFewValues
        | ErrorKind::WrongNumberOfValues => value::wrong(&typed, error),
        _ => other(error).hint(typed.help()),
    }
}

/// Other errors, in the words of clap.
fn other(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    Failure::new(Exit::Usage, first.trim_start_matches("error: "))
}

/// The text that the error has for `kind`; the first, if there are several.
fn given(error: &clap::Error, kind: ContextKind) -> String {
    all(error, kind).into_iter().next().unwrap_or_default()
}

/// All texts that the error has for `kind`.
fn all(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        _ => Vec::new(),
    }
}

/// Words as in a sentence: `a, b or c`.
fn listed(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
