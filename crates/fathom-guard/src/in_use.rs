//! Whether another fathom uses a target.
//!
//! fathom's own commands refuse such a target. Scripts for fio start several processes on one file on purpose, so `fathom fio`
//! warns instead. What another program has locked for itself stays refused at both.

use crate::error::{GuardError, who_uses};
use crate::judge::Door;
use crate::lock::{Access, Holder, TargetLock};
use crate::open::{Guard, GuardMessage};
use fathom_device::sys;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A job may have any number of files. After this many warnings, the next one says that there are more.
const WARNINGS_MAX: u32 = 4;

/// A lock that was not given; the process that has it is `None` where fathom cannot see it.
struct InUse(Option<Holder>);

impl Guard {
    /// Locks a file or device; `None` where it cannot be locked, where the lock of another program does not matter (a
    /// device is claimed before it is written, and reading harms nobody), and where a person was warned of it.
    ///
    /// # Errors
    /// [`GuardError::InUse`] where another fathom uses the target, or another program has locked a file that is to be written.
    pub(super) fn lock_target(
        &self,
        pin: &File,
        path: &Path,
        access: Access,
    ) -> Result<Option<Arc<TargetLock>>, GuardError> {
        match self.locked(pin, access) {
            Ok(lock) => Ok(lock),
            Err(InUse(by)) if self.shares_with(by.as_ref()) => {
                self.warn_of(path, access, by.as_ref());
                Ok(None)
            }
            Err(InUse(by)) => Err(GuardError::InUse { path: path.to_path_buf(), access, by }),
        }
    }

    /// An error if [`Guard::lock_target`] would refuse the target now. Nothing is locked and nobody is warned.
    pub(super) fn refuse_in_use(&self, pin: &File, path: &Path, access: Access) -> Result<(), GuardError> {
        match self.locked(pin, access) {
            Err(InUse(by)) if !self.shares_with(by.as_ref()) => {
                Err(GuardError::InUse { path: path.to_path_buf(), access, by })
            }
            _ => Ok(()),
        }
    }

    fn locked(&self, pin: &File, access: Access) -> Result<Option<Arc<TargetLock>>, InUse> {
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
        if counts { Err(InUse(by)) } else { Ok(None) }
    }

    /// Whether this door lets a target be used beside this process. One that cannot be seen may be a fathom of another
    /// container.
    fn shares_with(&self, by: Option<&Holder>) -> bool {
        self.door == Door::Fio && by.is_none_or(|by| by.is_fathom)
    }

    fn warn_of(&self, path: &Path, access: Access, by: Option<&Holder>) {
        let before = self.warned.fetch_add(1, Ordering::Relaxed);
        let who = who_uses(access, by);
        match before.cmp(&WARNINGS_MAX) {
            std::cmp::Ordering::Less => self.tell(GuardMessage::Warning(&format!(
                "{}: {who}, so each of the two changes the figures of the other",
                path.display()
            ))),
            std::cmp::Ordering::Equal => {
                self.tell(GuardMessage::Warning("other processes use further targets of this run as well"));
            }
            std::cmp::Ordering::Greater => {}
        }
    }
}
