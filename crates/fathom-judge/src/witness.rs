//! The kernel as a witness: what it counted on the disk against what fathom
//! moved, in the same span of time.
//!
//! There is a witness for each disk, since a surplus on one must not make up for
//! what another lacks. A job with targets on several disks joins them: how its
//! I/O was shared out between them is not recorded.
//!
//! The record's counters cover the measured windows. Where jobs overlap, one job's ramp falls into
//! another's window and is counted there; so "ours" is a range, from the bytes in the windows to
//! these plus such ramps, and a rule compares with the end of the range that is against its claim.

mod groups;

use crate::cell::Cell;
use crate::surrounds::Surrounds;
use fathom_figures::disk::flush_requests;
use fathom_job::direction::{Direction, PerDirection};
use fathom_results::self_check::{CountsDifferBy, NoWitness, RequestsOfData};
use fathom_results::{DiskDelta, Phase, RunResult, SeriesPoint};
use groups::Group;

/// The kernel's sectors are 512 bytes on any disk (Documentation/block/stat.rst).
pub const SECTOR: u64 = 512;

/// A filesystem may add this share of fathom's I/O for itself: it reads where the pieces of a file
/// lie, and writes that they were written.
pub const FILE_SYSTEM_SHARE: f64 = 0.10;

/// Looking for partitions and signatures, as udev does when a device is closed, takes some hundred KiB in some ten reads.
pub const PROBES: u64 = 1 << 20;

/// I/Os that one sync makes a filesystem add: the journal's head, its blocks and
/// its end, and the blocks in place later.
pub const SYNC_IOS: u64 = 8;
/// A block of a filesystem.
pub const BLOCK: u64 = 4096;

/// A difference in the number of I/Os that needs a reason; smaller ones come from the edges of a
/// window.
const DIFFERS: f64 = 0.05;

/// Bytes by direction, ours and the kernel's.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The disks that were watched: one, except for jobs that reach several.
    pub disks: Vec<String>,
    /// The jobs on them, as ids.
    pub jobs: Vec<u32>,
    /// Every cell on them goes past the page cache.
    pub is_direct: bool,
    /// A target on them is a file.
    pub has_file: bool,
    /// What fathom moved in measured windows.
    pub ours: PerDirection<u64>,
    /// The same plus the ramps that ran at the same time.
    pub ours_at_most: PerDirection<u64>,
    /// What the kernel counted.
    pub kernel: PerDirection<u64>,
    /// The same in I/Os.
    pub requests: PerDirection<Requests>,
    /// Bytes that the kernel counted for fathom itself as read from these disks: what caches and holes answered is not in
    /// it, and what others read is not either. `None` where the kernel does not say it of these disks alone.
    pub own_reads: Option<u64>,
    /// Bytes that may have been in flight when the counters were read first: the disk counts an I/O at its end, and the
    /// kernel counts it for fathom at its beginning.
    pub in_flight_at_first: u64,
    /// Flushes of the write cache; `None` where the kernel does not count them.
    pub flushes: Option<u64>,
    /// Directions in which its jobs do I/O.
    pub uses: PerDirection<bool>,
    /// Syncs, and writes that are synced one by one.
    pub syncs: u64,
    /// How long the kernel's counters ran, seconds.
    pub seconds: f64,
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
    /// Milliseconds that all of them were queued or in the disk, added up; 0 where the driver does not count them.
    pub waited_ms: u64,
}

impl Requests {
    /// How long a request was queued and in the disk, on average, ns; `None` where that was not counted.
    pub fn wait_ns(&self) -> Option<f64> {
        (self.waited_ms > 0 && self.kernel > 0).then(|| 1e6 * self.waited_ms as f64 / self.kernel as f64)
    }
}

