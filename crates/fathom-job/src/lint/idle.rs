//! Options that are given and do nothing in this job.

use super::LintInput;
use crate::diagnostic::{Diagnostic, Severity};
use crate::job::Origin;
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
        options: &[options::BS.def],
        is_idle: |planned| {
            let over = [options::BSSPLIT.def, options::BSRANGE.def];
            over.into_iter().any(|over| hides(planned, over, options::BS.def))
        },
        why: "bssplit and bsrange come before it, as in fio",
        hint: "leave out one of them",
    },
    Idle {
        options: &[options::BSRANGE.def],
        is_idle: |planned| hides(planned, options::BSSPLIT.def, options::BSRANGE.def),
        why: "bssplit comes before it, as in fio",
        hint: "leave out one of them",
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

/// Does the first option decide the sizes, though the other one is given as specifically? A size of `[global]` may be that of other
/// jobs, and a trace has sizes of its own.
fn hides(planned: &PlannedJob, over: &OptionDef, under: &OptionDef) -> bool {
    let origin = |def: &OptionDef| planned.job.named(def.name).map(|setting| setting.origin);
    match (origin(over), origin(under)) {
        (Some(over), Some(under)) => {
            planned.replays.is_none() && (under != Origin::Global || over == Origin::Global)
        }
        _ => false,
    }
}

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
