//! The hidden command behind work on settings that may hang, and how it is
//! started.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use fathom_device::Root;
use fathom_tune::{ApplyOptions, Kernel, LimitedKernel, TunePlan, child};

use super::failure::failure;
use super::guardian::{self, SELF};
use crate::failure::{Exit, Failure};

/// The kernel of this machine. This program starts itself as another process for
/// work that may hang.
pub(super) const KERNEL: LimitedKernel = LimitedKernel { command };

/// A plan in force as its own hash says; what is not named here differs from command to command.
pub(super) fn options(plan: &TunePlan, named: Vec<String>, dir: PathBuf) -> ApplyOptions<'static> {
    ApplyOptions {
        hash: plan.hash.clone(),
        named,
        dir,
        writer: Arc::new(KERNEL),
        guardian: Some(&guardian::command),
        holds: false,
        all_or_nothing: false,
    }
}

fn command(journal: &Path) -> Command {
    let mut command = Command::new(SELF);
    command.args(["tune", "apart"]).arg(journal);
    command
}

pub(super) fn run(journal: &Path) -> Result<Exit, Failure> {
    let (tasks, mut answer) = (std::io::stdin().lock(), std::io::stdout().lock());
    child::serve(&Root::live(), &Kernel, journal, tasks, &mut answer).map_err(failure)?;
    Ok(Exit::Ok)
}
