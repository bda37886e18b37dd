//! The end of a run whose target does not answer.
//!
//! What was measured is in the spool by then. The rest of the way (facts about
//! the target, the report) may touch the target again, and wait as its I/O did.
//! Then the session puts the host back and reports that no more will come. The
//! kernel keeps a process whose thread waits uninterruptibly until that wait
//! ends; nothing here can change that.

use crate::failure::Exit;
use crate::here::Here;
use crate::notice::Notice;
use crate::tuned::Tuned;
use fathom_guard::Door;
use fathom_results::JobFailure;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long the rest may take: a report of a week reads gigabytes.
const REST: Duration = Duration::from_secs(60);

/// Was a target given up? A single I/O that timed out or took longer than the
/// job allows has a direction.
pub fn is_stuck(failure: &JobFailure) -> bool {
    failure.errno == libc::ETIMEDOUT && failure.direction.is_none()
}

/// Reports it, if the end of the run is not reached after a while.
pub(crate) fn watch(dir: &Path, door: Door, tuned: Option<Arc<Tuned>>, here: &Here) {
    let (dir, listener) = (dir.to_owned(), here.listener().clone());
    let exit = match door {
        Door::Native => Exit::Incomplete,
        Door::Fio => Exit::Failed,
    };
    let leave = move || {
        std::thread::sleep(REST);
        let put_back = tuned.map(|tuned| tuned.put_back());
        listener.notice(Notice::Hangs { dir: &dir, exit, put_back });
    };
    // Without a thread for it the process waits for the target.
    let _ = std::thread::Builder::new().name("leave".to_owned()).spawn(leave);
}
