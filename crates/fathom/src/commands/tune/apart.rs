//! The hidden command behind work on settings that may hang, and how it is
//! started.

use std::path::Path;
use std::process::Command;

use fathom_device::Root;
use fathom_tune::{Kernel, LimitedKernel, apart};

use super::failure::failure;
use super::guardian::SELF;
use crate::failure::{Exit, Failure};

/// The kernel of this machine. This program starts itself as another process for
/// work that may hang.
pub(super) const KERNEL: LimitedKernel = LimitedKernel { command };

fn command(journal: &Path) -> Command {
    let mut command = Command::new(SELF);
    command.args(["tune", "apart"]).arg(journal);
    command
}

pub(super) fn run(journal: &Path) -> Result<Exit, Failure> {
    let (tasks, mut answer) = (std::io::stdin().lock(), std::io::stdout().lock());
    apart::serve(&Root::live(), &Kernel, journal, tasks, &mut answer).map_err(failure)?;
    Ok(Exit::Ok)
}
