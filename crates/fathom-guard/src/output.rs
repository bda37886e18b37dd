//! Files that a command replaces or empties although they are not targets: outputs and logs.

use std::fs::File;
use std::path::Path;

use crate::error::GuardError;
use crate::standing::refuse_used_by_kernel;
use crate::uses::Uses;
use fathom_device::root::Root;

/// Says whether the kernel uses a file. Replacing the backing file of a loop device removes its
/// name, and emptying it removes its contents: either way the file system on it is lost.
#[derive(Debug)]
pub struct OutputGuard {
    uses: Uses,
}

impl OutputGuard {
    /// For files on the machine at `root`.
    pub fn new(root: Root) -> Self {
        Self { uses: Uses::new(root) }
    }

    /// Refuses a file that a loop device, swap or a mount uses. `file` may be a descriptor that was
    /// opened with `O_PATH`.
    ///
    /// # Errors
    /// [`GuardError::Refused`] with what uses the file, and [`GuardError::CannotTell`] or
    /// [`GuardError::Io`] where the kernel does not say. No consent outweighs any of them.
    pub fn check(&self, file: &File, path: &Path) -> Result<(), GuardError> {
        // What fathom replaces as an output is an output of an earlier run.
        refuse_used_by_kernel(&self.uses, file, path, true).map(|_| ())
    }
}