impl Witness {
    /// The counters of all disks that cells use; and why those of some cannot
    /// be compared.
    pub fn call(
        run: &RunResult,
        surrounds: &Surrounds,
        cells: &[Cell<'_>],
    ) -> (Vec<Self>, Option<NoWitness>) {
        let groups = match groups::of(run, surrounds, cells) {
            Ok(groups) => groups,
            Err(why) => return (Vec::new(), Some(why)),
        };
        // What fathom read is one count for all disks.
        let own_reads = match groups.as_slice() {
            [only] if only.is_all_on_disk(cells) && only.reads_by_itself(run, surrounds) => {
                run.record.process_io.map(|own| own.read_bytes)
            }
            _ => None,
        };
        let (mut witnesses, mut silent) = (Vec::new(), None);
        for group in groups {
            match group.counted(run) {
                Ok(counted) => {
                    witnesses.push(Witness { own_reads, ..Witness::of(run, &group, &counted) });
                }
                Err(why) => silent = Some(why),
            }
        }
        (witnesses, silent)
    }

    fn of(run: &RunResult, group: &Group<'_>, counted: &[&DiskDelta]) -> Self {
        let sum = |of: fn(&DiskDelta) -> &[u64; 3], d: Direction| {
            counted.iter().map(|delta| of(delta)[d as usize]).fold(0, u64::saturating_add)
        };
        // The counters are read when the last job has ended, its drain included.
        let moved = |d: Direction| group.cells.iter().map(move |cell| cell.moved(d));
        let ours: PerDirection<u64> = PerDirection::from_fn(|d| moved(d).map(|moved| moved.bytes).sum());
        let beside = ramps_beside(run, group);
        let requests = |d: Direction| Requests {
            ours: moved(d).map(|moved| moved.ios).sum(),
            kernel: sum(|delta| &delta.ios, d),
            merged: sum(|delta| &delta.merges, d),
            waited_ms: sum(|delta| &delta.ticks_ms, d),
        };
        Witness {
            disks: counted.iter().map(|delta| delta.disk.clone()).collect(),
            jobs: group.cells.iter().map(|cell| cell.planned().id).collect(),
            is_direct: group.cells.iter().all(|cell| cell.is_direct()),
            has_file: group.cells.iter().any(|cell| cell.is_on_file()),
            ours,
            ours_at_most: PerDirection::from_fn(|d| ours[d] + beside[d]),
            kernel: PerDirection::from_fn(|d| sum(|delta| &delta.sectors, d).saturating_mul(SECTOR)),
            requests: PerDirection::from_fn(requests),
            own_reads: None,
            in_flight_at_first: group.cells.iter().map(|cell| in_flight_at_most(cell)).sum(),
            flushes: counted.iter().map(|delta| delta.flushes).sum(),
            uses: PerDirection::from_fn(|d| group.cells.iter().any(|cell| cell.planned().uses(d))),
            syncs: group.cells.iter().map(|cell| cell.syncs()).sum(),
            seconds: counted.iter().map(|delta| delta.interval_ms).max().unwrap_or(0) as f64 / 1e3,
        }
    }

    /// Does it count the I/O of this job?
    pub fn is_of(&self, cell: &Cell<'_>) -> bool {
        self.jobs.contains(&cell.planned().id)
    }

    /// The disks, for people.
    pub fn disk(&self) -> String {
        self.disks.join(" and ")
    }

    /// The most bytes that a file system writes for itself, in its journal and its metadata, because files were synced; none
    /// in other directions, and none where no target is a file.
    pub fn bytes_of_syncs_at_most(&self, direction: Direction) -> u64 {
        let writes_itself = self.has_file && direction == Direction::Write;
        if writes_itself { self.syncs * SYNC_IOS * BLOCK } else { 0 }
    }

    /// What a file system did by itself, where the bytes that the kernel counted show it: it trimmed blocks, or wrote its
    /// journal when files were synced.
    pub fn own_of_file_system(&self, direction: Direction) -> Option<CountsDifferBy> {
        let more = self.kernel[direction].saturating_sub(self.ours_at_most[direction]);
        let is_more = self.has_file && more as f64 > DIFFERS * self.ours_at_most[direction] as f64;
        match direction {
            Direction::Trim if is_more && !self.uses.trim => Some(CountsDifferBy::FileSystemTrims),
            Direction::Write if is_more && self.syncs > 0 => Some(CountsDifferBy::FileSystemJournal),
            _ => None,
        }
    }

    /// Requests of a direction that carry no data: a sync has the disk flush its write cache, and asks for it with an empty
    /// write.
    pub fn flush_requests(&self, direction: Direction) -> u64 {
        let Requests { ours, kernel, merged, .. } = self.requests[direction];
        match direction {
            Direction::Write => flush_requests(kernel + merged, ours, self.flushes, self.syncs),
            _ => 0,
        }
    }

    /// Why requests and I/Os differ in number, if they do. Where the bytes differ as well, or may
    /// include those of ramps, the reason is not how I/Os were split.
    pub fn why_requests_differ(&self, direction: Direction) -> Option<CountsDifferBy> {
        let Requests { ours, kernel, merged, .. } = self.requests[direction];
        let same = |bytes: u64| (bytes as f64 / self.ours[direction] as f64 - 1.0).abs() <= DIFFERS;
        if ours == 0 || !same(self.kernel[direction]) || !same(self.ours_at_most[direction]) {
            return None;
        }
        let all_flushes = self.flush_requests(direction);
        let flushes = (all_flushes as f64 > DIFFERS * ours as f64).then_some(all_flushes);
        let ratio = kernel.saturating_sub(all_flushes) as f64 / ours as f64;
        let data = match merged {
            1.. if ratio < 1.0 => Some(RequestsOfData::Merged { requests: merged }),
            _ if ratio >= 1.0 + DIFFERS => Some(RequestsOfData::Split { requests_each: ratio }),
            _ if ratio <= 1.0 - DIFFERS => Some(RequestsOfData::Adjacent),
            _ => None,
        };
        (flushes.is_some() || data.is_some()).then_some(CountsDifferBy::Requests { flushes, data })
    }

    /// I/Os of ours and the requests that the kernel made of them, where it merged more than every second into another one: then
    /// the disk did far fewer than the rate of the job says.
    pub fn merged_into(&self, direction: Direction) -> Option<(u64, u64)> {
        let Requests { ours, kernel, merged, .. } = self.requests[direction];
        let most = |bytes: u64| (bytes as f64 / self.ours[direction] as f64 - 1.0).abs() <= DIFFERS;
        let is_merged = merged > 0 && self.is_direct && most(self.kernel[direction]);
        (is_merged && ours > 2 * kernel).then_some((ours, kernel))
    }

    /// Bytes of a direction that fathom made the disk move: all that it moved, unless the kernel says how much of what it read
    /// came from the disk.
    pub fn caused(&self, direction: Direction) -> u64 {
        self.own_reads.filter(|_| direction == Direction::Read).unwrap_or(self.ours_at_most[direction])
    }

    /// Bytes of ours that the disk moved: where the kernel does not tell them from those of others, all that it counted.
    pub fn reached(&self, direction: Direction) -> u64 {
        let own = self.own_reads.filter(|_| direction == Direction::Read);
        self.kernel[direction].min(own.unwrap_or(u64::MAX))
    }

    /// Did the kernel count what fathom moved, within these shares of it below and above? Bytes of
    /// ramps at the same time may be included, and what a file system writes when files are synced.
    pub fn agrees(&self, direction: Direction, below: f64, above: f64) -> bool {
        let (least, most) = (self.ours[direction] as f64, self.ours_at_most[direction] as f64);
        let (kernel, of_syncs) =
            (self.kernel[direction] as f64, self.bytes_of_syncs_at_most(direction) as f64);
        let reached = self.reached_at_most(direction) as f64;
        least == 0.0 || (reached >= least * (1.0 - below) && kernel <= most * (1.0 + above) + of_syncs)
    }

    /// The kernel's share of what fathom moved; `None` where it moved nothing.
    pub fn share(&self, direction: Direction) -> Option<f64> {
        let ours = self.ours[direction];
        (ours > 0).then(|| self.kernel[direction] as f64 / ours as f64)
    }

    /// The share of what fathom moved that the disk moved for it; `None` where it moved nothing.
    pub fn share_reached(&self, direction: Direction) -> Option<f64> {
        let ours = self.ours[direction];
        (ours > 0).then(|| self.reached_at_most(direction) as f64 / ours as f64)
    }

    fn reached_at_most(&self, direction: Direction) -> u64 {
        self.kernel[direction].min(self.reached(direction) + self.in_flight_at_first)
    }
}

/// Bytes that a job has in flight at most.
fn in_flight_at_most(cell: &Cell<'_>) -> u64 {
    cell.members.iter().map(|it| u64::from(it.planned.depth.reachable) * it.planned.transfer_max().0).sum()
}

/// Bytes of the group's ramp windows that touch a measured window.
fn ramps_beside(run: &RunResult, group: &Group<'_>) -> PerDirection<u64> {
    let measured: Vec<(u64, u64)> = run
        .jobs
        .iter()
        .filter_map(|job| job.measured_from_ns().map(|from| (from, from + job.runtime_ns())))
        .collect();
    let meets =
        |point: &SeriesPoint| measured.iter().any(|(from, to)| point.start_ns < *to && *from < point.end_ns);
    let points = group.cells.iter().flat_map(|cell| cell.members).flat_map(|job| &job.series);
    let beside = points.filter(|point| point.phase == Phase::Ramp && meets(point));
    beside.fold(PerDirection::default(), |sum: PerDirection<u64>, point| {
        PerDirection::from_fn(|d| sum[d] + point.bytes[d])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};

    const JOB: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
    const FLOW: DirectionLoad = DirectionLoad::reads(1_000, 4096, 100_000);

    fn scene() -> RunBuilder {
        RunBuilder::of(JOB).all(5, FLOW).disk(disk("sda", 4096 * 5_000, 0))
    }

    #[test]
    fn compares_the_same_bytes() {
        let (run, surrounds) = (scene().run(), crate::fixture::surrounds());
        let witness = Case::new(&run, &surrounds).witnesses.remove(0);
        assert_eq!(witness.disk(), "sda");
        assert_eq!((witness.ours.read, witness.kernel.read), (4096 * 5_000, 4096 * 5_000));
        assert_eq!(witness.share(Direction::Read), Some(1.0));
        assert_eq!(witness.share(Direction::Write), None);
    }

    #[test]
    fn a_disk_that_does_not_count_is_no_witness() {
        let surrounds = crate::fixture::surrounds();
        let off = |scene: RunBuilder| scene.fact("target./data/f.iostats", "false").run();
        // Drivers without requests of their own, such as zram, count nevertheless.
        assert_eq!(Case::new(&off(scene()), &surrounds).witnesses.len(), 1);
        let silent = off(RunBuilder::of(JOB).all(5, FLOW).disk(disk("sda", 0, 0)));
        let why = Case::new(&silent, &surrounds).no_witness.unwrap();
        assert_eq!(why, NoWitness::NotCounting { disk: "sda".to_owned() });
        let nothing = RunBuilder::of(JOB).all(5, FLOW).run();
        assert!(Case::new(&nothing, &surrounds).witnesses.is_empty());
    }

    /// Two jobs, each on a separate disk.
    fn two(shared: &str, stacks: [&str; 2]) -> RunBuilder {
        let job = "rw=randread\nbs=4k\nioengine=psync\ndirect=1\nfilename=/dev";
        let text = format!("[a]\n{job}/sda{shared}\n[b]\n{job}/sdb\n");
        let scene = ["sda", "sdb"].into_iter().zip(stacks).fold(
            RunBuilder::text(&text).all(5, FLOW),
            |scene, (name, stack)| {
                let fact = |what: &str| format!("target./dev/{name}.{what}");
                scene.fact(&fact("disk"), name).fact(&fact("disks"), stack)
            },
        );
        scene.disk(disk("sda", 4096 * 5_000, 0)).disk(disk("sdb", 4096 * 4_000, 0))
    }

    #[test]
    fn each_disk_is_compared_by_itself() {
        let (run, surrounds) = (two("", ["sda", "sdb"]).run(), crate::fixture::surrounds());
        let witnesses = Case::new(&run, &surrounds).witnesses;
        let told: Vec<_> = witnesses.iter().map(|w| (w.disk(), w.share(Direction::Read))).collect();
        assert_eq!(told, [("sda".to_owned(), Some(1.0)), ("sdb".to_owned(), Some(0.8))]);
    }

    #[test]
    fn a_job_on_two_disks_joins_them() {
        let (run, surrounds) = (two(":/dev/sdb", ["sda", "sdb"]).run(), crate::fixture::surrounds());
        let witnesses = Case::new(&run, &surrounds).witnesses;
        assert_eq!(witnesses.len(), 1);
        assert_eq!(
            (witnesses[0].disk(), witnesses[0].share(Direction::Read)),
            ("sda and sdb".to_owned(), Some(0.9))
        );
    }

    #[test]
    fn a_target_beneath_another_counts_for_both() {
        let (run, surrounds) = (two("", ["sda sdb", "sdb"]).run(), crate::fixture::surrounds());
        let case = Case::new(&run, &surrounds);
        assert!(case.witnesses.is_empty());
        let part = NoWitness::PartOfTarget { part: "sdb".to_owned(), whole: "sda".to_owned() };
        assert_eq!(case.no_witness, Some(part));
    }

    #[test]
    fn splits_and_merges_are_told_apart() {
        let told = |ios: u64, merges: u64| {
            let delta = fathom_results::DiskDelta {
                ios: [ios, 0, 0],
                merges: [merges, 0, 0],
                ..disk("sda", 4096 * 5_000, 0)
            };
            let (run, surrounds) =
                (RunBuilder::of(JOB).all(5, FLOW).disk(delta).run(), crate::fixture::surrounds());
            Case::new(&run, &surrounds).witnesses[0].why_requests_differ(Direction::Read)
        };
        assert_eq!(told(5_000, 0), None);
        let of_data = |data| Some(CountsDifferBy::Requests { flushes: None, data: Some(data) });
        assert_eq!(told(10_000, 0), of_data(RequestsOfData::Split { requests_each: 2.0 }));
        assert_eq!(told(1_250, 3_750), of_data(RequestsOfData::Merged { requests: 3_750 }));
        assert_eq!(told(1_250, 0), of_data(RequestsOfData::Adjacent));
    }

    #[test]
    fn a_flush_is_no_split() {
        let told = |options: &str, ios: u64, flushes: Option<u64>, syncs: u64| {
            let delta =
                fathom_results::DiskDelta { ios: [0, ios, 0], flushes, ..disk("sda", 0, 4096 * 5_000) };
            let job = format!("rw=randwrite bs=4k ioengine=psync direct=1 filename=/dev/sda {options}");
            let flow = DirectionLoad::writes(1_000, 4096, 100_000);
            let run = RunBuilder::of(&job).all(5, flow).syncs(syncs).disk(delta).run();
            let surrounds = crate::fixture::surrounds();
            Case::new(&run, &surrounds).witnesses[0].why_requests_differ(Direction::Write)
        };
        let flushed = |data| Some(CountsDifferBy::Requests { flushes: Some(5_000), data });
        // As a loop device counts them: one flush before and one after each write with `sync=1`.
        assert_eq!(told("sync=1", 10_000, Some(10_000), 0), flushed(None));
        assert_eq!(told("fsync=1", 10_000, Some(5_000), 5_000), flushed(None));
        // A kernel that does not count flushes, and a device without requests of its own.
        assert_eq!(told("fsync=1", 10_000, None, 5_000), flushed(None));
        assert_eq!(told("fsync=1", 10_000, Some(0), 5_000), flushed(None));
        assert_eq!(
            told("sync=dsync", 5_000, Some(0), 0),
            None,
            "a drive that takes writes through its cache"
        );
        let split = Some(RequestsOfData::Split { requests_each: 2.0 });
        assert_eq!(told("fsync=1", 15_000, Some(5_000), 5_000), flushed(split.clone()));
        assert_eq!(
            told("", 10_000, Some(0), 0),
            Some(CountsDifferBy::Requests { flushes: None, data: split })
        );
    }

    #[test]
    fn what_fathom_read_is_of_one_group_and_of_file_systems_that_read_in_its_threads() {
        let of = |scene: RunBuilder, fs: &str| {
            let surrounds =
                crate::surrounds::Surrounds { fs_type: Some(fs.to_owned()), ..crate::fixture::surrounds() };
            let run = scene.own_reads(4096 * 1_900).run();
            let witnesses = Case::new(&run, &surrounds).witnesses;
            witnesses.iter().map(|it| (it.own_reads, it.share_reached(Direction::Read))).collect::<Vec<_>>()
        };
        assert_eq!(of(scene(), "ext4"), [(Some(4096 * 1_900), Some(0.3802))], "and one that was in flight");
        assert_eq!(of(scene(), "fuse.sshfs"), [(None, Some(1.0))], "another process reads");
        let several = of(two("", ["sda", "sdb"]), "ext4");
        assert_eq!(several, [(None, Some(1.0)), (None, Some(0.8))], "which disk is not said");
    }

    #[test]
    fn what_was_in_flight_when_the_counters_were_read_first_is_no_hole() {
        let job = "rw=read bs=1m iodepth=64 ioengine=libaio direct=1 filename=/data/f ramp_time=1s";
        let scene = RunBuilder::of(job).all(2, DirectionLoad::reads(100, 1 << 20, 640_000_000));
        let run = scene.disk(disk("sda", 200 << 20, 0)).own_reads(136 << 20).run();
        let surrounds = crate::fixture::surrounds();
        let witness = Case::new(&run, &surrounds).witnesses.remove(0);
        assert_eq!(witness.share_reached(Direction::Read), Some(1.0));
        assert!(witness.agrees(Direction::Read, 0.01, 0.01));
    }

    #[test]
    fn a_ramp_inside_another_window_may_be_counted() {
        let two = "[a]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n[b]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\nramp_time=2s\n";
        let run = RunBuilder::text(two).ramp(1, 2, FLOW).all(5, FLOW).disk(disk("sda", 0, 0)).run();
        let surrounds = crate::fixture::surrounds();
        let witness = Case::new(&run, &surrounds).witnesses.remove(0);
        assert_eq!(witness.ours.read, 4096 * 10_000);
        assert_eq!(witness.ours_at_most.read, 4096 * 12_000);
    }
}
