//! What a signal does at this moment: it ends the process directly, or a thread decides.

use super::{SAME_REQUEST, ending};
use fathom_device::threads as host_signals;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Whether a signal ends the process directly, as without a handler.
///
/// A handler cannot be removed. Without this flag, a signal that comes outside a
/// run would be lost, and nothing could end a command that prints its result to
/// a program that does not read. So a signal ends the process until a thread is
/// there that can receive it.
pub(super) fn unwatched() -> std::io::Result<&'static Arc<AtomicBool>> {
    static UNWATCHED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if UNWATCHED.get().is_none() {
        let (flag, signals) = (Arc::new(AtomicBool::new(true)), ending());
        // A signal between the system call and the entry in the table of handlers would be lost, so it waits.
        host_signals::block(&signals)?;
        let register =
            |signal: &i32| signal_hook::flag::register_conditional_default(*signal, flag.clone()).map(drop);
        let registered = signals.iter().try_for_each(register);
        host_signals::unblock(&signals)?;
        registered?;
        let _ = UNWATCHED.set(flag);
    }
    Ok(UNWATCHED.get().expect("it was set just now"))
}

/// What has to be done before a signal may end the process.
#[derive(Debug)]
pub(super) struct Watches {
    /// How many runs are watched: they end in order, and what was measured is saved.
    runs: usize,
    /// When a signal of a run was handled last.
    handled: Option<Instant>,
    /// What is removed.
    pub removed: Vec<PathBuf>,
}

static WATCHES: Mutex<Watches> = Mutex::new(Watches { runs: 0, handled: None, removed: Vec::new() });

/// The watches of this process.
pub(super) fn watches() -> MutexGuard<'static, Watches> {
    WATCHES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watches {
    /// A run begins, and a thread receives its signals.
    pub fn begin_run(&mut self) {
        self.runs += 1;
        self.changed();
    }

    pub fn end_run(&mut self) {
        self.runs -= 1;
        self.changed();
    }

    /// A signal was handled by a run.
    pub fn handled(&mut self) {
        self.handled = Some(Instant::now());
    }

    /// Does a run handle a signal of this moment, or has it just done so?
    pub fn is_of_a_run(&self) -> bool {
        self.runs > 0 || self.handled.is_some_and(|handled| handled.elapsed() < SAME_REQUEST)
    }

    /// From now on a thread decides about signals; it waits for the lock that the caller holds.
    pub fn defer(&self) {
        self.direct(false);
    }

    /// Adapts what a signal does to what there is to do.
    pub fn changed(&self) {
        self.direct(self.runs == 0 && self.removed.is_empty());
    }

    fn direct(&self, is_direct: bool) {
        if let Ok(unwatched) = unwatched() {
            unwatched.store(is_direct, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RemovedAtSignal;
    use super::*;
    use std::path::Path;

    /// The only test of this process that changes what signals do.
    #[test]
    fn a_signal_ends_the_process_whenever_nothing_is_there_to_receive_it() {
        let is_direct = || unwatched().unwrap().load(Ordering::SeqCst);
        assert!(is_direct(), "a signal that comes before the first watch would be lost");
        let made =
            || RemovedAtSignal::make(|| Ok::<_, ()>(PathBuf::from("/none")), PathBuf::as_path).unwrap();
        let (_, removal) = made();
        assert!(!is_direct());
        watches().begin_run();
        drop(removal);
        assert!(!is_direct(), "a run is watched");
        let (_, removal) = made();
        watches().end_run();
        assert!(!is_direct(), "something is left to be removed");
        drop(removal);
        assert!(is_direct());
        let not_made = RemovedAtSignal::make(|| Err::<PathBuf, ()>(()), |path: &PathBuf| -> &Path { path });
        assert!(not_made.is_err() && is_direct(), "nothing was made");
    }
}
