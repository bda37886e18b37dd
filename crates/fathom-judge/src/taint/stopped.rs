//! fathom itself did not run for a while: what was measured then is not the target's.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::{Evidence, Halt, JobResult, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "stopped", weight: Weight::Medium, check };

/// A stop for this share of the measured time decides what the mean is.
const SHARE_MAX: f64 = 0.1;

fn check(case: &Case<'_>) -> Option<Found> {
    let windows: Vec<(u64, u64)> = case.run.jobs.iter().filter_map(JobResult::window_ns).collect();
    let halts = &case.run.record.self_knowledge.halts;
    let hit = |halt: &&Halt| windows.iter().any(|(start, end)| halt.within_ns(*start, *end) > 0);
    let halts: Vec<Halt> = halts.iter().filter(hit).copied().collect();
    let share = |(start, end): &(u64, u64)| {
        let stopped: u64 = halts.iter().map(|halt| halt.within_ns(*start, *end)).sum();
        stopped as f64 / (end - start).max(1) as f64
    };
    let most = windows.iter().map(share).fold(0.0, f64::max);
    let found = Found::where_any(halts, |halts| Evidence::Stopped { halts })?;
    Some(if most >= SHARE_MAX { found.weighing(Weight::Low) } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::taint::findings;
    use fathom_results::Phase;

    const S: u64 = 1_000_000_000;

    /// Message, evidence and weight; and the codes of all findings. Two seconds of six are empty, with an I/O in flight.
    fn judged(halts: &[(u64, u64)]) -> (Option<Found>, Vec<String>) {
        let flow = DirectionLoad::reads(1_000, 4096, 100_000);
        let late = DirectionLoad::reads(1, 4096, 2 * S);
        let scene =
            RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f").seconds(0, 2, &[flow]);
        let scene = scene.window(0, Phase::Measure, 2 * S, &[]).seconds(0, 2, &[flow, late]);
        let mut run = scene.run();
        let halt = |(start_ns, end_ns): &(u64, u64)| Halt { start_ns: *start_ns, end_ns: *end_ns };
        run.record.self_knowledge.halts = halts.iter().map(halt).collect();
        let surrounds = crate::fixture::surrounds();
        let codes = findings(&run, &surrounds).iter().map(|finding| finding.code().to_owned()).collect();
        (check(&Case::new(&run, &surrounds)), codes)
    }

    #[test]
    fn a_stop_of_fathom_is_told_and_is_no_stall_of_the_target() {
        let begin = {
            let run = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f");
            let flow = DirectionLoad::reads(1_000, 4096, 100_000);
            run.seconds(0, 1, &[flow]).run().jobs[0].series[0].start_ns
        };
        let has = |codes: &[String], code: &str| codes.iter().any(|known| known == code);
        let (none, codes) = judged(&[]);
        assert!(none.is_none() && has(&codes, "stalls"), "{codes:?}");

        let stop = (begin + 2 * S, begin + 4 * S);
        let (found, codes) = judged(&[stop]);
        let found = found.unwrap();
        let said = format!("from {:.1} s to {:.1} s", stop.0 as f64 / 1e9, stop.1 as f64 / 1e9);
        assert_eq!(found.claim(), format!("fathom itself was stopped {said}: that time is not the target's"));
        assert_eq!(found.evidence(), format!("no thread of fathom ran {said}"));
        assert_eq!(found.weight, Some(Weight::Low), "two of six seconds");
        assert!(has(&codes, "stopped") && !has(&codes, "stalls"), "{codes:?}");

        // A short stop elsewhere explains no stall.
        let (found, codes) = judged(&[(begin, begin + S / 4)]);
        assert_eq!(found.unwrap().weight, None);
        assert!(has(&codes, "stopped") && has(&codes, "stalls"), "{codes:?}");

        // Before and after the measurement it does not matter.
        let (found, codes) = judged(&[(begin + 6 * S, begin + 9 * S)]);
        assert!(found.is_none() && has(&codes, "stalls"), "{codes:?}");
    }
}
