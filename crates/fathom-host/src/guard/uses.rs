//! The kernel's uses of files, as the guard knows them at a moment.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::kernel_use::KernelUse;
use crate::root::{Root, Unknown};

/// How old the answer may be: a job of ten thousand files opens them within a
/// second, and the kernel is not asked for each of them alone. Nobody attaches
/// a loop device and mounts it in this time.
const AGE_MAX: Duration = Duration::from_millis(2);

/// Asks for the uses and keeps the answer for a moment.
#[derive(Debug)]
pub(super) struct Uses {
    root: Root,
    seen: Mutex<Option<(Instant, Arc<Vec<KernelUse>>)>>,
}

impl Uses {
    pub fn new(root: Root) -> Self {
        Self { root, seen: Mutex::default() }
    }

    pub fn root(&self) -> &Root {
        &self.root
    }

    /// All uses of files on the machine, now.
    pub fn now(&self) -> Result<Arc<Vec<KernelUse>>, Unknown> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, uses)) = &*seen
            && at.elapsed() < AGE_MAX
        {
            return Ok(Arc::clone(uses));
        }
        let uses = Arc::new(KernelUse::all(&self.root)?);
        *seen = Some((Instant::now(), Arc::clone(&uses)));
        Ok(uses)
    }
}
