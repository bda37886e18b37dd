//! The exit codes.

/// Exit codes: documented and tested; they do not change (README, "Exit codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing went wrong.
    Ok = 0,
    /// The run failed.
    Failed = 1,
    /// Wrong usage or a wrong job.
    Usage = 2,
    /// Refused for safety.
    Refused = 3,
    /// The workload met I/O errors.
    IoErrors = 4,
    /// The command finished, but the result is not valid: findings for
    /// `--fail-on`, settings that drifted, a purge without proof, a broken limit of a suite, a standard's test without steady
    /// state.
    NotValid = 5,
    /// A comparison found something worse by more than the limit that was asked for.
    Worse = 6,
    /// Incomplete; what was measured is saved.
    Incomplete = 7,
    /// The terminal went away (SIGHUP); what was measured is saved.
    HungUp = 129,
    /// Interrupted by Ctrl-C; what was measured is saved.
    Interrupted = 130,
    /// Terminated; what was measured is saved.
    Terminated = 143,
}

impl Exit {
    /// Every exit code.
    pub const ALL: [Exit; 11] = [
        Exit::Ok,
        Exit::Failed,
        Exit::Usage,
        Exit::Refused,
        Exit::IoErrors,
        Exit::NotValid,
        Exit::Worse,
        Exit::Incomplete,
        Exit::HungUp,
        Exit::Interrupted,
        Exit::Terminated,
    ];
}
