//! The hidden command behind the guardian, and how it is started.

use std::os::fd::AsFd;
use std::path::Path;
use std::process::Command;

use fathom_device::Root;
use fathom_tune::guardian::watch;

use super::failure::failure;
use super::watched_process::KERNEL;
use crate::failure::{Exit, Failure};

/// This very program, even if its file has been replaced since.
pub(super) const SELF: &str = "/proc/self/exe";

/// How the guardian of a journal is started.
pub(super) fn command(journal: &Path) -> Command {
    let mut command = Command::new(SELF);
    command.args(["tune", "guardian"]).arg(journal);
    command
}

pub(super) fn run(journal: &Path) -> Result<Exit, Failure> {
    let cannot =
        |e| Failure::new(Exit::Failed, format!("cannot guard the journal {}: {e}", journal.display()));
    let stream = std::io::stdin().as_fd().try_clone_to_owned().map_err(cannot)?;
    let lock = std::io::stdout().as_fd().try_clone_to_owned().map_err(cannot)?;
    let undone = watch(&Root::live(), &KERNEL, journal, stream.into(), lock.into()).map_err(failure)?;
    Ok(if undone.iter().any(|record| record.is_open()) { Exit::NotValid } else { Exit::Ok })
}
