//! The steps of `cargo xtask test`; the cheapest come first.

mod apt;
mod clients;
mod fuzz;
mod graph;
mod standard;
mod tests;

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::command::{cargo, cargo_once, run};
use crate::workspace::at;
use crate::{instructions as counted, lab, workspace};

pub use apt::find_program;
pub use tests::Count;

/// Runs every step, also after one has failed, so that one push shows all that is wrong.
///
/// The last line on stdout is the count of tests, `fathom: N passed, M failed`.
pub fn test() -> Result<(), String> {
    let mut ledger = Ledger::default();
    ledger.step("packages", apt::install_missing);
    ledger.step("clients", clients::install);
    let ahead = Aside::begin(&["ahead"]);
    ledger.step("format", format);
    ledger.step("graph", graph::check);
    ledger.step("build", tests::build);
    ledger.step("docs", docs);
    ledger.step("ahead", || ahead?.end(|_| ()));
    let mut count = Count::default();
    let mut pts = Err("it was not begun".to_owned());
    let run_pts = || pts = Aside::begin(&["pts"]).and_then(|aside| aside.end(|_| ()));
    ledger.step("tests", || tests::run(&mut count, run_pts));
    ledger.step("pts", || pts);
    ledger.step("lab", || run_lab(&mut count));
    // Nothing runs beside it: an I/O costs more instructions where other programs use the processor.
    ledger.step("instructions", count_instructions);
    ledger.print();
    println!("fathom: {} passed, {} failed", count.passed, count.failed);
    ledger.verdict()
}

/// Fetches what the lab needs.
pub fn ahead() -> Result<(), String> {
    crate::lab::fetch()
}

/// Format, lint, graph and pure tests, for use while a change is made. Nothing begins before all that they need is there.
pub fn check() -> Result<(), String> {
    println!("== programs");
    apt::check_can_begin()?;
    let mut ledger = Ledger::default();
    ledger.step("format", format);
    ledger.step("graph", graph::check);
    ledger.step("build", tests::build);
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

/// Only the packages, and the clients of fio that Debian does not have.
pub fn clients() -> Result<(), String> {
    apt::install_missing()?;
    clients::install()
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
    count_instructions()
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

// A task of this program that runs beside a step, as a process of its own.
//
// The kernel of the lab is fetched beside the build. A lab uses one processor, so a second lab runs beside it. SNIA PTS runs in virtual time on one processor, beside the tests that
// wait for what does not answer. Nothing runs beside other tests, because some of them depend on time. What the task printed is
// shown when it has ended.

/// A task that has begun.
pub struct Aside {
    child: Child,
    output: PathBuf,
}

impl Aside {
    /// Begins a task, which has these words.
    pub fn begin(task: &[&str]) -> Result<Aside, String> {
        let output = workspace::target().join(format!("aside-{}.log", task[0]));
        let failed = |e: std::io::Error| format!("{}: {e}", output.display());
        let file = File::create(&output).map_err(failed)?;
        // The tests build this program again, in the place of the file that runs.
        let program = workspace::target().join(format!("aside-{}", task[0]));
        std::fs::copy("/proc/self/exe", &program).map_err(at(&program))?;
        let mut command = Command::new(program);
        command.args(task).current_dir(workspace::root());
        command.stdin(Stdio::null()).stderr(file.try_clone().map_err(failed)?).stdout(file);
        let child = command.spawn().map_err(|e| format!("{}: {e}", task.join(" ")))?;
        Ok(Aside { child, output })
    }

    /// Waits for its end, shows what it said, and gives each line of it to `see`.
    pub fn end(mut self, see: impl FnMut(&str)) -> Result<(), String> {
        let status = self.child.wait().map_err(|e| format!("waiting for it: {e}"))?;
        let output = std::fs::read(&self.output).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        print!("{output}");
        output.lines().for_each(see);
        if status.success() { Ok(()) } else { Err(format!("{status}")) }
    }
}

/// The groups of tests of the two machines, about half of the time each. Those that take minutes run by hand: `cargo xtask lab`.
const MACHINES: [&[&str]; 2] =
    [&["guard", "array", "zones", "machine", "reboot"], &["purge", "tune", "passthrough"]];

/// Runs the tests that need the virtual machine, on two machines at the same time, and adds what they report to `count`.
pub fn run_lab(count: &mut Count) -> Result<(), String> {
    let [first, second] = MACHINES;
    let second = Aside::begin(&[&["lab"], second].concat());
    let first = lab::run_groups(first, count);
    let second = second.and_then(|aside| aside.end(|line| count.add(line)));
    lab::both(first, second)
}

// The steps that are one command each.

/// Fails where a file is not as `cargo fmt` would leave it.
pub fn format() -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Rustdoc over our crates with warnings as errors: links have targets.
pub fn docs() -> Result<(), String> {
    run(cargo_once(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
}

/// No I/O costs more instructions than `benches/instructions.json` says.
pub fn count_instructions() -> Result<(), String> {
    counted::check(&workspace::build_fathom()?)
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
