//! The project's chores. `cargo xtask test` is what continuous integration runs, whole.
//!
//! Each chore is one file. A step says on the terminal which command it runs, so that a failure can
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
mod steps;
mod workspace;

use std::process::ExitCode;

use arguments::Arguments;

const USAGE: &str = "\
usage: cargo xtask CHORE

  test  [--fuzz-seconds N]           packages, format, lint, docs, crate graph, tests, fuzzing (N: 30)
  fuzz  [--fuzz-seconds N]           the fuzz target of the job-file parser alone (N: 60)
  graph                              who may know whom, and who may do what
  bench [--pairs N] [--seconds S] [--aa]
                                     fathom against fio, interleaved (N: 10, S: 3);
                                     --aa puts fio on both sides, to see the noise of the machine";

/// Long enough to meet what the seeds lead to, short enough for every push.
const FUZZ_SECONDS_IN_TEST: u64 = 30;
const FUZZ_SECONDS_ALONE: u64 = 60;
/// Six pairs are the least that give a 95 % interval; ten keep one odd run from setting its end.
const BENCH_PAIRS: u64 = 10;
const BENCH_SECONDS: u64 = 3;

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
            let seconds = arguments.number("--fuzz-seconds", FUZZ_SECONDS_IN_TEST)?;
            arguments.finish()?;
            steps::test(seconds)
        }
        Some("fuzz") => {
            let seconds = arguments.number("--fuzz-seconds", FUZZ_SECONDS_ALONE)?;
            arguments.finish()?;
            steps::fuzz(seconds)
        }
        Some("graph") => {
            arguments.finish()?;
            steps::graph()
        }
        Some("bench") => {
            let contest = bench::Contest {
                pairs: arguments.number("--pairs", BENCH_PAIRS)?,
                seconds: arguments.number("--seconds", BENCH_SECONDS)?,
                fio_on_both_sides: arguments.flag("--aa"),
            };
            arguments.finish()?;
            bench::run(&contest)
        }
        _ => Err(USAGE.to_owned()),
    }
}
