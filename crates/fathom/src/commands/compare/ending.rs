//! The exit code of a comparison that checks one side against the other.

use crate::failure::{Exit, say};
use fathom_results::{ComparedSubject, Comparison, FigureVerdict};
use fathom_words::comparison::{all_gaps, not_shown};

/// 6 for a figure that is worse by more than the limit; else 7 where something could not be checked.
pub(super) fn exit(comparison: &Comparison, limit: f64) -> Exit {
    let worse = worse(comparison, limit);
    let unchecked = unchecked(comparison);
    unchecked.iter().for_each(|sentence| say(sentence));
    match worse.first() {
        None if unchecked.is_empty() => Exit::Ok,
        None => Exit::Incomplete,
        Some(first) => {
            let more = match worse.len() - 1 {
                0 => String::new(),
                n => format!(", and {n} more"),
            };
            let by = match limit {
                0.0 => String::new(),
                limit => format!(" by more than {} %", limit * 100.0),
            };
            say(&format!("worse{by}: {}{more}", first.trim()));
            Exit::Worse
        }
    }
}

/// Says where there is no clear answer.
pub(super) fn is_unclear(comparison: &Comparison) -> bool {
    if let Some((says, _)) = not_shown(comparison) {
        say(&format!("no clear answer: {says}"));
        return true;
    }
    let letters: Vec<&str> = comparison.unclear().map(|subject| subject.letter.as_str()).collect();
    if !letters.is_empty() {
        let letters = letters.join(", ");
        say(&format!("no clear answer: no figure of {letters} is better or worse, and not all are the same"));
    }
    !letters.is_empty()
}

/// The figures that are worse by more than the limit.
fn worse(comparison: &Comparison, limit: f64) -> Vec<String> {
    // A difference of exactly the limit is not more than it.
    let is_over = |ratio: f64| (ratio - 1.0).abs() > limit + 1e-9;
    let worse = comparison.figures.iter().filter(|figure| {
        figure
            .against
            .iter()
            .any(|against| against.verdict == FigureVerdict::Worse && against.ratio.is_some_and(is_over))
    });
    worse.map(|figure| format!("{} {}", figure.job, figure.metric)).collect()
}

/// What of the subjects after the first could not be checked, a sentence for each of them.
fn unchecked(comparison: &Comparison) -> Vec<String> {
    let sentence = |subject: &ComparedSubject| {
        let ComparedSubject { letter, incomplete, missing, not_alike, .. } = subject;
        let why = match (missing.as_slice(), not_alike.as_slice()) {
            _ if !incomplete.is_empty() => all_gaps(incomplete),
            ([], []) => return None,
            ([], jobs) => format!("no figure of {} can be compared", jobs.join(", ")),
            (missing, _) => format!("no figures of {}", missing.join(", ")),
        };
        Some(format!("{letter} is not checked as a whole: {why}"))
    };
    comparison.subjects.iter().skip(1).filter_map(sentence).collect()
}
