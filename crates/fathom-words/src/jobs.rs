//! The jobs that a sentence is about, and how a sentence begins.

use fathom_job::plan::Rate;
use fathom_results::finding::IoRate;
use fathom_results::{JobsPart, RoundsPart};
use fathom_text::number::grouped;
use fathom_text::quantity::{bandwidth, rate};

/// Jobs that are named one by one; more of them are counted.
const NAMED_MAX: usize = 2;

/// The names of some jobs: `a and b`, `3 of 5 jobs`.
pub fn part(jobs: &JobsPart) -> String {
    match jobs.names.len() {
        n if n > NAMED_MAX => format!("{n} of {} jobs", jobs.of),
        _ => jobs.names.join(" and "),
    }
}

/// Words about the jobs that a finding is about: with their names where it is not about all.
pub fn of_jobs(jobs: Option<&JobsPart>, words: &str) -> String {
    jobs.map_or_else(|| words.to_owned(), |jobs| format!("{}: {words}", part(jobs)))
}

/// In how many rounds: `in 2 of 3 rounds`.
pub fn in_rounds(part: RoundsPart) -> String {
    format!("in {} of {} rounds", part.times, part.of)
}

/// Begins with a capital letter, as a sentence does.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// `1 I/O`, `2,560 I/Os`.
pub fn counted_ios(ios: u64) -> String {
    if ios == 1 { "1 I/O".to_owned() } else { format!("{} I/Os", grouped(ios)) }
}

/// Behind a rate that was reached: ` of the 2.00k IOPS that were asked for`.
pub fn of_the_asked(rate: Rate) -> String {
    format!(" of the {} that were asked for", asked(rate))
}

/// A rate in the unit that people use for blocks of this size.
pub fn in_unit(of: IoRate, in_bytes: bool) -> String {
    if in_bytes { bandwidth(of.bytes_per_second) } else { rate(of.iops) }
}

/// `2.00k IOPS`, `50.0 MB/s`.
pub fn asked(asked: Rate) -> String {
    match asked {
        Rate::Ios(ios) => rate(ios as f64),
        Rate::Bytes(bytes) => bandwidth(bytes as f64),
    }
}
