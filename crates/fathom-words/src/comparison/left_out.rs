//! The words for what of a comparison is left out, and for what of a subject is missing.

use crate::jobs::asked;
use crate::{incomplete, round_failure};
use fathom_results::{Gap, Incomplete, LeftOut, LeftOutPart, LeftOutReason, LoadDifference};
use fathom_text::words::{counted, first_of};

/// What is left out, and why: `B: p99 latency of j: 2 of 3 runs have it`.
pub fn left_out(left: &LeftOut) -> String {
    let subject = left.subject.as_ref().map(|letter| format!("{letter}: ")).unwrap_or_default();
    format!("{subject}{}: {}", part(&left.what), reason(left))
}

fn part(part: &LeftOutPart) -> String {
    match part {
        LeftOutPart::Figures { job, metrics } if job.is_empty() => metrics.join(", "),
        LeftOutPart::Figures { job, metrics } => format!("{} of {job}", metrics.join(", ")),
        LeftOutPart::Job(job) => job.clone(),
        LeftOutPart::OnlyJobs { subjects, jobs } => {
            format!("{} of {} and {} of {}", jobs[0], subjects[0], jobs[1], subjects[1])
        }
        LeftOutPart::Round(directory) => format!("round {directory}"),
        LeftOutPart::Typed => "typed values".to_owned(),
    }
}

fn reason(left: &LeftOut) -> String {
    let and = |each: &[String]| each.join(" and ");
    match &left.reason {
        LeftOutReason::NotInRun { run, of } => {
            format!("run {run} of {of} has no such figure, or has it of other I/O")
        }
        LeftOutReason::NotInAllRuns { runs, of } => format!("{runs} of {of} runs have it"),
        LeftOutReason::TooFewInRounds { rounds, of } => {
            format!("{rounds} of {of} rounds of its measurement window have enough I/Os for it")
        }
        LeftOutReason::Failed { message } => format!("it failed: {message}"),
        LeftOutReason::RoundFailed { why } => round_failure(why),
        LeftOutReason::Incomplete { why } => format!("it is incomplete: {}", end_of(why.as_ref())),
        LeftOutReason::NotSteady { rounds } => {
            format!("it reached no steady state in {}", counted(*rounds, "round"))
        }
        LeftOutReason::NoSteadyState => {
            "the specification asks for no steady state in it, and only rounds of a steady state are compared"
                .to_owned()
        }
        LeftOutReason::AfterSteadyState => {
            "it comes after the steady state of its test, and only rounds of a steady state are compared"
                .to_owned()
        }
        LeftOutReason::NoIo => "it measured no I/O".to_owned(),
        LeftOutReason::TooShort => "it measured for less than a tenth of a second".to_owned(),
        LeftOutReason::TooFew { ios } => format!("it measured only {}", counted(*ios, "I/O")),
        LeftOutReason::TooFewBeyond { ios } => {
            format!("fewer than ten of its {} lie beyond it", counted(*ios, "I/O"))
        }
        LeftOutReason::OtherJobs { differs } => {
            format!("they have other names and do other I/O: {}", loads(differs))
        }
        LeftOutReason::OtherIo { differs } => format!("it is of other I/O: {}", loads(differs)),
        LeftOutReason::OtherDirection { directions } => {
            format!("it is of another direction: {}", and(directions))
        }
        LeftOutReason::OtherPattern { patterns } => {
            format!("it is of another kind of I/O: {}", and(patterns))
        }
        LeftOutReason::OtherLatency { latencies } => {
            format!("these are different latencies: {}", and(latencies))
        }
        LeftOutReason::OtherBlocks { blocks } => format!("the block sizes differ: {}", and(blocks)),
        LeftOutReason::HeldBack { subjects, free } => format!(
            "a rate or pauses hold the I/Os of {} back and not those of {}, and latency grows with the number in flight",
            and(subjects),
            and(free)
        ),
        LeftOutReason::AskedRates { rates } => {
            let each: Vec<String> =
                rates.iter().map(|rate| rate.map_or("no rate".to_owned(), asked)).collect();
            format!("it is what the jobs ask for, which differs: {}", and(&each))
        }
        LeftOutReason::OtherDepths { in_flight } => {
            let each: Vec<String> = in_flight.iter().map(u64::to_string).collect();
            format!("the jobs keep {} I/Os in flight, and latency grows with that number", and(&each))
        }
        LeftOutReason::RateFell { subjects } => format!(
            "the rate of {} fell during the run, so this is of the time before the fall and of that after it",
            and(subjects)
        ),
        LeftOutReason::NotMeasured { subjects } => {
            format!("{} did not measure it, or from too few I/Os", subjects.join(", "))
        }
        LeftOutReason::Absent { subjects } => {
            let has = if left.what == LeftOutPart::Typed { "has none" } else { "does not have it" };
            format!("{} {has}", subjects.join(", "))
        }
    }
}

fn end_of(why: Option<&Incomplete>) -> String {
    why.map_or_else(|| "its end was not saved".to_owned(), incomplete)
}

/// In what loads differ: `read and write, blocks of 4 KiB and 1 MiB`.
fn loads(differs: &[LoadDifference]) -> String {
    let one = |differs: &LoadDifference| match differs {
        LoadDifference::Direction([one, two]) | LoadDifference::Pattern([one, two]) => {
            format!("{one} and {two}")
        }
        LoadDifference::Block([one, two]) => format!("blocks of {one} and {two}"),
        LoadDifference::InFlight([one, two]) => format!("{one} and {two} I/Os in flight"),
    };
    differs.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Cells that are named one by one; more are counted.
const NAMED_MAX: usize = 3;

/// What is missing, in a clause: `not finished: 2 of 12 rounds ended`.
pub fn gap(gap: &Gap) -> String {
    match gap {
        Gap::NotFinished { rounds, of } if of > rounds => {
            format!("not finished: {rounds} of {} ended", counted(*of, "round"))
        }
        Gap::NotFinished { rounds, .. } => format!("not finished: {} ended", counted(*rounds, "round")),
        Gap::RoundFailed { round, why } => format!("the round {round} failed ({})", round_failure(why)),
        Gap::JobFailed { job, message } => format!("{job} failed: {message}"),
        Gap::JobIncomplete { job, why } => format!("{job} is incomplete: {}", end_of(why.as_ref())),
        Gap::CellsFailed { cells } => {
            let each = cells.iter().map(|(cell, why)| format!("{cell} ({})", round_failure(why)));
            format!("cells that failed: {}", first_of(&each.collect::<Vec<_>>(), NAMED_MAX))
        }
        Gap::CellsNotMeasured { cells } => {
            format!("cells that were not measured: {}", first_of(cells, NAMED_MAX))
        }
        Gap::CellsShort { cells } => {
            let each = cells.iter().map(|(cell, rounds, of)| format!("{cell} ({rounds} of {of} rounds)"));
            format!("cells without all of their rounds: {}", first_of(&each.collect::<Vec<_>>(), NAMED_MAX))
        }
    }
}
