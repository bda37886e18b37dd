//! What went wrong with tuning, as the command ends with it.

use fathom_tune::TuneError;

use crate::failure::Failure;

/// The exit code and the words of an error.
pub(super) fn failure(error: TuneError) -> Failure {
    let failure = Failure::of(&error, error.is_refusal(), error.is_usage());
    error.hint().into_iter().fold(failure, Failure::hint)
}
