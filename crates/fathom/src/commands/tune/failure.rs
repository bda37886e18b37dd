//! What went wrong with tuning, as the command ends with it.

use fathom_tune::TuneError;

use crate::failure::{Exit, Failure};

/// The exit code and the words of an error.
pub(super) fn failure(error: TuneError) -> Failure {
    let exit = match () {
        () if error.is_refusal() => Exit::Refused,
        () if error.is_usage() => Exit::Usage,
        () => Exit::Failed,
    };
    let hint = error.hint();
    let failure = Failure::new(exit, error);
    hint.into_iter().fold(failure, Failure::hint)
}
