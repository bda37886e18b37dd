//! How far the figures can be trusted: the most serious doubt decides.

use super::{Doubts, failed, has_figures, is_load};
use crate::case::Case;
use crate::cell::Cell;
use crate::own_jobs::SHORT_RUN;
use crate::taint::{RULES, UNKNOWN_CONTENT};
use fathom_job::direction::Direction;
use fathom_results::{CheckEvidence, CheckOutcome, Reason, SelfCheck, Trust, TrustLevel, Weight, Why};

/// Writes for a shorter time say nothing of what lasts: caches of flash drives and burst credits of
/// volumes take minutes to run out (contract I-26: bursts of 60 s are not reliable; data sheets of
/// client drives: caches of up to 100 GB, which 500 MB/s fill in 200 s).
const WRITE_SECONDS_MIN: f64 = 600.0;

/// A mean of less time depends on when it was measured.
const SECONDS_MIN: f64 = 30.0;

pub(super) fn trust(case: &Case<'_>, doubts: &Doubts) -> Trust {
    let low = |why| Trust {
        level: TrustLevel::Low,
        reasons: vec![Reason::new(why, TrustLevel::Low)],
        shortest_s: None,
    };
    if is_load(case) {
        return of_load(case);
    }
    if !has_figures(case) {
        return low(Why::NothingMeasured);
    }
    let reasons = reasons(case, doubts);
    if let Some(early) = ended_early(case) {
        let mut trust = low(early);
        trust.reasons.extend(reasons);
        return trust;
    }
    match reasons.first().and_then(|first| first.level) {
        Some(level) => Trust { level, reasons, shortest_s: None },
        None => Trust { level: TrustLevel::High, reasons, shortest_s: Some(shortest_seconds(case)) },
    }
}

/// A load that used at least this share of what it was to use is as it was asked for: a burn that is under way when the time is over is
/// cut, and other programs have a part of the CPU.
const LOAD_MIN: f64 = 0.9;

/// Whether loads on CPUs used what they were to use. How long they lasted is no reason for doubt: a load is no measurement.
fn of_load(case: &Case<'_>) -> Trust {
    let missed = |cell: &Cell<'_>| {
        let (asked, used) = (cell.planned().cpu_share()?, cell.worker_percent()? / 100.0);
        let why = Why::LoadMissed { job: cell.name().to_owned(), asked, used };
        (used < LOAD_MIN * asked).then(|| Reason::new(why, TrustLevel::Low))
    };
    let reasons: Vec<Reason> = case.cells.iter().filter_map(missed).collect();
    let shortest = case.cells.iter().map(|cell| cell.seconds()).reduce(f64::min);
    match reasons.is_empty() {
        true => Trust { level: TrustLevel::High, reasons, shortest_s: shortest },
        false => Trust { level: TrustLevel::Low, reasons, shortest_s: None },
    }
}

/// Every reason, the most serious first. Of reasons of the same level, what was measured instead of the disk is first, then
/// that what was read was perhaps never written, and then a time that was too short: such reads, and writes that a cache
/// takes, can be ten times as fast as the drive, and the other reasons change a figure less.
fn reasons(case: &Case<'_>, doubts: &Doubts) -> Vec<Reason> {
    let length = too_short(case);
    // How long is long enough is the same for every run.
    let is_new = |code: &str| code != SHORT_RUN || length.is_none();
    let found = doubts.0.iter().filter(|finding| is_new(finding.code())).map(Reason::of);
    let findings = case.run.record.findings.iter();
    let recorded = findings.filter(|finding| RULES.iter().all(|rule| rule.code != finding.code()));
    let recorded = recorded.map(|finding| Reason { level: None, ..Reason::of(finding) });
    let mut all: Vec<Reason> =
        length.clone().into_iter().chain(found).chain(contradiction(case, doubts)).chain(recorded).collect();
    let rank = |reason: &Reason| {
        let finding = reason.finding();
        let is_instead = finding.is_some_and(|it| it.weight == Weight::Instead);
        (!is_instead, finding.is_none_or(|it| it.code() != UNKNOWN_CONTENT))
    };
    all.sort_by_key(|reason| (reason.level.is_none(), reason.level, rank(reason)));
    all
}

/// What ended the run or a job before its time.
fn ended_early(case: &Case<'_>) -> Option<Why> {
    let incomplete = || Some(Why::Incomplete { how: case.run.incomplete.clone()? });
    failed(case).map(|_| Why::JobFailed).or_else(incomplete)
}

/// A check of the run by itself that failed. I/O of other programs explains counts that differ.
fn contradiction(case: &Case<'_>, doubts: &Doubts) -> Option<Reason> {
    let is_explained = doubts.has_foreign_io();
    let is_of_kernel = |check: &SelfCheck| matches!(check.evidence, CheckEvidence::KernelCounts(_));
    let is_wrong =
        |check: &&SelfCheck| check.outcome == CheckOutcome::Broken && !(is_explained && is_of_kernel(check));
    let wrong = case.run.record.self_knowledge.checks.iter().find(is_wrong)?;
    let counts = if is_of_kernel(wrong) { kernel_counts(case) } else { None };
    let broken = || Why::CheckBroken { check: wrong.evidence.clone() };
    Some(Reason::new(counts.unwrap_or_else(broken), TrustLevel::Low))
}

/// How far the kernel's count of bytes is from fathom's, where they differ most.
fn kernel_counts(case: &Case<'_>) -> Option<Why> {
    let shares = case.witnesses.iter().filter(|witness| witness.is_direct).flat_map(|witness| {
        Direction::ALL.into_iter().filter_map(move |direction| Some((direction, witness.share(direction)?)))
    });
    let (direction, share) = shares.max_by(|a, b| (a.1 - 1.0).abs().total_cmp(&(b.1 - 1.0).abs()))?;
    let has_metadata = case.witnesses.iter().any(|witness| witness.has_file) && share > 1.0;
    Some(Why::KernelCounts { direction, share, has_metadata })
}

/// What the length of the measurement does not allow.
fn too_short(case: &Case<'_>) -> Option<Reason> {
    let shortest = shortest_seconds(case);
    if case.cells.iter().any(|cell| cell.ios() > 0 && cell.is_too_short()) {
        return Some(Reason::new(Why::TooShort, TrustLevel::Low));
    }
    if case.cells.iter().any(|cell| cell.has_too_few()) {
        return Some(Reason::new(Why::TooFew, TrustLevel::Low));
    }
    let why = match seconds_written(case) {
        Some(seconds) if seconds < WRITE_SECONDS_MIN => Why::ShortWrites { seconds },
        _ if shortest < SECONDS_MIN => Why::Short { seconds: shortest },
        _ => return None,
    };
    Some(Reason::new(why, TrustLevel::Medium))
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
