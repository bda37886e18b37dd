//! Reports which path fathom waits for when a look at it takes long.
//!
//! A file system that does not answer (a server that is gone, a FUSE daemon
//! that hangs) holds the process in the kernel, where no signal ends it. The
//! person then needs to know whose answer is missing.

use crate::notice::{Listener, Notice};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A look that takes longer is reported. A look at a disk takes milliseconds, and a
/// person who waits longer than this wants to know why.
const PATIENCE: Duration = Duration::from_secs(2);

/// The looks of one listener. Clones are the same.
#[derive(Clone)]
pub struct SlowLook {
    now: Arc<Mutex<Now>>,
    listener: Arc<dyn Listener>,
}

#[derive(Default)]
struct Now {
    /// The looks that have not ended; a later one is inside the earlier ones.
    looks: Vec<Look>,
    /// The number of the last look that began.
    number: u64,
    /// Whether a thread watches. It ends by itself when there is no look.
    is_watched: bool,
}

struct Look {
    number: u64,
    name: String,
    since: Instant,
    is_told: bool,
}

impl SlowLook {
    /// Reports to this listener.
    pub fn new(listener: Arc<dyn Listener>) -> Self {
        SlowLook { now: Arc::default(), listener }
    }

    /// Looks at a path.
    pub fn at<T>(&self, path: &Path, look: impl FnOnce() -> T) -> T {
        let _look = self.begin(path.display().to_string());
        look()
    }

    /// Looks whether a path is there, so that a file system that does not answer is
    /// reported now and not in a later step.
    pub fn touch(&self, path: &Path) {
        // The code that uses the path reports its errors.
        let _ = self.at(path, || std::fs::metadata(path));
    }

    /// Looks at several paths, or at the whole machine where there is none.
    pub fn at_all<T>(&self, paths: &[impl AsRef<Path>], look: impl FnOnce() -> T) -> T {
        let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
        let name = if names.is_empty() { "the disks of this machine".to_owned() } else { names.join(", ") };
        let _look = self.begin(name);
        look()
    }

    fn begin(&self, name: String) -> Ends<'_> {
        let mut now = self.lock();
        now.number += 1;
        let number = now.number;
        now.looks.push(Look { number, name, since: Instant::now(), is_told: false });
        if !now.is_watched {
            let watched = self.clone();
            let thread = std::thread::Builder::new().name("slow-look".to_owned());
            // Without a thread, slow looks are only not reported.
            now.is_watched = thread.spawn(move || watched.watch()).is_ok();
        }
        Ends { looks: self, number }
    }

    fn watch(&self) {
        loop {
            std::thread::sleep(PATIENCE / 2);
            let mut now = self.lock();
            if now.looks.is_empty() {
                now.is_watched = false;
                return;
            }
            let Some(look) = now.looks.last_mut() else { continue };
            if !look.is_told && look.since.elapsed() >= PATIENCE {
                look.is_told = true;
                self.listener.notice(Notice::Waiting(&look.name));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the look also when it panics.
struct Ends<'a> {
    looks: &'a SlowLook,
    number: u64,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.looks.lock().looks.retain(|look| look.number != self.number);
    }
}
