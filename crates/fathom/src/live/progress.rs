//! How much of its progress a command shows.

use fathom_job::fio_cli::Eta;
use std::time::Duration;

/// How much of its progress a command shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Nothing.
    Quiet,
    /// The view on a terminal, and elsewhere a line now and then.
    #[default]
    Shown,
    /// What `--eta` of fio asks for.
    AsFio(Eta),
}

/// Time between two lines where there is no terminal: enough to see in a log that the run goes on.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The same for `fathom fio --eta=always`: fio writes its line about once a second.
const FIO_LINE_EVERY: Duration = Duration::from_secs(1);

impl Progress {
    /// What `--quiet` leaves.
    pub fn unless_quiet(quiet: bool) -> Self {
        if quiet { Progress::Quiet } else { Progress::Shown }
    }

    /// Whether anything may be shown.
    pub fn is_shown(self) -> bool {
        !matches!(self, Progress::Quiet | Progress::AsFio(Eta::Never))
    }

    /// Time between two lines where there is no terminal; `None` if there are none. Many programs
    /// treat any byte on the standard error of fio as a failure, so fio's lines must be asked for.
    pub fn line_every(self) -> Option<Duration> {
        match self {
            Progress::Shown => Some(LINE_EVERY),
            Progress::AsFio(Eta::Always) => Some(FIO_LINE_EVERY),
            Progress::Quiet | Progress::AsFio(Eta::Auto | Eta::Never) => None,
        }
    }
}
