//! The kernel as a witness: what it counted on the disk against what fathom
//! moved, in the same span of time.
//!
//! The record's counters cover the measured windows. Where jobs overlap, one
//! job's ramp falls into another's window and is counted there; so "ours" is a
//! range, from what the windows hold to that plus such ramps, and a rule
//! compares with the end that speaks against it.

use crate::cell::Cell;
use crate::surrounds::Surrounds;
use fathom_job::direction::{Direction, PerDirection};
use fathom_results::{DiskDelta, Phase, RunResult, SeriesPoint};

/// The kernel's sectors are 512 bytes on any disk (Documentation/block/stat.rst).
pub const SECTOR: u64 = 512;

/// Bytes by direction, ours and the kernel's.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The disk that was watched.
    pub disk: String,
    /// What fathom moved in measured windows.
    pub ours: PerDirection<u64>,
    /// The same with the ramps that ran beside them.
    pub ours_at_most: PerDirection<u64>,
    /// What the kernel counted.
    pub kernel: PerDirection<u64>,
}

impl Witness {
    /// The counters of the one disk that all cells used; `None` when there is
    /// no such disk, or it does not count (`queue/iostats` is 0).
    pub fn call(run: &RunResult, seen: &Surrounds, cells: &[Cell<'_>]) -> Option<Self> {
        let delta = the_disk(run, seen, cells)?;
        let [read, write, trim] = delta.sectors.map(|sectors| sectors.saturating_mul(SECTOR));
        let on_disk = || cells.iter().filter(|cell| cell.is_on_disk());
        let ours = PerDirection::from_fn(|d| on_disk().map(|cell| cell.totals.directions[d].bytes).sum());
        let beside = ramps_beside(run);
        Some(Witness {
            disk: delta.disk.clone(),
            ours,
            ours_at_most: PerDirection::from_fn(|d| ours[d] + beside[d]),
            kernel: PerDirection { read, write, trim },
        })
    }

    /// The kernel's share of what fathom moved; `None` where it moved nothing.
    pub fn share(&self, direction: Direction) -> Option<f64> {
        let ours = self.ours[direction];
        (ours > 0).then(|| self.kernel[direction] as f64 / ours as f64)
    }
}

fn the_disk<'a>(run: &'a RunResult, seen: &Surrounds, cells: &[Cell<'_>]) -> Option<&'a DiskDelta> {
    let all_paths = cells.iter().filter(|cell| cell.is_on_disk()).flat_map(|cell| cell.clones);
    let mut paths = all_paths.flat_map(|clone| &clone.planned.files).map(|file| file.path.as_str());
    let fact = |path: &str, what: &str| {
        let name = format!("target.{path}.{what}");
        run.record.host.iter().find(|fact| fact.name == name)?.value.as_deref()
    };
    let name = match (&seen.disk_name, run.record.disks.as_slice()) {
        (Some(name), _) => name.as_str(),
        (None, [only]) => only.disk.as_str(),
        (None, _) => return None,
    };
    let elsewhere = |path| fact(path, "disk").is_some_and(|disk| disk != name);
    let uncounted = |path| fact(path, "iostats") == Some("false");
    if paths.any(|path| elsewhere(path) || uncounted(path)) {
        return None;
    }
    run.record.disks.iter().find(|delta| delta.disk == name && delta.interval_ms > 0)
}

/// Bytes of ramp windows that touch another job's measured window.
fn ramps_beside(run: &RunResult) -> PerDirection<u64> {
    let measured: Vec<(u64, u64)> = run
        .jobs
        .iter()
        .filter_map(|job| job.measured_from_ns().map(|from| (from, from + job.runtime_ns())))
        .collect();
    let meets =
        |point: &SeriesPoint| measured.iter().any(|(from, to)| point.start_ns < *to && *from < point.end_ns);
    let points = run.jobs.iter().flat_map(|job| &job.series);
    let beside = points.filter(|point| point.phase == Phase::Ramp && meets(point));
    beside.fold(PerDirection::default(), |sum: PerDirection<u64>, point| {
        PerDirection::from_fn(|d| sum[d] + point.bytes[d])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::fixture::{Flow, Scene, disk};

    const JOB: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
    const FLOW: Flow = Flow::reads(1_000, 4096, 100_000);

    fn scene() -> Scene {
        Scene::of(JOB).all(5, FLOW).disk(disk("sda", 4096 * 5_000, 0))
    }

    #[test]
    fn compares_the_same_bytes() {
        let (run, seen) = (scene().run(), Scene::surrounds());
        let witness = Case::new(&run, &seen).witness.unwrap();
        assert_eq!(witness.disk, "sda");
        assert_eq!((witness.ours.read, witness.kernel.read), (4096 * 5_000, 4096 * 5_000));
        assert_eq!(witness.share(Direction::Read), Some(1.0));
        assert_eq!(witness.share(Direction::Write), None);
    }

    #[test]
    fn two_disks_or_a_disk_that_does_not_count_are_no_witness() {
        let seen = Scene::surrounds();
        let other = scene().fact("target./data/f.disk", "sdb").run();
        assert!(Case::new(&other, &seen).witness.is_none());
        let silent = scene().fact("target./data/f.iostats", "false").run();
        assert!(Case::new(&silent, &seen).witness.is_none());
        let nothing = Scene::of(JOB).all(5, FLOW).run();
        assert!(Case::new(&nothing, &seen).witness.is_none());
    }

    #[test]
    fn a_ramp_inside_another_window_may_be_counted() {
        let two = "[a]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n[b]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\nramp_time=2s\n";
        let run = Scene::text(two).ramp(1, 2, FLOW).all(5, FLOW).disk(disk("sda", 0, 0)).run();
        let seen = Scene::surrounds();
        let witness = Case::new(&run, &seen).witness.unwrap();
        assert_eq!(witness.ours.read, 4096 * 10_000);
        assert_eq!(witness.ours_at_most.read, 4096 * 12_000);
    }
}
