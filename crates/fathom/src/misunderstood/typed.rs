//! The command line as it was typed, and others like it.

use clap::{Arg, ArgAction, Command};
use fathom_text::shell::quoted_carried;
use std::ops::Range;
use std::path::Path;

/// What was typed, and the command that it names.
pub struct Typed<'r> {
    /// Parses other command lines.
    root: &'r Command,
    /// The command that was found, as far as its words are known.
    pub command: &'r Command,
    /// The words of that command: `["tune", "plan"]`; none if only `fathom` was typed.
    pub path: Vec<String>,
    /// All words after the name of the program.
    pub words: Vec<String>,
    /// The place of the first word behind those of the command.
    pub rest: usize,
}

impl<'r> Typed<'r> {
    /// Finds the command in `built`, which is `root` after clap has built it.
    pub fn of(root: &'r Command, built: &'r Command, words: Vec<String>) -> Self {
        let mut typed = Typed { root, command: built, path: Vec::new(), words, rest: 0 };
        let mut at = 0;
        while let Some(word) = typed.words.get(at) {
            match typed.command.find_subcommand(word) {
                Some(command) => {
                    typed.command = command;
                    typed.path.push(command.get_name().to_owned());
                    typed.rest = at + 1;
                }
                None if word.starts_with('-') => at += usize::from(typed.takes_next(word)),
                None => break,
            }
            at += 1;
        }
        typed
    }

    /// Whether the word behind this option is its value.
    fn takes_next(&self, word: &str) -> bool {
        !word.contains('=')
            && self
                .option(word)
                .is_some_and(|arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append))
    }

    /// The option of the command that is written like this, with or without a value.
    pub fn option(&self, word: &str) -> Option<&'r Arg> {
        option_of(self.command, word)
    }

    /// The name of the command, as it is typed.
    pub fn name(&self) -> String {
        ["fathom"].into_iter().chain(self.path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// The command that explains this one.
    pub fn help(&self) -> String {
        format!("{} --help", self.name())
    }

    /// The commands of the first level that are shown.
    pub fn commands(&self) -> impl Iterator<Item = &'r Command> + use<'r> {
        self.root.get_subcommands().filter(|command| !command.is_hide_set())
    }

    /// The words with those of `range` replaced.
    pub fn with<'w>(&self, range: Range<usize>, new: impl IntoIterator<Item = &'w str>) -> Vec<String> {
        let mut words = self.words.clone();
        words.splice(range, new.into_iter().map(str::to_owned));
        words
    }

    /// The words with some put in at a place.
    pub fn and<'w>(&self, at: usize, new: impl IntoIterator<Item = &'w str>) -> Vec<String> {
        self.with(at..at, new)
    }

    /// The command line of these words, if the parser takes it.
    pub fn line_if_parsed(&self, words: &[String]) -> Option<String> {
        self.parses(words).then(|| line(words))
    }

    /// Whether the parser takes these words.
    pub fn parses(&self, words: &[String]) -> bool {
        let all = ["fathom"].into_iter().chain(words.iter().map(String::as_str));
        match self.root.clone().try_get_matches_from(all) {
            Ok(_) => true,
            Err(error) => !error.use_stderr(),
        }
    }

    /// The words that give this option the last time: the option and, if it is another word, its value.
    pub fn words_of(&self, name: &str) -> Option<Range<usize>> {
        let id = self.option(name)?.get_id();
        let is_it = |word: &String| self.option(word).is_some_and(|arg| arg.get_id() == id);
        let at = self.words.iter().rposition(is_it)?;
        let next = self.words.get(at + 1).is_some_and(|next| !next.starts_with('-'));
        let has_value = next && self.takes_next(&self.words[at]);
        Some(at..at + 1 + usize::from(has_value))
    }
}

/// The option of a command that is written like this, with or without a value.
pub fn option_of<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    command.get_arguments().find(|arg| match name.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => name.strip_prefix('-').is_some_and(|short| arg.get_short() == short.chars().next()),
    })
}

/// Whether job files usually have names like this.
pub fn is_job_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["fio", "job", "ini"].iter().any(|known| extension == *known))
}

/// A command line that can be pasted.
pub fn line(words: &[String]) -> String {
    let words = words.iter().map(|word| quoted_carried(word));
    ["fathom".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
