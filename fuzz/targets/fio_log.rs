//! Gives the readers of fio's logs and results any bytes. What must hold is in `checks`, because an ordinary test checks it too.
#![no_main]

#[path = "../checks/fio_log.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
