//! Runs and counts all tests: a test binary that runs nothing must not look like a success.

use crate::command::{cargo, cargo_once, run as run_command, run_watched, with_default_signals};

/// What the test binaries reported together.
#[derive(Debug, Default, PartialEq)]
pub struct Count {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were switched off.
    pub ignored: u64,
}

impl Count {
    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`; other lines are
    /// ignored.
    pub fn add(&mut self, line: &str) {
        let Some((_, results)) = line.split_once("test result: ") else {
            return;
        };
        let results = results.split_once(". ").map_or(results, |(_, rest)| rest);
        for part in results.split(';') {
            let mut words = part.split_whitespace();
            let number = words.next().and_then(|word| word.parse::<u64>().ok());
            match (number, words.next()) {
                (Some(n), Some("passed")) => self.passed += n,
                (Some(n), Some("failed")) => self.failed += n,
                (Some(n), Some("ignored")) => self.ignored += n,
                _ => {}
            }
        }
    }

    fn verdict(&self, succeeded: bool) -> Result<(), String> {
        if self.failed > 0 {
            return Err(format!("{} tests failed", self.failed));
        }
        if !succeeded {
            return Err("cargo test failed before every test had run".to_owned());
        }
        if self.passed == 0 {
            return Err("no test ran".to_owned());
        }
        if self.ignored > 0 {
            return Err(format!("{} tests are switched off: run them or delete them", self.ignored));
        }
        Ok(())
    }
}

/// For how long the guard is tested with random stacks of devices, from the seed of a plain
/// `cargo test`, which builds the first few of them.
const STACKS_SECONDS: u64 = 15;

/// Builds all tests.
pub fn build() -> Result<(), String> {
    run_command(&mut cargo_once(&["test", "--workspace", "--no-run"]))
}

/// The tests that wait most of the time, by the module that they are in (`crates/fathom/tests/end_to_end`): several run at once.
const WAITING: &[&str] = &["--test", "end_to_end", "--", "--test-threads=4"];

/// All others. Some measure times, so that no more run at once than there are processors.
const OTHERS: &[&str] = &["--no-fail-fast", "--", "--skip", "journeys::"];

/// Runs all tests and adds what they report to `count`.
pub fn run(count: &mut Count) -> Result<(), String> {
    let mut add = |words: &[&str]| {
        let mut command = with_default_signals(&cargo_once(&[&["test", "--workspace"], words].concat()));
        command.env("FATHOM_STACKS_SECONDS", STACKS_SECONDS.to_string());
        run_watched(&mut command, |line| {
            println!("{line}");
            count.add(line);
        })
    };
    let waiting = add(WAITING)?;
    let others = add(OTHERS)?;
    count.verdict(waiting && others)
}

/// Crates whose tests touch no device and start no program.
const PURE: &[&str] = &[
    "fathom-text",
    "fathom-job",
    "fathom-stats",
    "fathom-sim",
    "fathom-results",
    "fathom-figures",
    "fathom-suites",
    "fathom-report",
];

/// Runs the tests of the pure crates and of xtask, and the tests of the others on recorded machines,
/// which take seconds.
pub fn run_pure(count: &mut Count) -> Result<(), String> {
    let mut words = vec!["test", "--quiet", "--no-fail-fast", "--package", "xtask"];
    words.extend(PURE.iter().flat_map(|name| ["--package", *name]));
    let mut add = |words: &[&str]| {
        run_watched(&mut cargo(words), |line| {
            println!("{line}");
            count.add(line);
        })
    };
    let pure = add(&words)?;
    let recorded = ["--package", "fathom-host", "--test", "audit", "--test", "topology"];
    let recorded = add(&[&["test", "--quiet", "--no-fail-fast"], &recorded[..]].concat())?;
    count.verdict(pure && recorded)
}

#[cfg(test)]
mod checks {
    use super::*;

    fn counted(lines: &[&str]) -> Count {
        let mut count = Count::default();
        lines.iter().for_each(|line| count.add(line));
        count
    }

    #[test]
    fn adds_up_every_binary() {
        let count = counted(&[
            "running 12 tests",
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ]);
        let expected = Count { passed: 15, failed: 2, ignored: 1 };
        assert_eq!(count, expected);
    }

    #[test]
    fn nothing_run_is_not_success() {
        let one = counted(&["test result: ok. 1 passed; 0 failed; 0 ignored"]);
        assert_eq!(one.verdict(true), Ok(()));
        assert!(one.verdict(false).is_err());
        assert!(counted(&[]).verdict(true).is_err());
        let off = counted(&["test result: ok. 1 passed; 0 failed; 1 ignored"]);
        assert!(off.verdict(true).is_err());
    }
}
