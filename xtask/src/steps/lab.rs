//! The tests that need the virtual machine.

use super::tests::Count;
use crate::lab::{self, Machine};

/// Builds fathom as it is released, the lab's tests, and the machine that `run` switches on.
pub fn build(machine: &mut Option<Machine>) -> Result<(), String> {
    *machine = Some(lab::build_all()?);
    Ok(())
}

/// Runs the tests, adds what they report to `count`, and the lines of the console to `said`. If there
/// is no machine, they have failed.
pub fn run(machine: Option<Machine>, count: &mut Count, said: &mut Vec<String>) -> Result<(), String> {
    lab::run_all(machine, count, |line| said.push(line.to_owned()))
}
