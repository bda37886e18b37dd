//! Reports which path fathom waits for when a look at it takes long.
//!
//! A file system that does not answer (a server that is gone, a FUSE daemon
//! that hangs) holds the process in the kernel, where no signal ends it. The
//! person then needs to know whose answer is missing.
//!
//! What happens before the first I/O of a run is such a look too. Most of these looks have a limit, after which the run
//! cannot begin; and a signal ends the process during each of them, which [`SlowLook::waits`] is for.

use crate::notice::{Listener, Notice};
use fathom_engine::runner::Patience;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A look that takes longer is reported. A look at a disk takes milliseconds, and a
/// person who waits longer than this wants to know why.
pub(crate) const TOLD_AFTER: Duration = Duration::from_secs(2);

/// The looks of one listener. Clones are the same.
#[derive(Clone)]
pub struct SlowLook {
    now: Arc<Mutex<Now>>,
    listener: Arc<dyn Listener>,
}

/// How long a look with a limit may take, unless it is said: as long as an I/O of a run.
const LIMIT: Duration = Patience::USUAL.give_up_after.unwrap();

struct Now {
    /// How long a look with a limit may take; `None` without a limit.
    limit: Option<Duration>,
    /// The looks that have not ended; a later one is inside the earlier ones.
    looks: Vec<Look>,
    /// The number of the last look that began.
    number: u64,
    /// Whether a thread watches. It ends by itself when there is no look.
    is_watched: bool,
}

impl Default for Now {
    fn default() -> Self {
        Now { limit: Some(LIMIT), looks: Vec::new(), number: 0, is_watched: false }
    }
}

struct Look {
    number: u64,
    name: String,
    has_limit: bool,
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
        let _look = self.begin(path.display().to_string(), false);
        look()
    }

    /// Sets how long a look with a limit may take; `None` for without a limit.
    pub fn gives_up_after(&self, limit: Option<Duration>) {
        self.lock().limit = limit;
    }

    /// The path whose look has held up this process for that long since this moment.
    pub fn waits(&self, since: Instant, for_that_long: Duration) -> Option<String> {
        let now = self.lock();
        let last = now.looks.last()?;
        (last.since.max(since).elapsed() >= for_that_long).then(|| last.name.clone())
    }

    /// Looks whether a path is there, so that a file system that does not answer is
    /// reported now and not in a later step.
    pub fn touch(&self, path: &Path) {
        // The code that uses the path reports its errors.
        let _ = self.at(path, || std::fs::metadata(path));
    }

    /// Looks at several paths, or at the whole machine where there is none.
    pub fn at_all<T>(&self, paths: &[impl AsRef<Path>], look: impl FnOnce() -> T) -> T {
        let _look = self.begin(named(paths), false);
        look()
    }

    /// The same with a limit, for what a run does before its first I/O.
    pub fn at_all_within_limit<T>(&self, paths: &[impl AsRef<Path>], look: impl FnOnce() -> T) -> T {
        let _look = self.begin(named(paths), true);
        look()
    }

    fn begin(&self, name: String, has_limit: bool) -> Ends<'_> {
        let mut now = self.lock();
        now.number += 1;
        let number = now.number;
        now.looks.push(Look { number, name, has_limit, since: Instant::now(), is_told: false });
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
            std::thread::sleep(TOLD_AFTER / 2);
            let mut now = self.lock();
            if now.looks.is_empty() {
                now.is_watched = false;
                return;
            }
            let limit = now.limit;
            let Some(look) = now.looks.last_mut() else { continue };
            if let Some(limit) = limit.filter(|limit| look.has_limit && look.since.elapsed() >= *limit) {
                // It is told once, also if the listener does not end the process.
                look.has_limit = false;
                self.listener.notice(Notice::NoAnswer { from: &look.name, within: limit });
            }
            if !look.is_told && look.since.elapsed() >= TOLD_AFTER {
                look.is_told = true;
                self.listener.notice(Notice::Waiting(&look.name));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is looked at.
fn named(paths: &[impl AsRef<Path>]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
    if names.is_empty() { "the disks of this machine".to_owned() } else { names.join(", ") }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// Passes on what is reported.
    struct Told(Mutex<Sender<String>>);

    impl Listener for Told {
        fn notice(&self, notice: Notice<'_>) {
            let text = match notice {
                Notice::Waiting(name) => format!("waiting for {name}"),
                Notice::NoAnswer { from, .. } => format!("no answer from {from}"),
                _ => return,
            };
            let _ = self.0.lock().unwrap().send(text);
        }
    }

    #[test]
    fn a_look_that_takes_long_is_told_and_one_before_a_run_is_given_up() {
        let (told, is_told) = channel();
        let looks = SlowLook::new(Arc::new(Told(Mutex::new(told))));
        looks.gives_up_after(Some(Duration::ZERO));
        let began = Instant::now();
        // Each look ends when what it waits for was reported.
        looks.at(Path::new("/mnt/a"), || {
            assert_eq!(is_told.recv().unwrap(), "waiting for /mnt/a");
            assert_eq!(looks.waits(began, TOLD_AFTER / 2).as_deref(), Some("/mnt/a"));
            assert_eq!(looks.waits(Instant::now(), Duration::from_secs(3600)), None);
        });
        assert_eq!(looks.waits(began, Duration::ZERO), None, "it has ended");
        looks.at_all_within_limit(&["/dev/a", "/dev/b"], || {
            assert_eq!(is_told.recv().unwrap(), "no answer from /dev/a, /dev/b");
        });
    }
}
