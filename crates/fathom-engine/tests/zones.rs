//! `zonemode=zbd`: places of I/Os against write pointers that the tests keep themselves, and against a simulated drive that refuses
//! every I/O that a zoned drive refuses.

use crate::support::{Heard, planned, run};
use fathom_engine::log::{LogChunk, LogKind};
use fathom_engine::runner::{LocalThreads, Patience, PlanTime};
use fathom_engine::simulated::SimulatedDrives;
use fathom_engine::sink::Sink;
use fathom_engine::target::{SharedDrive, TargetSource, locked};
use fathom_job::direction::Direction::{self, Read, Trim, Write};
use fathom_results::Frame;
use fathom_sim::{ZoneAction, ZoneCondition, ZoneState};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// A job on a file in memory, which has no zones of its own: 16 zones of 1 MiB.
fn on_file(options: &str) -> Heard {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a directory");
    let sections = if options.contains("[j]") { options.to_owned() } else { format!("[j]\n{options}") };
    run(&format!(
        "[global]\nioengine=psync\nfilename={}/f\nsize=16m\nzonemode=zbd\nzonesize=1m\nwrite_lat_log=x\nlog_offset=1\n{}\n",
        dir.path().display(),
        sections.replace(' ', "\n")
    ))
}

/// Two names of one file have one table: what was written by one is read by another, and goes on behind it.
#[test]
fn a_link_leads_to_the_same_zones() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a directory");
    let at = |name: &str| dir.path().join(name);
    std::fs::File::create(at("f")).and_then(|file| file.set_len(16 * MIB)).expect("a file");
    std::fs::hard_link(at("f"), at("hard")).expect("a link");
    std::os::unix::fs::symlink("f", at("soft")).expect("a link");
    let section = |name: &str, options: &str| {
        format!("[{name}]\nstonewall\nfilename={}\nbs=64k\n{options}\n", at(name).display())
    };
    let heard = run(&format!(
        "[global]\nioengine=psync\nsize=1m\nzonemode=zbd\nzonesize=1m\nwrite_lat_log=x\nlog_offset=1\n{}{}{}",
        section("f", "rw=write\nnumber_ios=4"),
        section("soft", "rw=write\nnumber_ios=4"),
        section("hard", "rw=read")
    ));
    is_well(&heard);
    let expected: Vec<u64> = (0..8).chain(0..8).collect();
    let offsets: Vec<u64> = ios(&heard).iter().map(|(_, offset, _)| offset / (64 * KIB)).collect();
    assert_eq!(offsets, expected);
}

/// Every I/O in the order of its end.
fn ios(heard: &Heard) -> Vec<(Direction, u64, u64)> {
    let total = heard.samples.iter().filter(|s| s.kind == LogKind::Total);
    total.map(|s| (s.direction, s.offset, s.bytes)).collect()
}

fn is_well(heard: &Heard) {
    for outcome in &heard.outcomes {
        assert_eq!(outcome.failure, None, "job {}", outcome.job);
    }
}

/// Write pointers, kept by nothing but the I/Os of one job with one I/O in flight.
struct Pointers {
    zone: u64,
    capacity: u64,
    least: u64,
    written: BTreeMap<u64, u64>,
    resets: u64,
    open_most: usize,
}

impl Pointers {
    fn new(zone: u64, capacity: u64, least: u64) -> Pointers {
        Pointers { zone, capacity, least, written: BTreeMap::new(), resets: 0, open_most: 0 }
    }

