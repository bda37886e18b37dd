//! Whether another fathom uses a target.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::access::Access;
use crate::error::GuardError;
use crate::holder::Holder;
use crate::lock::TargetLock;
use crate::open::Guard;
use fathom_device::sys;

impl Guard {
    /// Locks a file or device; `None` where it cannot be locked, and where the lock of another program does not matter: a
    /// device is claimed before it is written, and reading harms nobody.
    ///
    /// # Errors
    /// [`GuardError::InUse`] where another fathom uses the target, or another program has locked a file that is to be written.
    pub(super) fn lock_target(
        &self,
        pin: &File,
        path: &Path,
        access: Access,
    ) -> Result<Option<Arc<TargetLock>>, GuardError> {
        // Where the target cannot be opened, the code that opens it next reports why.
        let Ok(reader) = sys::reopen(pin, libc::O_NONBLOCK) else { return Ok(None) };
        let is_file = reader.metadata().is_ok_and(|meta| meta.is_file());
        let refused = match TargetLock::take(reader, access) {
            Ok(lock) => return Ok(lock),
            Err(refused) => refused,
        };
        let by = Holder::of(&self.root, &refused);
        let counts = match &by {
            Some(by) => by.pid != std::process::id() && (by.is_fathom || is_file && access == Access::Write),
            None => is_file && access == Access::Write,
        };
        match counts {
            true => Err(GuardError::InUse { path: path.to_path_buf(), access, by }),
            false => Ok(None),
        }
    }
}
