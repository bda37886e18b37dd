//! What `fathom`, `fathom -h` and `fathom --help` print, the examples of each command, and the topics of
//! `fathom help`.

pub mod examples;
pub mod topic;

use crate::folded;
use crate::screen::Screen;
use clap::Command;
use examples::Example;

/// `fathom` and `fathom -h`: what a person needs who has never used it, in one screen of 24 lines.
const SHORT: &str = include_str!("short.txt");

/// `fathom --help` and `fathom help`.
const LONG: &str = include_str!("long.txt");

/// The widest help; text on a narrower terminal is wrapped there.
const WIDTH_MAX: usize = 100;

/// Help of a command: what it does, examples, then the rest.
const TEMPLATE: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// The commands with their help.
pub fn arranged(root: Command) -> Command {
    let width = Screen::stdout().style.width;
    let root = root.help_template("{before-help}").before_help(fitting(SHORT, width));
    let root = root.before_long_help(fitting(&long(), width)).max_term_width(WIDTH_MAX);
    root.mut_subcommands(|command| with_examples(command, "", width))
}

fn with_examples(command: Command, above: &str, columns: usize) -> Command {
    let path = format!("{above} {}", command.get_name()).trim_start().to_owned();
    let mut command = command.help_template(TEMPLATE);
    let examples = examples::of(&path);
    if !examples.is_empty() {
        command = command.before_help(shown(examples, columns));
    }
    command.mut_subcommands(|command| with_examples(command, &path, columns))
}

/// The long help of `fathom`, with the list of topics.
fn long() -> String {
    format!("{}\n{}", LONG.trim_end(), topic::list().trim_end())
}

/// The examples of a command, each in a line, with what it does behind it.
fn shown(examples: &[Example], columns: usize) -> String {
    let width = examples.iter().map(|example| example.line.len()).max().unwrap_or(0);
    let lines = examples
        .iter()
        .map(|Example { line, does }| format!("  {line:<width$}   {does}").trim_end().to_owned());
    fitting(&["Examples:".to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n"), columns)
}

/// A text for the width at which it is read. Otherwise it would be broken at the margin.
fn fitting(text: &str, columns: usize) -> String {
    folded::page(text, columns).trim_end().to_owned()
}

#[cfg(test)]
mod printed;
#[cfg(test)]
mod tests;
