//! Ends a run when something comes to stand on one of its targets.
//!
//! A file can be attached to a loop device while it is being written, and a
//! swap file or a mount can appear. Whoever does that does not know of the run,
//! and loses what is put there. A thread of ours looks twice a second whether
//! anything has changed that could mean this, which takes some 10 µs, and asks
//! the guard when it has, which takes some 1 ms. It touches nothing that a
//! worker touches.

use crate::notice::{Listener, Message, Notice};
use fathom_device::Root;
use fathom_engine::sink::{Stop, StopReason};
use fathom_guard::{Access, AdmittedKind, Changes, Guard, Refusal};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How a run that was ended for this says it ended, before the reasons.
pub const STOPPED: &str = "stopped for safety: ";

/// Between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// Why the run must end, once somebody knows.
pub struct Alarm {
    listener: Arc<dyn Listener>,
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Default)]
struct State {
    why: Option<String>,
    is_over: bool,
}

/// The watch over a run.
pub struct TargetWatch {
    alarm: Arc<Alarm>,
    thread: Option<JoinHandle<()>>,
}

impl Alarm {
    /// An alarm that nobody has raised.
    pub fn new(listener: Arc<dyn Listener>) -> Self {
        Alarm { listener, state: Mutex::default(), over: Condvar::new() }
    }

    /// Keeps the first reason, and tells it at once.
    pub fn raise(&self, refusal: &Refusal) {
        let mut state = self.lock();
        if state.why.is_some() {
            return;
        }
        let reasons: Vec<String> = refusal.findings.iter().map(ToString::to_string).collect();
        let why = format!("{STOPPED}{}", reasons.join("; "));
        let target = refusal.target.display();
        let message = Message::error(why.as_str())
            .hint(format!("the run has written there: check what uses {target} before you use it"))
            .hint("what was measured is saved");
        self.listener.notice(Notice::Message(message));
        state.why = Some(why);
    }

    /// The reason.
    pub fn why(&self) -> Option<String> {
        self.lock().why.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, guard: &Guard, root: &Root, interrupt: &Stop) {
        let mut changes = Changes::watch(root);
        // What came between the admission and now is no change any more.
        let mut is_due = true;
        let mut state = self.lock();
        while !state.is_over {
            drop(state);
            if (changes.any() || is_due)
                && let Err(refusal) = guard.still_alone()
            {
                self.raise(&refusal);
                return interrupt.request(StopReason::Interrupt);
            }
            is_due = false;
            state = self.lock();
            if !state.is_over {
                state = self.over.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

impl TargetWatch {
    /// Begins to watch, where anything is written that can have users.
    pub fn start(guard: &Arc<Guard>, root: &Root, alarm: &Arc<Alarm>, interrupt: &Arc<Stop>) -> TargetWatch {
        let is_watched = |target: &Arc<_>| is_written(target);
        let thread = guard.all().iter().any(is_watched).then(|| {
            let (guard, root) = (guard.clone(), root.clone());
            let (theirs, interrupt) = (alarm.clone(), interrupt.clone());
            // Without the thread the run goes on as it was admitted.
            Builder::new()
                .name("guard".to_owned())
                .spawn(move || theirs.watch(&guard, &root, &interrupt))
                .ok()
        });
        TargetWatch { alarm: alarm.clone(), thread: thread.flatten() }
    }

    /// Ends the watch.
    pub fn stop(mut self) {
        self.alarm.lock().is_over = true;
        self.alarm.over.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn is_written(target: &fathom_guard::Admitted) -> bool {
    target.access() == Access::Write && !matches!(target.kind(), AdmittedKind::Memory)
}
