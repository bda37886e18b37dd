//! An engine without a target: nothing was measured but fathom itself.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "no-target", weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let without = case.cells.iter().find(|cell| cell.ios() > 0 && !cell.has_target())?;
    let engine = without.planned().engine.to_string();
    let found = Found::new(Evidence::NoTarget { engine });
    Some(found.about(case.part(|cell| !cell.has_target())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    #[test]
    fn only_of_engines_without_a_target() {
        let found = |options: &str| {
            let run = RunBuilder::of(options).all(2, DirectionLoad::reads(1_000_000, 4096, 60)).run();
            check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        assert_eq!(
            found("rw=randread bs=4k ioengine=null size=1g").as_deref(),
            Some("the engine null does no I/O")
        );
        assert_eq!(found("rw=randread bs=4k ioengine=psync filename=/data/f"), None);
    }
}
