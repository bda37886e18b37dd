//! `--trigger-file`, `--trigger-timeout` and `--trigger`: when a file appears or a time has
//! passed, all jobs end, and a command runs immediately, for example one that cuts the power.

use crate::failure::{Exit, Failure, say};
use fathom_job::fio_cli::FioInvocation;
use fathom_job::plan::Plan;
use fathom_session::outputs::InUse;
use fathom_session::{Cause, Ender, log_paths};
use fathom_text::carried::{to_os, to_path};
use std::ffi::OsString;
use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two looks for the file; fio looks about as often.
const LOOK: Duration = Duration::from_millis(100);

/// The condition that ends the jobs, and the command that runs then.
pub struct Trigger {
    file: Option<PathBuf>,
    after: Option<Duration>,
    command: Option<OsString>,
}

/// The thread that waits for the trigger.
pub struct WaitingTrigger {
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Trigger {
    /// The trigger that was asked for; without a file and a time there is none.
    ///
    /// # Errors
    /// The run uses the file. fathom removes the file when the trigger fires, so it would be lost.
    pub fn of(
        invocation: &FioInvocation,
        plan: &Plan,
        mut in_use: InUse,
    ) -> Result<Option<Trigger>, Failure> {
        log_paths(plan).into_iter().for_each(|log| in_use.add(log, "a log of this run"));
        let file = invocation.trigger_file.as_deref().map(to_path);
        // Its removal would lose what somebody keeps there. An empty file is a trigger that came early.
        let holds_data = |file: &Path| file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
        let used = file.as_deref().and_then(|file| {
            let kept = holds_data(file).then_some("a file that holds data already");
            Some((file, in_use.user_of(file).or(kept)?))
        });
        if let Some((file, user)) = used {
            let message = format!("--trigger-file={}: it is {user}", file.display());
            return Err(Failure::new(Exit::Usage, message)
                .hint("name a file that does not exist yet; it is removed when it appears"));
        }
        let after = invocation.trigger_timeout.map(|after| Duration::from_nanos(after.0));
        // Zero is no trigger, as in fio.
        let after = after.filter(|after| !after.is_zero());
        let command = invocation.trigger.as_deref().map(to_os);
        Ok((file.is_some() || after.is_some()).then_some(Trigger { file, after, command }))
    }

    /// Begins to wait. The run that `ender` ends must not have begun.
    ///
    /// # Errors
    /// No thread can be started, so the run would not end as the person wants.
    pub fn wait(self, ender: Arc<Ender>) -> Result<WaitingTrigger, Failure> {
        let (stop, over) = channel();
        let start = Instant::now();
        let wait = move || {
            while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(self.pause(start)) {
                if self.is_due(start) {
                    ender.end(Cause::Triggered);
                    return self.act();
                }
            }
        };
        let thread = Builder::new().name("trigger".to_owned()).spawn(wait).map_err(|e| {
            Failure::new(Exit::Failed, format!("cannot start the thread that waits for the trigger: {e}"))
        })?;
        Ok(WaitingTrigger { stop, thread: Some(thread) })
    }

    /// Time until the next look: at most until the given time has passed.
    fn pause(&self, start: Instant) -> Duration {
        let left = self.after.map_or(LOOK, |after| after.saturating_sub(start.elapsed()));
        if self.file.is_some() { left.min(LOOK) } else { left }
    }

    fn is_due(&self, start: Instant) -> bool {
        self.after.is_some_and(|after| start.elapsed() >= after)
            || self.file.as_ref().is_some_and(|file| file.symlink_metadata().is_ok())
    }

    /// Removes the file, as fio does, and runs the command, which prints to standard error: standard
    /// output is the result. A device or a directory stays.
    fn act(&self) {
        let file = self.file.as_ref().filter(|file| file.symlink_metadata().is_ok_and(|meta| meta.is_file()));
        if let Some(Err(e)) = file.map(std::fs::remove_file) {
            say(&format!("warning: cannot remove the file of --trigger-file: {e}"));
        }
        let Some(command) = &self.command else { return };
        let status =
            Command::new("/bin/sh").arg("-c").arg(command).stdin(Stdio::null()).stdout(stderr()).status();
        if let Err(e) = status {
            say(&format!("warning: cannot run the command of --trigger: {e}"));
        }
    }
}

impl Drop for WaitingTrigger {
    /// Ends the wait, after the command if it has begun.
    fn drop(&mut self) {
        let _ = self.stop.send(());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
