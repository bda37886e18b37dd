//! After the run: everything that the run can learn about itself goes into its record.

use crate::facts::surroundings;
use crate::here::Here;
use crate::request::Request;
use crate::{calibrate, probes};
use fathom_engine::runner::LocalThreads;
use fathom_results::{RunRecord, RunResult};

/// Probes how the targets take I/O, measures the generator without them if
/// the request asks for it, and checks the figures. For a run that was cut short, or whose
/// target has failed, only the figures are checked, so that its end is not
/// delayed. Then the run is judged.
pub fn learn(
    record: &mut RunRecord,
    result: &mut RunResult,
    local: &LocalThreads,
    here: &Here,
    request: &Request<'_>,
) {
    if result.incomplete.is_none() {
        record.host.extend(probes::facts(&request.plan, &*local.targets));
        if request.calibrates {
            record.self_knowledge.calibrations = calibrate::calibrate(result, request, local);
        }
    }
    result.record = record.clone();
    result.record.surroundings = surroundings(here, record, &result.dir);
    fathom_judge::judge(result);
    let claims = request.labels.claims.as_ref();
    result.record.datasheet = claims.map(|claims| fathom_judge::datasheet(result, claims));
    *record = result.record.clone();
}
