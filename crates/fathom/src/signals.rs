//! Ctrl-C: the first one stops the I/O and keeps what was measured, the second one ends
//! fathom immediately. SIGTERM and SIGHUP do the same. If SIGHUP was ignored when fathom
//! started (`nohup`), the run is meant to go on without its terminal, so it stays ignored.

mod removal;
mod watches;

use crate::edge::{stderr, tell_held};
use crate::failure::{Exit, Failure, say};
use fathom_device::threads as host_signals;
use fathom_session::{Cause, Ender, SlowLook};
use fathom_text::shell::quoted;
pub use removal::RemovedAtSignal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals as SignalIterator};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use watches::{unwatched, watches};

/// The signals that ask fathom to end. SIGHUP is one of them unless it was ignored at
/// the start.
pub fn ending() -> Vec<i32> {
    let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hangup).collect()
}

/// The exit code of a command that a signal has ended.
pub fn exit(signal: i32) -> Exit {
    cause(signal).exit()
}

fn cause(signal: i32) -> Cause {
    match signal {
        SIGHUP => Cause::HungUp,
        SIGTERM => Cause::Terminated,
        _ => Cause::Interrupted,
    }
}

/// Whether the process ignores a signal: `SigIgn` of proc_pid_status(5), a
/// hexadecimal mask whose lowest bit is signal 1.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Makes the handlers while the process has one thread: a signal that another thread receives meanwhile would be lost.
pub fn prepare() {
    // A handler would end a program that is meant to ignore them.
    if !is_ignored(SIGINT) && !is_ignored(SIGTERM) {
        // What needs them tells why they cannot be made.
        let _ = unwatched();
    }
}

/// The directory in which the run is saved.
static SAVES_IN: OnceLock<PathBuf> = OnceLock::new();

/// Sets the directory that fathom prints at a second signal.
pub fn saves_in(dir: &Path) {
    let _ = SAVES_IN.set(dir.to_owned());
}

fn stopped_at_once() -> String {
    match SAVES_IN.get() {
        Some(dir) => {
            format!("stopped at once; what was saved until now can be read: fathom report {}", quoted(dir))
        }
        None => "stopped at once; nothing was measured yet".to_owned(),
    }
}

/// Signals within this time are one request: `timeout` signals its child, and then the whole process group.
const SAME_REQUEST: Duration = Duration::from_millis(300);

/// The watch on signals; ends when dropped.
pub struct Signals {
    handle: Handle,
}

impl Signals {
    /// Turns the first signal into a request to stop. One that comes during one of the looks ends fathom soon after.
    pub fn watch(ender: Arc<Ender>, looks: &SlowLook) -> Result<Self, Failure> {
        let looks = looks.clone();
        let cannot = |e| Failure::new(Exit::Failed, format!("cannot watch for signals: {e}"));
        unwatched().map_err(cannot)?;
        let mut signals = SignalIterator::new(ending()).map_err(cannot)?;
        watches().begin_run();
        let watched = Signals { handle: signals.handle() };
        let watch = move || {
            let _ = host_signals::unblock(&ending());
            let mut began: Option<Instant> = None;
            for signal in signals.forever() {
                if began.is_some_and(|began| began.elapsed() < SAME_REQUEST) {
                    continue;
                }
                watches().handled();
                if began.replace(Instant::now()).is_some() {
                    tell_held();
                    end_at_once(&stopped_at_once(), exit(signal));
                }
                // Nothing that is printed holds up the end: the terminal may have been stopped.
                ender.end(cause(signal));
                tell_held();
                say("stopping: waiting for I/O in flight, then saving (again to stop at once)");
                leave_if_it_waits(exit(signal), looks.clone());
            }
        };
        // Without this thread, Ctrl-C would lose what was measured.
        std::thread::Builder::new().name("signals".to_owned()).spawn(watch).map_err(no_thread)?;
        // A thread that waits for a disk runs no handler, so only the signal thread receives signals.
        host_signals::block(&ending()).map_err(cannot)?;
        Ok(watched)
    }
}

/// Ends the process. What was measured until now stays, also in a temporary directory.
fn end_at_once(message: &str, exit: Exit) -> ! {
    say(message);
    stderr::show(&[]);
    if SAVES_IN.get().is_none() {
        remove_temporary();
    }
    std::process::exit(exit as i32);
}

/// Removes what a signal would remove: for an end of the process that drops nothing.
pub fn remove_temporary() {
    removal::remove_all(&watches());
}

/// How long what a run looks at before its first I/O may hold up the end: with the message it is less than two seconds, after
/// which a person takes the program for dead.
const LOOK_WAIT: Duration = Duration::from_millis(1500);

/// Ends the process when it waits for a path that does not answer: nothing is being written then, and the thread that
/// waits cannot be ended otherwise. Without a thread, the second signal does it.
fn leave_if_it_waits(exit: Exit, looks: SlowLook) {
    let since = Instant::now();
    let watch = move || {
        loop {
            std::thread::sleep(LOOK_WAIT / 10);
            if let Some(path) = looks.waits(since, LOOK_WAIT) {
                end_at_once(&format!("not waiting any more for {path}; {}", stopped_at_once()), exit);
            }
        }
    };
    let _ = std::thread::Builder::new().name("looks".to_owned()).spawn(watch);
}

fn no_thread(e: std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot start the thread that watches for signals: {e}"))
        .hint("ulimit -u and the pids.max of a control group limit the number of threads; each job needs one")
}

impl Drop for Signals {
    fn drop(&mut self) {
        watches().end_run();
        let _ = host_signals::unblock(&ending());
        self.handle.close();
    }
}
