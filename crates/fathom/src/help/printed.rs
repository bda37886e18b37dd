//! Every command that a source prints, in a hint, an advice or an answer, is one that the parser takes.

use crate::cli;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use std::path::{Path, PathBuf};

/// What may be in the place of what is filled in: a word, nothing, a number, a size, a path, a setting, a time, a choice, a figure.
const FILLED: [&str; 11] =
    ["x", "", "1", "4k", "/dev/sda", "bs=4k", "5s", "iops", "low", "json", "read_iops=1"];

/// The sources of all crates, without those of tests.
fn sources(dir: &Path, into: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.is_dir() {
            true if !["tests", "target"].contains(&name) => sources(&path, into),
            false if name.ends_with(".rs") && !name.starts_with("tests") && name != "printed.rs" => {
                into.push(path)
            }
            _ => {}
        }
    }
}

/// The texts of a source, without its tests and comments; a line that is continued is one with the next.
fn texts(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let lines = source.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let code =
        lines.collect::<Vec<_>>().join("\n").replace("\\\n", "").replace("\\\"", "'").replace("'\"'", "");
    code.split('"').skip(1).step_by(2).map(|text| text.replace("\\n", "\n")).collect()
}

/// The commands in a text: at its beginning, behind a colon, or in backquotes, as far as a sentence does not go on.
fn commands(text: &str) -> Vec<String> {
    let begins = |before: &str| before.is_empty() || before.ends_with([':', '`', '\n']);
    let places = text.match_indices("fathom ").filter(|(at, _)| {
        let before = text[..*at].trim_end_matches(' ').trim_end_matches("sudo");
        begins(before.trim_end_matches(' ')) && (*at == 0 || !text[..*at].ends_with("~/"))
    });
    let ends = ["; ", ", ", " (", "`", "\n", ": ", " && ", " | ", " > ", " <(", "…"];
    let command = |(at, _): (usize, &str)| {
        let rest = &text[at..];
        let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        rest[..end].trim_end_matches('.').to_owned()
    };
    places.map(command).collect()
}

/// The words of the command, without those of the sentence around it. `None` where no command is meant.
fn words(text: &str, root: &Command) -> Option<Vec<String>> {
    let mut all = text.split_whitespace();
    let mut kept = vec![all.next()?.to_owned()];
    let (mut at, mut is_value) = (root, false);
    for word in all {
        if let Some(below) = at.find_subcommand(word).filter(|_| !is_value) {
            at = below;
        } else if kept.len() == 1 {
            return None;
        } else if !is_value && word.chars().all(|c| c.is_ascii_lowercase()) {
            break;
        }
        let of = |arg: &&Arg| {
            let long = word.strip_prefix("--").is_some_and(|name| arg.get_long() == Some(name));
            long || word
                .strip_prefix('-')
                .is_some_and(|name| arg.get_short().map(String::from).as_deref() == Some(name))
        };
        let option = at.get_arguments().find(of);
        is_value = option.is_some_and(|arg| {
            arg.get_action().takes_values() && arg.get_num_args().is_none_or(|range| range.min_values() > 0)
        });
        kept.push(word.trim_end_matches(['.', ',']).to_owned());
    }
    Some(kept)
}

/// Does the parser take these words, with something in the place of what is filled in? What is not given may be missing.
fn is_understood(words: &[String], depth: usize) -> bool {
    let line = words.join(" ");
    let holes =
        |word: &str| word.chars().any(char::is_uppercase) && word.chars().all(|c| c.is_ascii_uppercase());
    let begin = line.find('{');
    let end = begin.and_then(|begin| Some(begin + line[begin..].find('}')? + 1));
    if let (Some((begin, end)), true) = (begin.zip(end), depth < 4) {
        let filled = FILLED.iter().map(|text| format!("{}{text}{}", &line[..begin], &line[end..]));
        return filled
            .map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .any(|words| is_understood(&words, depth + 1));
    }
    let is_taken = |words: &[String]| match cli::parse(words.iter().map(Into::into)) {
        Ok(_) => true,
        Err(error) => {
            let missing = [ErrorKind::MissingRequiredArgument, ErrorKind::MissingSubcommand];
            !error.use_stderr()
                || missing.contains(&error.kind())
                || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        }
    };
    // Behind the last option a value is left out: `--figures …`.
    let is_open = words.last().is_some_and(|word| word.starts_with('-'));
    let closed = |text: &&str| is_taken(&[words, &[(**text).to_owned()]].concat());
    if is_taken(words) || (is_open && FILLED.iter().any(closed)) {
        return true;
    }
    // In the place of a word such as DEVICE or LEVEL there is a value.
    match words.iter().position(|word| holes(word)).filter(|_| depth < 4) {
        Some(place) => FILLED.iter().filter(|text| !text.is_empty()).any(|text| {
            let mut filled = words.to_vec();
            (*text).clone_into(&mut filled[place]);
            is_understood(&filled, depth + 1)
        }),
        None => false,
    }
}

#[test]
fn every_command_that_is_printed_is_understood() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&crates, &mut files);
    let root = cli::command();
    let (mut wrong, mut known) = (Vec::new(), std::collections::BTreeSet::new());
    for path in files.iter().filter(|path| path.to_str().unwrap().contains("/src/")) {
        let source = std::fs::read_to_string(path).unwrap();
        for words in
            texts(&source).iter().flat_map(|text| commands(text)).filter_map(|text| words(&text, &root))
        {
            if known.insert(words.clone()) && !is_understood(&words, 0) {
                wrong.push(format!("{}: {}", path.display(), words.join(" ")));
            }
        }
    }
    assert!(known.len() > 150, "only {} commands were found", known.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
