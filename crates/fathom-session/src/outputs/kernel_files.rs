//! Files that a loop device, swap or a mount uses. No output and no log replaces
//! them, and no option allows it.

use crate::exit::Exit;
use crate::failure::Failure;
use fathom_device::Root;
use fathom_guard::{GuardError, OutputGuard};
use std::fs::File;
use std::path::Path;

/// Knows the files that the kernel of this machine uses.
#[derive(Debug)]
pub struct KernelFiles(OutputGuard);

impl KernelFiles {
    /// The files of the machine on which the command runs: outputs are written there,
    /// even when the command examines a recorded machine.
    pub fn of_this_machine() -> Self {
        KernelFiles(OutputGuard::new(Root::live()))
    }

    /// Refuses the file that `pin` leads to, if the kernel uses it.
    ///
    /// # Errors
    /// [`Exit::Refused`], also if it cannot be found out whether the kernel uses it.
    pub fn refuse(&self, pin: &File, path: &Path) -> Result<(), Failure> {
        let refused =
            |e: GuardError| Failure::new(Exit::Refused, &e).hints(e.hints()).hint("or name another file");
        self.0.check(pin, path).map_err(refused)
    }
}
