//! Ctrl-C: once stops the I/O and keeps what was measured, twice ends at once.

use crate::failure::{Exit, Failure, say};
use fathom_engine::sink::{Stop, StopReason};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals as SignalIterator};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// How an interrupted run says it ended.
pub const INTERRUPTED: &str = "interrupted (SIGINT)";
/// How a terminated run says it ended.
pub const TERMINATED: &str = "terminated (SIGTERM)";

/// The watch on signals; ends when dropped.
pub struct Signals {
    caught: Arc<AtomicI32>,
    handle: Handle,
}

impl Signals {
    /// Turns the first signal into a request to stop.
    pub fn watch(interrupt: Arc<Stop>) -> Result<Self, Failure> {
        let cannot = |e| Failure::new(Exit::Failed, format!("cannot watch for signals: {e}"));
        let mut signals = SignalIterator::new([SIGINT, SIGTERM]).map_err(cannot)?;
        let caught = Arc::new(AtomicI32::new(0));
        let (handle, seen) = (signals.handle(), caught.clone());
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if seen.swap(signal, Ordering::Relaxed) != 0 {
                    say("stopped at once; what was measured up to the last second is saved");
                    std::process::exit(if signal == SIGTERM { 143 } else { 130 });
                }
                say("stopping: waiting for I/O in flight, then saving (again to stop at once)");
                interrupt.request(StopReason::Interrupt);
            }
        });
        Ok(Signals { caught, handle })
    }

    /// The signal that came, as the record says it.
    pub fn caught(&self) -> Option<&'static str> {
        match self.caught.load(Ordering::Relaxed) {
            0 => None,
            SIGTERM => Some(TERMINATED),
            _ => Some(INTERRUPTED),
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
    }
}
