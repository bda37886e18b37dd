//! A word where a command should be: a file, a device, or a command by another name.

use super::other_words;
use super::own_job::own_job;
use super::typed::{Typed, is_job_name, line};
use crate::commands::quick::TARGET_MIN;
use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;
use fathom_device::bounded;
use fathom_job::options::{is_assignment, nearest_of};
use fathom_results::RunRecord;
use fathom_results::procedure::is_procedure;
use fathom_text::carried::{of_os, to_path};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The failure for a word that is not a command.
pub fn unknown(typed: &Typed<'_>, word: &str) -> Failure {
    let at = typed.words.iter().skip(typed.rest).position(|typed| typed == word).unwrap_or(0) + typed.rest;
    if typed.path.is_empty() && word.starts_with("sim:") {
        let message = format!("{word} is a simulated drive, and a command must come first");
        let whole = typed.line_if_parsed(&typed.and(at, ["quick"]));
        return Failure::new(Exit::Usage, message).hint(whole.unwrap_or_else(|| typed.help()));
    }
    if typed.path.is_empty()
        && let Some(failure) = of_path(typed, at, word)
    {
        return failure;
    }
    if typed.path.is_empty() && is_assignment(word) {
        let message = format!("{word} is an option of a job, and a command must come first");
        return Failure::new(Exit::Usage, message).hint(own_job(typed));
    }
    let failure = Failure::new(Exit::Usage, format!("{} has no command {word}", typed.name()));
    failure.hint(of_word(typed, at, word).unwrap_or_else(|| typed.help()))
}

/// The command line with the command that was meant.
fn of_word(typed: &Typed<'_>, at: usize, word: &str) -> Option<String> {
    let commands: Vec<&str> =
        typed.command.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name()).collect();
    let above = typed.path.first().map(String::as_str);
    let by_meaning = |word: &str| {
        let is_command = |meant: &&&str| commands.contains(&meant.split(' ').next().unwrap_or_default());
        other_words::command(above, word)?.iter().find(is_command).copied()
    };
    let meant = by_meaning(word)
        .or_else(|| {
            // Misspelt: a command, or a word for one.
            let near: &str =
                nearest_of(word, commands.iter().copied().chain(other_words::long_words(above)))?;
            Some(by_meaning(near).unwrap_or(near))
        })
        .or_else(|| commands.iter().copied().find(|command| word.len() >= 3 && command.starts_with(word)))?;
    let new: Vec<&str> = meant.split(' ').collect();
    let whole = typed.with(at..at + 1, new.iter().copied());
    let alone = typed.with(at..typed.words.len(), new);
    typed.line_if_parsed(&whole).or_else(|| Some(line(&alone)))
}

/// What a path was meant for; `None` if it is none.
fn of_path(typed: &Typed<'_>, at: usize, word: &str) -> Option<Failure> {
    let path = to_path(word);
    let found = slow_look().at(&path, || Thing::at(&path));
    let Some(thing) = found else {
        let looks_so = word.contains('/') || is_job_name(&path);
        return looks_so.then(|| no_such_path(word));
    };
    let (what, command) = match thing {
        Thing::JobFile => ("a job file", "run"),
        Thing::Device => ("a device", "quick"),
        Thing::Run => ("the directory of a saved run", "report"),
        Thing::Directory => ("a directory", "quick"),
        Thing::LargeFile => ("a file", "quick"),
        Thing::File => {
            let message = format!("{word} is neither a command nor something that can be measured");
            return Some(Failure::new(Exit::Usage, message).hint("fathom help targets"));
        }
        Thing::Output(dir) => {
            let failure = Failure::new(
                Exit::Usage,
                format!("{word} is a file of a saved run, and a command must come first"),
            );
            return Some(failure.hint(line(&["report".to_owned(), of_os(&dir)])));
        }
    };
    let failure = Failure::new(Exit::Usage, format!("{word} is {what}, and a command must come first"));
    let whole = typed.and(at, [command]);
    let alone = [command.to_owned(), word.to_owned()];
    Some(failure.hint(typed.line_if_parsed(&whole).unwrap_or_else(|| line(&alone))))
}

fn no_such_path(word: &str) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("{word} is neither a command nor a file that exists"));
    failure.hint(match is_job_name(&to_path(word)) {
        _ if word.starts_with("/dev/") => "fathom devices".to_owned(),
        true => "fathom help jobs".to_owned(),
        false => "fathom help targets".to_owned(),
    })
}

/// What there is at a path.
enum Thing {
    JobFile,
    Device,
    Run,
    Directory,
    /// A file that can be measured.
    LargeFile,
    File,
    /// A file in the directory of a run.
    Output(PathBuf),
}

impl Thing {
    fn at(path: &Path) -> Option<Thing> {
        let found = std::fs::metadata(path).ok()?;
        let kind = found.file_type();
        Some(match kind {
            _ if kind.is_block_device() => Thing::Device,
            _ if kind.is_dir() && is_saved(path) => Thing::Run,
            _ if kind.is_dir() => Thing::Directory,
            _ if is_job_file(path) => Thing::JobFile,
            _ => match path.parent().filter(|dir| is_saved(dir)) {
                Some(dir) => Thing::Output(dir.to_owned()),
                None if kind.is_file() && found.len() >= TARGET_MIN.0 => Thing::LargeFile,
                None => Thing::File,
            },
        })
    }
}

fn is_saved(dir: &Path) -> bool {
    dir.join(RunRecord::FILE).is_file() || is_procedure(dir)
}

/// Is this file a job file, by its name or by what it begins with?
pub fn is_job_file(path: &Path) -> bool {
    is_job_name(path) || has_section(path)
}

/// A job file begins with comments and a section, and is not long.
const JOB_FILE_MAX_BYTES: u64 = 1 << 20;

fn has_section(path: &Path) -> bool {
    let text = bounded::file(path, JOB_FILE_MAX_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    lines.next().is_some_and(|first| first.starts_with('[') && first.ends_with(']'))
}
