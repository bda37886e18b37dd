//! One line for each step of a procedure that ended.

use fathom_results::procedure::{Preparation, ProcedureForecast, RoundDone, StepDone, StepRecord};
use fathom_text::number::{bytes, prefixed};

/// The line for a step.
pub fn line(step: &StepRecord, expected: &ProcedureForecast) -> String {
    let seconds = step.ended_unix_ns.saturating_sub(step.began_unix_ns) as f64 / 1e9;
    let what = match &step.did {
        StepDone::Round(round) => round_text(round),
        StepDone::Prepared { preparation, evidence } => format!("{}: {evidence}", prepared(preparation)),
        StepDone::Waited { until, reached: true } => format!("waited until {until}"),
        StepDone::Waited { until, reached: false } => format!("waited in vain until {until}"),
        StepDone::Asked { request, answer } => format!("{request}: {answer}"),
        StepDone::Identified { path, .. } => format!("found {path} again"),
        StepDone::Unknown => "a step that this fathom does not know".to_owned(),
    };
    let of = match &step.did {
        StepDone::Round(_) => format!(" of {} rounds", expected.rounds),
        _ => String::new(),
    };
    format!("step {}{of}, {seconds:.1} s: {what}", step.number + 1)
}

fn prepared(preparation: &Preparation) -> String {
    match preparation {
        Preparation::Purge { target } => format!("purged {target}"),
        Preparation::DropCaches => "caches".to_owned(),
        Preparation::Tuning { in_force: true } => "tuned".to_owned(),
        Preparation::Tuning { in_force: false } => "tuning taken back".to_owned(),
        Preparation::Unknown => "prepared".to_owned(),
    }
}

fn round_text(round: &RoundDone) -> String {
    if let Some(why) = round.failed() {
        return format!("{}: failed: {why}", round.cell);
    }
    let jobs = round
        .figures
        .iter()
        .map(|job| format!("{} {} IOPS, {}/s", job.job, prefixed(job.iops, ""), bytes(job.bytes_per_second)));
    format!("{}: {}", round.cell, jobs.collect::<Vec<_>>().join("; "))
}
