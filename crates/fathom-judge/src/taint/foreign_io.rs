//! Other programs used the disk during the run: the kernel counted more than fathom moved, in bytes
//! or in I/Os, in any direction.

mod strangers;

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use crate::witness::Witness;
use fathom_figures::Sampled;
use fathom_job::direction::Direction;
use fathom_results::finding::{ForeignIo, Moved};
use fathom_results::{Evidence, Weight};
use std::collections::BTreeSet;
use strangers::{NEARLY, foreign_bytes, ios, more_bytes};

pub(super) const RULE: TaintRule = TaintRule { code: "foreign-io", weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let found = |witness: &Witness| {
        let found = foreign(case, witness).or_else(|| around_the_cache(case, witness))?;
        Some(found.about(case.part(|cell| witness.is_of(cell))))
    };
    case.witnesses.iter().find_map(found)
}

/// More was read from the disk than the files of buffered jobs hold.
fn around_the_cache(case: &Case<'_>, witness: &Witness) -> Option<Found> {
    let more_bytes = strangers::beside_cached(case, witness);
    let (disk, read_bytes) = (witness.disk(), witness.kernel.read);
    let evidence = || Evidence::ForeignIo(ForeignIo::MoreThanHeld { disk, read_bytes, more_bytes });
    Some(Found::new((more_bytes > 0).then(evidence)?).weighing(Weight::Medium))
}

fn foreign(case: &Case<'_>, witness: &Witness) -> Option<Found> {
    let ours = (witness.ours_at_most.read + witness.ours_at_most.write) as f64;
    let of_others = |d| of_others(case, witness, d);
    let others: Vec<Moved> = Direction::ALL.into_iter().filter_map(of_others).collect();
    if ours == 0.0 || others.is_empty() {
        return None;
    }
    let own = |direction: Direction| {
        let bytes = witness.caused(direction);
        (bytes > 0).then_some(Moved { direction, bytes: Some(bytes), ios: None })
    };
    let found = Found::new(Evidence::ForeignIo(ForeignIo::Others {
        disk: witness.disk(),
        others,
        own: [Direction::Read, Direction::Write].into_iter().filter_map(own).collect(),
        has_file_system: witness.has_file,
        busiest: busiest_job(case, witness),
    }));
    Some(if is_slight(case, witness) { found.weighing(Weight::Medium) } else { found })
}

/// The job with the most I/O of others is told from this share of all of it on.
const LARGE_PART: f64 = 0.25;

/// The job in whose measured window others read and wrote the most bytes, by the samples of the disk, and these bytes. `None` where jobs ran at the same time, and where no job stands out.
fn busiest_job(case: &Case<'_>, witness: &Witness) -> Option<(String, u64)> {
    // How much of what each job read came from the disk is not known.
    if !witness.agrees(Direction::Read, NEARLY, f64::INFINITY) {
        return None;
    }
    let cells: Vec<_> = case.cells.iter().filter(|cell| witness.is_of(cell) && cell.ios() > 0).collect();
    let stages: BTreeSet<u32> = cells.iter().map(|cell| cell.planned().stage).collect();
    let sampled = Sampled::of(case.run).filter(|_| cells.len() > 1 && stages.len() == cells.len())?;
    let of_others = |cell: &Cell<'_>| {
        let span = sampled.of_job(&cell.members[0])?;
        let disks = span.disks();
        let disks = disks.iter().filter(|disk| witness.disks.contains(&disk.name));
        let moved = disks.map(|disk| disk.read.kib + disk.write.kib).sum::<f64>() * 1024.0 * span.seconds;
        let flows = [cell.flow(Direction::Read), cell.flow(Direction::Write)];
        let own: u64 = flows.iter().map(|flow| flow.totals.bytes).sum();
        Some((moved - own as f64).max(0.0))
    };
    let each: Vec<(&str, f64)> =
        cells.iter().map(|cell| Some((cell.name(), of_others(cell)?))).collect::<Option<_>>()?;
    let all: f64 = each.iter().map(|(_, bytes)| bytes).sum();
    let (name, most) = each.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most > LARGE_PART * all).then(|| (name.to_owned(), most as u64))
}

/// I/O of others up to this share of fathom's changes its figures by about as much.
const SLIGHT: f64 = 0.05;

/// Are the I/Os and bytes of others few against those of fathom, all directions together?
fn is_slight(case: &Case<'_>, witness: &Witness) -> bool {
    let sum = |of: &dyn Fn(Direction) -> u64| Direction::ALL.into_iter().map(of).sum::<u64>() as f64;
    let foreign = sum(&|d| ios(case, witness, d).unwrap_or(0));
    let (bytes, ours) = (sum(&|d| more_bytes(case, witness, d)), sum(&|d| witness.caused(d)));
    foreign <= SLIGHT * sum(&|d| witness.requests[d].ours) && bytes <= SLIGHT * ours
}

