//! Says which path fathom waits for when a look at it takes long.
//!
//! A file system that does not answer (a server that is gone, a FUSE daemon
//! that hangs) holds the process in the kernel, where no signal ends it. The
//! person then needs to know whose answer is missing.

use crate::edge::say_at_once;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A look that takes longer is told. A person who waits begins to wonder after
/// about as long, and a look at a disk takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

static NOW: Mutex<Now> = Mutex::new(Now { looks: Vec::new(), number: 0, is_watched: false });

struct Now {
    /// What is looked at, one inside the other.
    looks: Vec<Look>,
    /// Of the last look that began.
    number: u64,
    /// A thread watches, and ends by itself when it finds nothing to watch.
    is_watched: bool,
}

struct Look {
    number: u64,
    name: String,
    since: Instant,
    is_told: bool,
}

/// Looks at a path.
pub fn at<T>(path: &Path, look: impl FnOnce() -> T) -> T {
    let _look = Ends(begin(path.display().to_string()));
    look()
}

/// Looks whether a path is there, so that what comes next answers at once, or
/// it is told now that it does not.
pub fn touch(path: &Path) {
    // Who uses the path tells what is wrong with it.
    let _ = at(path, || std::fs::metadata(path));
}

/// Looks at several paths, or at the whole machine where there is none.
pub fn at_all<T>(paths: &[impl AsRef<Path>], look: impl FnOnce() -> T) -> T {
    let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
    let name = if names.is_empty() { "the disks of this machine".to_owned() } else { names.join(", ") };
    let _look = Ends(begin(name));
    look()
}

fn begin(name: String) -> u64 {
    let mut now = now();
    now.number += 1;
    let number = now.number;
    now.looks.push(Look { number, name, since: Instant::now(), is_told: false });
    if !now.is_watched {
        // Without a thread nothing is told, which loses nothing.
        now.is_watched = std::thread::Builder::new().name("slow-look".to_owned()).spawn(watch).is_ok();
    }
    number
}

/// Ends the look also when it panics.
struct Ends(u64);

impl Drop for Ends {
    fn drop(&mut self) {
        now().looks.retain(|look| look.number != self.0);
    }
}

fn watch() {
    loop {
        std::thread::sleep(PATIENCE / 2);
        let mut now = now();
        if now.looks.is_empty() {
            now.is_watched = false;
            return;
        }
        let Some(look) = now.looks.last_mut() else { continue };
        if !look.is_told && look.since.elapsed() >= PATIENCE {
            look.is_told = true;
            say_at_once(&format!("still waiting for {}, which is slow or does not answer", look.name));
        }
    }
}

fn now() -> MutexGuard<'static, Now> {
    NOW.lock().unwrap_or_else(PoisonError::into_inner)
}
