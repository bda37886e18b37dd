//! The cost and the result of each step.

use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

/// The result of each step, in the order in which they ended.
#[derive(Default)]
pub struct Ledger {
    entries: Vec<Entry>,
}

struct Entry {
    name: &'static str,
    cost: Duration,
    failure: Option<String>,
}

impl Ledger {
    /// Runs a step.
    pub fn step(&mut self, name: &'static str, act: impl FnOnce() -> Result<(), String>) {
        println!("\n== {name}");
        let begun = Instant::now();
        let result = act();
        self.enter(name, begun.elapsed(), result);
    }

    /// Runs a step in a thread of its own while `others` run here, and waits for it. The step puts its
    /// lines into the list that it is given. They are printed when it has ended, so that they do not
    /// mix with the lines of the others.
    pub fn beside(
        &mut self,
        name: &'static str,
        act: impl FnOnce(&mut Vec<String>) -> Result<(), String> + Send,
        others: impl FnOnce(&mut Self),
    ) {
        let timed = || {
            let (begun, mut said) = (Instant::now(), Vec::new());
            let result = act(&mut said);
            (begun.elapsed(), result, said)
        };
        let (cost, result, said) = thread::scope(|scope| {
            let running = scope.spawn(timed);
            others(self);
            running.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        println!("\n== {name}");
        said.iter().for_each(|line| println!("{line}"));
        self.enter(name, cost, result);
    }

    fn enter(&mut self, name: &'static str, cost: Duration, result: Result<(), String>) {
        let failure = result.err();
        if let Some(failure) = &failure {
            eprintln!("{name} failed: {failure}");
        }
        self.entries.push(Entry { name, cost, failure });
    }

    /// Prints a line for each step.
    pub fn print(&self) {
        println!();
        for entry in &self.entries {
            let word = if entry.failure.is_some() { "FAILED" } else { "ok" };
            println!("{:<12}{:>8.1} s  {word}", entry.name, entry.cost.as_secs_f64());
        }
    }

    /// An error that names the failed steps, if there are any.
    pub fn verdict(self) -> Result<(), String> {
        let failed = self.entries.iter().filter(|entry| entry.failure.is_some());
        let failed: Vec<_> = failed.map(|entry| entry.name).collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(format!("failed: {}", failed.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

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

    /// Each of the two waits for the other, so the test hangs if one runs after the other.
    #[test]
    fn a_step_runs_beside_the_others_and_before_the_next() {
        let mut ledger = Ledger::default();
        let (tell, heard) = channel();
        let (answer, answered) = channel();
        ledger.beside(
            "beside",
            move |said| {
                said.push("a line".to_owned());
                tell.send(()).unwrap();
                answered.recv().unwrap();
                Err("broken".to_owned())
            },
            |ledger| {
                ledger.step("first", || {
                    heard.recv().unwrap();
                    answer.send(()).unwrap();
                    Err("broken too".to_owned())
                });
                ledger.step("second", || Ok(()));
            },
        );
        let names: Vec<_> = ledger.entries.iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["first", "second", "beside"]);
        assert_eq!(ledger.verdict(), Err("failed: first, beside".to_owned()));
    }
}
