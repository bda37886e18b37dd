//! A thread beside a run, which does something again and again until the run is over.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The thread. It ends when this is stopped or dropped.
pub struct WatchThread<T> {
    run: Sender<()>,
    thread: Option<JoinHandle<T>>,
}

/// The run, as the thread sees it.
pub struct OngoingRun(Receiver<()>);

impl<T: Send + 'static> WatchThread<T> {
    /// Begins. If no thread can be started, the run goes on without it.
    pub fn start(name: &str, work: impl FnOnce(OngoingRun) -> T + Send + 'static) -> Self {
        let (run, ended) = channel();
        let thread = Builder::new().name(name.to_owned()).spawn(move || work(OngoingRun(ended))).ok();
        WatchThread { run, thread }
    }

    /// Ends the thread, and returns its result.
    pub fn stop(self) -> Option<T> {
        drop(self.run);
        self.thread?.join().ok()
    }
}

impl OngoingRun {
    /// Does the run go on after this pause? It is cut short when the run is over.
    pub fn goes_on_after(&self, pause: Duration) -> bool {
        self.0.recv_timeout(pause) == Err(RecvTimeoutError::Timeout)
    }
}
