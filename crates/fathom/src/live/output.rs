//! What the display writes for a run.

use super::look::Look;
use super::progress::Progress;
use fathom_job::fio_cli::Eta;
use std::time::Duration;

/// Time between two lines where there is no terminal: enough to see in a log that the run goes on.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// What the display writes, besides messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nothing.
    Messages,
    /// The view, on a terminal.
    View,
    /// A line each time that this much time has passed.
    Lines(Duration),
    /// fio's line.
    FioLines {
        /// Time between two lines.
        every: Duration,
        /// On standard output, where no document is.
        on_stdout: bool,
    },
}

impl Output {
    /// What is written of this progress to the present standard error.
    ///
    /// Many programs treat any byte on the standard error of fio as a failure, so fio's lines must be asked for.
    pub fn of(progress: Progress) -> Output {
        if Look::has_view() {
            return if progress.is_shown() { Output::View } else { Output::Messages };
        }
        match progress {
            Progress::Shown => Output::Lines(LINE_EVERY),
            Progress::AsFio { eta: Eta::Always, every, on_stdout } => Output::FioLines { every, on_stdout },
            Progress::Quiet | Progress::AsFio { .. } => Output::Messages,
        }
    }
}
