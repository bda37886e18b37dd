//! Short runs in all forms of fio at once, with a line of log for each I/O: every figure is one number.

use crate::support::text;
use std::process::Command;

/// By hand the script makes 500 runs with all engines.
#[test]
fn a_figure_of_a_run_is_one_number_in_every_form() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/verify/formats-agree.py");
    let words = ["--fathom", env!("CARGO_BIN_EXE_fathom"), "--runs", "25", "--engine", "null"];
    let output = Command::new("python3").arg(script).args(words).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}
