//! A shell on the machine, to examine it.

use crate::command::run;

use super::{Choice, prepare};

/// Switches the machine on with the terminal as its console.
pub fn open(choice: &Choice) -> Result<(), String> {
    let machine = prepare(choice)?;
    println!("Ctrl-A X switches the machine off, Ctrl-A C changes to the emulator's monitor");
    run(&mut machine.command("mon:stdio", "lab.shell"))
}
