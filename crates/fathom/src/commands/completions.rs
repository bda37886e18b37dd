//! `fathom completions`: the script by which a shell completes fathom's commands and options.

use crate::failure::{Exit, Failure, print};
use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// What `--help` says after the arguments.
const HELP: &str = "\
The directory must exist. To make it:
  bash   mkdir -p ~/.local/share/bash-completion/completions
  zsh    mkdir -p ~/.zfunc
  fish   mkdir -p ~/.config/fish/completions
zsh also needs this line in ~/.zshrc before compinit: fpath=(~/.zfunc $fpath)
A shell that is started afterwards completes fathom's commands.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
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
