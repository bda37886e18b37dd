//! The jobs that a sentence is about, and how a sentence begins.

use fathom_results::JobsPart;

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

/// Begins with a capital letter, as a sentence does.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
