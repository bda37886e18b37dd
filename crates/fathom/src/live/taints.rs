//! What already spoils the result while it is measured, as far as frames show it. The verdict at
//! the end knows more.

use super::feed::{Doing, Feed};
use super::figures::Figures;
use fathom_job::direction::Direction;
use fathom_job::plan::Plan;
use fathom_text::quantity::{iops, rate, waiting};
use fathom_text::shown;
use fathom_text::words::counted;

/// A rate counts as reached from this share on.
const REACHED: f64 = 0.95;
/// Arrivals at random times differ by their square root: four times that is not chance.
const CHANCE: f64 = 4.0;

/// What spoils the result, one short text each, the most severe first.
pub fn taints(plan: &Plan, feed: &Feed, figures: Option<&Figures>) -> Vec<String> {
    let errors = feed.errors();
    let failed = (errors > 0).then(|| format!("{} so far", counted(errors, "I/O error")));
    let still = feed.longest_still().and_then(|(job, ns)| {
        let name = shown::line(&plan.jobs.get(job as usize)?.name);
        Some(format!("nothing completed for {} in {name}", waiting(ns)))
    });
    let slow = figures.into_iter().flat_map(|figures| {
        Direction::ALL.into_iter().filter_map(|d| missed(d, asked(plan, feed, d)?, figures.ios[d]))
    });
    failed.into_iter().chain(still).chain(slow).collect()
}

/// I/Os per second that all jobs that are being measured ask for; `None` if some ask for no rate.
fn asked(plan: &Plan, feed: &Feed, direction: Direction) -> Option<f64> {
    let measured = plan.jobs.iter().filter(|job| feed.state(job.id) == Doing::Measures);
    measured.map(|job| job.ios_asked(direction)).sum()
}

/// Whether a rate is missed.
fn missed(direction: Direction, asked: f64, reached: f64) -> Option<String> {
    let is_missed = asked > 0.0 && reached < asked * REACHED - CHANCE * asked.sqrt();
    let name = direction.name();
    is_missed.then(|| format!("{name}: {} of the {} that are asked", iops(reached), rate(asked)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_missed_by_more_than_chance() {
        assert_eq!(missed(Direction::Read, 100.0, 70.0), None);
        let told = missed(Direction::Read, 10_000.0, 8_000.0);
        assert_eq!(told.as_deref(), Some("read: 8.00k of the 10.0k IOPS that are asked"));
        assert_eq!(missed(Direction::Write, 10_000.0, 9_600.0), None);
        assert_eq!(missed(Direction::Write, 0.0, 0.0), None);
    }
}
