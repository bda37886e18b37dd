//! How far the figures can be trusted: the most serious doubt decides.

use super::{Doubts, failed, has_figures};
use crate::case::Case;
use crate::quick::SHORT_RUN;
use crate::taint::{BLOCKS_CUT, DATA_LIMITED, RULES, STALLS, UNKNOWN_CONTENT, WOKEN_LATE};
use fathom_job::direction::Direction;
use fathom_job::units::Nanos;
use fathom_results::{
    CheckOutcome, Finding, RATE_IOS_MIN, RATE_NS_MIN, SelfCheck, Trust, TrustLevel, Weight,
};
use fathom_text::quantity::percent;
use fathom_words::{FindingWords, capital, of_finding, of_jobs};

/// Writes for a shorter time say nothing of what lasts: caches of flash drives and burst credits of
/// volumes take minutes to run out (contract I-26: bursts of 60 s are not reliable; data sheets of
/// client drives: caches of up to 100 GB, which 500 MB/s fill in 200 s).
const WRITE_SECONDS_MIN: f64 = 600.0;

/// A mean of less time depends on when it was measured.
const SECONDS_MIN: f64 = 30.0;

pub(super) fn trust(case: &Case<'_>, found: &Doubts) -> Trust {
    let said = |level, reason: String| Trust { level, reason };
    if !has_figures(case) {
        return said(TrustLevel::Low, "nothing was measured".to_owned());
    }
    let reasons = reasons(case, found);
    if let Some(failure) = ended_early(case, found) {
        // That the jobs were cut short, and what was measured instead, is told by the first words.
        let is_told = |reason: &&Reason| reason.code == INTERRUPTED || reason.is_instead;
        let others: Vec<&Reason> = reasons.iter().filter(|reason| !is_told(reason)).collect();
        return said(TrustLevel::Low, failure + &others_told(&others));
    }
    let worst = reasons.first().and_then(|first| Some((first.level?, &first.short)));
    let Some((worst, first)) = worst else {
        let shortest = shortest_seconds(case);
        return said(
            TrustLevel::High,
            format!("{shortest:.0} s or more of each job, and no rule found a reason against it"),
        );
    };
    said(worst, format!("{first}{}", others_told(&reasons.iter().skip(1).collect::<Vec<_>>())))
}

/// The reasons behind the first: that what was read was perhaps never written, and that little was written, are
/// named, the others are counted: `; also writes of only 10 s (2 more reasons: --details)`.
fn others_told(others: &[&Reason]) -> String {
    let named: Vec<String> =
        others.iter().filter_map(|it| Some(format!("; also {}", it.also.as_ref()?))).collect();
    let counted: Vec<&&Reason> = others.iter().filter(|it| it.also.is_none()).collect();
    let brief: Vec<String> = counted.iter().map(|it| format!("; also {}", claim(&it.short))).collect();
    let brief = brief.concat();
    // A few short reasons need no more room than their number.
    match brief.chars().count() + named.concat().chars().count() <= BRIEF_MAX {
        true => named.concat() + &brief,
        false => named.concat() + &and_more(counted.len()),
    }
}

/// Reasons behind the first are named within so many letters: with the first, they are two lines of 100 columns. A narrower
/// screen counts those that have no room.
const BRIEF_MAX: usize = 110;

/// A reason without its consequence: up to the first comma, and without what was seen.
fn claim(short: &str) -> &str {
    let end = [", ", ": ", " ("].iter().filter_map(|mark| short.find(mark)).min();
    &short[..end.unwrap_or(short.len())]
}

/// The end of a reason behind which others are counted, of one and of several.
const MORE: [&str; 2] = [" more reason: --details)", " more reasons: --details)"];

/// How many reasons are not named, and where they are: ` (2 more reasons: --details)`; empty where all are.
pub fn and_more(reasons: usize) -> String {
    match reasons {
        0 => String::new(),
        1 => format!(" (1{}", MORE[0]),
        _ => format!(" ({reasons}{}", MORE[1]),
    }
}

/// The reason without the number of those that are not named.
pub fn without_more(reason: &str) -> &str {
    let counted = MORE.iter().find_map(|end| reason.strip_suffix(end)?.rsplit_once(" ("));
    counted.map_or(reason, |(reason, _)| reason)
}

