//! `--status-interval`: what the run has measured so far, in the form that was asked
//! for, again and again. It is read from what the run has saved.

use super::super::output;
use crate::args::Format;
use crate::edge::{Ready, print_ready};
use fathom_job::units::Nanos;
use fathom_report::terse::TerseVersion;
use fathom_results::JobResult;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The shortest interval: a run saves once a second, so more often nothing is new.
const SHORTEST: Duration = Duration::from_secs(1);

/// The most bytes of statuses that are kept for a file; later statuses are left out.
const KEPT_MAX_BYTES: usize = 64 << 20;

/// What is printed, and where it is read from.
pub struct Statuses {
    pub dir: PathBuf,
    pub formats: Vec<Format>,
    pub terse: TerseVersion,
    /// Whether each status is printed at once, as on standard output. For a file they are kept,
    /// and written together with the result.
    pub at_once: bool,
}

/// The thread that prints them.
pub struct Printing {
    stop: Sender<()>,
    thread: JoinHandle<Vec<Ready>>,
}

impl Statuses {
    /// Starts the thread that prints a status each time. `None` if no interval is given, or if
    /// the thread cannot be started.
    pub fn start(self, every: Option<Nanos>) -> Option<Printing> {
        let every = every.filter(|every| every.0 > 0)?;
        let every = Duration::from_nanos(every.0).max(SHORTEST);
        let (stop, over) = channel();
        let print = move || {
            let (mut kept, mut bytes) = (Vec::new(), 0);
            while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(every) {
                let status = self.status().filter(|_| bytes < KEPT_MAX_BYTES);
                bytes += status.as_ref().map_or(0, |status| status.as_str().len());
                kept.extend(status);
            }
            kept
        };
        let thread = Builder::new().name("status".to_owned()).spawn(print).ok()?;
        Some(Printing { stop, thread })
    }

    /// Prints the status, or returns it if it is kept for a file. There is none before an I/O
    /// was measured.
    fn status(&self) -> Option<Ready> {
        let is_busy = |job: &JobResult| job.totals.directions.iter().any(|(_, done)| done.ios > 0);
        let run = fathom_session::load(&self.dir).ok().filter(|run| run.jobs.iter().any(is_busy))?;
        let text = output::plain(&run, &self.formats, self.terse);
        if !self.at_once {
            return Some(text);
        }
        // A failure to print is reported once, when the result is printed.
        let _ = print_ready(&text);
        None
    }
}

impl Printing {
    /// Ends the thread, and returns the statuses that are written before the result.
    pub fn stop(self) -> Vec<Ready> {
        let _ = self.stop.send(());
        self.thread.join().unwrap_or_default()
    }
}
