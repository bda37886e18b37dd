//! The tasks of the project. Continuous integration runs `cargo xtask test`.
//!
//! Each task is one file. A step prints which command it runs, so that a failure can
//! be repeated by hand without reading this program.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal: talking to its user is what it is for"
)]

mod arguments;
mod bench;
mod command;
mod instructions;
#[cfg(test)]
mod job_check;
mod lab;
mod package;
mod steps;
mod workspace;

use std::process::ExitCode;

use arguments::Arguments;

const USAGE: &str = include_str!("usage.txt").trim_ascii_end();

/// Seconds of fuzzing: long enough to find what the seeds lead to.
const FUZZ_SECONDS: u64 = 60;

fn main() -> ExitCode {
    match run(Arguments::from_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Arguments) -> Result<(), String> {
    match arguments.word().as_deref() {
        Some("test") => {
            arguments.finish()?;
            steps::test()
        }
        Some("check") => {
            arguments.finish()?;
            steps::check()
        }
        Some("fuzz") => {
            let seconds = arguments.number("--fuzz-seconds", FUZZ_SECONDS)?;
            arguments.finish()?;
            steps::fuzz(seconds)
        }
        Some("ahead") => {
            arguments.finish()?;
            steps::ahead()
        }
        Some("graph") => {
            arguments.finish()?;
            steps::graph()
        }
        Some("pts") => {
            arguments.finish()?;
            steps::pts()
        }
        Some("instructions") => {
            arguments.finish()?;
            steps::instructions()
        }
        Some("lab") => lab::chore(arguments),
        Some("package") => package::chore(arguments),
        Some("bench") => bench::run(arguments),
        _ => Err(USAGE.to_owned()),
    }
}
