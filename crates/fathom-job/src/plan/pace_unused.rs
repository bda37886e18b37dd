//! Options of pacing that have no effect, because the option that they belong to is not set. fio
//! does not report them.

use super::notes::{self, Notes};
use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::{Direction, PerDirection};
use crate::job::Job;
use crate::{options, parse};

/// Options, and those of which one must be set for them to matter.
const BELONG: &[(&[&str], &[&str])] = &[
    (&["rate_process", "rate_ignore_thinktime"], &["rate", "rate_iops"]),
    (&["rate_cycle"], &["rate_min", "rate_iops_min"]),
    (&["thinktime_spin", "thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime"], &["thinktime"]),
    (&["latency_window", "latency_percentile", "latency_run"], &["latency_target"]),
    (&["flow_id", "flow_sleep"], &["flow"]),
];

/// Reports each such option, and rates for directions that the job does not issue.
pub(super) fn find(job: &Job, issues: PerDirection<bool>, notes: &mut Notes) {
    for (options, needed) in BELONG {
        if needed.iter().any(|name| asks(job, name)) {
            continue;
        }
        for name in options.iter().filter(|name| asks(job, name)) {
            let message = format!("{name} has no effect without {}", needed.join(" or "));
            let note = Diagnostic::new(Severity::Note, "pace-unused", message);
            notes.push(notes::at_name(note, job, name));
        }
    }
    other_directions(job, issues, notes);
}

fn other_directions(job: &Job, issues: PerDirection<bool>, notes: &mut Notes) {
    let bytes = job.get(&options::RATE).map(|rate| rate.0 > 0);
    let ios = job.get(&options::RATE_IOPS).map(|rate| rate > 0);
    let paced: Vec<Direction> = Direction::ALL.into_iter().filter(|d| bytes[*d] || ios[*d]).collect();
    if paced.is_empty() || paced.iter().any(|d| issues[*d]) {
        return;
    }
    let option = if paced.iter().any(|d| bytes[*d]) { "rate" } else { "rate_iops" };
    let names: Vec<&str> = paced.into_iter().map(Direction::name).collect();
    let message = format!(
        "{option} is given only for {}, which job {} does not issue: the job has no rate limit",
        names.join(" and "),
        job.name
    );
    let found = Diagnostic::new(Severity::Warning, "pace-unused", message);
    notes.push(notes::at_name(found, job, option).hint(format!("{option} takes read,write,trim")));
}

/// Was the option set to other than its default?
fn asks(job: &Job, name: &str) -> bool {
    let default = options::find(name).and_then(parse::default_of);
    job.settings().any(|(set, setting)| set == name && Some(&setting.value) != default.as_ref())
}
