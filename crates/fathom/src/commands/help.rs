//! `fathom help`: a command, or a topic that concerns several of them.

use crate::edge::print_page;
use crate::failure::{Exit, Failure, print};
use crate::folded;
use crate::help::examples::EXAMPLES;
use crate::help::topic;
use crate::screen::Screen;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};
use fathom_job::options::{self, nearest_of};
use std::ffi::OsStr;

#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A command, such as `tune plan`, or a topic; without it, the list of both
    #[arg(value_name = "COMMAND_OR_TOPIC", value_parser = NameParser, hide_possible_values = true)]
    pub words: Vec<String>,
}

/// Reads a command or a topic; the shell completes its name. A name that does not exist is an error of
/// the command, which knows its nearest name.
#[derive(Clone)]
pub struct NameParser;

impl TypedValueParser for NameParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // Each command has examples.
        let commands = EXAMPLES.iter().map(|(command, _)| *command).filter(|path| !path.contains(' '));
        let topics = topic::TOPICS.iter().map(|topic| topic.name);
        Some(Box::new(commands.chain(topics).map(PossibleValue::new)))
    }
}

/// Runs the command. `root` has all commands.
pub fn run(args: &HelpArgs, mut root: Command) -> Result<Exit, Failure> {
    root.build();
    if let Some(command) = find(&mut root, &args.words) {
        return print(&command.render_long_help().to_string()).map(|()| Exit::Ok);
    }
    let name = args.words.join(" ");
    match topic::find(&name) {
        Some(topic) => print_page(&fitting(topic.text)).map(|()| Exit::Ok),
        None => Err(unknown(&args.words, &root)),
    }
}

/// A topic for the screen on which it is read.
fn fitting(text: &str) -> String {
    Screen::stdout().columns.map_or_else(|| text.to_owned(), |columns| folded::page(text, columns))
}

/// The command with these words; without words, fathom itself.
fn find<'c>(root: &'c mut Command, words: &[String]) -> Option<&'c mut Command> {
    words.iter().try_fold(root, |command, word| command.find_subcommand_mut(word))
}

fn unknown(words: &[String], root: &Command) -> Failure {
    let name = &words.join(" ");
    let failure = Failure::new(Exit::Usage, format!("there is no command or topic {name}"));
    if options::find(name).is_some() {
        return failure.hint(format!("fathom options {name}"));
    }
    // The words up to the first that is not a command, and what may stand in its place.
    let mut command = root;
    let mut path = vec!["fathom help"];
    for word in words {
        match command.find_subcommand(word) {
            Some(below) => command = below,
            None => {
                let commands = command.get_subcommands().filter(|below| !below.is_hide_set());
                let topics = topic::TOPICS.iter().map(|topic| topic.name).filter(|_| path.len() == 1);
                path.extend(nearest_of(word, commands.map(Command::get_name).chain(topics)));
                break;
            }
        }
        path.push(word);
    }
    failure.hint(path.join(" "))
}
