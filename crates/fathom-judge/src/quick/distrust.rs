//! What to distrust: the most serious reasons, few enough to be read.

use super::told::{Datum, Figure, Told, of, of_run};
use super::{part_measured, short_run};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint::{RULES, TaintRule};
use std::iter;

/// Reasons that matter only for a verdict after one minute; for any other run, the user chose its
/// length and its range. Each has the taint that comes directly before it.
const QUICK_RULES: [(&str, TaintRule); 2] =
    [("virtual-disk", part_measured::RULE), ("few-samples", short_run::RULE)];

/// Readers do not read more lines. The others are kept with the run, as its findings.
const LINES_MAX: usize = 4;

/// One line for each reason, the most serious first.
pub(super) fn lines(case: &Case<'_>) -> Vec<Told> {
    rules().filter_map(|rule| line(rule, case)).take(LINES_MAX).collect()
}

/// The rules that hold only for `quick`.
pub(crate) fn rules_of_quick() -> impl Iterator<Item = &'static TaintRule> {
    QUICK_RULES.iter().map(|(_, rule)| rule)
}

/// All rules of a verdict, the most serious first.
fn rules() -> impl Iterator<Item = &'static TaintRule> {
    let below = |rule: &'static TaintRule| QUICK_RULES.iter().filter(|(above, _)| *above == rule.code);
    RULES.iter().flat_map(move |rule| iter::once(rule).chain(below(rule).map(|(_, rule)| rule)))
}

/// `Claim: numbers. Next: what to do.`
fn line(rule: &TaintRule, case: &Case<'_>) -> Option<Told> {
    let found = rule.found(case)?;
    let words = fathom_words::of_finding(&found);
    Some(Told::new(words.sentence(&found), data(rule, case, &words.evidence_of(&found))))
}

/// The data that the reason is based on, from its rule and from the names in its evidence.
fn data(rule: &TaintRule, case: &Case<'_>, evidence: &str) -> Vec<Datum> {
    let (of_one, of_all): (Vec<Figure>, Vec<Figure>) = rule.stands_on.iter().partition(|f| f.is_of_one());
    let all = Cell::all(case.run);
    let named: Vec<Datum> =
        all.iter().filter(|cell| evidence.contains(cell.name())).flat_map(|cell| of(cell, &of_one)).collect();
    if named.is_empty() { of_run(&of_all) } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::surrounds::Surrounds;

    #[test]
    fn every_rule_has_its_place_and_its_data() {
        let codes: Vec<&str> = rules().map(|rule| rule.code).collect();
        assert_eq!(
            codes.len(),
            RULES.len() + QUICK_RULES.len(),
            "each rule of quick comes after a known one"
        );
        assert!(rules().all(|rule| !rule.stands_on.is_empty()), "{codes:?}");
        assert!(codes.iter().enumerate().all(|(at, code)| !codes[..at].contains(code)), "{codes:?}");
    }

    #[test]
    fn the_four_worst() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        let mut scene = RunBuilder::of(job).disk(disk("sda", 1 << 40, 0)).cpu(0, 0.5, 0.5);
        for ios in [900, 300, 900, 300] {
            scene = scene.seconds(
                0,
                1,
                &[DirectionLoad { errors: 1, ..DirectionLoad::reads(ios, 4096, 1_000_000) }],
            );
        }
        let (run, seen) =
            (scene.run(), Surrounds { steal_percent: Some(9.0), ..crate::fixture::surrounds() });
        let lines = lines(&Case::new(&run, &seen));
        let codes: Vec<&str> = lines.iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
        assert_eq!(codes, ["foreign-io", "unknown-content", "generator-limited", "unstable"]);
    }
}
