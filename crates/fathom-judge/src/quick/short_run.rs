//! Some seconds are a first answer, not a steady state.

use crate::case::Case;
use crate::cell::Cell;
use crate::taint::{Found, TaintRule};
use fathom_figures::RateSpread;
use fathom_results::{Evidence, Weight};

/// The code of the rule.
pub(crate) const CODE: &str = "short-run";

pub(super) const RULE: TaintRule = TaintRule { code: CODE, weight: Weight::Medium, check };

/// Fewer seconds than this show neither a full write cache nor a
/// spent burst credit, which take minutes.
const SECONDS_MIN: u64 = 60;

fn check(case: &Case<'_>) -> Option<Found> {
    let measured = case.on_disk().filter(|cell| cell.ios() > 0);
    let spreads = measured.map(|cell| (cell, cell.rate_spread()));
    let spreads: Vec<_> = spreads.filter(|(_, spread)| spread.samples > 0).collect();
    let seconds = |(cell, spread): &(&Cell<'_>, RateSpread)| spread.samples * cell.window_seconds();
    let shortest = spreads.iter().min_by_key(|one| seconds(one))?;
    if seconds(shortest) >= SECONDS_MIN {
        return None;
    }
    let variations = spreads.iter().filter_map(|(cell, spread)| Some((cell.name(), spread.variation()?)));
    let most = variations.max_by(|a, b| a.1.total_cmp(&b.1));
    Some(Found::new(Evidence::ShortRun {
        job: shortest.0.name().to_owned(),
        windows: shortest.1.samples,
        window_s: shortest.0.window_seconds(),
        varied_most: most.map(|(name, variation)| (name.to_owned(), variation)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(seconds: usize) -> Option<Found> {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        let run = RunBuilder::of(job).all(seconds, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn a_minute_is_the_least() {
        assert_eq!(found(7).unwrap().evidence(), "7 windows of 1 s for t; t varied most, by 0.0 %");
        assert_eq!(found(60), None);
    }

    #[test]
    fn the_one_that_varies_most_is_named() {
        let text = "[global]\nbs=4k\nioengine=psync\nfilename=/data/f\n\
                    [a]\nrw=randread\n[b]\nstonewall\nrw=randread\n[unborn]\nstonewall\nrw=read\n";
        let reads = |ios| [DirectionLoad::reads(ios, 4096, 100_000)];
        let scene = RunBuilder::text(text).seconds(0, 7, &reads(500)).seconds(1, 4, &reads(500));
        let run = scene.seconds(1, 4, &reads(900)).run();
        let told = check(&Case::new(&run, &crate::fixture::surrounds())).unwrap().evidence();
        assert_eq!(told, "7 windows of 1 s for a; b varied most, by 31 %");
    }
}
