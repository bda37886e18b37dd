//! The engine of jobs that fathom writes itself.

use crate::failure::say;
use fathom_engine::ring;

/// The fastest engine that this kernel and container allow. Says why, if it is
/// not the first choice.
pub fn usual_engine() -> String {
    match ring::probe() {
        Ok(()) => "io_uring".to_owned(),
        Err(e) => {
            say(&format!("note: io_uring cannot be used ({e}); using libaio"));
            "libaio".to_owned()
        }
    }
}