/// Rules that are named also behind a worse reason, because a figure in the table is another one than it seems.
const NAMED: [&str; 4] = [UNKNOWN_CONTENT, BLOCKS_CUT, DATA_LIMITED.code, WOKEN_LATE.code];

/// Is it named behind another reason? A stall is if it is long, because the mean is then one of two very different times.
fn is_named(finding: &Finding) -> bool {
    NAMED.contains(&finding.code()) || (finding.code() == STALLS && finding.weight == Weight::Low)
}

/// The code of the rule about jobs that were cut short.
const INTERRUPTED: &str = "interrupted";

/// A reason for less trust.
pub(super) struct Reason {
    /// The level that it allows; `None` where it concerns a detail.
    level: Option<TrustLevel>,
    /// Its rule; empty where no rule found it.
    code: String,
    /// Something else than the disk was measured.
    is_instead: bool,
    /// In few words, for the line of the answer.
    short: String,
    /// In fewer words, behind another reason that is told first.
    also: Option<String>,
    /// A full sentence with what was seen, for the list.
    pub sentence: String,
}

/// Every reason, the most serious first. The answer counts them, and the list has the same number. Of reasons of the same
/// level, what was measured instead of the disk is first, then that what was read was perhaps never written, and then
/// a time that was too short: such reads, and writes that a cache takes, can be ten times as fast as the drive, and the
/// other reasons change a figure less.
pub(super) fn reasons(case: &Case<'_>, found: &Doubts) -> Vec<Reason> {
    let length = too_short(case);
    let is_told = length.is_some();
    // How long is long enough is told in the same way for every run.
    let told = found.0.iter().filter(|(finding, _)| finding.code() != SHORT_RUN || !is_told);
    let told = told.map(|(finding, words)| Reason {
        level: level(finding.weight),
        code: finding.code().to_owned(),
        is_instead: finding.weight == Weight::Instead,
        short: reason(finding, words),
        also: is_named(finding).then(|| words.brief.as_ref().unwrap_or(&words.claim).clone()),
        sentence: words.sentence(finding),
    });
    let plain = |(level, short): (TrustLevel, String)| Reason {
        level: Some(level),
        code: String::new(),
        is_instead: false,
        sentence: format!("{}.", capital(&short)),
        short,
        also: None,
    };
    let findings = case.run.record.findings.iter();
    let recorded = findings.filter(|finding| RULES.iter().all(|rule| rule.code != finding.code()));
    let recorded = recorded.map(|finding| {
        let words = of_finding(finding);
        Reason {
            level: None,
            code: finding.code().to_owned(),
            is_instead: false,
            also: None,
            sentence: words.sentence(finding),
            short: words.claim,
        }
    });
    let length = length.map(|short| Reason { also: also(case), ..plain(short) });
    let mut all: Vec<Reason> =
        length.into_iter().chain(told).chain(contradiction(case, found).map(plain)).chain(recorded).collect();
    let rank = |reason: &Reason| (!reason.is_instead, reason.code != UNKNOWN_CONTENT);
    all.sort_by_key(|reason| (reason.level.is_none(), reason.level, rank(reason)));
    all
}

/// What ended the run or a job before its time, and what is not the disk's in the figures until then.
fn ended_early(case: &Case<'_>, found: &Doubts) -> Option<String> {
    let incomplete = || {
        let why = case.run.incomplete.as_deref()?;
        // Some of the reasons are sentences about the run.
        Some(match why.starts_with("the run ") {
            true => why.to_owned(),
            false => format!("the run is incomplete: {why}"),
        })
    };
    let failed = failed(case).map(|_| "the figures cover the time before the failure".to_owned());
    let reason = failed.or_else(incomplete)?;
    Some(match found.meaning() {
        Some(meaning) => format!("{reason}, and {meaning}"),
        None => reason,
    })
}

/// What was measured instead is told in the place of the result; here, what that means.
fn reason(finding: &Finding, words: &FindingWords) -> String {
    match fathom_words::instead(finding) {
        Some((_, meaning)) => of_jobs(finding.jobs.as_ref(), meaning),
        None => words.claim.clone(),
    }
}

