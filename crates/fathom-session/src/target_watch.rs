//! Ends a run when something else begins to use one of its targets.
//!
//! While a file is being written, somebody can attach it to a loop device, use
//! it as swap, or mount it. That person does not know that the run overwrites
//! the file, and loses what is written to it. A thread checks twice a second
//! whether anything has changed that could mean this, which takes about 20 µs, and 4 µs more for
//! each loop device that exists. If so, it asks the guard, which takes about 1 ms. It touches
//! nothing that a worker touches.

use crate::notice::{Listener, Message, Notice};
use crate::watch_thread::{OngoingRun, WatchThread};
use fathom_device::Root;
use fathom_engine::sink::{Stop, StopReason};
use fathom_guard::{Access, AdmittedKind, Changes, Guard, Refusal};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The beginning of the end of such a run in its record; the reasons follow.
pub const STOPPED: &str = "stopped for safety: ";

/// Time between two checks.
const LOOK: Duration = Duration::from_millis(500);

/// Why the run must end, once that is known.
pub struct Alarm {
    listener: Arc<dyn Listener>,
    why: Mutex<Option<String>>,
}

impl Alarm {
    /// An alarm without a reason yet.
    pub fn new(listener: Arc<dyn Listener>) -> Self {
        Alarm { listener, why: Mutex::default() }
    }

    /// Keeps the first reason, and reports it immediately.
    pub fn raise(&self, refusal: &Refusal) {
        let mut known = self.lock();
        if known.is_some() {
            return;
        }
        let reasons: Vec<String> = refusal.findings.iter().map(ToString::to_string).collect();
        let why = format!("{STOPPED}{}", reasons.join("; "));
        let target = refusal.target.display();
        let message = Message::error(why.as_str())
            .hint(format!("the run has written there: check what uses {target} before you use it"))
            .hint("what was measured is saved");
        self.listener.notice(Notice::Message(message));
        *known = Some(why);
    }

    /// The reason, if there is one.
    pub fn why(&self) -> Option<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, guard: &Guard, root: &Root, interrupt: &Stop, run: &OngoingRun) {
        let mut changes = Changes::watch(root);
        // Changes between the admission and this moment are not seen, so the first check is always due.
        let mut is_due = true;
        loop {
            if (changes.any() || is_due)
                && let Err(refusal) = guard.still_alone()
            {
                self.raise(&refusal);
                return interrupt.request(StopReason::Interrupt);
            }
            is_due = false;
            if !run.goes_on_after(LOOK) {
                return;
            }
        }
    }
}

/// Begins to watch, if the run writes to a target that others can use.
pub fn start(
    guard: &Arc<Guard>,
    root: &Root,
    alarm: &Arc<Alarm>,
    interrupt: &Arc<Stop>,
) -> Option<WatchThread<()>> {
    guard.all().iter().any(|target| is_written(target)).then(|| {
        let (guard, root) = (guard.clone(), root.clone());
        let (alarm, interrupt) = (alarm.clone(), interrupt.clone());
        WatchThread::start("guard", move |run| alarm.watch(&guard, &root, &interrupt, &run))
    })
}

fn is_written(target: &fathom_guard::Admitted) -> bool {
    target.access() == Access::Write && !matches!(target.kind(), AdmittedKind::Memory)
}
