//! The end of a run whose target does not answer.
//!
//! What was measured is in the spool by then. The rest of the way (facts about
//! the target, the report) may touch the target again, and hang as its I/O did;
//! then the process puts the host back and leaves without the rest. The kernel keeps a process whose thread waits
//! uninterruptibly until that wait ends; nothing here can change that.

use super::Tuned;
use crate::edge::tell_held;
use crate::failure::{Exit, say};
use fathom_guard::Door;
use fathom_results::JobFailure;
use fathom_text::shell::quoted;
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

/// What to do about it.
pub fn hints() -> [String; 2] {
    let pid = std::process::id();
    [
        format!("dmesg tells of a device that fails or resets; /proc/{pid}/task/THREAD/stack of what waits"),
        "a thread inside the kernel cannot be ended: the process stays until its I/O does".to_owned(),
    ]
}

/// Leaves, if the process is still there after a while. The host is put back
/// before that: at the end of the command, which does not come then.
pub fn leave_by(dir: &Path, door: Door, tuned: Option<Arc<Tuned>>) {
    let dir = dir.to_owned();
    let exit = match door {
        Door::Native => Exit::Incomplete,
        Door::Fio => Exit::Failed,
    };
    let leave = move || {
        std::thread::sleep(REST);
        say("the target hangs the end of the run too; what was measured is saved");
        say(&format!("  hint: fathom report {}", quoted(&dir)));
        if let Some(Err(e)) = tuned.map(|tuned| tuned.put_back()) {
            say(&format!("warning: the settings of the host could not be put back: {e}"));
        }
        tell_held();
        std::process::exit(exit as i32);
    };
    // Without a thread for it the process waits for the target, as the hint says.
    let _ = std::thread::Builder::new().name("leave".to_owned()).spawn(leave);
}
