//! Notes several times a second that a procedure still writes to fathom's own files.
//!
//! After a kill, the last of these notes says until when fathom can have written, so that `resume` can tell its own writes
//! from a change that somebody makes later.

use fathom_guard::Writing;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Time between two renewals. One sets the time of one small file, which takes some µs and no I/O of its own.
const RENEWED_AFTER: Duration = Duration::from_millis(250);

/// What renews the note beside one run.
pub struct Renewal {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Writing>>,
}

#[derive(Default)]
struct Shared {
    is_over: Mutex<bool>,
    over: Condvar,
}

impl Renewal {
    /// Begins.
    pub fn start(writing: Writing) -> Renewal {
        let shared = Arc::<Shared>::default();
        let theirs = shared.clone();
        // If no thread can be started, a resume after a kill needs consent.
        let renews = move || theirs.renew(writing);
        let thread = Builder::new().name("renewal".to_owned()).spawn(renews).ok();
        Renewal { shared, thread }
    }

    /// Ends, and removes the note. The record of what the run created must be there by now.
    pub fn end(self) {
        if let Some(writing) = self.stop() {
            // A note that stays allows no more than it does after a kill.
            let _ = writing.end();
        }
    }

    /// Ends, and leaves the note: the run did not begin, and what a killed one was writing is as it was.
    pub fn leave(self) {
        drop(self.stop());
    }

    fn stop(mut self) -> Option<Writing> {
        *self.shared.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.over.notify_all();
        self.thread.take()?.join().ok()
    }
}

impl Shared {
    fn renew(&self, writing: Writing) -> Writing {
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over {
            // An older note is the safe side: later changes are taken for those of somebody else.
            let _ = writing.renew();
            is_over =
                self.over.wait_timeout(is_over, RENEWED_AFTER).unwrap_or_else(PoisonError::into_inner).0;
        }
        writing
    }
}
