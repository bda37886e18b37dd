//! The tests that need the virtual machine, on two machines at the same time: each of them keeps one processor busy.

use super::aside::Aside;
use super::tests::Count;
use crate::lab;

/// The test targets of the second machine: about half of the time.
const SECOND: [&str; 4] = ["purge", "tune", "machine", "reboot"];

/// Runs them in the lab and adds what they report to `count`.
pub fn run(count: &mut Count) -> Result<(), String> {
    let second = Aside::begin(&[&["lab"], &SECOND[..]].concat());
    let first = lab::run_all_but(&SECOND, count);
    let second = second.and_then(|aside| aside.end(|line| count.add(line)));
    lab::both(first, second)
}
