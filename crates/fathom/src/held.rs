//! Messages for standard error, and which of them are printed later or never.
//!
//! Many programs treat any byte on the standard error of fio as a failure. So
//! `fathom fio` holds its messages back. If the run succeeds, they are only in its
//! result; if it does not, they are printed at its end. On a terminal they
//! are printed immediately.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most messages that are kept for the result; a run has about ten.
const KEPT_MAX: usize = 200;

struct Conversation {
    is_held: bool,
    messages: Vec<HeldMessage>,
}

struct HeldMessage {
    text: String,
    is_printed: bool,
}

static CONVERSATION: Mutex<Conversation> = Mutex::new(Conversation { is_held: false, messages: Vec::new() });

/// Holds messages back from now on, unless standard error is a terminal.
pub fn hold() {
    now().is_held = !stderr().is_terminal();
}

/// Keeps a message, and returns whether it is to be printed now. `at_once` marks
/// one that is never held back.
pub fn may_print(text: &str, at_once: bool) -> bool {
    let mut now = now();
    let is_printed = at_once || !now.is_held;
    if !is_printed || now.messages.len() < KEPT_MAX {
        now.messages.push(HeldMessage { text: text.to_owned(), is_printed });
    }
    is_printed
}

/// Stops holding back, and returns the messages that were not printed yet.
pub fn release() -> Vec<String> {
    let mut now = now();
    now.is_held = false;
    let held = now.messages.iter_mut().filter(|message| !message.is_printed);
    held.map(|message| {
        message.is_printed = true;
        message.text.clone()
    })
    .collect()
}

/// All messages, printed or held back, for the result.
pub fn messages() -> Vec<String> {
    now().messages.iter().take(KEPT_MAX).map(|message| message.text.trim_end().to_owned()).collect()
}

fn now() -> MutexGuard<'static, Conversation> {
    CONVERSATION.lock().unwrap_or_else(PoisonError::into_inner)
}
