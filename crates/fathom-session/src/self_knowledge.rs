//! After the run: everything that the run can learn about itself goes into its record.

use super::{calibrate, probes, surrounds};
use crate::here::Here;
use fathom_engine::runner::RunContext;
use fathom_results::{RunRecord, RunResult};
use fathom_suites::Surrounds;

/// Probes how the targets take I/O, measures the generator without them if
/// `calibrates`, and checks the figures. For a run that was cut short, or whose
/// target has failed, only the figures are checked, so that its end is not
/// delayed. Returns what the judges need to know of the place of the run.
pub fn learn(
    record: &mut RunRecord,
    result: &mut RunResult,
    setting: &RunContext,
    here: &Here,
    calibrates: bool,
) -> Surrounds {
    if result.incomplete.is_none() {
        record.host.extend(probes::facts(&record.plan, &*setting.targets));
        if calibrates {
            record.self_knowledge.calibrations = calibrate::calibrate(result, setting);
        }
    }
    result.record = record.clone();
    let seen = surrounds(here, result);
    record.self_knowledge.checks = fathom_suites::checks::checks(result, &seen);
    result.record = record.clone();
    seen
}
