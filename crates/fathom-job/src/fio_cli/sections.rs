//! A command line of fio, option by option, without the values being read.

use super::flags::FLAGS;
use super::getopt::{self, Argument, Item};
use super::groups;
use crate::diagnostic::Diagnostic;
use crate::options;

/// Names of options in full, and their values.
pub(crate) type TypedOptions = Vec<(String, Option<String>)>;

/// What a command line says, in its own words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandSections {
    /// Options before the first `--name`.
    pub defaults: TypedOptions,
    /// Each `--name`, with the options behind it.
    pub jobs: Vec<(String, TypedOptions)>,
    /// Flags, as typed.
    pub flags: Vec<String>,
    /// Job files.
    pub files: Vec<String>,
}

/// Reads the words behind the program.
///
/// # Errors
/// Words that are no option of fio.
pub(crate) fn sections_of(args: &[String]) -> Result<CommandSections, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let items = getopt::items(args, &mut found);
    if !found.is_empty() {
        return Err(found);
    }
    let mut sections = CommandSections::default();
    for (name, arguments) in groups(&items) {
        let options = arguments.into_iter().map(option).collect();
        match name {
            None => sections.defaults = options,
            Some(name) => sections.jobs.push((name.value().to_owned(), options)),
        }
    }
    for item in items {
        match item {
            Item::Flag(_, argument) => sections.flags.push(argument.typed().to_owned()),
            Item::File(path) => sections.files.push(path),
            Item::Option(_) => {}
        }
    }
    Ok(sections)
}

/// Is this the name of an option or of a flag, in full?
pub(crate) fn is_name(name: &str) -> bool {
    options::find(name).is_some() || FLAGS.iter().any(|flag| flag.name == name)
}

fn option(argument: &Argument) -> (String, Option<String>) {
    (argument.name.to_owned(), argument.value.clone())
}
