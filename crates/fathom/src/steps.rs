//! One line for each step of a procedure that ended.

use crate::failure::{Exit, Failure, say};
use fathom_job::units::Nanos;
use fathom_results::procedure::{Preparation, ProcedureForecast, RoundDone, StepDone, StepRecord, WaitedFor};
use fathom_text::quantity::{bandwidth, bytes, rate, seconds};
use fathom_text::shown;
use fathom_text::words::counted;

/// The line for a step.
pub fn line(step: &StepRecord, expected: &ProcedureForecast) -> String {
    let took_s = step.ended_unix_ns.saturating_sub(step.began_unix_ns) as f64 / 1e9;
    let what = match &step.did {
        StepDone::Round(round) => round_text(round, expected.rounds),
        StepDone::Prepared { preparation, evidence, .. } => format!("{}: {evidence}", prepared(preparation)),
        StepDone::Waited { until, reached: true } => format!("waited until {}", waited_for(*until)),
        StepDone::Waited { until, reached: false } => {
            format!("waited, but this did not happen: {}", waited_for(*until))
        }
        StepDone::Sampled(samples) => {
            format!("read {} of {} back", bytes(samples.read_bytes as f64), samples.range.target)
        }
        StepDone::Unknown => "a step that this fathom does not know".to_owned(),
    };
    format!("{what} ({})", seconds(took_s, 1))
}

fn waited_for(until: WaitedFor) -> String {
    match until {
        WaitedFor::Time { seconds } => format!("{seconds} s have passed"),
        WaitedFor::Idle => "the disks below the targets do no I/O".to_owned(),
        WaitedFor::Built => "every array below the targets is built".to_owned(),
        WaitedFor::Unknown => "something that this fathom does not know".to_owned(),
    }
}

/// What a procedure will take: `5 rounds, 50 s, 1.20 GB written at most`.
pub fn forecast(expected: &ProcedureForecast) -> String {
    let rounds = match expected.rounds {
        1 => "1 round".to_owned(),
        rounds => format!("{rounds} rounds"),
    };
    let time = match expected.time_ns {
        Some(ns) => format!("{} of jobs", Nanos(ns)),
        None => "no time known in advance".to_owned(),
    };
    let written = written(expected).unwrap_or_else(|| match expected.time_ns {
        Some(ns) => format!("writes as much as the disk can take in {}", Nanos(ns)),
        None => "writes as much as the disk can take".to_owned(),
    });
    format!("{rounds}, {time}, {written}")
}

/// `16.8 MB written to lay out /data/f`; `None` where the amount depends on the target.
pub fn written(expected: &ProcedureForecast) -> Option<String> {
    let files = match expected.laid_out.as_slice() {
        [file] => shown::line(file).into_owned(),
        files => counted(files.len() as u64, "file"),
    };
    let amount = |written: u64| bytes(written as f64);
    Some(match (expected.written_bytes?, expected.laid_out_bytes) {
        (0, _) => "nothing written".to_owned(),
        (written, 0) => format!("{} written at most", amount(written)),
        (written, laid_out) if written == laid_out => {
            format!("{} written to lay out {files}", amount(written))
        }
        (written, laid_out) => {
            format!("{} written at most ({} of it to lay out {files})", amount(written), amount(laid_out))
        }
    })
}

/// How a plan ends: as what it plans would end. Where only a consent is missing, which the next command gives, it says so and
/// ends well.
///
/// # Errors
/// The first refusal that no consent changes.
pub fn judged(what: &str, refused: Vec<Failure>) -> Result<Exit, Failure> {
    let (by_consent, others): (Vec<Failure>, Vec<Failure>) =
        refused.into_iter().partition(|refusal| refusal.lacks_consent);
    let mut others = others.into_iter();
    let first = others.next();
    for refusal in by_consent.into_iter().chain(others) {
        say(&format!("note: the {what} would end with: {}", refusal.message));
        refusal.hints.iter().for_each(|hint| say(&format!("  hint: {hint}")));
    }
    first.map_or(Ok(Exit::Ok), Err)
}

fn prepared(preparation: &Preparation) -> String {
    match preparation {
        Preparation::Purge { target } => format!("purged {target}"),
        Preparation::Format { target, block_bytes } => format!("formatted {target} to {block_bytes} bytes"),
        Preparation::Fill { target } => format!("filled {target}"),
        Preparation::FileSystem { device, kind } => format!("made {kind} on {device}"),
        Preparation::Mount { device, at, mounted: true, .. } => format!("mounted {device} on {at}"),
        Preparation::Mount { at, mounted: false, .. } => format!("unmounted {at}"),
        Preparation::DropCaches => "caches".to_owned(),
        Preparation::Tuning { in_force: true } => "tuned".to_owned(),
        Preparation::Tuning { in_force: false } => "tuning taken back".to_owned(),
        Preparation::Unknown => "prepared".to_owned(),
    }
}

/// A line of a round shows the figures of so many jobs; a round of SNIA PTS can have a hundred.
const JOBS_TOLD_MAX: usize = 6;

fn round_text(round: &RoundDone, of: u32) -> String {
    let name = format!("round {} of {of}", round.directory);
    if let Some(why) = round.failed() {
        return format!("{name}: failed: {}", fathom_words::round_failure(&why));
    }
    let shown = if round.figures.len() > JOBS_TOLD_MAX + 1 { JOBS_TOLD_MAX } else { round.figures.len() };
    let told = round.figures[..shown].iter();
    let told = told.map(|job| match job.rate().zip(job.bandwidth()) {
        Some((ios, flow)) => format!("{} {}, {}", job.job, rate(ios), bandwidth(flow)),
        None if job.is_too_short => format!("{}: too short for a rate", job.job),
        None => format!("{} {}, too few for a rate", job.job, counted(job.ios, "I/O")),
    });
    let more = match round.figures.len() - shown {
        0 => String::new(),
        more => format!("; {more} more jobs"),
    };
    format!("{name}: {}{more}", told.collect::<Vec<_>>().join("; "))
}
