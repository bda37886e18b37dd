//! Gives the reader of job files any bytes. What must hold is in `checks`, because an ordinary test checks it too.
#![no_main]

#[path = "../checks/job_file.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
