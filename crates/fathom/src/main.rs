//! fathom: what can this storage really do, is that figure true, and what limits
//! it.
//!
//! The binary: the only place that reads flags, prints and exits. Each command
//! is one file under `commands/`; a run, whatever started it, goes through
//! [`fathom_session`].
#![forbid(unsafe_code)]

mod aim;
mod args;
mod cli;
mod commands;
mod consent;
mod device_at;
mod driven;
mod dump_dir;
mod edge;
mod engines;
mod failure;
mod folded;
mod held;
mod help;
mod labels;
mod live;
mod messages;
mod misunderstood;
mod place;
mod procedure_output;
mod put_back;
mod range;
mod reach;
mod rehearsal;
mod saved_result;
mod screen;
mod signals;
mod simulated;
mod sized;
mod steps;
mod terminal;
mod watched;
mod web;

use clap::error::ErrorKind;
use cli::Command;
use failure::{Exit, Failure, exit_code, tell};
use fathom_text::carried;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    told_of_too_large_files();
    if let Some(failure) = memory_is_too_small() {
        tell(&failure);
        return exit_code(failure.exit);
    }
    if called_as_fio() {
        signals::prepare();
        let arguments: Vec<String> = std::env::args_os().skip(1).map(carried::of_os).collect();
        let ended = commands::fio::run(&arguments);
        let failed_jobs = ended.as_ref().map_or(0, |ended| ended.failed_jobs);
        return as_fio(finish(ended.map(|ended| ended.exit)), failed_jobs);
    }
    let command = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli.command,
        Err(e) => return misunderstood(&e),
    };
    // `tune` has handlers of its own, and no signal ends it while settings are changed.
    if !matches!(command, Command::Tune(_)) {
        signals::prepare();
    }
    exit_code(finish(match command {
        Command::Quick(args) => commands::quick::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Fio(args) => commands::fio::run(&args.arguments).map(|ended| ended.exit),
        Command::Devices(args) => commands::devices::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Precondition(args) => commands::precondition::run(&args),
        Command::PowerCut(args) => commands::power_cut::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Pts(args) => commands::pts::run(&args),
        Command::Suite(args) => commands::suite::run(&args),
        Command::Try(args) => commands::attempt::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Filesystem(args) => commands::filesystem::run(&args),
        Command::Array(args) => commands::array::run(&args),
        Command::Purge(args) => commands::purge::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Baseline(args) => commands::baseline::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Resume(args) => commands::resume::run(&args),
        Command::Runs(args) => commands::runs::run(&args),
        Command::Bundle(args) => commands::bundle::run(&args),
        Command::Options(args) => commands::options::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Tune(args) => commands::tune::run(&args),
        Command::Topology(args) => commands::topology::run(&args),
        Command::Calc(args) => commands::calc::run(&args),
        Command::Completions(args) => commands::completions::run(&args, cli::command()),
        Command::Man(args) => commands::man::run(&args, cli::command()),
        Command::Help(args) => commands::help::run(&args, cli::command()),
    }))
}

/// Help is printed as clap makes it. An error quotes what was typed, so it is made
/// again from carried arguments, which cannot contain a line break.
fn misunderstood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let words: Vec<String> = std::env::args_os().map(carried::of_os).collect();
    let again = cli::parse(words.iter().map(Into::into)).err();
    let error = again.as_ref().unwrap_or(error);
    let typed = words.into_iter().skip(1).collect();
    tell(&misunderstood::failure(error, &cli::command(), typed));
    exit_code(Exit::Usage)
}

/// Handles SIGXFSZ, so that a write beyond `ulimit -f` fails with an error that
/// names the file, and no signal ends fathom.
fn told_of_too_large_files() {
    // Without a handler, the signal of that limit ends the process.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Bytes of stack that are enough for every command: the deepest needs about
/// 100 KiB (measured).
const STACK_BYTES: u64 = 512 << 10;

/// Bytes of address space that are enough for every command: `devices` needs the most, 90 MiB for its threads (measured).
const ADDRESS_SPACE_BYTES: u64 = 96 << 20;

/// An error, because a program that exceeds its stack or its address space is killed without a message that helps.
fn memory_is_too_small() -> Option<Failure> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let checked = [
        ("Max stack size", "the stack", STACK_BYTES, "ulimit -s 8192 sets the usual limit"),
        (
            "Max address space",
            "the address space",
            ADDRESS_SPACE_BYTES,
            "ulimit -v unlimited sets the usual limit",
        ),
    ];
    checked.into_iter().find_map(|(named, what, needed, hint)| {
        let bytes = limit(&limits, named)?;
        (bytes < needed).then(|| {
            let message = format!("{what} is limited to {bytes} bytes, and fathom needs {needed}");
            Failure::new(Exit::Failed, message).hint(hint)
        })
    })
}

/// A limit of proc_pid_limits(5); `None` where there is none.
fn limit(limits: &str, named: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(named))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Whether fathom was called through a link named `fio`, with fio's command line.
fn called_as_fio() -> bool {
    let name = std::env::args_os().next().map(std::path::PathBuf::from);
    name.as_deref().and_then(|p| p.file_name()).is_some_and(|n| n == "fio")
}

/// fio's exit codes: 0, 128 after a signal, and otherwise how many jobs failed, or 1. fio's code of 256 failed jobs is 0; here it is
/// 255.
fn as_fio(exit: Exit, failed_jobs: usize) -> ExitCode {
    match exit {
        Exit::Ok => ExitCode::SUCCESS,
        Exit::HungUp | Exit::Interrupted | Exit::Terminated => ExitCode::from(128),
        _ => ExitCode::from(failed_jobs.clamp(1, 255) as u8),
    }
}

fn finish(result: Result<Exit, Failure>) -> Exit {
    terminal::terminal().end_web();
    // A run that failed at its start has left its live view, whose thread does not live to print the failure.
    edge::stderr::has_writer(false);
    edge::stderr::print_waiting();
    if !matches!(result, Ok(Exit::Ok)) {
        edge::tell_held();
    }
    match result {
        Ok(exit) => exit,
        Err(failure) => {
            tell(&failure);
            failure.exit
        }
    }
}
