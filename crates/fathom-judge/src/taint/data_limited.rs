//! A worker that makes new data for each write does no I/O meanwhile: where nothing else is in flight, the disk waits for it.

use super::littles_law::unfilled;
use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_results::finding::DataMade;
use fathom_results::{Evidence, Weight};

pub(crate) const RULE: TaintRule = TaintRule { code: "data-limited", weight: Weight::Low, check };

/// Share of the workers' time from which the rate moves by more than two runs of a steady disk differ.
const SHARE_MIN: f64 = 0.02;

fn check(case: &Case<'_>) -> Option<Found> {
    let slowed = case.cells.iter().filter_map(|cell| Some((cell, slowed(cell)?)));
    let jobs: Vec<DataMade> = slowed.map(|(cell, share)| data_made(cell, share)).collect();
    let is_of = |cell: &Cell<'_>| jobs.iter().any(|it| it.job == cell.name());
    let part = case.part(is_of);
    Some(Found::where_any(jobs, |jobs| Evidence::DataLimited { jobs })?.about(part))
}

/// The share of its workers' time that a job spent on data while the disk waited. A queue that was full all the same, and a
/// rate that was kept, lost nothing.
fn slowed(cell: &Cell<'_>) -> Option<f64> {
    let share = cell.data_made_ns()? as f64 / (cell.seconds() * 1e9 * cell.members.len() as f64);
    let waits = cell.is_alone() || unfilled(cell).is_some();
    (share >= SHARE_MIN && cell.has_target() && waits && !cell.keeps_its_times()).then_some(share)
}

fn data_made(cell: &Cell<'_>, share: f64) -> DataMade {
    let writes = cell.totals.directions[Direction::Write].ios.max(1);
    let each_ns = cell.data_made_ns().unwrap_or(0) as f64 / writes as f64;
    DataMade { job: cell.name().to_owned(), share, each_ns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    /// 1,000 writes a second, for ten seconds.
    fn found(options: &str, made_ms: u64, latency_ns: u64) -> Option<Found> {
        let job = format!("rw=randwrite bs=1m direct=1 filename=/dev/sda refill_buffers=1 {options}");
        let mut run = RunBuilder::of(&job).all(10, DirectionLoad::writes(1_000, 1 << 20, latency_ns)).run();
        for job in &mut run.jobs {
            job.outcome.as_mut().unwrap().usage.data_made_ns = made_ms * 1_000_000;
        }
        check(&Case::new(&run, &surrounds()))
    }

    #[test]
    fn data_that_the_disk_waits_for_is_told() {
        let alone = found("ioengine=psync", 3_200, 680_000).unwrap();
        assert_eq!(alone.evidence(), "t: 32 % of the workers' time, 320 µs for each write");
        assert_eq!(alone.brief().as_deref(), Some("making new data took 32 % of the time"));
        assert!(found("ioengine=psync numjobs=2", 3_200, 680_000).unwrap().evidence().starts_with("t: 32 %"));
        assert_eq!(found("ioengine=psync", 150, 985_000), None, "1.5 %");
        assert_eq!(found("ioengine=psync rate_iops=1000", 3_200, 300_000), None, "the rate was kept");
    }

    #[test]
    fn data_that_is_made_while_the_disk_works_costs_nothing() {
        let deep = "ioengine=libaio iodepth=8";
        assert_eq!(found(deep, 3_200, 7_900_000), None, "7.9 of 8 were in flight");
        assert!(found(deep, 3_200, 2_000_000).is_some(), "2 of 8 were in flight");
    }
}
