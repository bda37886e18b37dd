//! Tells of sessions whose journal has gone: fathom cannot put those back, so a
//! person must.

use fathom_host::Root;
use fathom_host::tune::{self, Lost};
use fathom_text::shell::quoted;
use fathom_text::shown;

use super::failure::failure;
use crate::failure::{Failure, print, say};

/// Prints each, with what it found and what to do; whether there is none.
pub(super) fn tell() -> Result<bool, Failure> {
    let lost = tune::lost(&Root::live()).map_err(failure)?;
    for lost in &lost {
        print(&text(lost))?;
        say(&format!(
            "hint: fathom cannot put this session back without its journal; \
             put back by hand what is still changed, then remove {}",
            quoted(&lost.claim)
        ));
    }
    Ok(lost.is_empty())
}

fn text(lost: &Lost) -> String {
    let head = format!(
        "a session was not put back, and its journal {} cannot be used: {}",
        lost.journal.display(),
        lost.reason
    );
    let mut out = format!("{}\n", shown::line(&head));
    for found in &lost.found {
        let line = format!("{:<12} {} was {} before", "lost", found.path, found.before);
        out.push_str(&format!("  {}\n", shown::line(&line)));
    }
    out
}
