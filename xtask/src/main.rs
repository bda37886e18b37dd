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
mod fathom;
mod instructions;
#[cfg(test)]
mod job_check;
mod lab;
mod package;
mod steps;
mod workspace;

use std::process::ExitCode;

use arguments::Arguments;

const USAGE: &str = "\
usage: cargo xtask TASK

  test                          packages, format, lint, docs, crate graph, tests, lab, instructions, pts
  check                         format, lint, crate graph and the pure tests: a minute and a half
  fuzz  [--fuzz-seconds N]      only the fuzz targets: job files, and logs and results of fio (N: 60)
  pts                           all tests of SNIA PTS on a simulated drive, with every part of their report
  instructions                  check that no I/O costs more instructions than benches/instructions.json says
  graph                         which crate may depend on which, and which may do what
  ahead                         the builds for the lab, which `test` does beside other steps
  lab [--shell] [NAME]…         the tests that run in a virtual machine: all, or those of a test target NAME,
                                or those whose name contains NAME; --shell opens a shell there instead
  package [--prove]             target/package/fathom_VERSION_ARCH.deb, checked by lintian; --prove installs it in a new
                                Debian system, in a directory, and uses it there
  bench [--case NAME]… [--pairs N] [--seconds S] [--all] [--aa] [--fathom FILE]
        [--instructions] [--accept] [--record] [--compare] [--markdown] [--recorded]
                                fathom against fio, interleaved (N: 12, S: 3), and the other budgets
    --case NAME                 only cases that begin with this name; a wrong name lists all names
    --instructions              only the instructions per I/O; --accept makes them the record of the test
    --all                       a case that cannot be measured on this machine is a failure
    --aa                        fio on both sides, to see the noise of the machine
    --fathom FILE               measure this binary instead of building one
    --record, --compare         keep the result in benches/history; compare with the last one kept
    --markdown                  print the table of docs/performance.md
    --recorded                  show the newest record instead of measuring
    --intervals                 simulate how often the intervals that fathom shows hold the truth: the tables of
                                docs/measurement.md
    --growth                    how costs grow with files, workers, jobs and the length of a run
    --load                      how long a saved day of eight jobs takes to load, its memory and size
    --lists                     how long ten thousand saved runs take to list
    --import                    how fast a log of fio with ten million lines is read, beside fio-plot's parser
    --taints                    make clean and disturbed runs, and say which taints were false alarms and which were
                                missed; --case NAME makes only those runs, --accept keeps them for the test;
                                --recorded judges the runs that are kept; --sample makes 30 clean ones and 40 of ten
                                kinds of disturbance, and fails if over 5 % of either are judged wrongly

package --prove, loop devices, zram, ext4 and counting system calls need root; bench makes its devices and removes them.";

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
