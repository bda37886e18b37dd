//! `fathom options`: what fathom does with each fio option.

use crate::edge::print_document;
use crate::failure::{Exit, Failure, print};
use clap::Args;
use fathom_job::reference::{self, OptionsDocument};
use fathom_job::{fio_cli, foreign_engines, options};

#[derive(Debug, Args)]
pub struct OptionsArgs {
    /// Name of an option; without it, all options are listed
    pub option: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &OptionsArgs) -> Result<Exit, Failure> {
    let name = args.option.as_deref().unwrap_or("all");
    let printed = match args.json {
        true => OptionsDocument::of(name).map(|document| print_document(&document)),
        false => reference::cmdhelp(name).map(|text| print(&text)),
    };
    let hint = || match options::nearest(name) {
        Some(near) => format!("fathom options {near}"),
        None => "to list all options: fathom options".to_owned(),
    };
    printed.ok_or_else(|| unknown(name, hint()))?.map(|()| Exit::Ok)
}

/// There is no such option. The hint is for a name of which nothing else is known.
pub(super) fn unknown(name: &str, hint: String) -> Failure {
    if let Some(error) = foreign_engines::option_error(name, None) {
        return Failure::job(&[error]);
    }
    let (error, hint) =
        fio_cli::looked_up(name).unwrap_or_else(|| (format!("there is no option {name}"), hint));
    Failure::new(Exit::Usage, error).hint(hint)
}