/// A check of the run by itself that failed. I/O of other programs explains counts that differ.
fn contradiction(case: &Case<'_>, found: &Doubts) -> Option<(TrustLevel, String)> {
    let is_explained = found.has_foreign_io();
    let is_wrong = |check: &&SelfCheck| {
        check.outcome == CheckOutcome::Broken && !(is_explained && check.name == KERNEL_COUNTS)
    };
    let wrong = case.run.record.self_knowledge.checks.iter().find(is_wrong)?;
    let reason = if wrong.name == KERNEL_COUNTS { kernel_counts(case) } else { None };
    Some((TrustLevel::Low, reason.unwrap_or_else(|| format!("two ways to count differ: {}", wrong.evidence))))
}

/// How far the kernel's count of bytes is from fathom's, where they differ most: `the kernel counted 36 % more read data
/// than fathom moved`.
fn kernel_counts(case: &Case<'_>) -> Option<String> {
    let shares = case.witnesses.iter().filter(|witness| witness.is_direct).flat_map(|witness| {
        Direction::ALL.into_iter().filter_map(move |direction| Some((direction, witness.share(direction)?)))
    });
    let (direction, share) = shares.max_by(|a, b| (a.1 - 1.0).abs().total_cmp(&(b.1 - 1.0).abs()))?;
    let difference = percent((share - 1.0).abs());
    let more = if share > 1.0 { "more" } else { "less" };
    let file_system = case.witnesses.iter().any(|witness| witness.has_file) && share > 1.0;
    let with = match direction {
        Direction::Write if file_system => ", the journal and metadata of the file system included",
        Direction::Read if file_system => ", the metadata of the file system included",
        _ => "",
    };
    Some(format!(
        "the kernel counted {difference} {more} {} data than fathom moved{with}",
        adjective(direction)
    ))
}

const fn adjective(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "written",
        Direction::Trim => "trimmed",
    }
}

/// The check of the kernel's counts against fathom's.
const KERNEL_COUNTS: &str = "kernel-counts";

const fn level(weight: Weight) -> Option<TrustLevel> {
    match weight {
        Weight::Instead | Weight::Low => Some(TrustLevel::Low),
        Weight::Medium => Some(TrustLevel::Medium),
        Weight::Aside => None,
    }
}

/// What the length of the measurement does not allow.
fn too_short(case: &Case<'_>) -> Option<(TrustLevel, String)> {
    let shortest = shortest_seconds(case);
    if case.cells.iter().any(|cell| cell.ios() > 0 && cell.is_too_short()) {
        // In the same words for each round, however long it took.
        let least = Nanos(RATE_NS_MIN);
        return Some((TrustLevel::Low, format!("less than {least} is too short for a rate")));
    }
    if case.cells.iter().any(|cell| cell.has_too_few()) {
        let reason = format!("fewer than {RATE_IOS_MIN} I/Os are too few for a rate");
        return Some((TrustLevel::Low, reason));
    }
    let reason = match seconds_written(case) {
        Some(seconds) if seconds < WRITE_SECONDS_MIN => {
            format!("writes of only {}, which a cache may hold", told(seconds))
        }
        _ if shortest < SECONDS_MIN => {
            format!("{} is short: the mean may differ at another moment", told(shortest))
        }
        _ => return None,
    };
    Some((TrustLevel::Medium, reason))
}

/// The same in a few words, of writes.
fn also(case: &Case<'_>) -> Option<String> {
    let seconds = seconds_written(case).filter(|seconds| *seconds < WRITE_SECONDS_MIN)?;
    Some(format!("writes of only {}", told(seconds)))
}

/// Whole seconds, and less than one in milliseconds.
fn told(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.0} s") }
}

/// How long the job wrote that wrote for the shortest time; `None` where none wrote to a disk. Memory has no write cache.
fn seconds_written(case: &Case<'_>) -> Option<f64> {
    let writes = case.on_disk().filter(|cell| cell.flow(Direction::Write).totals.ios > 0);
    let writes = writes.filter(|cell| !case.is_memory_of(cell));
    writes.map(|cell| cell.seconds()).reduce(f64::min)
}

fn shortest_seconds(case: &Case<'_>) -> f64 {
    let busy = case.cells.iter().filter(|cell| cell.ios() > 0);
    busy.map(|cell| cell.seconds()).reduce(f64::min).unwrap_or(0.0)
}
