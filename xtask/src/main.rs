//! `cargo xtask TASK`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stderr, reason = "a program for the terminal: talking to its user is what it is for")]

use std::process::ExitCode;

use xtask::arguments::Arguments;

fn main() -> ExitCode {
    match xtask::run(Arguments::from_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
