//! Runs and counts all tests: a test binary that runs nothing must not look like a success.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::command::{capture, cargo, cargo_linted, run as run_command, run_watched, with_default_signals};

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

/// Builds and lints all programs and tests. `--all-targets` leaves out the lab's tests, because a plain `cargo test` does. They are
/// chosen by their name in the whole workspace: a package alone has other features, and so all libraries would be built again.
pub fn build() -> Result<(), String> {
    run_command(&mut cargo_linted(&["test", "--workspace", "--all-targets", "--no-run"]))?;
    run_command(&mut cargo_linted(&["test", "--workspace", "--test", "lab", "--no-run"]))
}

/// The test program whose tests wait most of the time, so that more of them run at once than there are processors.
const WAITING: &str = "end_to_end";

/// Parts of the names of its tests that mostly have the machine for themselves. They are neighbours in the order of names, so each
/// thread would wait for another one. A process of their own has them, and the tests that use no device go on beside them.
const ALONE: &[&str] = &[
    "journeys::devices::",
    "journeys::purge::",
    "journeys::safety::",
    "journeys::suite_",
    "journeys::tune::",
    "quick::",
    "sampled::",
];

/// The test program that waits for what does not answer: the tests that calculate run beside it.
const HANGS: &str = "hangs";

/// Test programs of crates that are not pure, which measure no times and use no devices that other tests would see. Each ends
/// with a test that uses one processor, so they run beside those of the pure crates.
const QUIET: &[&str] = &["all", "many_disks", "session_all", "tune_recorded", "words_all", "documents"];

/// The tests that run every engine, and the checks of what `unsafe` code promises, which the engine is built without elsewhere.
const CHECKED: &str = "engine_all";
const CHECKS: &[&str] = &[
    "--config=profile.dev.package.fathom-engine.debug-assertions=true",
    "--config=profile.dev.package.fathom-engine.overflow-checks=true",
    "--config=profile.dev.package.fathom-engine.opt-level=1",
];

/// Runs all tests and adds what they report to `count`, and `beside` while some wait for what does not answer.
///
/// Some measure times. These run alone, and no more of them at once than there are processors.
pub fn run(count: &mut Count, beside: impl FnOnce() + Send) -> Result<(), String> {
    let programs = Programs::read()?;
    let mut good = run_waiting(count)?;
    let mut later = Vec::new();
    let (waited, pure) = std::thread::scope(|scope| {
        scope.spawn(beside);
        let waited = scope.spawn(|| {
            let mut keep = |line: &str| later.push(line.to_owned());
            // A device that does not answer would hold up those that read the machine, so they come after it.
            let hangs = tested(&["--test", HANGS], &mut keep)?;
            Ok::<_, String>(hangs & tested(&named(&["--bins"], &programs.quiet), keep)?)
        });
        let pure = tested(&named(&["--lib"], &programs.pure), |line| told(line, count));
        (waited.join().expect("no thread panics"), pure)
    });
    later.iter().for_each(|line| told(line, count));
    good &= waited? & pure?;
    good &= tested(&named(&[], &programs.others), |line| told(line, count))?;
    good &= tested(&[CHECKS, &["--test", CHECKED]].concat(), |line| told(line, count))?;
    count.verdict(good)
}

/// Runs the tests of [`WAITING`]: those of [`ALONE`], and beside them the others.
fn run_waiting(count: &mut Count) -> Result<bool, String> {
    let skipped: Vec<&str> = ALONE.iter().flat_map(|part| ["--skip", part]).collect();
    let words = |threads, names: &[&'static str]| [&["--test", WAITING, "--", threads], names].concat();
    let mut later = Vec::new();
    let (alone, others) = std::thread::scope(|scope| {
        let alone =
            scope.spawn(|| tested(&words("--test-threads=2", ALONE), |line| later.push(line.to_owned())));
        let others = tested(&words("--test-threads=3", &skipped), |line| told(line, count));
        (alone.join().expect("no thread panics"), others)
    });
    later.iter().for_each(|line| told(line, count));
    Ok(alone? & others?)
}

fn told(line: &str, count: &mut Count) {
    println!("{line}");
    count.add(line);
}

/// `cargo test` of the whole workspace, because a choice of packages would be built with other features.
fn tested(words: &[&str], see: impl FnMut(&str)) -> Result<bool, String> {
    let all = [&["test", "--workspace", "--no-fail-fast"], words].concat();
    let mut command = with_default_signals(&cargo_linted(&all));
    run_watched(command.env("FATHOM_STACKS_SECONDS", STACKS_SECONDS.to_string()), see)
}

fn named<'a>(first: &[&'a str], programs: &'a [impl AsRef<str>]) -> Vec<&'a str> {
    let programs = programs.iter().flat_map(|name| ["--test", name.as_ref()]);
    first.iter().copied().chain(programs).collect()
}