    /// Checks each I/O, and follows it.
    fn follow(mut self, ios: &[(Direction, u64, u64)]) -> Pointers {
        for (direction, offset, bytes) in ios {
            let (index, within) = (offset / self.zone, offset % self.zone);
            let pointer = self.written.entry(index).or_default();
            match direction {
                Write => {
                    if within != *pointer {
                        assert_eq!(within, 0, "a write at {offset} where the pointer is at {pointer}");
                        self.resets += 1;
                        *pointer = 0;
                    }
                    *pointer += bytes;
                    assert!(*pointer <= self.capacity, "a write beyond the zone at {offset}");
                }
                Read => assert!(within + bytes <= *pointer, "a read at {offset} beyond {pointer}"),
                Trim => {
                    assert_eq!((within, *bytes), (0, self.zone));
                    *pointer = 0;
                }
            }
            let is_open = |pointer: &&u64| **pointer > 0 && **pointer + self.least <= self.capacity;
            self.open_most = self.open_most.max(self.written.values().filter(is_open).count());
        }
        self
    }
}

/// fio 3.33 on a loop device of 16 MiB: the same offsets, and the same number of them.
#[test]
fn a_sequential_write_goes_through_the_zones() {
    let in_zones = |zones: &[u64], blocks: u64| -> Vec<_> {
        zones
            .iter()
            .flat_map(|zone| (0..blocks).map(move |at| (Write, zone * MIB + at * 256 * KIB, 256 * KIB)))
            .collect()
    };
    let all: Vec<u64> = (0..16).collect();
    let even: Vec<u64> = (0..8).map(|zone| zone * 2).collect();
    for (options, expected) in [
        ("", in_zones(&all, 4)),
        ("zonecapacity=768k", in_zones(&all, 3)),
        ("zoneskip=1m", in_zones(&[&even[..], &even[..]].concat(), 4)),
        ("zoneskip=1z", in_zones(&[&even[..], &even[..]].concat(), 4)),
        ("loops=2", in_zones(&[&all[..], &all[..]].concat(), 4)),
        ("offset=100k", in_zones(&all[1..], 4)),
        ("number_ios=5", in_zones(&all, 4)[..5].to_vec()),
        ("time_based runtime=1h number_ios=0 io_size=16m", Vec::new()),
    ] {
        if expected.is_empty() {
            continue;
        }
        let heard = on_file(&format!("rw=write bs=256k {options}"));
        is_well(&heard);
        assert_eq!(ios(&heard), expected, "{options}");
    }
}

#[test]
fn a_random_write_is_at_a_write_pointer_and_open_zones_are_limited() {
    for (options, open) in [("", 16), ("max_open_zones=2", 2), ("job_max_open_zones=3", 3)] {
        let heard = on_file(&format!("rw=randwrite norandommap bs=64k io_size=64m {options}"));
        is_well(&heard);
        let followed = Pointers::new(MIB, MIB, 64 * KIB).follow(&ios(&heard));
        assert_eq!(ios(&heard).len(), 1024, "{options}");
        assert_eq!(followed.open_most, open, "{options}");
        // 1,024 writes fill 64 zones, and there are 16.
        assert!((34..=63).contains(&followed.resets), "{options}: {}", followed.resets);
        assert_eq!(followed.written.len(), 16, "{options}: all zones are used");
    }
}

#[test]
fn reads_stay_within_what_was_written() {
    let heard = on_file("rw=randrw norandommap bs=64k,32k io_size=1g number_ios=2000");
    is_well(&heard);
    let all = ios(&heard);
    assert_eq!(all[0].0, Write, "there is nothing to read yet");
    Pointers::new(MIB, MIB, 32 * KIB).follow(&all);
    let reads = all.iter().filter(|io| io.0 == Read).count();
    assert!((900..=1100).contains(&reads), "{reads}");
    let zones: BTreeSet<u64> = all.iter().filter(|io| io.0 == Read).map(|io| io.1 / MIB).collect();
    assert_eq!(zones.len(), 16, "reads are everywhere");
}

