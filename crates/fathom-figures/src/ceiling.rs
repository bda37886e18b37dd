//! What the generator reached without a target.

use crate::row::Row;
use fathom_results::{Calibration, JobResult};

/// The most that the generator can do with a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The engine that was measured instead of the job's: `null` or `nop`.
    pub engine: String,
    /// I/Os per second, clones added up.
    pub iops: f64,
}

impl<'a> Row<'a> {
    /// What the generator reached without a target: the lowest of what was
    /// tried, since the engine closest to the job's own is the slowest. `None`
    /// where a clone was not calibrated.
    pub fn ceiling(&self) -> Option<Ceiling> {
        let engines = ["null", "nop"];
        let reached = engines.into_iter().filter_map(|engine| self.ceiling_of(engine));
        reached.min_by(|a, b| a.iops.total_cmp(&b.iops))
    }

    fn ceiling_of(&self, engine: &str) -> Option<Ceiling> {
        let of = |member: &JobResult| -> Option<&'a Calibration> {
            let all = self.known.calibrations.iter();
            all.filter(|one| one.engine == engine && one.ios > 0).find(|one| one.job == member.planned.id)
        };
        let all: Vec<&Calibration> = self.members.iter().map(of).collect::<Option<_>>()?;
        Some(Ceiling { engine: engine.to_owned(), iops: all.iter().map(|one| one.iops()).sum() })
    }

    /// The smallest latency that the generator can show, ns: that of an I/O that does nothing.
    pub fn latency_ns_shown_min(&self) -> Option<u64> {
        let is_ours = |job| self.members.iter().any(|member| member.planned.id == job);
        let ours = self.known.calibrations.iter().filter(|one| is_ours(one.job));
        ours.filter_map(|one| one.latency_ns_min).min()
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;

    const TWO: &str = "numjobs=2 rw=randread bs=4k ioengine=io_uring direct=1 iodepth=4 filename=/data/f";

    #[test]
    fn the_slowest_stand_in_is_the_ceiling() {
        let scene = || RunBuilder::of(TWO).all(2, DirectionLoad::reads(1_000, 4096, 100_000));
        let run = scene().calibrated(0, "null", 9_000).calibrated(1, "null", 8_000);
        let run = run.calibrated(0, "nop", 5_000).calibrated(1, "nop", 6_000).run();
        let ceiling = jobs(&run)[0].ceiling().unwrap();
        assert_eq!((ceiling.engine.as_str(), ceiling.iops), ("nop", 11_000.0));
        let one_clone = scene().calibrated(0, "null", 9_000).run();
        assert_eq!(jobs(&one_clone)[0].ceiling(), None);
    }
}
