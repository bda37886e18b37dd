//! What the threads of the live page share: where the result is, the newest state of the page, who reads it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most connections at once. Another one is refused: each has a thread.
const CONNECTIONS_MAX: usize = 16;

/// What is shared.
#[derive(Debug)]
pub struct Shared {
    /// The port on which it listens.
    pub port: u16,
    /// The first part of each path.
    pub token: String,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    dir: Option<PathBuf>,
    /// The newest state of the page, as an event.
    event: Arc<str>,
    /// Which state that is; 0 before the first one.
    number: u64,
    connections: usize,
    /// Connections that gave the token and receive the states. No page is made for others, and the end of the command does not wait for them.
    readers: usize,
    is_over: bool,
    /// The last state is there.
    is_last: bool,
}

/// A state of the page that is to be made.
#[derive(Debug)]
pub struct Wanted {
    /// Where the result is.
    pub dir: PathBuf,
    /// It is the last one.
    pub is_over: bool,
}

/// What a reader gets next.
#[derive(Debug)]
pub enum Next {
    /// A state, and its number.
    State(Arc<str>, u64),
    /// No more.
    Over,
    /// Nothing for a while.
    Nothing,
}

/// A connection, until it is dropped.
#[derive(Debug)]
pub struct Connection<'a> {
    shared: &'a Shared,
    reads: bool,
}

impl State {
    /// No state will follow: the last one is there, or nothing was saved of which one could be made.
    fn has_last(&self) -> bool {
        self.is_last || self.is_over && self.dir.is_none()
    }
}

impl Shared {
    /// Nothing yet.
    pub fn new(port: u16, token: String) -> Shared {
        Shared { port, token, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result is saved in this directory.
    pub fn saves_in(&self, dir: &Path) {
        self.lock().dir = Some(dir.to_owned());
        self.changed.notify_all();
    }

    /// Another connection, if there may be one more.
    pub fn connection(&self) -> Option<Connection<'_>> {
        let mut state = self.lock();
        if state.connections >= CONNECTIONS_MAX {
            return None;
        }
        state.connections += 1;
        Some(Connection { shared: self, reads: false })
    }

    /// Waits until somebody reads and `next` has passed, or the command has ended; `None` when no state is wanted any more.
    pub fn wait_until(&self, next: Instant) -> Option<Wanted> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let is_time = state.readers > 0 && now >= next;
            if state.has_last() {
                return None;
            }
            if let Some(dir) = state.dir.clone().filter(|_| state.is_over || is_time) {
                return Some(Wanted { dir, is_over: state.is_over });
            }
            let wait = match state.readers > 0 && state.dir.is_some() {
                true => next.saturating_duration_since(now),
                false => Duration::from_secs(3600),
            };
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A new state of the page; `None` where it could not be made, and the one before stays.
    pub fn show(&self, page: Option<String>, is_last: bool) {
        let event = page.map(|page| format!("event: page\ndata: {}\n\n", serde_json::Value::from(page)));
        let mut state = self.lock();
        if let Some(event) = event.filter(|event| **event != *state.event) {
            state.event = event.into();
            state.number += 1;
        }
        state.is_last |= is_last;
        self.changed.notify_all();
    }

    /// The state after number `seen`, when it is there.
    pub fn after(&self, seen: u64, patience: Duration) -> Next {
        let has_news = |state: &State| state.number > seen || state.has_last();
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, patience, |state| !has_news(state));
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        match state.number > seen {
            true => Next::State(state.event.clone(), state.number),
            false if state.has_last() => Next::Over,
            false => Next::Nothing,
        }
    }

    /// The command has ended. Waits until no reader is left, but no longer than this.
    pub fn end(&self, patience: Duration) {
        let mut state = self.lock();
        state.is_over = true;
        self.changed.notify_all();
        let _ = self.changed.wait_timeout_while(state, patience, |state| state.readers > 0);
    }
}

impl Connection<'_> {
    /// It gets the states from now on.
    pub fn reads(&mut self) {
        if !std::mem::replace(&mut self.reads, true) {
            self.shared.lock().readers += 1;
            self.shared.changed.notify_all();
        }
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.connections -= 1;
        state.readers -= usize::from(self.reads);
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn no_state_is_made_for_nobody_but_the_last_one() {
        let shared = Shared::new(1, String::new());
        shared.saves_in(Path::new("d"));
        let mut connection = shared.connection().unwrap();
        connection.reads();
        connection.reads();
        assert!(!shared.wait_until(Instant::now()).unwrap().is_over);
        drop(connection);
        let silent = shared.connection();
        let counts = |state: &State| (state.connections, state.readers);
        assert_eq!(counts(&shared.lock()), (1, 0));
        drop(silent);
        shared.end(NOW);
        assert!(shared.wait_until(Instant::now() + Duration::from_secs(60)).unwrap().is_over);
        shared.show(Some("p".to_owned()), true);
        assert!(shared.wait_until(Instant::now()).is_none());
    }

    #[test]
    fn a_reader_gets_each_new_state_and_the_end() {
        let shared = Shared::new(1, String::new());
        shared.saves_in(Path::new("d"));
        assert!(matches!(shared.after(0, NOW), Next::Nothing));
        shared.show(Some("a\n\"".to_owned()), false);
        let Next::State(event, 1) = shared.after(0, NOW) else { panic!() };
        assert_eq!(&*event, "event: page\ndata: \"a\\n\\\"\"\n\n");
        shared.show(Some("a\n\"".to_owned()), false);
        assert!(matches!(shared.after(1, NOW), Next::Nothing), "it is the same page");
        shared.show(None, true);
        assert!(matches!(shared.after(1, NOW), Next::Over));
        assert!(matches!(shared.after(0, NOW), Next::State(_, 1)), "who comes late gets the result");
    }

    #[test]
    fn connections_are_counted_and_limited() {
        let shared = Shared::new(1, String::new());
        let connections: Vec<_> = std::iter::from_fn(|| shared.connection()).collect();
        assert_eq!(connections.len(), CONNECTIONS_MAX);
        drop(connections);
        assert!(shared.connection().is_some());
    }
}
