//! How much of its progress a command shows.

use fathom_job::fio_cli::Eta;
use fathom_job::units::Nanos;
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
    AsFio {
        /// Whether a line is shown where there is no terminal.
        eta: Eta,
        /// Time between two lines (`--eta-interval`).
        every: Duration,
        /// Its lines go to standard output, as fio's: no document for programs comes there.
        on_stdout: bool,
    },
}

impl Progress {
    /// What fio's `--eta` and `--eta-interval` ask for. fio writes its line once a second unless told otherwise.
    pub fn as_fio(eta: Eta, every: Option<Nanos>, on_stdout: bool) -> Self {
        let every = every.map_or(Duration::from_secs(1), |every| Duration::from_nanos(every.0));
        Progress::AsFio { eta, every, on_stdout }
    }

    /// What `--quiet` leaves.
    pub fn unless_quiet(quiet: bool) -> Self {
        if quiet { Progress::Quiet } else { Progress::Shown }
    }

    /// Whether anything may be shown.
    pub fn is_shown(self) -> bool {
        !matches!(self, Progress::Quiet | Progress::AsFio { eta: Eta::Never, .. })
    }
}
