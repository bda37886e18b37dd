//! `fathom options`: what fathom does with each fio option.

use crate::failure::{Exit, Failure, print};
use clap::Args;
use fathom_job::{options, reference};

#[derive(Debug, Args)]
pub struct OptionsArgs {
    /// Name of an option; without it, all options are listed
    pub option: Option<String>,
}

pub fn run(args: &OptionsArgs) -> Result<Exit, Failure> {
    let name = args.option.as_deref().unwrap_or("all");
    match reference::cmdhelp(name) {
        Some(text) => print(&text).map(|()| Exit::Ok),
        None => {
            let failure = Failure::new(Exit::Usage, format!("there is no option {name}"));
            Err(failure.hint(match options::nearest(name) {
                Some(near) => format!("fathom options {near}"),
                None => "to list all options: fathom options".to_owned(),
            }))
        }
    }
}