/// What others did in one direction. Bytes or I/Os that are too few to be theirs are left out.
fn of_others(case: &Case<'_>, witness: &Witness, direction: Direction) -> Option<Moved> {
    let (bytes, ios) = (foreign_bytes(case, witness, direction), ios(case, witness, direction));
    (bytes.is_some() || ios.is_some()).then_some(Moved { direction, bytes, ios })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use fathom_results::DiskDelta;

    fn found(options: &str, read: u64, written: u64) -> Option<Found> {
        let delta = disk("sda", read * 4096, written * 4096);
        let run =
            RunBuilder::of(options).all(5, DirectionLoad::reads(1_000, 4096, 100_000)).disk(delta).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    const DIRECT: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";

    #[test]
    fn more_than_ours() {
        let others = found(DIRECT, 5_000, 1_000).unwrap();
        assert_eq!(others.evidence(), "others wrote 4.10 MB on sda, and fathom read 20.5 MB");
        assert_eq!(found(DIRECT, 5_010, 200), None, "udev looks at a device");
        assert!(found(DIRECT, 4_900, 400).is_some(), "writes beside a job that only reads");
        assert_eq!(found("rw=randread bs=4k ioengine=psync filename=/dev/sda", 9_000, 0), None, "readahead");
    }

    #[test]
    fn a_filesystem_has_io_of_its_own() {
        let file = DIRECT.replace("/dev/sda", "/data/f");
        assert_eq!(found(&file, 5_000, 700), None);
        assert!(found(&file, 5_000, 1_000).is_some());
    }

    #[test]
    fn what_is_in_flight_when_a_ramp_ends_is_ours() {
        let job = "rw=randread bs=1m ioengine=libaio iodepth=64 direct=1 filename=/dev/sda ramp_time=2s";
        let flow = DirectionLoad::reads(50, 1 << 20, 100_000);
        let surrounds = crate::fixture::surrounds();
        let found = |mib: u64| {
            let scene = RunBuilder::of(job).ramp(0, 2, flow).all(5, flow).disk(disk("sda", mib << 20, 0));
            check(&Case::new(&scene.run(), &surrounds)).is_some()
        };
        assert_eq!((found(250 + 64), found(250 + 80)), (false, true));
    }

    /// Reads of 4 KiB, 5,000 a second for five seconds, and what others do at the same time.
    fn beside(options: &str, ios: [u64; 3], bytes: [u64; 2]) -> Option<String> {
        let delta = DiskDelta { ios, ..disk("sda", bytes[0], bytes[1]) };
        let run =
            RunBuilder::of(options).all(5, DirectionLoad::reads(5_000, 4096, 100_000)).disk(delta).run();
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
    }

    const OWN: u64 = 25_000;

    #[test]
    fn a_slow_job_is_disturbed_by_little() {
        let found = |options: &str, rate: u64, ios: [u64; 3]| {
            let delta = DiskDelta { ios, ..disk("sda", ios[0] * 4096, ios[1] * 4096) };
            let run =
                RunBuilder::of(options).all(4, DirectionLoad::reads(rate, 4096, 100_000)).disk(delta).run();
            check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        let reads = |rate, kernel| found(DIRECT, rate, [kernel, 0, 0]);
        assert!(reads(20, 193).unwrap().starts_with("others read 463 kB (113 I/Os) on sda"));
        assert!(reads(200, 840).is_some() && reads(1_000, 4_180).is_some());
        assert_eq!(reads(20, 100), None, "somebody looked for a partition");
        assert!(
            found(DIRECT, 10, [40, 113, 0]).unwrap().starts_with("others wrote 463 kB (113 I/Os) on sda")
        );
        let file = DIRECT.replace("/dev/sda", "/data/f");
        assert!(found(&file, 200, [1_040, 0, 0]).is_some());
        assert_eq!(found(&file, 200, [820, 100, 0]), None, "its journal");
    }

    #[test]
    fn large_blocks_that_are_split_are_no_strangers() {
        let job = DIRECT.replace("bs=4k", "bs=1m");
        let moved = 4 * 100 * (1 << 20);
        let delta = DiskDelta { ios: [4 * 400, 0, 0], ..disk("sda", moved + (512 << 10), 0) };
        let run = RunBuilder::of(&job).all(4, DirectionLoad::reads(100, 1 << 20, 100_000)).disk(delta).run();
        assert_eq!(check(&Case::new(&run, &crate::fixture::surrounds())), None);
    }

    #[test]
    fn a_writer_beside_a_reader_counts_by_its_ios() {
        let file = DIRECT.replace("/dev/sda", "/data/f");
        for job in [DIRECT, &file] {
            let evidence = beside(job, [OWN, 1_000, 0], [OWN * 4096, 1_000 * 512]).unwrap();
            assert!(evidence.starts_with("others wrote 512 kB (1,000 I/Os) on sda"), "{evidence}");
        }
        let large = DIRECT.replace("bs=4k", "bs=1m");
        let delta = DiskDelta { ios: [5_000, 10_769, 0], ..disk("sda", 5_000 << 20, 10_769 * 4096) };
        let run =
            RunBuilder::of(&large).all(5, DirectionLoad::reads(1_000, 1 << 20, 100_000)).disk(delta).run();
        let evidence = check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence());
        assert!(
            evidence.is_some_and(|evidence| evidence.contains("wrote 44.1 MB (10,769 I/Os)")),
            "1 % of the bytes"
        );
    }

    #[test]
    fn a_reader_beside_a_fast_reader_counts() {
        const MOST: u64 = 400_000 * 5;
        let found = |others: u64| {
            let delta = DiskDelta { ios: [MOST + others, 0, 0], ..disk("sda", (MOST + others) * 4096, 0) };
            let run =
                RunBuilder::of(DIRECT).all(5, DirectionLoad::reads(400_000, 4096, 2_000)).disk(delta).run();
            check(&Case::new(&run, &crate::fixture::surrounds())).is_some()
        };
        assert_eq!((found(MOST / 1_000), found(3_300 * 5)), (false, true));
    }

    #[test]
    fn the_job_with_the_most_io_of_others_is_named() {
        const SECOND: u64 = 1_000_000_000;
        let text = "[global]\nrw=randread\nbs=4k\nioengine=psync\ndirect=1\nfilename=/dev/sda\n[a]\n[b]\nstonewall\n";
        let own = DirectionLoad::reads(10_000, 4096, 90_000);
        let found = |of_others: [u64; 2]| {
            let sectors = of_others.map(|others| 10_000 * 8 + others / 512);
            let sample = |scene: RunBuilder, at: u64| {
                let row: [u64; 3] = [10_000, 0, sectors[at as usize]];
                scene.sampled(at * SECOND, (at + 1) * SECOND, &[("disk", "sda", &row)])
            };
            let scene = RunBuilder::text(text).seconds(0, 1, &[own]).after(1, SECOND).seconds(1, 1, &[own]);
            let all = 2 * 10_000 * 4096 + of_others[0] + of_others[1];
            let run = sample(sample(scene, 0), 1).disk(disk("sda", all, 0)).run();
            check(&Case::new(&run, &crate::fixture::surrounds())).unwrap().evidence()
        };
        let told = "others read 598 MB on sda, and fathom read 81.9 MB";
        let of_b = found([100_000 * 512, 1_067_500 * 512]);
        assert_eq!(of_b, format!("{told}; the most, 547 MB, while b ran"));
    }

    #[test]
    fn buffered_readers_write_nothing() {
        let buffered = DIRECT.replace("direct=1 ", "");
        assert_eq!(beside(&buffered, [OWN * 2, 0, 0], [OWN * 8192, 0]), None, "read ahead");
        assert!(beside(&buffered, [OWN, 5_000, 0], [OWN * 4096, 5_000 * 4096]).is_some());
    }

    #[test]
    fn splits_merges_journals_and_looks_are_nobodys() {
        assert_eq!(beside(DIRECT, [OWN * 4, 0, 0], [OWN * 4096, 0]), None, "split");
        assert_eq!(beside(DIRECT, [OWN + 100, 0, 0], [(OWN + 100) * 4096, 0]), None, "udev");
        let file = DIRECT.replace("/dev/sda", "/data/f");
        assert_eq!(beside(&file, [OWN, 120, 0], [OWN * 4096, 120 * 4096]), None, "a journal");
        let syncing = "rw=randwrite bs=4k ioengine=psync direct=1 fsync=1 filename=/data/f";
        let flow = DirectionLoad::writes(500, 4096, 100_000);
        let delta = DiskDelta { ios: [0, 2_500 * 4, 0], ..disk("sda", 0, 2_500 * 4 * 4096) };
        let run = RunBuilder::of(syncing).all(5, flow).syncs(2_500).disk(delta).run();
        assert_eq!(check(&Case::new(&run, &crate::fixture::surrounds())), None, "a commit for each fsync");
    }

    #[test]
    fn trims_of_a_file_system_are_no_other_program() {
        // ext4 with the mount option `discard`: a trim for each fdatasync.
        let syncing = "rw=write bs=4k ioengine=psync direct=1 fdatasync=1 filename=/data/f";
        let found = |options: &str, writes: u64| {
            let flow = DirectionLoad::writes(2_120, 4096, 111_000);
            let mut delta = DiskDelta { ios: [0, writes, 10_599], ..disk("sda", 0, writes * 4096) };
            delta.sectors[2] = 10_599 * 8;
            let run = RunBuilder::of(options).all(5, flow).syncs(10_600).disk(delta).run();
            check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        assert_eq!(found(syncing, 10_600), None);
        let device = found(&syncing.replace("/data/f", "/dev/sda"), 10_600).unwrap();
        assert!(device.starts_with("others trimmed 43.4 MB (10,599 I/Os) on sda"), "{device}");
        // Others that write beside them are still found, and the trims are not called theirs.
        let writers = found(syncing, 400_000).unwrap();
        assert!(writers.contains("wrote") && !writers.contains("trimmed"), "{writers}");
    }
}
