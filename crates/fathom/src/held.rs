//! What was said, and what is not said yet.
//!
//! Many programs take any byte on the standard error of fio for a failure. So at
//! fio's door the conversation waits. A run that succeeds has it in its result,
//! and any other end tells it. A person at a terminal is told at once.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is kept of a conversation for the result: a run says some ten things.
const KEPT_MAX: usize = 200;

struct Conversation {
    is_held: bool,
    said: Vec<Said>,
}

struct Said {
    text: String,
    is_told: bool,
}

static CONVERSATION: Mutex<Conversation> = Mutex::new(Conversation { is_held: false, said: Vec::new() });

/// From now on nothing is told, unless somebody watches a terminal.
pub fn hold() {
    now().is_held = !stderr().is_terminal();
}

/// Takes note of what is to be told, at once where it cannot wait; whether it may
/// be told now.
pub fn may_tell(text: &str, at_once: bool) -> bool {
    let mut now = now();
    let is_told = at_once || !now.is_held;
    if !is_told || now.said.len() < KEPT_MAX {
        now.said.push(Said { text: text.to_owned(), is_told });
    }
    is_told
}

/// Ends the wait; what was held is to be told.
pub fn release() -> Vec<String> {
    let mut now = now();
    now.is_held = false;
    let held = now.said.iter_mut().filter(|said| !said.is_told);
    held.map(|said| {
        said.is_told = true;
        said.text.clone()
    })
    .collect()
}

/// All that was said or held, for the result.
pub fn said() -> Vec<String> {
    now().said.iter().take(KEPT_MAX).map(|said| said.text.trim_end().to_owned()).collect()
}

fn now() -> MutexGuard<'static, Conversation> {
    CONVERSATION.lock().unwrap_or_else(PoisonError::into_inner)
}