#[test]
fn a_later_job_of_the_run_reads_what_an_earlier_one_wrote() {
    let write = "rw=write bs=64k io_size=2560k";
    let heard = on_file(&format!(
        "[j] {write} [k] stonewall rw=read bs=64k [l] stonewall rw=randread norandommap bs=64k io_size=64m number_ios=500"
    ));
    is_well(&heard);
    let all = ios(&heard);
    let expected = |direction| (0..40).map(move |at| (direction, at * 64 * KIB, 64 * KIB));
    assert!(all[..80].iter().copied().eq(expected(Write).chain(expected(Read))));
    // Random reads are in all of the 2.5 MiB, and nowhere else.
    let places: BTreeSet<u64> = all[80..].iter().map(|io| io.1 / (64 * KIB)).collect();
    assert!(all.len() == 580 && places.iter().all(|place| *place < 40) && places.len() == 40, "{places:?}");
    // Without data, fio does nothing and reports success.
    for options in ["rw=read", "rw=randread", "rw=randtrim"] {
        let block = if options == "rw=randtrim" { "1m" } else { "64k" };
        let heard = on_file(&format!("{options} bs={block}"));
        let failure = heard.outcome(0).failure.clone().expect(options);
        assert!(failure.message.starts_with("no zone of the region holds"), "{options}: {}", failure.message);
    }
    let heard = on_file("rw=read bs=64k read_beyond_wp=1");
    is_well(&heard);
    assert_eq!(ios(&heard).len(), 256, "as in fio");
}

#[test]
fn trims_empty_zones() {
    let heard = on_file(
        "[j] rw=write bs=256k io_size=3m [k] stonewall rw=randtrim bs=1m number_ios=2 norandommap \
                         [l] stonewall rw=trim bs=1m",
    );
    is_well(&heard);
    let all = ios(&heard);
    let random: Vec<u64> = all[12..14].iter().map(|io| io.1 / MIB).collect();
    assert!(random[0] != random[1] && random.iter().all(|zone| *zone < 3), "zones with data: {random:?}");
    assert!(all[14..].iter().copied().eq((0..16).map(|zone| (Trim, zone * MIB, MIB))));
}

#[test]
fn zones_are_reset_as_often_as_asked_above_the_threshold() {
    let resets = |options: &str| {
        let heard = on_file(&format!("rw=randwrite norandommap bs=16k io_size=8m {options}"));
        is_well(&heard);
        Pointers::new(MIB, MIB, 16 * KIB).follow(&ios(&heard)).resets
    };
    assert_eq!(resets(""), 0, "half of the zones is never filled");
    // 512 writes; the counting begins when 0 and 4 MiB of 16 were written.
    let (from_start, from_quarter) =
        (resets("zone_reset_frequency=0.1"), resets("zone_reset_frequency=0.1 zone_reset_threshold=0.25"));
    assert!((45..=51).contains(&from_start), "{from_start}");
    // Each reset empties a zone of some 16 blocks, and so delays the next by as many writes.
    assert!((12..=19).contains(&from_quarter), "{from_quarter}");
    assert_eq!(resets("zone_reset_threshold=0.25"), 0, "without a frequency, as in fio");
}

#[test]
fn a_zone_whose_end_is_no_block_is_left_or_written_with_a_shorter_one() {
    for (options, per_zone) in
        [("", vec![128, 128, 128]), ("write_zone_remainder=1", vec![128, 128, 128, 116])]
    {
        let heard = on_file(&format!("rw=write bs=128k zonecapacity=500k {options}"));
        is_well(&heard);
        let lengths: Vec<u64> = ios(&heard).iter().map(|io| io.2 / KIB).collect();
        assert_eq!(lengths, per_zone.repeat(16), "{options}");
        Pointers::new(MIB, 500 * KIB, 4 * KIB).follow(&ios(&heard));
    }
}

