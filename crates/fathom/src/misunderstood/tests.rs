//! Every option of every command, with a wrong value, with none, and misspelt: the hint is a command line
//! that the parser takes. The exact texts are in `tests/command_line`.

use super::failure;
use super::value::example_of;
use crate::cli;
use crate::help::examples::{self, Example};
use clap::{Arg, Command};

/// A value that no parser takes.
const WRONG: &str = "?!";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace()
        .skip(1)
        .take_while(|word| *word != ">" && *word != "|")
        .map(str::to_owned)
        .collect()
}

fn parsed(words: &[String]) -> Result<(), clap::Error> {
    let all = ["fathom".to_owned()].into_iter().chain(words.iter().cloned());
    cli::parse(all.map(Into::into)).map(drop)
}

/// The hints for a command line that is wrong; `None` if it is not.
fn hints(words: &[String]) -> Option<Vec<String>> {
    let error = parsed(words).err()?;
    assert!(error.use_stderr(), "{words:?}");
    Some(failure(&error, &cli::command(), words.to_vec()).hints)
}

/// Calls `see` with each command that is shown, its words and its first example.
fn every_command(see: &mut impl FnMut(&Command, &[String], &Example)) {
    fn below(command: &Command, path: &[String], see: &mut impl FnMut(&Command, &[String], &Example)) {
        for command in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "fio") {
            let path: Vec<String> = path.iter().cloned().chain([command.get_name().to_owned()]).collect();
            let example = examples::of(&path.join(" ")).first();
            see(command, &path, example.unwrap_or_else(|| panic!("{path:?} has no example")));
            below(command, &path, see);
        }
    }
    let mut root = cli::command().disable_help_subcommand(true);
    root = root.mut_subcommands(|command| command.disable_help_subcommand(true));
    root.build();
    below(&root, &[], see);
}

/// The options of a command that take a value.
fn options(command: &Command) -> impl Iterator<Item = (&Arg, &str)> {
    let shown = command.get_arguments().filter(|arg| arg.get_action().takes_values() && !arg.is_global_set());
    shown.filter_map(|arg| Some((arg, arg.get_long()?)))
}

/// The words of an example, with others behind those of the command.
fn with(example: &Example, path: &[String], new: &str) -> Vec<String> {
    let mut all = words(example.line);
    all.retain(|word| !word.starts_with(new.split('=').next().unwrap_or(new)));
    all.insert(path.len().min(all.len()), new.to_owned());
    all
}

#[test]
fn a_wrong_value_leads_to_a_command_line_that_is_right() {
    let mut wrong = 0;
    every_command(&mut |command, path, example| {
        for (arg, long) in options(command) {
            let right = format!("--{long}={}", example_of(arg).unwrap_or_default());
            if parsed(&with(example, path, &right)).is_err() {
                // The option needs another one, or excludes one of the example.
                continue;
            }
            let all = with(example, path, &format!("--{long}={WRONG}"));
            let Some(hints) = hints(&all) else { continue };
            if hints.iter().any(|hint| hint.contains(WRONG)) {
                // The value is right, and something else is wrong.
                continue;
            }
            wrong += 1;
            let right = hints.iter().all(|hint| !hint.ends_with("--help") && parsed(&words(hint)).is_ok());
            assert!(right && !hints.is_empty(), "{all:?} {arg}: {hints:?}");
        }
    });
    assert!(wrong > 20, "{wrong}");
}

#[test]
fn a_missing_value_leads_to_a_command_line_that_is_right() {
    every_command(&mut |command, path, _| {
        for (arg, long) in options(command).filter(|(arg, _)| arg.get_possible_values().is_empty()) {
            let all: Vec<String> = path.iter().cloned().chain([format!("--{long}")]).collect();
            let Some(hints) = hints(&all) else { continue };
            assert!(
                !hints.is_empty() && hints.iter().all(|hint| hint.starts_with("fathom ")),
                "{arg}: {hints:?}"
            );
        }
    });
}

#[test]
fn a_misspelt_option_leads_to_the_option() {
    let mut misspelt = 0;
    every_command(&mut |command, path, _| {
        let longs = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_long);
        for long in longs.filter(|long| long.len() > 5) {
            let all: Vec<String> = path.iter().cloned().chain([format!("--{long}x")]).collect();
            let hints = hints(&all).expect("there is no such option");
            let names_it =
                hints.iter().any(|hint| hint.contains(&format!("--{long}")) || hint.ends_with("--help"));
            assert!(names_it, "{all:?}: {hints:?}");
            misspelt += 1;
        }
    });
    assert!(misspelt > 40, "{misspelt}");
}

#[test]
fn one_word_too_many_is_understood() {
    every_command(&mut |_, path, example| {
        let mut all = words(example.line);
        all.extend(["one".to_owned(), "two".to_owned(), "three".to_owned()]);
        if let Some(hints) = hints(&all) {
            assert!(!hints.is_empty(), "{path:?}");
        }
    });
}
