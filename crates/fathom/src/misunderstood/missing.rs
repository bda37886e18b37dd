//! Arguments that are missing, and arguments that exclude each other.

use super::listed;
use super::typed::{Typed, line};
use super::value::example_of;
use crate::failure::{Exit, Failure};
use crate::help::examples;
use clap::Arg;

/// The failure for arguments that are needed and were not given; `missing` has them as clap writes them.
pub fn required(typed: &Typed<'_>, missing: &[String]) -> Failure {
    let args: Vec<&Arg> = missing.iter().filter_map(|name| argument(typed, name)).collect();
    if let Some(by) = needs(typed, &args) {
        return with_options(typed, &args, &by);
    }
    if let Some(failure) = device_as_name(typed) {
        return failure;
    }
    if let [arg] = args.as_slice()
        && let (None, Some(help)) = (known_noun(arg), arg.get_help())
    {
        let message = format!("{} needs {}: {help}", typed.name(), noun(arg));
        return Failure::new(Exit::Usage, message).hint(whole(typed, &args));
    }
    let what: Vec<String> = match args.is_empty() {
        true => missing.to_vec(),
        false => args.iter().map(|arg| noun(arg)).collect(),
    };
    let failure = Failure::new(Exit::Usage, format!("{} needs {}", typed.name(), listed(&what, "and")));
    failure.hint(whole(typed, &args))
}

/// A device in the place of the name that gives consent: `fathom purge --destroy /dev/sda`.
fn device_as_name(typed: &Typed<'_>) -> Option<Failure> {
    let range = typed.words_of("--destroy").or_else(|| typed.words_of("--write"))?;
    let device = typed.words[range].last()?;
    let device = device.split_once('=').map_or(device.as_str(), |(_, value)| value);
    let words = [&typed.path[..], &["--plan".to_owned(), device.to_owned()]].concat();
    let line = typed.line_if_parsed(&words).filter(|_| device.starts_with('/'))?;
    let message =
        format!("--destroy takes the serial number of a device, and {device} is not a serial number");
    Some(Failure::new(Exit::Usage, message).hint(format!("to see the whole command line: {line}")))
}

/// A whole command line: the first example if nothing else was typed.
fn whole(typed: &Typed<'_>, args: &[&Arg]) -> String {
    let is_bare = typed.words.len() == typed.rest;
    let completed = (!is_bare).then(|| completed(typed, args)).flatten();
    completed.unwrap_or_else(|| example(typed))
}

/// The argument that clap writes like this.
fn argument<'r>(typed: &Typed<'r>, name: &str) -> Option<&'r Arg> {
    typed.command.get_arguments().find(|arg| arg.to_string() == name)
}

/// What an argument is, in a sentence.
fn noun(arg: &Arg) -> String {
    match (arg.get_long(), known_noun(arg)) {
        (Some(long), _) => format!("--{long} {}", value_name(arg)),
        (None, Some(noun)) => noun.to_owned(),
        (None, None) => value_name(arg).to_owned(),
    }
}

fn value_name(arg: &Arg) -> &str {
    arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str())
}

fn known_noun(arg: &Arg) -> Option<&'static str> {
    Some(match value_name(arg) {
        "FILES" => "a job file",
        "JOBFILE" => "a job file after --",
        "ID[=VALUE]" => "a knob",
        "PLAN" => "the file of a plan",
        "DEVICE" => "a device",
        "SHELL" => "the name of a shell",
        "ALONE" => "the rate of each part",
        _ => return None,
    })
}

/// The command line with an example for each argument that is missing.
fn completed(typed: &Typed<'_>, args: &[&Arg]) -> Option<String> {
    let mut words = typed.words.clone();
    for arg in args {
        words.extend(arg.is_last_set().then(|| "--".to_owned()));
        words.extend(filled(arg)?);
    }
    typed.line_if_parsed(&words)
}

/// An argument with an example of its value.
fn filled(arg: &Arg) -> Option<Vec<String>> {
    let Some(long) = arg.get_long() else { return Some(vec![example_of(arg)?]) };
    Some(match arg.is_require_equals_set() {
        true => vec![format!("--{long}={}", example_of(arg)?)],
        false => vec![format!("--{long}"), example_of(arg)?],
    })
}

/// The first example of the command.
fn example(typed: &Typed<'_>) -> String {
    let path = typed.path.join(" ");
    examples::of(&path).first().map_or_else(|| typed.help(), |example| example.line.to_owned())
}

/// The option that was typed and is of use only together with `args`: without it, nothing is wrong.
fn needs(typed: &Typed<'_>, args: &[&Arg]) -> Option<String> {
    if args.is_empty() || args.iter().any(|arg| arg.is_required_set()) {
        return None;
    }
    let names =
        typed.command.get_arguments().filter_map(|arg| arg.get_long().map(|long| format!("--{long}")));
    names
        .into_iter()
        .find(|name| typed.words_of(name).is_some_and(|range| typed.parses(&typed.with(range, []))))
}

fn with_options(typed: &Typed<'_>, args: &[&Arg], by: &str) -> Failure {
    let nouns: Vec<String> = args.iter().map(|arg| noun(arg)).collect();
    let message = format!("{by} is of use only together with {}", listed(&nouns, "and"));
    let new: Option<Vec<Vec<String>>> = args.iter().map(|arg| filled(arg)).collect();
    let line = new.and_then(|new| {
        typed.line_if_parsed(&typed.and(typed.rest, new.iter().flatten().map(String::as_str)))
    });
    Failure::new(Exit::Usage, message).hint(line.unwrap_or_else(|| typed.help()))
}

/// The failure for two arguments that exclude each other, or for one that was given twice.
pub fn conflict(typed: &Typed<'_>, arg: &str, others: &[String]) -> Failure {
    let arg = first(arg);
    let others: Vec<&str> = others.iter().map(|other| first(other)).collect();
    if others.is_empty() || others == [arg] {
        return twice(typed, arg);
    }
    let named: Vec<String> = others.iter().map(|other| (*other).to_owned()).collect();
    let message = format!("{arg} cannot be given together with {}", listed(&named, "or"));
    let failure = Failure::new(Exit::Usage, message);
    let without = |name: &str| Some(typed.with(typed.words_of(name)?, []));
    let lines: Vec<String> =
        [arg].into_iter().chain(others).filter_map(|name| typed.line_if_parsed(&without(name)?)).collect();
    match lines.is_empty() {
        true => failure.hint(typed.help()),
        false => failure.hints(lines),
    }
}

fn twice(typed: &Typed<'_>, arg: &str) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("{arg} can be given only once"));
    let Some(range) = typed.words_of(arg) else { return failure.hint(typed.help()) };
    failure.hint(line(&typed.with(range, [])))
}

/// The name of an argument without its value: `--json` of `--json <FORM>`.
fn first(arg: &str) -> &str {
    arg.trim_matches(['[', ']', '<', '>', '.'])
        .split([' ', '[', '='])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(arg)
}
