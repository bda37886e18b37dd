//! How many jobs there were, how long each was measured, and whether they ran together.

use crate::case::Case;
use fathom_job::units::Nanos;
use std::collections::BTreeSet;

/// `6 jobs of 10 s, one after the other`; `1 job of 2 s`. `None` where nothing was measured.
pub(super) fn jobs(case: &Case<'_>) -> Option<String> {
    let busy = || case.cells.iter().filter(|cell| cell.ios() > 0);
    let stages: BTreeSet<u32> = busy().map(|cell| cell.planned().stage).collect();
    let shortest = busy().map(|cell| cell.runtime_ns()).min()?;
    let longest = busy().map(|cell| cell.runtime_ns()).max()?;
    let long = match (rounded(shortest), rounded(longest)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    };
    // Figures of jobs add up only where they ran at the same time.
    Some(match (busy().count(), stages.len()) {
        (1, _) => format!("1 job of {long}"),
        (n, 1) => format!("{n} jobs of {long}, at the same time"),
        (n, stages) if n == stages => format!("{n} jobs of {long}, one after the other"),
        (n, stages) => format!("{n} jobs of {long}, in {stages} stages"),
    })
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
