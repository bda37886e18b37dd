//! The steps of `cargo xtask test`.
//!
//! The cheapest come first. The machine of the lab runs beside steps that measure no time. Many of the
//! tests measure it, so they run alone.

mod apt;
mod docs;
mod format;
mod fuzz;
mod graph;
mod instructions;
mod lab;
mod ledger;
mod lint;
mod tests;

pub use self::apt::find_program;
use self::ledger::Ledger;
pub use self::tests::Count;

/// Runs every step, also after one has failed, so that one push shows all that is wrong.
///
/// The last line on stdout is the count of tests, `fathom: N passed, M failed`.
pub fn test(fuzz_seconds: u64) -> Result<(), String> {
    let mut ledger = Ledger::default();
    ledger.step("packages", apt::install_missing);
    ledger.step("format", format::check);
    ledger.step("lint", lint::check);
    ledger.step("docs", docs::check);
    ledger.step("graph", graph::check);
    let (mut count, mut machine) = (Count::default(), None);
    ledger.step("build lab", || lab::build(&mut machine));
    ledger.beside(
        "lab",
        |said| lab::run(machine, &mut count, said),
        |ledger| {
            ledger.step("instructions", instructions::check);
            ledger.step("fuzz", || fuzz::run(fuzz_seconds));
            ledger.step("build tests", tests::build);
        },
    );
    ledger.step("tests", || tests::run(&mut count));
    ledger.print();
    println!("fathom: {} passed, {} failed", count.passed, count.failed);
    ledger.verdict()
}

/// Format, lint, graph and pure tests, for use while a change is made.
pub fn check() -> Result<(), String> {
    let mut ledger = Ledger::default();
    ledger.step("format", format::check);
    ledger.step("lint", lint::check);
    ledger.step("graph", graph::check);
    let mut count = Count::default();
    ledger.step("pure tests", || tests::run_pure(&mut count));
    ledger.print();
    println!("fathom: {} passed, {} failed", count.passed, count.failed);
    ledger.verdict()
}

/// Only the fuzz target.
pub fn fuzz(seconds: u64) -> Result<(), String> {
    fuzz::run(seconds)
}

/// Only the crate graph.
pub fn graph() -> Result<(), String> {
    graph::check()
}

/// Only the instructions per I/O.
pub fn instructions() -> Result<(), String> {
    instructions::check()
}
