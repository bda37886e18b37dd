//! What the run has measured so far, in the form that was asked for: again and again (`--status-interval`), or once, when SIGUSR1
//! arrives or a file `fio-dump-status` appears. It is read from what the run has saved, and goes where the result
//! will go, at once: who looks there sees it, and a kill leaves it there.

use super::super::output;
use crate::edge::Ready;
use crate::place::OutputPlace;
use fathom_device::threads as host_signals;
use fathom_job::fio_cli::OutputFormat;
use fathom_job::units::Nanos;
use fathom_report::terse::TerseVersion;
use fathom_results::JobResult;
use signal_hook::consts::SIGUSR1;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// The shortest interval: a run saves once a second, so more often nothing is new.
const SHORTEST: Duration = Duration::from_secs(1);

/// Time between two looks at what asks for a status.
const LOOK: Duration = Duration::from_millis(100);

/// Name of the file that asks for a status, in the directory of temporary files.
const ASKING_FILE: &str = "fio-dump-status";

/// What is written, where, and where it is read from.
pub struct Statuses<'a> {
    pub dir: PathBuf,
    pub formats: &'a [OutputFormat],
    pub terse: TerseVersion,
    pub place: &'a OutputPlace<'a>,
}

impl Statuses<'_> {
    /// Does the work, and writes a status whenever one is due or asked for. Without a thread for that there are none.
    pub fn during<R>(&self, every: Option<Nanos>, work: impl FnOnce() -> R) -> R {
        let every =
            every.filter(|every| every.0 > 0).map(|every| Duration::from_nanos(every.0).max(SHORTEST));
        let is_signalled = Arc::new(AtomicBool::new(false));
        // Without a handler the signal ends the program. A thread that waits for a disk must not receive it.
        let _ = signal_hook::flag::register(SIGUSR1, is_signalled.clone());
        let _ = host_signals::block(&[SIGUSR1]);
        let (running, over) = channel::<()>();
        scope(|threads| {
            let thread = Builder::new().name("status".to_owned());
            let _ = thread.spawn_scoped(threads, || self.write_each(every, &is_signalled, over));
            let done = work();
            drop(running);
            done
        })
    }

    fn write_each(&self, every: Option<Duration>, is_signalled: &AtomicBool, over: Receiver<()>) {
        let _ = host_signals::unblock(&[SIGUSR1]);
        let asking_file = std::env::temp_dir().join(ASKING_FILE);
        let mut due = every.map(|every| Instant::now() + every);
        // Was one asked for before anything was measured?
        let mut is_owed = false;
        while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(pause(due)) {
            let is_due = due.is_some_and(|due| due <= Instant::now());
            if is_due {
                due = due.zip(every).map(|(due, every)| due + every);
            }
            is_owed |= is_signalled.swap(false, Ordering::Relaxed) | was_there(&asking_file);
            if let Some(status) = (is_due || is_owed).then(|| self.status()).flatten() {
                is_owed = false;
                // A failure to write is told once, when the result is written.
                let _ = self.place.write(&status);
            }
        }
    }

    /// There is none before an I/O was measured.
    fn status(&self) -> Option<Ready> {
        let is_busy = |job: &JobResult| job.totals.directions.iter().any(|(_, done)| done.ios > 0);
        let run = fathom_session::load(&self.dir).ok().filter(|run| run.jobs.iter().any(is_busy))?;
        Some(output::as_fio(&run, self.formats, self.terse))
    }
}

/// Time until the next look: at most until the next status is due.
fn pause(due: Option<Instant>) -> Duration {
    due.map_or(LOOK, |due| due.saturating_duration_since(Instant::now()).min(LOOK))
}

/// Removes the file, as fio does, and says whether it was there. Only a regular file is removed.
fn was_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok_and(|meta| meta.is_file()) && std::fs::remove_file(file).is_ok()
}
