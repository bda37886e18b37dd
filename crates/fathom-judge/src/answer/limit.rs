//! What limited the measurements, in a few words.

use crate::case::Case;
use crate::cell::Cell;
use crate::quick::{claim, reasons};

/// Names of jobs that are told one by one.
const NAMES_MAX: usize = 2;

/// Jobs whose limit is looked for. Each of them is compared with all others, so the time grows with
/// the square of their number (3,000 jobs took 3 s).
const JOBS_MAX: usize = 100;

/// `the device`; or `5 of 6 jobs: the device; seq-read-bandwidth: software on this machine`.
pub(super) fn limit(case: &Case<'_>) -> Option<String> {
    let measured = || case.cells.iter().filter(|cell| cell.ios() > 0);
    let mut claims: Vec<(String, Vec<&str>)> = Vec::new();
    for cell in measured().take(JOBS_MAX) {
        let (claim, name) = (claim_of(case, cell), cell.planned().name.as_str());
        match claims.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, names)) => names.push(name),
            None => claims.push((claim, vec![name])),
        }
    }
    // What limited most jobs is first.
    claims.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let jobs = measured().take(JOBS_MAX).count();
    let told = match claims.as_slice() {
        [] => return None,
        [(claim, _)] => claim.clone(),
        _ => claims.iter().map(|claim| told(claim, jobs)).collect::<Vec<_>>().join("; "),
    };
    let part = if measured().nth(JOBS_MAX).is_some() {
        format!(" (the first {JOBS_MAX} jobs)")
    } else {
        String::new()
    };
    let is_virtual = claims.iter().any(|(claim, _)| claim == VIRTUAL_DISK);
    let unseen = if is_virtual { UNSEEN } else { "" };
    Some(format!("{told}{part}{unseen}"))
}

/// What is not known of a virtual disk, behind all limits.
pub const UNSEEN: &str =
    "; the host of the virtual machine may have a cache or a limit that fathom cannot see";

/// The claim about a disk that a host provides (`quick/limit/device.rs`).
const VIRTUAL_DISK: &str = "the virtual disk";

/// The figures behind the limits, a sentence for each job whose limit follows from figures.
pub(super) fn evidence(case: &Case<'_>) -> Vec<String> {
    let measured = case.cells.iter().filter(|cell| cell.ios() > 0).take(JOBS_MAX);
    measured.filter(|cell| is_of_figures(cell)).filter_map(|cell| reasons(case, cell)).collect()
}

/// Does its limit follow from figures, and not from what the job asks for?
fn is_of_figures(cell: &Cell<'_>) -> bool {
    let is_as_asked = cell.keeps_its_rate() || cell.has_paused();
    !cell.is_too_short() && !cell.has_too_few() && !is_as_asked && cell.has_target() && !cell.is_simulated()
}

fn claim_of(case: &Case<'_>, cell: &Cell<'_>) -> String {
    if cell.is_too_short() {
        return "not known: the run was too short".to_owned();
    }
    if cell.has_too_few() {
        return "not known: too few I/Os".to_owned();
    }
    if cell.keeps_its_rate() {
        return "the rate that the job asks for".to_owned();
    }
    if cell.has_paused() {
        return "the think time that the job asks for, at least in part".to_owned();
    }
    if !cell.has_target() {
        return "the CPU: no device is behind this engine".to_owned();
    }
    if cell.is_simulated() {
        return "the simulated drive".to_owned();
    }
    let claim = claim(case, cell);
    claim.strip_suffix(" itself").map(str::to_owned).unwrap_or(claim)
}

/// A claim behind the jobs that it is about, or behind their number.
fn told((claim, names): &(String, Vec<&str>), jobs: usize) -> String {
    match names.len() {
        0..=NAMES_MAX => format!("{}: {claim}", names.join(", ")),
        n => format!("{n} of {jobs} jobs: {claim}"),
    }
}
