//! Takes a stack down again, last step first, even if the test fails.

use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::World;
use crate::kernel::mount::unmount;
use crate::model::{DeviceId, OURS};

/// What has to be undone, by its number in the model.
#[derive(Clone, Copy)]
pub enum Undo {
    Mount(usize),
    Loop(DeviceId),
    Swap(usize),
}

/// How long something may stay busy that the kernel releases in the background.
const PATIENCE: Duration = Duration::from_secs(10);

impl World<'_> {
    /// Takes everything down. On the way it checks what was in use when [`World::witness`] was
    /// called, and says what is not as it should be.
    pub fn take_down(&mut self) -> Vec<String> {
        let mut wrong = Vec::new();
        self.spaces.clear();
        for mount in self.model.mounts.iter_mut().filter(|mount| mount.space != OURS) {
            mount.gone = true;
        }
        self.held.clear();
        self.model.held.clear();
        while let Some(undo) = self.undo.pop() {
            wrong.extend(self.undo_one(undo).err().map(|e| e.to_string()));
        }
        wrong
    }

    fn undo_one(&mut self, undo: Undo) -> io::Result<()> {
        match undo {
            Undo::Mount(at) if !self.model.mounts[at].gone => self.undo_mount(at),
            Undo::Swap(at) if self.model.swaps[at].active => self.swap_off(at),
            Undo::Loop(device) if self.model.device(device).attached => {
                let checked = self.check_at_rest(device);
                let attached = self.loops.remove(&device).expect("an attached device is ours");
                self.forget_btrfs(device);
                self.forget(device);
                attached.detach().and(checked)
            }
            _ => Ok(()),
        }
    }

    fn undo_mount(&mut self, at: usize) -> io::Result<()> {
        let point = self.model.mounts[at].point.clone();
        self.model.mounts[at].gone = true;
        unmount_soon(&point)
    }
}

/// Unmounts as soon as nobody uses the mount any more; after too long a time, unmounts lazily.
fn unmount_soon(point: &Path) -> io::Result<()> {
    patiently(|| unmount(point, 0)).or_else(|error| {
        unmount(point, libc::MNT_DETACH)?;
        Err(io::Error::other(format!("umount {point:?}: {error}")))
    })
}

/// Tries again while the answer is "busy".
pub fn patiently<T>(act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let begun = Instant::now();
    loop {
        match act() {
            Err(e) if e.kind() == io::ErrorKind::ResourceBusy && begun.elapsed() < PATIENCE => {
                sleep(Duration::from_millis(2));
            }
            done => return done,
        }
    }
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        self.take_down();
        let _ = unmount(self.base(), libc::MNT_DETACH);
    }
}
