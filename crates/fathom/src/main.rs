//! fathom: what can this storage really do, is that number true, and what
//! holds it back.
//!
//! The binary: the only place that reads flags, prints and exits. Each command
//! is one file under `commands/`; a run, whatever started it, goes through
//! [`session`].
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod failure;
mod look;
mod place;
mod session;
mod surroundings;

use clap::Parser;
use cli::{Cli, Command};
use failure::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    if called_as_fio() {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        return as_fio(finish(commands::fio::run(&arguments)));
    }
    ExitCode::from(finish(match Cli::parse().command {
        Command::Quick(args) => commands::quick::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Fio(args) => commands::fio::run(&args.arguments),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Purge(args) => commands::purge::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Options(args) => commands::options::run(&args),
        Command::Tune(args) => commands::tune::run(&args),
        Command::Topology(args) => commands::topology::run(&args),
        Command::Calc(args) => commands::calc::run(&args),
    }))
}

/// A link named `fio` makes this fio's command line.
fn called_as_fio() -> bool {
    let name = std::env::args_os().next().map(std::path::PathBuf::from);
    name.as_deref().and_then(|p| p.file_name()).is_some_and(|n| n == "fio")
}

/// fio's exit codes: 0, 128 after a signal, 1 for everything else.
fn as_fio(exit: Exit) -> ExitCode {
    match exit {
        Exit::Ok => ExitCode::SUCCESS,
        Exit::HungUp | Exit::Interrupted | Exit::Terminated => ExitCode::from(128),
        _ => ExitCode::FAILURE,
    }
}

fn finish(result: Result<Exit, Failure>) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(failure) => {
            failure.tell();
            failure.exit
        }
    }
}
