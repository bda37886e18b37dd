//! Compares fathom with fio.
//!
//! The two run in turn on one processor, in the order A B B A, so that a machine that warms up or
//! slows down favours neither. A pair gives one ratio; the pairs give the median and its interval.
//! Absolute figures are shown too, and are valid for this machine only.
//!
//! To add a comparison, add an entry to `cases.toml`; another budget is a function in `rows`.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal: talking to its user is what it is for"
)]

mod cases;
mod figure;
mod growth;
mod import;
mod intervals;
#[cfg(test)]
mod job_check;
mod meter;
mod record;
mod rows;
mod session;
mod side;
mod syscalls;
mod taints;
mod target;

use std::path::PathBuf;
use std::process::ExitCode;

use cases::CASES;
use record::Record;
use rows::ROWS;
use xtask::arguments::Arguments;
use xtask::workspace::at;

fn main() -> ExitCode {
    match run(Arguments::from_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Measures, or takes the newest record, and does with it what was asked.
///
/// A budget that is missed is printed, but is not a failure. Failures are cases that
/// could not be measured, and with `--all` also cases whose target cannot be made here.
pub fn run(arguments: Arguments) -> Result<(), String> {
    let asked = Asked::parse(arguments)?;
    if let Some((_, other)) = asked.other {
        return other(&asked);
    }
    if asked.recorded {
        let record = Record::all()?.pop().ok_or("nothing is recorded yet")?;
        show(&asked, &record);
        return Ok(());
    }
    let session = session::hold(&asked)?;
    if asked.record {
        println!("\nrecorded: {}", session.record.save()?.display());
    }
    show(&asked, &session.record);
    let mut failures = session.failures;
    for missing in session.not_here {
        println!("not here: {missing}");
        if asked.all {
            failures.push(missing);
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join("; "))) }
}

fn show(asked: &Asked, record: &Record) {
    if asked.markdown {
        println!("\n{}", record::table(record));
    }
}

// What `cargo xtask bench` was asked for.

/// The default number of pairs, enough for a claim; see [`crate::figure::PAIRS_MIN`].
const PAIRS: u64 = crate::figure::PAIRS_MIN;
const SECONDS: u64 = 3;
/// The name by which `--case` selects the count of instructions.
const INSTRUCTIONS: &str = "instructions";

/// The flag of something that is done instead of measuring, and what does it.
type Other = (&'static str, fn(&Asked) -> Result<(), String>);

/// All of them. If several are asked for, the first is done.
const OTHERS: &[Other] = &[
    ("--intervals", |_| {
        intervals::print(intervals::TRIALS);
        Ok(())
    }),
    (TAINTS, |asked| match asked.recorded {
        true => taints::show(),
        false => taints::run(&asked.program()?, &asked.runs, asked.accept, asked.sample),
    }),
    ("--growth", |asked| growth::run(&asked.program()?)),
    ("--import", |asked| import::run(&asked.program()?)),
];

const TAINTS: &str = "--taints";

fn is_taints(other: Option<Other>) -> bool {
    other.is_some_and(|(flag, _)| flag == TAINTS)
}

/// The options of the command line.
pub struct Asked {
    /// Pairs of runs for each case.
    pub pairs: u64,
    /// Seconds of each run.
    pub seconds: u64,
    /// Put fio on both sides: every interval must hold 1.
    pub fio_on_both_sides: bool,
    /// A target that cannot be made here is a failure.
    pub all: bool,
    /// Keep the result in benches/history.
    pub record: bool,
    /// Print the table of docs/performance.md.
    pub markdown: bool,
    /// Take the newest record instead of measuring.
    pub recorded: bool,
    /// What is done instead of measuring.
    other: Option<Other>,
    /// Of those runs, make 30 clean ones and 40 of ten kinds of disturbance, and tell how many are judged wrongly.
    pub sample: bool,
    /// Only cases and rows whose name begins with one of these.
    pub runs: Vec<String>,
    /// Accept the instruction counts as the new record, or the runs as the new fixtures.
    pub accept: bool,
    /// A binary to measure instead of the one built from here.
    program: Option<PathBuf>,
    only: Vec<String>,
}

impl Asked {
    /// Reads all words, or says which one is wrong.
    pub fn parse(mut arguments: Arguments) -> Result<Self, String> {
        let mut others = OTHERS.iter().filter(|(flag, _)| arguments.flag(flag)).copied().collect::<Vec<_>>();
        let other = (!others.is_empty()).then(|| others.swap_remove(0));
        let mut only = arguments.values("--case")?;
        let runs = if is_taints(other) { std::mem::take(&mut only) } else { Vec::new() };
        if arguments.flag("--instructions") {
            only.push(INSTRUCTIONS.to_owned());
        }
        let asked = Self {
            pairs: arguments.number("--pairs", PAIRS)?,
            seconds: arguments.number("--seconds", SECONDS)?,
            fio_on_both_sides: arguments.flag("--aa"),
            all: arguments.flag("--all"),
            record: arguments.flag("--record"),
            markdown: arguments.flag("--markdown"),
            recorded: arguments.flag("--recorded"),
            other,
            sample: arguments.flag("--sample"),
            runs,
            accept: arguments.flag("--accept"),
            program: arguments.value("--fathom")?.map(PathBuf::from),
            only,
        };
        arguments.finish()?;
        asked.check()
    }

    fn check(self) -> Result<Self, String> {
        if self.pairs == 0 || self.seconds == 0 {
            return Err("--pairs and --seconds must be at least 1".to_owned());
        }
        if self.accept && !is_taints(self.other) && !self.wants_instructions() {
            return Err("--accept needs the instructions to be counted: --instructions".to_owned());
        }
        if self.sample && (!is_taints(self.other) || self.accept) {
            return Err("--sample goes with --taints, and such runs are not kept".to_owned());
        }
        for word in &self.only {
            if !names().any(|name| name.starts_with(word.as_str())) {
                let known: Vec<&str> = names().collect();
                return Err(format!("--case {word}: no such case; there are {}", known.join(", ")));
            }
        }
        Ok(self)
    }

    /// The absolute path of the binary to measure: the one that was given, or a new
    /// build.
    pub fn program(&self) -> Result<PathBuf, String> {
        match &self.program {
            Some(given) => given.canonicalize().map_err(at(given)),
            None => xtask::workspace::build_fathom_dist(),
        }
    }

    /// Whether the case or row of this name is to be measured; `--case` takes the beginning of a name.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| name.starts_with(word.as_str()))
    }

    /// Whether instructions are to be counted.
    pub fn wants_instructions(&self) -> bool {
        self.wants(INSTRUCTIONS)
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    let cases = CASES.iter().map(|case| case.name.as_str());
    cases.chain(ROWS.iter().map(|(name, _)| *name)).chain([INSTRUCTIONS])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Asked, String> {
        Asked::parse(Arguments::from_words(line.split_whitespace().map(str::to_owned)))
    }

    #[test]
    fn a_case_is_named_by_its_beginning() {
        let asked = asked("--case zram --case null-plain").unwrap_or_else(|e| panic!("{e}"));
        assert!(asked.wants("zram-psync") && asked.wants("null-plain"));
        assert!(!asked.wants("null-best") && !asked.wants_instructions());
    }

    #[test]
    fn without_a_choice_everything_is_measured() {
        let asked = asked("").unwrap_or_else(|e| panic!("{e}"));
        assert!(names().all(|name| asked.wants(name)));
    }

    #[test]
    fn words_that_mean_nothing_are_errors() {
        for line in ["--case nvme", "--pairs 0", "--instructions --pears 3", "--case null --accept"] {
            assert!(asked(line).is_err(), "{line}");
        }
    }
}
