//! The kernel as a witness: what it counted on the disk against what fathom
//! moved, in the same span of time.
//!
//! The record's counters cover the measured windows. Where jobs overlap, one
//! job's ramp falls into another's window and is counted there; so "ours" is a
//! range, from what the windows hold to that plus such ramps, and a rule
//! compares with the end that speaks against it.

use crate::cell::Cell;
use crate::quantity::count;
use crate::surrounds::Surrounds;
use fathom_job::direction::{Direction, PerDirection};
use fathom_results::{DiskDelta, Phase, RunResult, SeriesPoint};

/// The kernel's sectors are 512 bytes on any disk (Documentation/block/stat.rst).
pub const SECTOR: u64 = 512;

/// A difference in the number of I/Os that wants a reason; less is the edges of
/// a window.
const DIFFERS: f64 = 0.05;

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
    /// The same in I/Os.
    pub requests: PerDirection<Requests>,
}

/// One direction in I/Os: ours, and what the kernel made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// I/Os that fathom completed in measured windows.
    pub ours: u64,
    /// Requests that the disk completed.
    pub kernel: u64,
    /// Requests that were merged into others before they reached the disk.
    pub merged: u64,
}

impl Witness {
    /// The counters of the one disk that all cells used; else why there are
    /// none.
    pub fn call(run: &RunResult, seen: &Surrounds, cells: &[Cell<'_>]) -> Result<Self, String> {
        let delta = the_disk(run, seen, cells)?;
        let [read, write, trim] = delta.sectors.map(|sectors| sectors.saturating_mul(SECTOR));
        let on_disk = || cells.iter().filter(|cell| cell.is_on_disk());
        // The counters are read when the last job has ended, its drain included.
        let moved = |d: Direction| {
            on_disk().map(move |cell| &cell.totals.directions[d]).map(|t| t.bytes + t.drained_bytes).sum()
        };
        let ours: PerDirection<u64> = PerDirection::from_fn(moved);
        let beside = ramps_beside(run);
        let requests = |d: Direction| Requests {
            ours: on_disk()
                .map(|cell| &cell.totals.directions[d])
                .map(|totals| totals.ios + totals.drained_ios)
                .sum(),
            kernel: delta.ios[d as usize],
            merged: delta.merges[d as usize],
        };
        Ok(Witness {
            disk: delta.disk.clone(),
            ours,
            ours_at_most: PerDirection::from_fn(|d| ours[d] + beside[d]),
            kernel: PerDirection { read, write, trim },
            requests: PerDirection::from_fn(requests),
        })
    }

    /// In this direction nothing of ours was larger or smaller than what the
    /// kernel was given: why requests and I/Os differ in number, if they do.
    pub fn why_requests_differ(&self, direction: Direction) -> Option<String> {
        let Requests { ours, kernel, merged } = self.requests[direction];
        let ratio = kernel as f64 / ours as f64;
        match (ours, merged) {
            (0, _) => None,
            (_, 1..) => Some(format!("{} merged into others on the way", count(merged))),
            _ if ratio >= 1.0 + DIFFERS => Some(format!("each I/O was split into {ratio:.1} requests")),
            _ if ratio <= 1.0 - DIFFERS => {
                Some("neighbours became one request before they were counted".to_owned())
            }
            _ => None,
        }
    }

    /// The kernel's share of what fathom moved; `None` where it moved nothing.
    pub fn share(&self, direction: Direction) -> Option<f64> {
        let ours = self.ours[direction];
        (ours > 0).then(|| self.kernel[direction] as f64 / ours as f64)
    }
}

fn the_disk<'a>(run: &'a RunResult, seen: &Surrounds, cells: &[Cell<'_>]) -> Result<&'a DiskDelta, String> {
    let all_paths = cells.iter().filter(|cell| cell.is_on_disk()).flat_map(|cell| cell.clones);
    let mut paths =
        all_paths.flat_map(|clone| &clone.planned.files).map(|file| file.path.as_str()).peekable();
    if paths.peek().is_none() {
        return Err("no job reaches a disk".to_owned());
    }
    if run.record.disks.is_empty() {
        return Err("no counters of a disk below the target".to_owned());
    }
    let fact = |path: &str, what: &str| {
        let name = format!("target.{path}.{what}");
        run.record.host.iter().find(|fact| fact.name == name)?.value.as_deref()
    };
    let name = match (&seen.disk_name, run.record.disks.as_slice()) {
        (Some(name), _) => name.as_str(),
        (None, [only]) => only.disk.as_str(),
        (None, _) => return Err("which disk holds the target is not known".to_owned()),
    };
    for path in paths {
        if let Some(other) = fact(path, "disk").filter(|disk| *disk != name) {
            return Err(format!("the targets lie on more than one disk: {name} and {other}"));
        }
        if fact(path, "iostats") == Some("false") {
            return Err(format!("{name} does not count its I/O: /sys/block/{name}/queue/iostats is 0"));
        }
    }
    let counted = run.record.disks.iter().find(|delta| delta.disk == name && delta.interval_ms > 0);
    counted.ok_or_else(|| format!("the counters of {name} were not read"))
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
        let why = Case::new(&silent, &seen).no_witness.unwrap();
        assert_eq!(why, "sda does not count its I/O: /sys/block/sda/queue/iostats is 0");
        let nothing = Scene::of(JOB).all(5, FLOW).run();
        assert!(Case::new(&nothing, &seen).witness.is_none());
    }

    #[test]
    fn splits_and_merges_are_told_apart() {
        let told = |ios: u64, merges: u64| {
            let delta = fathom_results::DiskDelta {
                ios: [ios, 0, 0],
                merges: [merges, 0, 0],
                ..disk("sda", 4096 * 5_000, 0)
            };
            let (run, seen) = (Scene::of(JOB).all(5, FLOW).disk(delta).run(), Scene::surrounds());
            Case::new(&run, &seen).witness.unwrap().why_requests_differ(Direction::Read)
        };
        assert_eq!(told(5_000, 0), None);
        assert_eq!(told(10_000, 0).as_deref(), Some("each I/O was split into 2.0 requests"));
        assert_eq!(told(1_250, 3_750).as_deref(), Some("3,750 merged into others on the way"));
        assert!(told(1_250, 0).unwrap().starts_with("neighbours"));
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
