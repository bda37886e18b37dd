//! File systems that a procedure makes and mounts. What is mounted is unmounted at the latest when the
//! driver ends.

use super::driver::Driver;
use crate::exit::Failure;
use fathom_guard::FileSystemError;
use fathom_results::procedure::{Preparation, StepDone, StepRecord};
use fathom_text::carried::to_path;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl Driver<'_> {
    /// Makes a file system on a device.
    pub(super) fn make_file_system(&mut self, device: &str, kind: &str) -> Result<String, Failure> {
        self.release();
        let (root, consent) = (self.base.here().root(), self.terms.consent.clone());
        fathom_guard::make_file_system(root, consent, &to_path(device), kind)
            .map_err(|e| filesystem_failure(&e))?;
        Ok(format!("the device holds an empty {kind}"))
    }

    /// Mounts a device.
    pub(super) fn mount(&mut self, device: &str, kind: &str, at: &str) -> Result<String, Failure> {
        self.release();
        let (root, consent, at) = (self.base.here().root(), self.terms.consent.clone(), to_path(at));
        fathom_guard::mount(root, consent, &to_path(device), kind, &at)
            .map_err(|e| filesystem_failure(&e))?;
        self.mounts.push(at);
        Ok("it is mounted".to_owned())
    }

    /// Unmounts what was mounted on a directory.
    pub(super) fn unmount(&mut self, at: &Path) -> Result<(), Failure> {
        // The guard holds files of the file system.
        self.release();
        fathom_guard::unmount(at).map_err(|e| filesystem_failure(&e))?;
        self.mounts.retain(|mounted| mounted != at);
        Ok(())
    }

    /// Unmounts everything that the procedure mounted, the last first.
    pub(super) fn unmount_all(&mut self) -> Result<(), Failure> {
        let mounts: Vec<PathBuf> = self.mounts.iter().rev().cloned().collect();
        mounts.iter().try_for_each(|at| self.unmount(at))
    }

    /// Mounts what the history has mounted and a reboot has taken away.
    pub(super) fn mount_again(&mut self) -> Result<(), Failure> {
        for (device, kind, at) in mounted(&self.steps) {
            match is_mounted(&to_path(&at)) {
                true => self.mounts.push(to_path(&at)),
                false => drop(self.mount(&device, &kind, &at)?),
            }
        }
        Ok(())
    }
}

/// Device, kind and directory of each mount that these steps leave, in order.
fn mounted(steps: &[StepRecord]) -> Vec<(String, String, String)> {
    let mut left: Vec<(String, String, String)> = Vec::new();
    for step in steps {
        if let StepDone::Prepared { preparation: Preparation::Mount { device, kind, at, mounted }, .. } =
            &step.did
        {
            left.retain(|(_, _, known)| known != at);
            if *mounted {
                left.push((device.clone(), kind.clone(), at.clone()));
            }
        }
    }
    left
}

/// Is something mounted on this directory?
fn is_mounted(at: &Path) -> bool {
    let device = |path: &Path| std::fs::metadata(path).map(|meta| meta.dev()).ok();
    device(at).is_some() && device(at) != device(&at.join(".."))
}

/// Why a file system was not made or mounted, as a command ends with it.
pub fn filesystem_failure(e: &FileSystemError) -> Failure {
    let lacks_consent = matches!(e, FileSystemError::Guard(guard) if guard.lacks_consent());
    Failure::of(e, e.is_refusal(), e.is_usage()).hints(e.hints()).lacking_consent(lacks_consent)
}
