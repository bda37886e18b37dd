//! Ctrl-C: the first one stops the I/O and keeps what was measured, the second one ends
//! fathom immediately. SIGTERM and SIGHUP do the same. If SIGHUP was ignored when fathom
//! started (`nohup`), the run is meant to go on without its terminal, so it stays ignored.

use crate::edge::{stderr, tell_held};
use crate::failure::{Exit, Failure, say};
use fathom_device::signals as host_signals;
use fathom_session::bundle::remove;
use fathom_session::{Cause, Ender, SlowLook};
use fathom_text::shell::quoted;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals as SignalIterator};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

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

/// Whether a signal ends the process directly, as without a handler.
///
/// A handler cannot be removed. Without this flag, a signal that comes outside a
/// run would be lost, and nothing could end a command that prints its result to
/// a program that does not read.
fn unwatched() -> std::io::Result<&'static Arc<AtomicBool>> {
    static UNWATCHED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if UNWATCHED.get().is_none() {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in ending() {
            signal_hook::flag::register_conditional_default(signal, flag.clone())?;
        }
        let _ = UNWATCHED.set(flag);
    }
    Ok(UNWATCHED.get().expect("it was set just now"))
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
        let unwatched = unwatched().map_err(cannot)?;
        let mut signals = SignalIterator::new(ending()).map_err(cannot)?;
        unwatched.store(false, Ordering::SeqCst);
        let handle = signals.handle();
        let watch = move || {
            let _ = host_signals::unblock(&ending());
            let mut began: Option<Instant> = None;
            for signal in signals.forever() {
                if began.is_some_and(|began| began.elapsed() < SAME_REQUEST) {
                    continue;
                }
                if began.replace(Instant::now()).is_some() {
                    tell_held();
                    say(&stopped_at_once());
                    stderr::show(&[]);
                    std::process::exit(exit(signal) as i32);
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
        Ok(Signals { handle })
    }
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
                say(&format!("not waiting any more for {path}; {}", stopped_at_once()));
                stderr::show(&[]);
                std::process::exit(exit as i32);
            }
        }
    };
    let _ = std::thread::Builder::new().name("looks".to_owned()).spawn(watch);
}

/// What a signal removes before it ends fathom.
static REMOVED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file or directory that a signal removes, before it ends fathom; ends when dropped. It is for commands that read: a run
/// has [`Signals`].
#[derive(Debug)]
pub struct RemovedAtSignal {
    path: PathBuf,
}

/// How often a directory is removed into which files are still written.
const REMOVALS_MAX: u32 = 100;

impl RemovedAtSignal {
    /// Makes what has this path. A signal that comes meanwhile waits. Where no thread can be started, a signal leaves it.
    pub fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<(T, Self), E> {
        let is_watched = is_watched();
        let mut removed = registered();
        if let (true, Ok(unwatched)) = (is_watched, unwatched()) {
            unwatched.store(false, Ordering::SeqCst);
        }
        let made = make()?;
        let path = path(&made).to_owned();
        removed.push(path.clone());
        Ok((made, RemovedAtSignal { path }))
    }
}

/// Starts the thread that removes, once.
fn is_watched() -> bool {
    static WATCHED: OnceLock<bool> = OnceLock::new();
    *WATCHED.get_or_init(|| {
        let (Ok(_), Ok(mut signals)) = (unwatched(), SignalIterator::new(ending())) else { return false };
        let watch = move || signals.forever().for_each(removed_by);
        std::thread::Builder::new().name("removal".to_owned()).spawn(watch).is_ok()
    })
}

/// Removes everything, and ends fathom. Nothing is made meanwhile.
fn removed_by(signal: i32) {
    let removed = registered();
    if removed.is_empty() {
        return;
    }
    for path in removed.iter() {
        let is_removed = || std::fs::remove_file(path).or_else(|_| remove(path)).is_ok();
        let _ = (0..REMOVALS_MAX).any(|_| is_removed() || !path.exists());
    }
    std::process::exit(exit(signal) as i32);
}

impl Drop for RemovedAtSignal {
    fn drop(&mut self) {
        // A signal that comes between these two lines ends fathom at once.
        if let (1, Ok(unwatched)) = (registered().len(), unwatched()) {
            unwatched.store(true, Ordering::SeqCst);
        }
        registered().retain(|path| *path != self.path);
    }
}

fn registered() -> MutexGuard<'static, Vec<PathBuf>> {
    REMOVED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_thread(e: std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot start the thread that watches for signals: {e}"))
        .hint("ulimit -u and the pids.max of a control group limit the number of threads; each job needs one")
}

impl Drop for Signals {
    fn drop(&mut self) {
        if let Ok(unwatched) = unwatched() {
            unwatched.store(true, Ordering::SeqCst);
        }
        let _ = host_signals::unblock(&ending());
        self.handle.close();
    }
}
