//! The steps of `cargo xtask test`; the cheapest come first.

mod apt;
mod aside;
mod checks;
mod fuzz;
mod graph;
mod standard;
mod tests;

use std::time::Instant;

use self::aside::Aside;

pub use self::apt::find_program;
pub use self::tests::Count;

/// Runs every step, also after one has failed, so that one push shows all that is wrong.
///
/// The last line on stdout is the count of tests, `fathom: N passed, M failed`.
pub fn test() -> Result<(), String> {
    let mut ledger = Ledger::default();
    ledger.step("packages", apt::install_missing);
    let ahead = Aside::begin(&["ahead"]);
    ledger.step("format", checks::format);
    ledger.step("lint", checks::lint);
    ledger.step("docs", checks::docs);
    ledger.step("graph", graph::check);
    ledger.step("build", tests::build);
    ledger.step("ahead", || ahead?.end(|_| ()));
    let mut count = Count::default();
    ledger.step("tests", || tests::run(&mut count));
    ledger.step("lab", || aside::run_lab(&mut count));
    // Nothing runs beside it: an I/O costs more instructions where other programs use the processor.
    ledger.step("instructions", checks::instructions);
    ledger.step("pts", standard::check);
    ledger.print();
    println!("fathom: {} passed, {} failed", count.passed, count.failed);
    ledger.verdict()
}

/// Builds what the lab needs: the program that ships, and the tests.
pub fn ahead() -> Result<(), String> {
    crate::lab::build()
}

/// Format, lint, graph and pure tests, for use while a change is made. Nothing begins before all that they need is there.
pub fn check() -> Result<(), String> {
    println!("== programs");
    apt::check_can_begin()?;
    let mut ledger = Ledger::default();
    ledger.step("format", checks::format);
    ledger.step("lint", checks::lint);
    ledger.step("graph", graph::check);
    let mut count = Count::default();
    ledger.step("pure tests", || tests::run_pure(&mut count));
    ledger.print();
    println!("fathom: {} passed, {} failed", count.passed, count.failed);
    ledger.verdict()
}

/// Only the fuzz targets.
pub fn fuzz(seconds: u64) -> Result<(), String> {
    fuzz::run(seconds)
}

/// Only the crate graph.
pub fn graph() -> Result<(), String> {
    graph::check()
}

/// Only the tests of SNIA PTS at their full length.
pub fn pts() -> Result<(), String> {
    standard::check()
}

/// Only the instructions per I/O.
pub fn instructions() -> Result<(), String> {
    checks::instructions()
}

/// The result of each step.
#[derive(Default)]
struct Ledger {
    entries: Vec<Entry>,
}

struct Entry {
    name: &'static str,
    seconds: f64,
    failure: Option<String>,
}

impl Ledger {
    fn step(&mut self, name: &'static str, act: impl FnOnce() -> Result<(), String>) {
        println!("\n== {name}");
        let begun = Instant::now();
        let failure = act().err();
        if let Some(failure) = &failure {
            eprintln!("{name} failed: {failure}");
        }
        self.entries.push(Entry { name, seconds: begun.elapsed().as_secs_f64(), failure });
    }

    fn print(&self) {
        println!();
        for entry in &self.entries {
            let word = if entry.failure.is_some() { "FAILED" } else { "ok" };
            println!("{:<12}{:>8.1} s  {word}", entry.name, entry.seconds);
        }
    }

    fn verdict(self) -> Result<(), String> {
        let failed = self.entries.iter().filter(|entry| entry.failure.is_some());
        let failed: Vec<_> = failed.map(|entry| entry.name).collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(format!("failed: {}", failed.join(", ")))
    }
}

#[cfg(test)]
mod ledger_tests {
    use super::*;

    #[test]
    fn a_failed_step_does_not_stop_the_next_and_is_not_forgotten() {
        let mut ledger = Ledger::default();
        let mut reached = false;
        ledger.step("first", || Err("broken".to_owned()));
        ledger.step("second", || {
            reached = true;
            Ok(())
        });
        assert!(reached);
        assert_eq!(ledger.verdict(), Err("failed: first".to_owned()));
    }
}
