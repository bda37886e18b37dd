//! INT, TERM and HUP as requests to put everything back. A second one changes
//! nothing: putting back is never skipped.

use signal_hook::iterator::Signals;

use crate::failure::{Exit, Failure};
use crate::signals::{ending, exit};

/// The watch on signals. As soon as it is made, none of the three ends the
/// process.
pub(super) struct Watch {
    signals: Signals,
}

impl Watch {
    pub(super) fn begin() -> Result<Self, Failure> {
        let cannot = |e| Failure::new(Exit::Failed, format!("cannot watch for signals: {e}"));
        Signals::new(ending()).map(|signals| Self { signals }).map_err(cannot)
    }

    /// How to end, if a signal has come.
    pub(super) fn came(&mut self) -> Option<Exit> {
        self.signals.pending().next().map(exit)
    }

    /// Waits for one.
    pub(super) fn wait(&mut self) -> Exit {
        self.signals.forever().next().map_or(Exit::Terminated, exit)
    }
}
