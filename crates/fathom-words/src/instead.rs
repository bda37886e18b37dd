//! What takes the place of the result, in words.

use crate::finding::{instead as claim_of, of_finding, rate_fall};
use crate::headline::headline;
use crate::jobs::{capital, in_rounds, part};
use fathom_results::answer::Headline;
use fathom_results::{Answer, FailedJobs, Finding, Instead, LostIos, RoundsPart};
use fathom_text::number::grouped;

/// Jobs that are named one by one.
const NAMES_MAX: usize = 2;

/// Falls that are named in the place of the result.
const FALLS_MAX: usize = 2;

/// What takes the place of the result; `None` where the result is the disk's.
pub fn instead(answer: &Answer) -> Option<String> {
    answer.instead.as_ref().map(|instead| of_instead(instead, answer.lost.as_ref(), answer.so_far))
}

/// `after 2 of 5 rounds: `.
fn so_far(rounds: Option<RoundsPart>) -> String {
    rounds.map(|rounds| format!("after {} of {} rounds: ", rounds.times, rounds.of)).unwrap_or_default()
}

/// The same of its parts.
pub fn of_instead(instead: &Instead, lost: Option<&LostIos>, rounds: Option<RoundsPart>) -> String {
    let so_far = so_far(rounds);
    let lost = lost.map(|lost| format!("{}. ", self::lost(lost))).unwrap_or_default();
    let text = match &instead.failed {
        Some(jobs) => failed(jobs),
        None => found(&instead.findings) + &falls(instead),
    };
    let text = format!("{so_far}{lost}{text}");
    match (instead.rounds, instead.amounts_of_round) {
        (None, None) => text,
        (Some(rounds), None) => format!("{text} ({})", in_rounds(rounds)),
        (rounds, Some(round)) => {
            let rounds = rounds.map_or_else(|| "in each round".to_owned(), in_rounds);
            format!("{}, with these amounts in round {round}: {text}", capital(&rounds))
        }
    }
}

/// The result, behind the I/Os that failed.
pub fn result(answer: &Answer) -> String {
    // What failed is in the line that takes the place of the result, where there is one.
    of_result(&answer.result, answer.lost.as_ref().filter(|_| answer.instead.is_none()), answer.so_far)
}

/// The same of its parts.
pub fn of_result(result: &Headline, lost: Option<&LostIos>, rounds: Option<RoundsPart>) -> String {
    let (so_far, result) = (so_far(rounds), headline(result));
    match lost {
        Some(lost) if lost.issued.is_none() => format!("{so_far}{}. {result}", self::lost(lost)),
        Some(lost) => format!("{so_far}{}; {result}", self::lost(lost)),
        None => so_far + &result,
    }
}

/// `85,790 of 114,537 I/Os of randread failed`; of the rounds of a procedure `3 I/Os failed`.
fn lost(lost: &LostIos) -> String {
    let Some(issued) = lost.issued else {
        return if lost.failed == 1 {
            "1 I/O failed".to_owned()
        } else {
            format!("{} I/Os failed", grouped(lost.failed))
        };
    };
    let whose = match lost.jobs.len() {
        1..=NAMES_MAX => lost.jobs.join(" and "),
        more => format!("{more} jobs"),
    };
    format!("{} of {} I/Os of {whose} failed", grouped(lost.failed), grouped(issued))
}

fn failed(jobs: &FailedJobs) -> String {
    let what = if jobs.are_workers { "workers" } else { "jobs" };
    let first = &jobs.first;
    match (jobs.failed, jobs.of) {
        (_, 1) => format!("The job failed: {first}"),
        (1, all) => format!("1 of {all} {what} failed: {first}"),
        (n, all) => format!("{n} of {all} {what} failed, the first: {first}"),
    }
}

/// What answered the I/O.
fn found(findings: &[Finding]) -> String {
    let claims: Vec<(&Finding, &str)> =
        findings.iter().filter_map(|finding| Some((finding, claim_of(finding)?.0))).collect();
    if let Some((finding, claim)) = claims.iter().find(|(finding, _)| finding.jobs.is_none()) {
        return format!("{claim}: {}", of_finding(finding).few());
    }
    let named = |finding: &Finding, claim: &str| {
        let names = finding.jobs.as_ref().map(part).unwrap_or_default();
        format!("{names}: {}", uncapital(claim))
    };
    match claims.as_slice() {
        [] => String::new(),
        [(finding, claim)] => format!("{}: {}", named(finding, claim), of_finding(finding).few()),
        // The evidence is in the list of reasons.
        several => {
            let each: Vec<String> = several.iter().map(|(finding, claim)| named(finding, claim)).collect();
            each.join("; ")
        }
    }
}

/// The rates that fell: `; w: fell from 107 MB/s to 28.9 MB/s at second 11, …`.
fn falls(instead: &Instead) -> String {
    let falls: String =
        instead.falls.iter().take(FALLS_MAX).map(|fall| format!("; {}", rate_fall(fall))).collect();
    match instead.falls.len().saturating_sub(FALLS_MAX) {
        0 => falls,
        more => format!("{falls}; {more} more rates fell"),
    }
}

/// In the middle of a sentence.
fn uncapital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
