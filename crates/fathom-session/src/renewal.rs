//! Notes several times a second that a procedure still writes to fathom's own files.
//!
//! After a kill, the last of these notes says until when fathom can have written, so that `resume` can tell its own writes
//! from a change that somebody makes later.

use crate::watch_thread::WatchThread;
use fathom_guard::Writing;
use std::time::Duration;

/// Time between two renewals. One sets the time of one small file, which takes some µs and no I/O of its own.
const RENEWED_AFTER: Duration = Duration::from_millis(250);

/// What renews the note beside one run.
pub struct Renewal(WatchThread<Writing>);

impl Renewal {
    /// Begins. Without its thread, a resume after a kill needs consent.
    pub fn start(writing: Writing) -> Renewal {
        Renewal(WatchThread::start("renewal", move |run| {
            loop {
                // An older note is the safe side: later changes are taken for those of somebody else.
                let _ = writing.renew();
                if !run.goes_on_after(RENEWED_AFTER) {
                    return writing;
                }
            }
        }))
    }

    /// Ends, and removes the note. The record of what the run created must be there by now.
    pub fn end(self) {
        if let Some(writing) = self.0.stop() {
            // A note that stays allows no more than it does after a kill.
            let _ = writing.end();
        }
    }

    /// Ends, and leaves the note: the run did not begin, and what a killed one was writing is as it was.
    pub fn leave(self) {
        drop(self.0.stop());
    }
}
