//! Options that are given and do nothing in this job.

use super::LintInput;
use crate::diagnostic::{Diagnostic, Severity};
use crate::option::OptionDef;
use crate::options;
use crate::plan::PlannedJob;

/// An option, when it does nothing, why, and what to write instead.
struct Idle {
    options: &'static [&'static OptionDef],
    is_idle: fn(&PlannedJob) -> bool,
    why: &'static str,
    hint: &'static str,
}

const IDLE: &[Idle] = &[
    Idle {
        options: &[options::FSYNC.def, options::FDATASYNC.def],
        is_idle: |planned| !planned.writes(),
        why: "it writes nothing that could be synced",
        hint: "without it; or a job that writes",
    },
    Idle {
        options: &[options::RANDOM_DISTRIBUTION.def],
        is_idle: |planned| !planned.rw.random && !planned.job.is_given(&options::PERCENTAGE_RANDOM),
        why: "its offsets are sequential",
        hint: "rw=randread, randwrite or randrw",
    },
    Idle {
        options: &[options::CMDPRIO_CLASS.def, options::CMDPRIO.def],
        is_idle: |planned| {
            !planned.job.is_given(&options::CMDPRIO_PERCENTAGE)
                && !planned.job.is_given(&options::CMDPRIO_BSSPLIT)
        },
        why: "nothing says which I/Os have that priority",
        hint: "cmdprio_percentage=20, or cmdprio_bssplit",
    },
];

/// Adds a note of the first of them.
pub(super) fn option_idle(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let given = |row: &&Idle| row.options.iter().find(|def| job.named(def.name).is_some()).copied();
    let (row, def) =
        IDLE.iter().filter(|row| (row.is_idle)(input.first)).find_map(|row| Some((row, given(&row)?)))?;
    let message = format!("job {}: {} has no effect, because {}", job.name, def.name, row.why);
    let finding = Diagnostic::new(Severity::Note, code, message);
    Some(crate::plan::at_name(finding, job, def.name).hint(row.hint))
}
