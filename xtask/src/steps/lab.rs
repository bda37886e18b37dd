//! The tests that need the virtual machine.

use super::tests::Count;
use crate::lab;

/// Runs them in the lab and adds what they report to `count`.
pub fn run(count: &mut Count) -> Result<(), String> {
    lab::run_all(count)
}
