//! How many jobs there were, how long each was measured, and whether they ran together.

use crate::case::Case;
use fathom_job::units::Nanos;
use std::collections::BTreeSet;

/// `6 jobs of 10 s, one after the other`; `1 job of 2 s after a ramp of 1 s`; `1 of 3 jobs of 2 s` where the others did no
/// I/O. `None` where nothing was measured.
pub(super) fn jobs(case: &Case<'_>) -> Option<String> {
    let busy = || case.cells.iter().filter(|cell| cell.ios() > 0);
    let stages: BTreeSet<u32> = busy().map(|cell| cell.planned().stage).collect();
    let shortest = busy().map(|cell| cell.runtime_ns()).min()?;
    let longest = busy().map(|cell| cell.runtime_ns()).max()?;
    let long = match (rounded(shortest), rounded(longest)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    };
    let long = long + &ramp(busy().map(|cell| cell.planned().ramp));
    let count = match (busy().count(), case.cells.len()) {
        (1, 1) => "1 job".to_owned(),
        (n, all) if n == all => format!("{n} jobs"),
        (n, all) => format!("{n} of {all} jobs"),
    };
    // Figures of jobs add up only where they ran at the same time.
    Some(match (busy().count(), stages.len()) {
        (1, _) => format!("{count} of {long}"),
        (_, 1) => format!("{count} of {long}, at the same time"),
        (n, stages) if n == stages => format!("{count} of {long}, one after the other"),
        (_, stages) => format!("{count} of {long}, in {stages} stages"),
    })
}

/// ` after a ramp of 1 s`; of jobs with different ramps, the longest.
fn ramp(ramps: impl Iterator<Item = Nanos> + Clone) -> String {
    let longest = ramps.clone().max().filter(|ramp| ramp.0 > 0);
    let told = |longest: Nanos| match ramps.clone().all(|ramp| ramp == longest) {
        true => format!(" after a ramp of {}", rounded(longest.0)),
        false => format!(" after ramps of up to {}", rounded(longest.0)),
    };
    longest.map(told).unwrap_or_default()
}

/// A time in two or three digits.
fn rounded(ns: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    let step = match ns {
        ns if ns >= 10 * SECOND => SECOND,
        ns if ns >= SECOND * 95 / 100 => SECOND / 10,
        ns => 10_u64.pow(ns.max(1).ilog10().saturating_sub(1)),
    };
    Nanos((ns + step / 2) / step * step).to_string()
}
