//! What is printed after settings of the host were to be put back.

use crate::failure::say;
use fathom_device::Root;
use fathom_session::PutBack;
use fathom_tune::{Record, State, revert_command};
use std::path::Path;

/// Prints what happened to the settings of a run. Returns whether all are put back.
pub fn tell(back: &PutBack) -> bool {
    let is_back = tell_open(&back.undone, &back.journal) && back.is_back;
    if is_back && !back.undone.is_empty() {
        let s = if back.undone.len() == 1 { "" } else { "s" };
        say(&format!("the host is as it was: {} setting{s} put back", back.undone.len()));
    }
    is_back
}

/// Prints which settings are not put back, and the commands that do it. Returns whether
/// all are put back. A setting that somebody else has changed since then is not
/// overwritten, and no command for that is printed here.
pub fn tell_open(undone: &[Record], journal: &Path) -> bool {
    let open: Vec<&Record> = undone.iter().filter(|record| record.is_open()).collect();
    if open.is_empty() {
        return true;
    }
    say(&format!(
        "warning: {} of {} settings not put back; the session stays open",
        open.len(),
        undone.len()
    ));
    for record in &open {
        let why = record.note.as_deref().unwrap_or("it could not be written");
        say(&format!("  {} at {}: {why}", record.id, record.path));
        if record.state == State::Stuck {
            let commands = record.by_hand(&Root::live());
            commands.iter().for_each(|command| say(&format!("    by hand: {command}")));
        }
    }
    if open.iter().any(|record| record.state == State::Stuck) {
        say(&format!("  hint: once the device answers: {}", revert_command(journal)));
    }
    say("  hint: --force-knob ID puts it back nevertheless, --acknowledge leaves it as it is");
    false
}
