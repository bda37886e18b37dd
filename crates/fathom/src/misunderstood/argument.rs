//! An option that the command does not have, or one word too many.

use super::own_job::{name_of, own_job, value};
use super::typed::{Typed, is_job_name, line, option_of};
use super::{listed, other_words};
use crate::failure::{Exit, Failure};
use clap::Command;
use fathom_job::foreign_engines;
use fathom_job::options::{self, nearest_of};
use std::path::Path;

/// The failure for an argument that the command does not take.
pub fn unexpected(typed: &Typed<'_>, word: &str) -> Failure {
    match word.starts_with('-') {
        true => option(typed, word),
        false => extra(typed, word),
    }
}

fn option(typed: &Typed<'_>, name: &str) -> Failure {
    let is_job = matches!(typed.path.as_slice(), [])
        || matches!(typed.path.as_slice(), [one] if one == "run" || one == "quick");
    if let Some(error) =
        name_of(name).filter(|_| is_job).and_then(|name| foreign_engines::option_error(name, None))
    {
        return Failure::job(&[error]);
    }
    let failure = Failure::new(Exit::Usage, format!("{} has no option {name}", typed.name()));
    let at = typed.words.iter().position(|word| word == name || word.starts_with(&format!("{name}=")));
    let Some(at) = at else { return failure.hint(typed.help()) };
    let hint = by_table(typed, at)
        .or_else(|| as_fio(typed, at))
        .or_else(|| below(typed, name))
        .or_else(|| nearest(typed, at))
        .or_else(|| elsewhere(typed, name));
    failure.hint(hint.unwrap_or_else(|| typed.help()))
}

/// The command line with the option that has this meaning here.
fn by_table(typed: &Typed<'_>, at: usize) -> Option<String> {
    let name = typed.words[at].split('=').next()?;
    let path = typed.path.join(" ");
    if let Some((_, _, line)) =
        other_words::LINES.iter().find(|(command, typed, _)| *command == path && *typed == name)
    {
        return Some((*line).to_owned());
    }
    let (_, _, instead) =
        other_words::OPTIONS.iter().find(|(command, typed, _)| *command == path && *typed == name)?;
    let (value, count) = value(typed, at);
    let value = value.filter(|_| !instead.ends_with('!')).unwrap_or_default();
    let new = match instead.ends_with('=') {
        true => format!("{instead}{value}"),
        false => format!("{} {value}", instead.trim_end_matches('!')),
    };
    if *instead == "!" {
        return typed.line_if_parsed(&typed.with(at..at + 1, []));
    }
    // The new option takes the next word as its value, drops it, or has none and leaves it alone.
    let whole = typed.with(at..at + count, new.split_whitespace());
    let bare = typed.with(at..at + 1, instead.trim_end_matches(['!', '=']).split_whitespace());
    typed.line_if_parsed(&whole).or_else(|| typed.line_if_parsed(&bare))
}

/// The command line for an option of fio, which `run` and `fio` take.
fn as_fio(typed: &Typed<'_>, at: usize) -> Option<String> {
    let name = name_of(&typed.words[at])?;
    options::find(name)?;
    match typed.path.as_slice() {
        [] => Some(line(&typed.and(0, ["fio"]))),
        [run] if run == "run" => {
            let (value, count) = value(typed, at);
            let set = value.map_or_else(|| name.to_owned(), |value| format!("{name}={value}"));
            let whole = typed.with(at..at + count, ["--set", &set]);
            let bare = typed.with(at..at + 1, ["--set", name]);
            typed.line_if_parsed(&whole).or_else(|| typed.line_if_parsed(&bare))
        }
        [quick] if quick == "quick" => Some(own_job(typed)),
        _ => None,
    }
}

/// The command line with a command below this one, which has the option. For a job file it is `run`
/// before all others.
fn below(typed: &Typed<'_>, name: &str) -> Option<String> {
    let mut commands: Vec<&Command> =
        typed.command.get_subcommands().filter(|command| option_of(command, name).is_some()).collect();
    if typed.words.iter().any(|word| is_job_name(Path::new(word))) {
        commands.sort_by_key(|command| command.get_name() != "run");
    }
    let mut lines = commands.iter().map(|command| typed.and(typed.rest, [command.get_name()]));
    lines.find_map(|words| typed.line_if_parsed(&words))
}

/// The command line with the option that is spelled almost like this.
fn nearest(typed: &Typed<'_>, at: usize) -> Option<String> {
    let word = &typed.words[at];
    let name = name_of(word)?;
    let longs =
        typed.command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long);
    let near = nearest_of(name, longs)?;
    let new = format!("--{near}{}", &word[2 + name.len()..]);
    let words = typed.with(at..at + 1, [new.as_str()]);
    Some(typed.line_if_parsed(&words).unwrap_or_else(|| typed.help()))
}

/// Other commands that have the option.
fn elsewhere(typed: &Typed<'_>, name: &str) -> Option<String> {
    let is_shown = |command: &Command| option_of(command, name).is_some_and(|arg| !arg.is_hide_set());
    let has = |command: &&Command| is_shown(command) && !matches!(name, "-h" | "--help");
    let commands: Vec<&Command> = typed.commands().filter(has).collect();
    let names: Vec<String> =
        commands.iter().map(|command| format!("fathom {}", command.get_name())).collect();
    match names.len() {
        0 => None,
        1 => Some(format!("{} has it: {} --help", names[0], names[0])),
        2..=4 => Some(format!("{} have it: {} --help", listed(&names, "and"), names[0])),
        _ => None,
    }
}

/// One word too many.
fn extra(typed: &Typed<'_>, word: &str) -> Failure {
    let at = typed.words.iter().rposition(|typed| typed == word).unwrap_or(typed.words.len() - 1);
    let without = typed.with(at..at + 1, []);
    let name = typed.name();
    let takes: Vec<String> = typed
        .command
        .get_positionals()
        .map(|arg| arg.get_value_names().unwrap_or_default().join(" "))
        .collect();
    let sentence = match takes.as_slice() {
        [] => format!("{name} takes no argument, but {word} was given"),
        [one] => format!("{name} takes one {one}, and {word} is one too many"),
        _ => format!("{name} takes {}, and {word} is one too many", listed(&takes, "and")),
    };
    let failure = Failure::new(Exit::Usage, sentence);
    let behind_dashes = typed.and(at, ["--"]);
    if let Some(line) = typed.line_if_parsed(&behind_dashes).filter(|_| takes.len() > 1) {
        return Failure { message: format!("the job files of {name} come after --"), ..failure }.hint(line);
    }
    if typed.path == ["runs"] {
        return failure.hint(line(&["report".to_owned(), word.to_owned()]));
    }
    failure.hint(typed.line_if_parsed(&without).unwrap_or_else(|| typed.help()))
}
