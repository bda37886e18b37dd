//! `fathom completions`: the script by which a shell completes fathom's commands and options.

use crate::failure::{Exit, Failure, print};
use clap::{Args, Command};
use clap_complete::{Shell, generate};

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = shell())]
    pub shell: Shell,
}

/// The shells for which the package has a script.
fn shell() -> impl clap::builder::TypedValueParser<Value = Shell> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["bash", "zsh", "fish"]).try_map(|name| name.parse::<Shell>())
}

/// Runs the command. `root` has all commands.
pub fn run(args: &CompletionsArgs, mut root: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut root, "fathom", &mut script);
    print(&String::from_utf8_lossy(&script)).map(|()| Exit::Ok)
}
