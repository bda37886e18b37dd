//! `fathom report`: a saved run, printed again, whole or cut short.

use super::output::{self, Place};
use crate::cli::ReportArgs;
use crate::failure::{Exit, Failure};
use crate::session;

/// Runs the command. A run that is incomplete is printed and exits with 7.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let result = session::load(&args.run)?;
    let place = args.output.as_deref().map(Place::of).transpose()?;
    output::write(&result, &args.output_format, place)?;
    Ok(if result.incomplete.is_some() { Exit::Incomplete } else { Exit::Ok })
}
