//! What `cargo xtask bench` was asked for.

use std::path::PathBuf;

use super::cases::CASES;
use super::rows::ROWS;
use crate::arguments::Arguments;

/// The default number of pairs, enough for a claim; see [`super::goal::PAIRS_MIN`].
const PAIRS: u64 = super::goal::PAIRS_MIN;
const SECONDS: u64 = 3;
/// The name by which `--case` selects the count of instructions.
const INSTRUCTIONS: &str = "instructions";

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
    /// Compare with the newest record of a machine like this.
    pub compare: bool,
    /// Print the table of docs/performance.md.
    pub markdown: bool,
    /// Take the newest record instead of measuring.
    pub recorded: bool,
    /// Simulate how often the intervals that fathom shows hold the truth, instead of measuring.
    pub intervals: bool,
    /// Make the clean and the disturbed runs that the taints are tested with, instead of measuring.
    pub taints: bool,
    /// Of those runs, make 30 clean ones and 40 of ten kinds of disturbance, and tell how many are judged wrongly.
    pub sample: bool,
    /// Measure what grows with files, workers, jobs and the length of a run, instead.
    pub growth: bool,
    /// Measure how long a day of eight jobs takes to load, instead.
    pub load: bool,
    /// Measure how long ten thousand runs take to list, instead.
    pub lists: bool,
    /// Measure how fast a log of ten million lines is read, instead.
    pub import: bool,
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
        let taints = arguments.flag("--taints");
        let mut only = arguments.values("--case")?;
        let runs = if taints { std::mem::take(&mut only) } else { Vec::new() };
        if arguments.flag("--instructions") {
            only.push(INSTRUCTIONS.to_owned());
        }
        let asked = Self {
            pairs: arguments.number("--pairs", PAIRS)?,
            seconds: arguments.number("--seconds", SECONDS)?,
            fio_on_both_sides: arguments.flag("--aa"),
            all: arguments.flag("--all"),
            record: arguments.flag("--record"),
            compare: arguments.flag("--compare"),
            markdown: arguments.flag("--markdown"),
            recorded: arguments.flag("--recorded"),
            intervals: arguments.flag("--intervals"),
            taints,
            sample: arguments.flag("--sample"),
            growth: arguments.flag("--growth"),
            load: arguments.flag("--load"),
            lists: arguments.flag("--lists"),
            import: arguments.flag("--import"),
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
        if self.accept && !self.taints && !self.wants_instructions() {
            return Err("--accept needs the instructions to be counted: --instructions".to_owned());
        }
        if self.sample && (!self.taints || self.accept) {
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
            Some(given) => given.canonicalize().map_err(|e| format!("{}: {e}", given.display())),
            None => crate::fathom::build_dist(),
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
    let cases = CASES.iter().map(|case| case.name);
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
