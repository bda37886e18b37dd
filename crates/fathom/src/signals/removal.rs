//! What a signal removes before it ends fathom.

use super::watches::{Watches, unwatched, watches};
use super::{ending, exit};
use fathom_session::bundle::remove;
use signal_hook::iterator::Signals as SignalIterator;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A temporary file or directory that a signal removes, before it ends fathom; ends when dropped. While a run is watched, a
/// signal ends that run, and this stays.
#[derive(Debug)]
pub struct RemovedAtSignal {
    path: PathBuf,
}

/// How often a directory is removed into which files are still written.
const REMOVALS_MAX: u32 = 100;

impl RemovedAtSignal {
    /// Makes what has this path. A signal that comes meanwhile waits. Where no thread can be started, a signal leaves it.
    pub fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<(T, Self), E> {
        let is_watched = is_watched();
        let mut watches = watches();
        if is_watched {
            watches.defer();
        }
        let made = make().inspect_err(|_| watches.changed())?;
        let path = path(&made).to_owned();
        if is_watched {
            watches.removed.push(path.clone());
        }
        Ok((made, RemovedAtSignal { path }))
    }
}

impl Drop for RemovedAtSignal {
    fn drop(&mut self) {
        let mut watches = watches();
        watches.removed.retain(|path| *path != self.path);
        watches.changed();
    }
}

/// Starts the thread that removes, once.
fn is_watched() -> bool {
    static WATCHED: OnceLock<bool> = OnceLock::new();
    *WATCHED.get_or_init(|| {
        let (Ok(_), Ok(mut signals)) = (unwatched(), SignalIterator::new(ending())) else { return false };
        let watch = move || signals.forever().for_each(removed_by);
        std::thread::Builder::new().name("removal".to_owned()).spawn(watch).is_ok()
    })
}

/// Removes everything, and ends fathom. Nothing is made meanwhile.
fn removed_by(signal: i32) {
    let watches = watches();
    // Where nothing is left to remove, the signal came before that, and would be lost.
    if !watches.is_of_a_run() {
        remove_all(&watches);
        std::process::exit(exit(signal) as i32);
    }
}

/// Removes everything that is registered.
pub(super) fn remove_all(watches: &Watches) {
    for path in &watches.removed {
        let is_removed = || std::fs::remove_file(path).or_else(|_| remove(path)).is_ok();
        let _ = (0..REMOVALS_MAX).any(|_| is_removed() || !path.exists());
    }
}
