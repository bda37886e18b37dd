//! The end of a run whose target does not answer.
//!
//! By then, what was measured is in the spool. The remaining work (facts about
//! the target, the report) may touch the target again, and wait as its I/O did.
//! Then the session puts the host back, and reports that nothing more will come. The
//! kernel keeps a process that has a thread in an uninterruptible wait until that
//! wait ends; nothing here can change that.

use crate::exit::Exit;
use crate::here::Here;
use crate::notice::Notice;
use crate::tuned::Tuned;
use fathom_guard::Door;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time that the remaining work may take: the report of a run of a week reads gigabytes.
const REST: Duration = Duration::from_secs(60);

/// Reports that the target hangs, if the run does not end in time.
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
    // If no thread can be started, the process waits for the target.
    let _ = std::thread::Builder::new().name("leave".to_owned()).spawn(leave);
}
