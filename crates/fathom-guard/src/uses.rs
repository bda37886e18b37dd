//! The kernel's uses of files, as the guard knows them at a moment.
//!
//! A job may open a hundred thousand files, and to ask the kernel for all uses takes up to several
//! milliseconds. So the last answer is kept. No time is short enough to trust it before a write:
//! losetup(8) attaches a loop device within about a millisecond. It is used again
//!
//! * if the kernel's tables show that nothing has changed since it was given ([`Changes`]);
//! * for 20 ms, for a file that nobody else has open, because then nothing on this machine uses it.
//!   Only a use through a network file system that this machine serves to itself is then seen later.

use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::changes::Changes;
use fathom_device::kernel_use::KernelUse;
use fathom_device::root::{Root, Unknown};
use fathom_device::same_file::has_one_opener;
use fathom_device::sys;

/// How old an answer may be that is used without a look for changes.
const EARLIER_MAX: Duration = Duration::from_millis(20);

/// Every use of any file.
pub(super) type List = Arc<Vec<KernelUse>>;

/// Asks for the uses and keeps the answer.
#[derive(Debug)]
pub(super) struct Uses {
    root: Root,
    last: Mutex<Option<Answer>>,
}

#[derive(Debug)]
struct Answer {
    uses: List,
    /// Changes since before it was asked for. On a recorded machine the kernel reports no changes.
    changes: Option<Changes>,
    /// The answer was true then or later.
    held: Instant,
}

impl Uses {
    pub fn new(root: Root) -> Self {
        Self { root, last: Mutex::default() }
    }

    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Every use that has begun before this call and has not ended.
    pub fn now(&self) -> Result<List, Unknown> {
        self.answer(&mut self.last())
    }

    /// The uses at some moment in the last 20 ms.
    pub fn earlier(&self) -> Result<List, Unknown> {
        let mut seen = self.last();
        match &*seen {
            Some(seen) if seen.held.elapsed() < EARLIER_MAX => Ok(Arc::clone(&seen.uses)),
            _ => self.answer(&mut seen),
        }
    }

    /// The uses among which those of an open file are, if it has any. A use that has ended may be
    /// among them.
    pub fn of_file(&self, file: &File) -> Result<List, Unknown> {
        match has_one_opener(file) {
            true => self.earlier(),
            false => self.now(),
        }
    }

    /// The same for a descriptor that was opened with `O_PATH`. Only a regular file is opened.
    pub fn of_pin(&self, pin: &File) -> Result<List, Unknown> {
        let is_file = pin.metadata().is_ok_and(|meta| meta.is_file());
        let reader = is_file.then(|| sys::reopen(pin, libc::O_NONBLOCK).ok()).flatten();
        match reader {
            Some(reader) => self.of_file(&reader),
            None => self.now(),
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<Answer>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What changes while the uses are read is counted as a change since then. After an error
    /// nothing is kept, so the next call asks again.
    fn answer(&self, seen: &mut Option<Answer>) -> Result<List, Unknown> {
        let held = Instant::now();
        let mut changes = match seen.take() {
            Some(Answer { uses, changes: Some(mut changes), .. }) => {
                if !changes.any() {
                    *seen = Some(Answer { uses: Arc::clone(&uses), changes: Some(changes), held });
                    return Ok(uses);
                }
                Some(changes)
            }
            _ => None,
        };
        if changes.is_none() && self.root.is_live() {
            changes = Some(Changes::watch(&self.root));
        }
        let uses = Arc::new(KernelUse::all(&self.root)?);
        *seen = Some(Answer { uses: Arc::clone(&uses), changes, held });
        Ok(uses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_answer_is_never_trusted_for_its_age_alone() {
        let machine = tempfile::tempdir().unwrap();
        let dir = machine.path().join("sys/block/loop0");
        fs::create_dir_all(dir.join("loop")).unwrap();
        fs::write(dir.join("dev"), "7:0").unwrap();
        let uses = Uses::new(Root::recorded(machine.path()));
        assert_eq!(uses.now().unwrap().len(), 0);
        fs::write(dir.join("loop/backing_file"), "/a").unwrap();
        assert_eq!(uses.now().unwrap().len(), 1);
    }

    #[test]
    fn an_answer_is_kept_while_nothing_changes() {
        let uses = Uses::new(Root::live());
        let kept = |uses: &Uses| Arc::ptr_eq(&uses.now().unwrap(), &uses.now().unwrap());
        // Other programs may attach and mount meanwhile.
        assert!((0..1_000).any(|_| kept(&uses)));
    }
}
