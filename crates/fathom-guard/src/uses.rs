//! The kernel's uses of files, as the guard knows them at a moment.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::changes::Changes;
use fathom_device::kernel_use::KernelUse;
use fathom_device::root::{Root, Unknown};

/// How long an answer is used before the kernel is asked again: a job of ten thousand files opens
/// them within a second, and the kernel is not asked for each of them alone. Nobody attaches a loop
/// device and mounts it in this time.
const AGE_MAX: Duration = Duration::from_millis(2);

/// How long an answer is used where the kernel says that nothing has changed. Asking for all uses
/// takes a millisecond or two where loop devices are attached. A change that the kernel does not
/// report is seen after this time.
const UNCHANGED_MAX: Duration = Duration::from_millis(20);

/// Asks for the uses and keeps the answer for a moment.
#[derive(Debug)]
pub(super) struct Uses {
    root: Root,
    seen: Mutex<Option<Seen>>,
}

#[derive(Debug)]
struct Seen {
    uses: Arc<Vec<KernelUse>>,
    /// Changes since it was asked for.
    changes: Option<Changes>,
    asked: Instant,
    /// When it was last known to be true.
    held: Instant,
}

impl Uses {
    pub fn new(root: Root) -> Self {
        Self { root, seen: Mutex::default() }
    }

    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Counts changes from before the uses are read, so that one that happens while they are read
    /// is seen. On a recorded machine the kernel reports no changes.
    fn changes_from_now(&self, seen: Option<Seen>) -> Option<Changes> {
        if let Some(mut changes) = seen.and_then(|seen| seen.changes) {
            changes.any();
            return Some(changes);
        }
        self.root.is_live().then(|| Changes::watch(&self.root))
    }

    pub fn now(&self) -> Result<Arc<Vec<KernelUse>>, Unknown> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = &mut *seen
            && seen.holds()
        {
            return Ok(Arc::clone(&seen.uses));
        }
        let changes = self.changes_from_now(seen.take());
        let asked = Instant::now();
        let uses = Arc::new(KernelUse::all(&self.root)?);
        *seen = Some(Seen { uses: Arc::clone(&uses), changes, asked, held: Instant::now() });
        Ok(uses)
    }
}

impl Seen {
    fn holds(&mut self) -> bool {
        if self.held.elapsed() < AGE_MAX {
            return true;
        }
        let now = Instant::now();
        let is_young = self.asked.elapsed() < UNCHANGED_MAX;
        let holds = is_young && self.changes.as_mut().is_some_and(|changes| !changes.any());
        self.held = if holds { now } else { self.held };
        holds
    }
}