/// Threads at the same zones: no zone has a hole, whichever of them wrote in it.
#[test]
fn several_jobs_share_the_write_pointers() {
    for engine in ["psync", "io_uring", "libaio"] {
        for rw in ["write", "randwrite"] {
            let heard = on_file(&format!("ioengine={engine} iodepth=4 rw={rw} bs=64k numjobs=2 io_size=8m"));
            is_well(&heard);
            let places: Vec<u64> = ios(&heard).iter().map(|io| io.1 / (64 * KIB)).collect();
            assert_eq!(places.len(), 256, "{engine} {rw}");
            let distinct: BTreeSet<u64> = places.into_iter().collect();
            for place in &distinct {
                let is_first = place % 16 == 0;
                assert!(
                    is_first || distinct.contains(&(place - 1)),
                    "{engine} {rw}: a hole before block {place}"
                );
            }
        }
    }
}

/// A run on a zoned disk of 64 zones of 1 MiB, and what its zones are after it.
fn on_disk(keys: &str, options: &str) -> (Heard, Vec<ZoneState>) {
    let name = format!("sim:smr,size=64m,zone=1m{keys}");
    let text = format!(
        "[global]\nioengine=io_uring\nfilename={name}\nzonemode=zbd\ndirect=1\n{}\n",
        options.replace(' ', "\n")
    );
    let (drives, mut heard) = (Arc::new(SimulatedDrives::default()), Heard::default());
    let plan = planned(&text);
    let time = PlanTime::of(&plan).unwrap_or_else(|e| panic!("{e}"));
    let local = LocalThreads { targets: drives.clone(), clock: time.clock(true), patience: Patience::USUAL };
    time.runner(&local, &drives).run(&Arc::new(plan), &Arc::default(), &mut heard);
    let drive = drives.simulated(&name).unwrap();
    let zones = locked(&drive).zones().unwrap().zones.to_vec();
    (heard, zones)
}

fn held(zones: &[ZoneState]) -> u64 {
    zones.iter().map(|zone| zone.write_pointer - zone.start).sum()
}

#[test]
fn the_drive_refuses_nothing_of_what_jobs_with_zones_do() {
    const KEYS: [&str; 3] =
        ["", ",zone_capacity=512k,open=4,conventional=0", ",zone_capacity=768k,conventional=8,active=6"];
    const JOBS: [&str; 8] = [
        "[j] rw=write bs=64k iodepth=8",
        "[j] rw=randwrite bs=64k iodepth=16 norandommap io_size=200m",
        "[j] rw=randwrite bs=64k iodepth=16 numjobs=3 io_size=40m max_open_zones=3",
        "[j] rw=randrw bs=32k iodepth=8 io_size=100m",
        "[j] rw=randrw bssplit=4k/50:16k/50 iodepth=4 norandommap number_ios=3000",
        "[j] rw=rw bs=64k iodepth=4 loops=3",
        "[j] rw=write bs=64k [k] stonewall rw=read bs=128k iodepth=4 [l] stonewall rw=trim bs=1m iodepth=2 [m] \
         stonewall rw=randwrite bs=64k iodepth=4",
        "[j] rw=randwrite bs=64k rate_iops=500 iodepth=4 number_ios=300 [k] rw=randread bs=64k iodepth=4 rate_iops=700 \
         number_ios=300 [l] rw=randwrite bs=16k zone_reset_frequency=0.05 number_ios=300 startdelay=100ms ramp_time=300ms",
    ];
    for keys in KEYS {
        for job in JOBS {
            let (heard, zones) = on_disk(keys, job);
            for outcome in &heard.outcomes {
                assert_eq!(outcome.failure, None, "{keys} {job}: job {}", outcome.job);
            }
            assert!(held(&zones) > 0, "{keys} {job}");
        }
    }
}

#[test]
fn what_the_jobs_wrote_is_what_the_drive_holds() {
    let (heard, zones) =
        on_disk(",conventional=0,open=8", "[j] rw=randwrite bs=64k iodepth=16 numjobs=2 io_size=16m");
    is_well(&heard);
    // A zone that is full when it is drawn again is emptied, and with it 1 MiB.
    let written: u64 = (0..2).map(|job| heard.moved(job, Write).1).sum();
    let lost = written - held(&zones);
    assert_eq!((written, lost % MIB), (32 * MIB, 0));
    assert!((MIB..24 * MIB).contains(&lost), "{lost}");
    let open = zones.iter().filter(|zone| zone.condition == ZoneCondition::Open).count();
    assert!(open <= 8, "{open}");
}

