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

pub mod arguments;
pub mod command;
pub mod instructions;
mod lab;
mod package;
pub mod steps;
pub mod workspace;

use arguments::Arguments;

/// What can be asked of `cargo xtask`.
pub const USAGE: &str = include_str!("usage.txt").trim_ascii_end();

/// Seconds of fuzzing: long enough to find what the seeds lead to.
const FUZZ_SECONDS: u64 = 60;

/// Does the task that the words of a command line name.
pub fn run(mut arguments: Arguments) -> Result<(), String> {
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
        Some("clients") => {
            arguments.finish()?;
            steps::clients()
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
        Some("power-cut") => lab::power_cut::chore(arguments),
        Some("lab") => lab::chore(arguments),
        Some("package") => package::chore(arguments),
        Some("bench") => bench(&arguments.rest()),
        _ => Err(USAGE.to_owned()),
    }
}

/// Measures, in a program of its own: it is built only for that, because it needs most crates.
fn bench(words: &[String]) -> Result<(), String> {
    let mut cargo = command::cargo(&["run", "--quiet", "--package", "fathom-bench", "--"]);
    command::run(cargo.args(words))
}
