//! Whether nothing else uses a target.
//!
//! The uses of a target are judged when it is admitted. A loop device, swap or mount that appears
//! later is found by a further look: before every opening for writing, and when a run asks.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::admitted::{Admitted, AdmittedKind};
use crate::finding::Finding;
use crate::standing::{Doubt, of_others, on_device, on_file};
use crate::uses::{List, Uses};
use fathom_device::kernel_use::KernelUse;

/// The uses of files that are known not to be uses of the target.
#[derive(Debug)]
pub(super) struct Alone {
    uses: Arc<Uses>,
    cleared: Mutex<List>,
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Only at uses of files that are new.
    New,
    /// Also at the mounts of devices.
    All,
}

impl Alone {
    /// `cleared` are the uses that were read before the target was judged or created.
    pub fn new(uses: Arc<Uses>, cleared: List) -> Self {
        Self { uses, cleared: Mutex::new(cleared) }
    }

    /// Which uses have become uses of the target, of which `file` is a descriptor.
    pub fn since(&self, target: &Admitted, file: &File) -> io::Result<Vec<Finding>> {
        let uses = match target.kind {
            AdmittedKind::File { .. } => self.uses.of_file(file),
            _ => self.uses.now(),
        };
        let found = self.among(target, &uses.map_err(io::Error::other)?, Look::New)?;
        if found.is_empty() {
            return Ok(found);
        }
        // What was found may have ended.
        self.among(target, &self.uses.now().map_err(io::Error::other)?, Look::New)
    }

    /// Which of these uses are uses of the target.
    pub fn among(&self, target: &Admitted, now: &List, look: Look) -> io::Result<Vec<Finding>> {
        let cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_new = |by: &&KernelUse| !cleared.iter().any(|known| by.is_still(known));
        let new: Vec<KernelUse> = now.iter().filter(is_new).cloned().collect();
        let found = match &target.kind {
            AdmittedKind::File { created, is_ours } if !new.is_empty() => {
                let doubt = if *created { Doubt::IsDropped } else { Doubt::Counts };
                let found = on_file(self.uses.root(), &*target.hold()?, &target.path, &new, doubt)?;
                of_others(found, *is_ours)
            }
            AdmittedKind::Block(Some(identity)) if !new.is_empty() || look == Look::All => {
                on_device(self.uses.root(), identity.dev).map_err(io::Error::other)?
            }
            _ => Vec::new(),
        };
        if found.is_empty() {
            *self.cleared.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(now);
        }
        Ok(found)
    }
}