/// The test programs, by when they run; as the manifests have them, so that none is forgotten.
#[derive(Debug, PartialEq)]
struct Programs {
    /// Those of the pure crates only.
    pure: Vec<String>,
    /// Those of [`QUIET`].
    quiet: Vec<String>,
    /// All others but those that wait, and [`CHECKED`].
    others: Vec<String>,
}

impl Programs {
    fn read() -> Result<Self, String> {
        let words = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
        let text = capture(&mut cargo(&words))?;
        Self::of(&serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?)
    }

    /// An error where a program has the name of one of the lab, which would then run here.
    fn of(metadata: &Value) -> Result<Self, String> {
        let [mut pure, mut quiet, mut others, mut by_hand] = [(); 4].map(|()| BTreeSet::new());
        for package in metadata["packages"].as_array().into_iter().flatten() {
            let is_pure = package["name"].as_str().is_some_and(|name| PURE.contains(&name));
            for target in package["targets"].as_array().into_iter().flatten() {
                let name = target["name"].as_str().unwrap_or_default();
                if target["kind"][0] != "test" || [WAITING, HANGS, CHECKED].contains(&name) {
                    continue;
                }
                let programs = match target["test"] == true {
                    false => &mut by_hand,
                    // A name chooses the programs of all packages that have it.
                    true if QUIET.contains(&name) => &mut quiet,
                    true if is_pure => &mut pure,
                    true => &mut others,
                };
                programs.insert(name.to_owned());
            }
        }
        let mut run = pure.iter().chain(&quiet).chain(&others);
        if let Some(name) = run.find(|name| by_hand.contains(*name)) {
            return Err(format!("the test program {name} has the name of one that runs in the lab only"));
        }
        pure.retain(|name| !others.contains(name));
        let [pure, quiet, others] = [pure, quiet, others].map(|names| names.into_iter().collect());
        Ok(Self { pure, quiet, others })
    }
}

/// Crates whose tests touch no device and start no program.
const PURE: &[&str] = &[
    "fathom-text",
    "fathom-job",
    "fathom-stats",
    "fathom-sim",
    "fathom-results",
    "fathom-figures",
    "fathom-judge",
    "fathom-procedures",
    "fathom-report",
];

/// Runs the tests of the pure crates and of xtask, and the tests of the others on recorded machines,
/// which take seconds.
pub fn run_pure(count: &mut Count) -> Result<(), String> {
    let mut words = vec!["test", "--quiet", "--no-fail-fast", "--package", "xtask"];
    words.extend(PURE.iter().flat_map(|name| ["--package", *name]));
    let mut add = |words: &[&str]| {
        run_watched(&mut cargo_linted(words), |line| {
            println!("{line}");
            count.add(line);
        })
    };
    let pure = add(&words)?;
    let recorded = ["--package", "fathom-host", "--test", "all", "--", "audit::", "topology::"];
    let recorded = add(&[&["test", "--quiet", "--no-fail-fast"], &recorded[..]].concat())?;
    count.verdict(pure && recorded)
}

#[cfg(test)]
mod checks {
    use super::*;
    use serde_json::json;

    fn counted(lines: &[&str]) -> Count {
        let mut count = Count::default();
        lines.iter().for_each(|line| count.add(line));
        count
    }

    #[test]
    fn every_program_runs_once_and_none_of_the_lab() {
        let target = |name: &str| json!({"name": name, "kind": ["test"], "test": true});
        let of = |name: &str| {
            Programs::of(&json!({"packages": [
                {"name": "fathom-job", "targets": [target("all"), target(name)]},
                {"name": "fathom-engine", "targets": [target("timed"), target("end_to_end"), target("hangs")]},
                {"name": "fathom-host", "targets": [target("all")]},
                {"name": "fathom-lab", "targets": [{"name": "purge", "kind": ["test"], "test": false}]},
            ]}))
        };
        let [pure, quiet, others] = ["job", "all", "timed"].map(|name| vec![name.to_owned()]);
        let expected = Programs { pure, quiet, others };
        assert_eq!(of("job"), Ok(expected));
        assert!(of("purge").is_err());
        assert!(Programs::read().is_ok());
    }

    /// A file that neither `tests/main.rs` nor the manifest names would never be compiled.
    #[test]
    fn every_file_of_tests_is_part_of_a_program() {
        for package in crate::workspace::root().join("crates").read_dir().unwrap() {
            let package = package.unwrap().path();
            let Ok(main) = std::fs::read_to_string(package.join("tests/main.rs")) else { continue };
            let manifest = std::fs::read_to_string(package.join("Cargo.toml")).unwrap();
            for entry in package.join("tests").read_dir().unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                let is_code = path.extension().is_some_and(|it| it == "rs")
                    || ["mod.rs", "main.rs"].iter().any(|file| path.join(file).exists());
                let is_named = name == "main"
                    || main.contains(&format!("mod {name};"))
                    || manifest.contains(&format!("name = \"{name}\""));
                assert!(!is_code || is_named, "{}", path.display());
            }
        }
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
