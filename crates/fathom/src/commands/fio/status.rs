//! `--status-interval`: what the run has measured so far, in the form that was asked
//! for, again and again. It is read from what the run has saved, and goes where the result
//! will go, at once: who looks there sees it, and a kill leaves it there.

use super::super::output;
use crate::args::Format;
use crate::edge::Ready;
use crate::place::OutputPlace;
use fathom_job::units::Nanos;
use fathom_report::terse::TerseVersion;
use fathom_results::JobResult;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

/// The shortest interval: a run saves once a second, so more often nothing is new.
const SHORTEST: Duration = Duration::from_secs(1);

/// What is written, where, and where it is read from.
pub struct Statuses<'a> {
    pub dir: PathBuf,
    pub formats: &'a [Format],
    pub terse: TerseVersion,
    pub place: &'a OutputPlace<'a>,
}

impl Statuses<'_> {
    /// Does the work, and writes a status each time, if an interval is given. Without a thread for that there are none.
    pub fn during<R>(&self, every: Option<Nanos>, work: impl FnOnce() -> R) -> R {
        let Some(every) = every.filter(|every| every.0 > 0) else { return work() };
        let every = Duration::from_nanos(every.0).max(SHORTEST);
        let (running, over) = channel::<()>();
        scope(|threads| {
            let thread = Builder::new().name("status".to_owned());
            let _ = thread.spawn_scoped(threads, || self.write_each(every, over));
            let done = work();
            drop(running);
            done
        })
    }

    fn write_each(&self, every: Duration, over: Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(every) {
            if let Some(status) = self.status() {
                // A failure to write is told once, when the result is written.
                let _ = self.place.write(&status);
            }
        }
    }

    /// There is none before an I/O was measured.
    fn status(&self) -> Option<Ready> {
        let is_busy = |job: &JobResult| job.totals.directions.iter().any(|(_, done)| done.ios > 0);
        let run = fathom_session::load(&self.dir).ok().filter(|run| run.jobs.iter().any(is_busy))?;
        Some(output::plain(&run, self.formats, self.terse))
    }
}
