//! Gives the readers of results of other programs any bytes. What must hold is in `checks`, because an ordinary test checks it too.
#![no_main]

#[path = "../checks/programs.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
