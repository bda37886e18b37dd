//! A value that an option does not take.

use super::typed::Typed;
use super::{given, listed};
use crate::failure::{Exit, Failure};
use clap::Arg;
use clap::error::{ContextKind, ContextValue};
use fathom_text::number::grouped;
use std::error::Error;
use std::num::{ParseFloatError, ParseIntError};

/// An example for each argument that takes a value which may be wrong or missing, by its name in the code. For
/// values of a closed set, the first of the set is the example.
const EXAMPLES: &[(&str, &str)] = &[
    ("alone", "500"),
    ("block", "4096"),
    ("chunk", "64"),
    ("cpus", "0-3,8"),
    ("datasheet", "read_iops=90000"),
    ("device", "/dev/nvme0n1"),
    ("device_limit", "5s"),
    ("devices", "4"),
    ("explain", "cpu.cstates"),
    ("fail_if_worse", "5"),
    ("figures", "read_iops=90000"),
    ("file", "1TB"),
    ("files", "job.fio"),
    ("groups", "2"),
    ("irq", "24"),
    ("knob", "blk.scheduler"),
    ("lba", "4096"),
    ("level", "5"),
    ("limit", "10"),
    ("link", "gen4x4"),
    ("need", "nvme0n1=3500"),
    ("output", "result.txt"),
    ("pairs", "8"),
    ("physical", "812GB"),
    ("plan", "plan.json"),
    ("rate", "3500"),
    ("read", "lspci.txt"),
    ("repeat", "5"),
    ("rounds", "5"),
    ("runs_dir", "fathom-runs"),
    ("samples", "1000"),
    ("seconds", "30s"),
    ("section", "job1"),
    ("seed", "1"),
    ("set", "runtime=10s"),
    ("size", "1g"),
    ("space", "16TB"),
    ("spare", "10"),
    ("steps", "10"),
    ("stuck_after", "60s"),
    ("target", "/dev/nvme0n1"),
    ("tag", "new-firmware"),
    ("tail_tolerance", "5"),
    ("together", "900"),
    ("tolerance", "3"),
    ("tune_knob", "blk.scheduler"),
    ("used", "80"),
    ("user", "640GB"),
    ("watch", "3"),
];

/// An example for each value that has this name in the help, whatever the name of its argument is.
const VALUES: &[(&str, &str)] = &[
    ("confident=PERCENT", "confident=2%"),
    ("DEVICE", "/dev/nvme0n1"),
    ("SERIAL", "S4EWNX0R123456"),
    ("WHEN", "7d"),
];

/// An example of what the argument takes.
pub fn example_of(arg: &Arg) -> Option<String> {
    let value = arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
    if let Some((_, example)) = VALUES.iter().find(|(name, _)| Some(*name) == value) {
        return Some((*example).to_owned());
    }
    let known = EXAMPLES.iter().find(|(id, _)| arg.get_id() == *id).map(|(_, example)| (*example).to_owned());
    let closed = arg.get_possible_values().first().map(|value| value.get_name().to_owned());
    closed.filter(|_| !arg.is_hide_possible_values_set()).or(known)
}

/// The failure for a value that is wrong or missing.
pub fn wrong(typed: &Typed<'_>, error: &clap::Error) -> Failure {
    let name = given(error, ContextKind::InvalidArg);
    let value = given(error, ContextKind::InvalidValue);
    let arg = typed.command.get_arguments().find(|arg| arg.to_string() == name);
    let short = arg.map_or_else(|| name.clone(), label);
    let example = arg.and_then(example_of);
    if value.is_empty() {
        return without_value(typed, &short, example);
    }
    let failure =
        Failure::new(Exit::Usage, format!("{short} {value}: {}", reason(error, example.as_deref())));
    let near = given(error, ContextKind::SuggestedValue);
    let new = Some(near).filter(|near| !near.is_empty()).or(example);
    failure.hint(new.and_then(|new| corrected(typed, &value, &new)).unwrap_or_else(|| typed.help()))
}

/// How an argument is named in a sentence.
fn label(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_value_names().and_then(|names| names.first())) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(name)) => name.to_string(),
        (None, None) => arg.get_id().to_string(),
    }
}

/// What would be right, with an example.
fn reason(error: &clap::Error, example: Option<&str>) -> String {
    if let Some(ContextValue::Strings(allowed)) = error.get(ContextKind::ValidValue) {
        return format!("give {}", listed(allowed, "or"));
    }
    let source = error.source();
    let text = match source {
        Some(source) if source.is::<ParseIntError>() => "give a whole number".to_owned(),
        Some(source) if source.is::<ParseFloatError>() => "give a number".to_owned(),
        Some(source) => match range(&source.to_string()) {
            Some((least, most)) => {
                format!("give a whole number from {} to {}", grouped(least), grouped(most))
            }
            // A parser of ours, whose sentence is complete.
            None => return source.to_string(),
        },
        None => "fathom does not understand it".to_owned(),
    };
    example.map_or_else(|| text.clone(), |example| format!("{text}, such as {example}"))
}

/// The range in clap's sentence `0 is not in 1..=100`.
fn range(text: &str) -> Option<(u64, u64)> {
    let (least, most) = text.split_once(" is not in ")?.1.split_once("..=")?;
    Some((least.parse().ok()?, most.parse().ok()?))
}

fn without_value(typed: &Typed<'_>, name: &str, example: Option<String>) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("{name} needs a value"));
    let words = example.and_then(|example| {
        let at = typed.words.iter().position(|word| word.trim_end_matches('=') == name)?;
        Some(match typed.words[at].ends_with('=') {
            true => typed.with(at..at + 1, [format!("{name}={example}").as_str()]),
            false => typed.and(at + 1, [example.as_str()]),
        })
    });
    failure.hint(words.and_then(|words| typed.line_if_parsed(&words)).unwrap_or_else(|| typed.help()))
}

/// The command line with another value in the place of this one.
fn corrected(typed: &Typed<'_>, value: &str, new: &str) -> Option<String> {
    let holds = |word: &String| {
        let own =
            word.split_once('=').filter(|_| word.starts_with('-')).map_or(word.as_str(), |(_, value)| value);
        own == value || own.split(',').any(|part| part == value)
    };
    let at = typed.rest + typed.words[typed.rest..].iter().position(holds)?;
    let word = &typed.words[at];
    let begin = word.len() - word.rsplit_once(value).map_or(0, |(_, behind)| behind.len() + value.len());
    let replaced = format!("{}{new}{}", &word[..begin], &word[begin + value.len()..]);
    typed.line_if_parsed(&typed.with(at..at + 1, [replaced.as_str()]))
}
