//! The hidden command behind the guardian, and how it is started.

use std::path::Path;
use std::process::Command;

use fathom_host::Root;
use fathom_host::tune::Kernel;
use fathom_host::tune::guardian::watch;

use super::failure::failure;
use crate::failure::{Exit, Failure};

/// This very program, even if its file has been replaced since.
const SELF: &str = "/proc/self/exe";

/// How the guardian of a journal is started.
pub(super) fn command(journal: &Path) -> Command {
    let mut command = Command::new(SELF);
    command.args(["tune", "guardian"]).arg(journal);
    command
}

pub(super) fn run(journal: &Path) -> Result<Exit, Failure> {
    let (stdin, stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let undone = watch(&Root::live(), &Kernel, journal, stdin, stdout).map_err(failure)?;
    Ok(if undone.iter().any(|record| record.is_open()) { Exit::NotValid } else { Exit::Ok })
}