#[test]
fn conventional_zones_are_written_anywhere() {
    let keys = ",conventional=4";
    let (heard, zones) = on_disk(keys, "[j] rw=randwrite bs=64k size=4m write_lat_log=x log_offset=1");
    is_well(&heard);
    let mut places: Vec<u64> = ios(&heard).iter().map(|io| io.1 / (64 * KIB)).collect();
    assert!(!places.is_sorted());
    places.sort_unstable();
    assert!(places.iter().copied().eq(0..64), "each block once, as without zones");
    assert_eq!(held(&zones), 0);
    let (heard, _) = on_disk(keys, "[j] rw=write bs=64k size=6m write_lat_log=x log_offset=1");
    is_well(&heard);
    assert!(
        ios(&heard).iter().map(|io| io.1 / (64 * KIB)).eq(0..96),
        "from conventional to sequential zones"
    );
}

/// The mean number of I/Os in flight, by Little's law.
#[test]
fn writes_to_several_zones_are_in_flight_together() {
    let in_flight = |open: u32| {
        let (heard, _) = on_disk(
            ",conventional=0",
            &format!(
                "[j] rw=randwrite bs=4k iodepth=16 number_ios=2000 norandommap max_open_zones={open} write_lat_log=x"
            ),
        );
        is_well(&heard);
        let total = heard.samples.iter().filter(|s| s.kind == LogKind::Total);
        total.map(|s| s.value).sum::<u64>() as f64 / heard.outcome(0).at_ns as f64
    };
    let (one, many) = (in_flight(1), in_flight(16));
    assert!(one <= 1.01, "{one} in a single zone");
    assert!((8.0..=16.0).contains(&many), "{many} in 16 zones");
}

/// Something else empties a zone before a second job goes on in it, so that the drive refuses the job's first write.
struct Emptied {
    heard: Heard,
    drive: SharedDrive,
}

impl Sink for Emptied {
    fn frame(&mut self, frame: &Frame) {
        self.heard.frame(frame);
    }
    fn log(&mut self, chunk: LogChunk) {
        self.heard.log(chunk);
    }
    fn before_start(&mut self, jobs: &[usize]) {
        if jobs == [1] {
            locked(&self.drive).change_zone(0, ZoneAction::Reset).unwrap();
        }
    }
}

#[test]
fn after_a_refused_write_a_zone_is_left_or_goes_on_where_the_drive_says() {
    let places = |option: &str| {
        let name = "sim:smr,size=64m,zone=1m,conventional=0";
        let text = format!(
            "[global]\nioengine=io_uring\nfilename={name}\nsize=2m\nzonemode=zbd\ndirect=1\nrw=write\nbs=64k\n\
             number_ios=3\n[first]\n[second]\nstonewall\nwrite_lat_log=x\nlog_offset=1\ncontinue_on_error=all\n{option}\n"
        );
        let drives = Arc::new(SimulatedDrives::default());
        let mut sink = Emptied { heard: Heard::default(), drive: drives.simulated(name).unwrap() };
        let plan = planned(&text);
        let time = PlanTime::of(&plan).unwrap();
        let local =
            LocalThreads { targets: drives.clone(), clock: time.clock(true), patience: Patience::USUAL };
        time.runner(&local, &drives).run(&Arc::new(plan), &Arc::default(), &mut sink);
        is_well(&sink.heard);
        assert_eq!(sink.heard.totals(1).directions[Write].errors, 1, "{option}");
        ios(&sink.heard).iter().map(|io| io.1 / (64 * KIB)).collect::<Vec<u64>>()
    };
    assert_eq!(places(""), [16, 17]);
    assert_eq!(places("recover_zbd_write_error=1"), [0, 1]);
}
