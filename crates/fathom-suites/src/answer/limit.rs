//! What limited the measurements, in a few words.

use crate::case::Case;
use crate::cell::Cell;
use crate::quick::{claim, named};

/// Names of jobs that are told one by one.
const NAMES_MAX: usize = 3;

/// Jobs whose limit is looked for. Each of them is compared with all others, so the time grows with
/// the square of their number (3,000 jobs took 3 s).
const JOBS_MAX: usize = 100;

/// `the device`; or `latency: software on this machine; random I/O: the device`.
pub(super) fn limit(case: &Case<'_>) -> Option<String> {
    let measured = || case.cells.iter().filter(|cell| cell.ios() > 0);
    let all: Vec<Claimed<'_>> =
        measured().take(JOBS_MAX).map(|cell| Claimed { claim: claim_of(case, cell), cell }).collect();
    let mut claims: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in &all {
        let name = one.subject(&all);
        match claims.iter_mut().find(|(known, _)| *known == one.claim) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => claims.push((&one.claim, vec![name])),
        }
    }
    let told = match claims.as_slice() {
        [] => return None,
        [(claim, _)] => (*claim).to_owned(),
        _ => claims.iter().map(told).collect::<Vec<_>>().join("; "),
    };
    let is_part = measured().nth(JOBS_MAX).is_some();
    Some(if is_part { format!("{told} (the first {JOBS_MAX} jobs)") } else { told })
}

/// A measurement and what limited it.
struct Claimed<'a> {
    claim: String,
    cell: &'a Cell<'a>,
}

impl<'a> Claimed<'a> {
    /// The question of a measurement of `quick`, if all measurements of that question have the same
    /// limit; else the name of the job.
    fn subject(&self, all: &[Claimed<'a>]) -> &'a str {
        let group = |cell: &Cell<'_>| named(cell.name()).map(|one| one.group);
        let own = group(self.cell);
        let is_shared = all.iter().filter(|one| group(one.cell) == own).all(|one| one.claim == self.claim);
        match own.filter(|_| is_shared) {
            Some(group) => group.subject(),
            None => &self.cell.planned().name,
        }
    }
}

fn claim_of(case: &Case<'_>, cell: &Cell<'_>) -> String {
    if cell.is_too_short() {
        return "not known: too short to say".to_owned();
    }
    let pace = &cell.planned().pace;
    if cell.keeps_its_rate() {
        return "the rate that the job asks for".to_owned();
    }
    if pace.think.is_some() {
        return "the think time that the job asks for, at least in part".to_owned();
    }
    if !cell.has_target() {
        return "the CPU: no device is behind this engine".to_owned();
    }
    let claim = claim(case, cell);
    claim.strip_suffix(" itself").map(str::to_owned).unwrap_or(claim)
}

fn told((claim, names): &(&str, Vec<&str>)) -> String {
    match names.len() {
        0..=NAMES_MAX => format!("{}: {claim}", names.join(", ")),
        n => format!("{n} jobs: {claim}"),
    }
}
