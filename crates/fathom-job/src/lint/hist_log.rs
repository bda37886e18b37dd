//! Options of a log of histograms, without that log.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;

pub(super) const RULE: LintRule = LintRule { code: "hist-log", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let job = input.job();
    let windows = job.get(&options::LOG_HIST_MSEC) > 0;
    let coarse = job.get(&options::LOG_HIST_COARSENESS) > 0;
    if job.is_given(&options::WRITE_HIST_LOG) || !windows && !coarse {
        return None;
    }
    let key = if windows { options::LOG_HIST_MSEC } else { options::LOG_HIST_COARSENESS };
    let message = format!("{} has no effect without write_hist_log", key.def.name);
    Some(note(input, &RULE, &key, message).hint("write_hist_log=PREFIX writes PREFIX_clat_hist.1.log"))
}
