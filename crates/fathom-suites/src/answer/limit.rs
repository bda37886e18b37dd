//! What limited the measurements, in a few words.

use crate::case::Case;
use crate::cell::Cell;
use crate::quick::{claim, named};

/// Names of jobs that are told one by one.
const NAMES_MAX: usize = 3;

/// `the device`; or `latency: software on this machine; random I/O: the device`.
pub(super) fn limit(case: &Case<'_>) -> Option<String> {
    let mut claims: Vec<(String, Vec<&str>)> = Vec::new();
    for cell in case.cells.iter().filter(|cell| cell.ios() > 0) {
        let (claim, name) = (claim_of(case, cell), subject(cell));
        match claims.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => claims.push((claim, vec![name])),
        }
    }
    match claims.as_slice() {
        [] => None,
        [(claim, _)] => Some(claim.clone()),
        _ => Some(claims.iter().map(told).collect::<Vec<_>>().join("; ")),
    }
}

fn claim_of(case: &Case<'_>, cell: &Cell<'_>) -> String {
    if cell.keeps_its_rate() {
        return "the rate that the job asks for".to_owned();
    }
    if !cell.has_target() {
        return "the CPU: no device is behind this engine".to_owned();
    }
    let claim = claim(case, cell);
    claim.strip_suffix(" itself").map(str::to_owned).unwrap_or(claim)
}

/// The question of a measurement of `quick`, or the name of a job.
fn subject<'a>(cell: &Cell<'a>) -> &'a str {
    named(cell.name()).map_or(cell.planned().name.as_str(), |one| one.group.subject())
}

fn told((claim, names): &(String, Vec<&str>)) -> String {
    match names.len() {
        0..=NAMES_MAX => format!("{}: {claim}", names.join(", ")),
        n => format!("{n} jobs: {claim}"),
    }
}
