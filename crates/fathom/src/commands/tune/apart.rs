//! The hidden command behind work on settings that may hang, and how it is
//! started.

use std::path::Path;
use std::process::Command;

use fathom_host::Root;
use fathom_host::tune::{Kernel, LimitedKernel, Task, apart};

use super::failure::failure;
use super::guardian::SELF;
use crate::failure::{Exit, Failure};

/// The kernel of this machine. What may hang is done by this very program as a
/// process of its own.
pub(super) const KERNEL: LimitedKernel = LimitedKernel { command };

fn command(journal: &Path, task: Task) -> Command {
    let mut command = Command::new(SELF);
    command.args(["tune", "apart"]).arg(journal).arg(task.to_string());
    command
}

pub(super) fn run(journal: &Path, task: Task) -> Result<Exit, Failure> {
    let mut answer = std::io::stdout().lock();
    apart::carry_out(&Root::live(), &Kernel, journal, task, &mut answer).map_err(failure)?;
    Ok(Exit::Ok)
}
