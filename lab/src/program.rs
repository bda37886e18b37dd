//! Programs that tests call.

use std::process::{Command, Stdio};

use crate::assert_lab;

/// How a program ended and what it printed.
#[derive(Debug)]
pub struct Run {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a program that must succeed; returns its stdout, trimmed.
#[track_caller]
pub fn sh(words: &[&str]) -> String {
    let run = try_sh(words);
    assert_eq!(run.code, Some(0), "{words:?}\n{}{}", run.stdout, run.stderr);
    run.stdout.trim().to_owned()
}

/// Runs a program that may fail.
#[track_caller]
pub fn try_sh(words: &[&str]) -> Run {
    assert_lab();
    let output = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|e| panic!("{}: {e}", words[0]));
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Exit codes of a test of SNIA PTS that measured all its rounds: with steady state, and without. An emulated drive and times
/// that are cut decide which.
pub const MEASURED: &[i32] = &[0, 5];

/// Runs fathom as it is released.
#[track_caller]
pub fn fathom(words: &[&str]) -> Run {
    let words: Vec<&str> = std::iter::once("fathom").chain(words.iter().copied()).collect();
    try_sh(&words)
}
