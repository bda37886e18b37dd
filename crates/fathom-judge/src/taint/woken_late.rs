//! A worker that sleeps between the planned starts of its I/Os is woken late: the response counts from the planned start, so
//! it contains that time, which is the machine's and not the target's.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::delay;
use fathom_job::direction::Direction;
use fathom_results::finding::LateStart;
use fathom_results::{Evidence, Weight};
use fathom_stats::Moments;

pub(crate) const RULE: TaintRule = TaintRule { code: "woken-late", weight: Weight::Medium, check };

/// Share of the mean response from which it is told; the wake-ups of an idle machine take a smaller one of a disk's.
const SHARE_MIN: f64 = 0.1;

fn check(case: &Case<'_>) -> Option<Found> {
    // That a worker waited for a CPU is told by another rule.
    let late = case.cells.iter().filter(|cell| delay(cell).is_none());
    let late: Vec<LateStart> = late.filter_map(late_start).collect();
    let part = case.part(|cell| late.iter().any(|it| it.job == cell.name()));
    Some(Found::where_any(late, |jobs| Evidence::WokenLate { jobs })?.about(part))
}

/// How late the I/Os of a job began because it was woken late, on average, and their mean response, ns.
fn late_start(cell: &Cell<'_>) -> Option<LateStart> {
    let responses = Direction::ALL.map(|direction| cell.totals.directions[direction].response.moments);
    let count: u64 = responses.iter().map(Moments::count).sum();
    let sum: f64 = responses.iter().map(|it| it.count() as f64 * it.mean().unwrap_or(0.0)).sum();
    let (late, mean) = (cell.woken_late_ns()? as f64 / count as f64, sum / count as f64);
    let is_late = count > 0 && cell.has_target() && late >= SHARE_MIN * mean;
    let job = || cell.name().to_owned();
    is_late.then(|| LateStart { job: job(), late_ns_mean: late, response_ns_mean: mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    fn found(options: &str, late_ns: u64, wait_share: f64) -> Option<Found> {
        let job = format!("rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda {options}");
        let flow = DirectionLoad { response_ns: 60_000, ..DirectionLoad::reads(1_000, 4096, 16_000) };
        let mut run = RunBuilder::of(&job).all(10, flow).starved(wait_share, 100).run();
        run.jobs[0].outcome.as_mut().unwrap().usage.woken_late_ns = late_ns * 10_000;
        check(&Case::new(&run, &surrounds()))
    }

    #[test]
    fn a_large_part_of_the_response_that_the_target_did_not_take_is_told() {
        let late = found("rate_iops=1000", 43_200, 0.0).unwrap();
        assert_eq!(late.evidence(), "t: 43.2 µs of 60.0 µs (72 %) of the mean response");
        assert_eq!(late.brief().as_deref(), Some("late wake-ups are 72 % of the mean response"));
        assert_eq!(found("rate_iops=1000", 3_000, 0.0), None, "a twentieth");
        assert_eq!(found("rate_iops=1000", 43_200, 0.5), None, "another rule reports waits for a CPU");
    }
}
