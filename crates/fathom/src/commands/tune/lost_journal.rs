//! Reports sessions whose journal is gone: fathom cannot put their settings
//! back, so a person must do it.

use fathom_device::Root;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_tune::{self as tune, Lost};

use crate::failure::{Failure, print, say};

/// What is known about lost sessions.
pub(super) struct Search {
    /// Those that were found.
    pub lost: Vec<Lost>,
    /// Whether it is known that there is none.
    pub is_none: bool,
}

/// Looks for lost sessions; without `json` it prints each, with what it found and what to do. An error here does
/// not keep other sessions from being put back.
pub(super) fn search(json: bool) -> Result<Search, Failure> {
    let lost = match tune::lost(&Root::live()) {
        Ok(lost) => lost,
        Err(e) => {
            say(&format!("warning: cannot find out whether other sessions are in force: {e}"));
            return Ok(Search { lost: Vec::new(), is_none: false });
        }
    };
    for lost in lost.iter().filter(|_| !json) {
        print(&text(lost))?;
        say(&format!("hint: put back by hand what is still changed, then remove {}", quoted(&lost.claim)));
    }
    Ok(Search { is_none: lost.is_empty(), lost })
}

fn text(lost: &Lost) -> String {
    let head = format!("a session may be in force that cannot be put back: {}", lost.reason);
    let mut out = format!("{}\n", shown::line(&head));
    for found in &lost.found {
        let line = format!("{:<12} {} was {} before", "lost", found.path, found.before);
        out.push_str(&format!("  {}\n", shown::line(&line)));
    }
    out
}
