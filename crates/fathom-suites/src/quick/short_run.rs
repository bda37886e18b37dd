//! Some seconds are a first answer, not a steady state.

use crate::case::Case;
use crate::quantity::percent;
use crate::taint::{Found, Rule};

pub(super) const RULE: Rule = Rule {
    code: "short-run",
    hint: "--seconds 60 or more; steady state of flash takes hours, after preconditioning",
    check,
};

/// Fewer windows of a second than this show neither a full write cache nor a
/// spent burst credit, which take minutes.
const WINDOWS_MIN: usize = 60;

fn check(case: &Case<'_>) -> Option<Found> {
    let series = case.on_disk().map(|cell| (cell.name(), cell.rates()));
    let (name, shortest) = series.min_by_key(|(_, rates)| rates.values.len())?;
    let windows = shortest.values.len();
    if windows >= WINDOWS_MIN {
        return None;
    }
    let spread = shortest.coefficient_of_variation();
    let spread = spread.map(|cv| format!(", which varied by {}", percent(cv))).unwrap_or_default();
    let evidence = format!("{name}: {windows} windows of 1 s{spread}");
    Found::new("the measurement was short: write caches and burst credits may not have run out", evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene};

    fn found(seconds: usize) -> Option<Found> {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        let run = Scene::of(job).all(seconds, Flow::reads(1_000, 4096, 100_000)).run();
        check(&Case::new(&run, &Scene::surrounds()))
    }

    #[test]
    fn a_minute_is_the_least() {
        assert_eq!(found(7).unwrap().evidence, "t: 7 windows of 1 s, which varied by 0.0 %");
        assert_eq!(found(60), None);
    }
}
