//! Arrays: what a write costs on each level, degraded and whole.

use fathom_sim::{DriveModel, Io, IoKind, SimulatedDrive, Submitted};

use crate::queued::closed_loop::{random_rate, run, within};

const REST_NS: u64 = 1_000_000_000_000;

fn built(text: &str) -> Box<dyn SimulatedDrive> {
    let model: DriveModel = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    model.build().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn io(kind: IoKind) -> impl Fn(u64) -> Io {
    move |offset| Io { kind, offset, length: 4096 }
}

/// Writes everything once, in order, in pieces of this length.
fn fill(drive: &mut dyn SimulatedDrive, length: u64) -> u64 {
    let (capacity, mut offset) = (drive.capacity_bytes(), 0);
    let next = || {
        let piece = length.min(capacity - offset);
        offset += piece;
        (piece > 0).then(|| Io { kind: IoKind::Write, offset: offset - piece, length: piece })
    };
    run(drive, 0, 16, next).into_iter().max().unwrap_or(0)
}

/// Random writes a second of the whole drives, steady, and write amplification of flash over what the array
/// got.
fn steady_writes(text: &str, scale: f64) -> f64 {
    let mut drive = built(text);
    let mut now_ns = fill(&mut *drive, 1 << 20);
    let units = drive.capacity_bytes() / 4096;
    let mut rate = 0.0;
    for seed in 0..3 {
        (rate, now_ns) = random_rate(&mut *drive, now_ns, 256, units, io(IoKind::Write), seed);
    }
    rate * scale
}

#[test]
fn flash_arrays_write_as_theory_says() {
    // The drive alone is the measure: its blocks are shorter than those of a whole one, so it writes more.
    let one = steady_writes("datacentre/8192", 8192.0);
    let of = |level: &str| steady_writes(&format!("4xdatacentre/8192,chunk=64k,raid={level}"), 8192.0);
    within(0.05, of("0"), 4.0 * one, "RAID 0");
    within(0.05, of("10"), 2.0 * one, "RAID 10");
    // A write takes two reads and two writes on four drives: little over half of RAID 10.
    let reads = 700e3;
    within(0.10, of("5"), 4.0 / (2.0 / one + 2.0 / reads), "RAID 5");
    // Of two chunks of data the other one is read: fewer than old data and two old parities.
    within(0.10, of("6"), 4.0 / (3.0 / one + 1.0 / reads), "RAID 6");
}

#[test]
fn a_full_stripe_is_written_without_reading() {
    let mut drive = built("4xdatacentre/4096,chunk=64k,raid=5");
    let capacity = drive.capacity_bytes();
    fill(&mut *drive, 3 * 65_536);
    let counters = drive.counters();
    assert_eq!(counters.host_written_bytes, capacity);
    let written = counters.media_written_bytes as f64;
    within(0.02, written, capacity as f64 * 4.0 / 3.0, "data and parity");
    assert_eq!(counters.unwritten_read_bytes, 0, "nothing was read");
}

/// What an array reads to write parity, and to make up for a lost drive, is no read of its host.
#[test]
fn only_reads_of_the_host_are_reads_of_what_was_never_written() {
    for raid in ["5", "5,failed=2", "6", "10", "0"] {
        let mut drive = built(&format!("4xdatacentre/4096,chunk=64k,raid={raid}"));
        let at = |drive: &mut dyn SimulatedDrive, now_ns: u64, kind: IoKind, offset: u64| {
            drive.submit(now_ns, 0, Io { kind, offset, length: 4096 });
            let mut decided = Vec::new();
            while let Some(next_ns) = drive.next_decision_ns() {
                drive.decide(next_ns, &mut decided);
            }
            drive.counters().unwritten_read_bytes
        };
        let after_writes = (0..8).map(|n| at(&mut *drive, n * REST_NS, IoKind::Write, n * 65_536)).max();
        assert_eq!(after_writes, Some(0), "RAID {raid}: old data and parity");
        let far = drive.capacity_bytes() / 2;
        assert_eq!(at(&mut *drive, 10 * REST_NS, IoKind::Read, 0), 0, "RAID {raid}");
        assert_eq!(at(&mut *drive, 11 * REST_NS, IoKind::Read, far), 4096, "RAID {raid}");
        assert_eq!(drive.unwritten_read_bytes(), 4096);
    }
}

/// A trim that took no time would hold the simulated time still: a run of a second would never end. Data stays, as under md.
#[test]
fn a_trim_of_an_array_takes_the_time_that_one_of_its_drives_takes() {
    let trim = Io { kind: IoKind::Trim, offset: 0, length: 8192 };
    for (one, arrays) in [
        ("datacentre/4096", ["0", "1", "10", "5", "5,failed=3", "5,failed=0", "6", "6,failed=1"]),
        ("disk", ["0", "1", "10", "5", "5,failed=3", "5,failed=0", "6", "6,failed=1"]),
    ] {
        let alone = built(one).submit(REST_NS, 0, trim);
        assert!(matches!(alone, Submitted::At(done_ns) if done_ns > REST_NS), "{alone:?}");
        for raid in arrays {
            let mut array = built(&format!("4x{one},chunk=64k,raid={raid}"));
            assert_eq!(array.submit(REST_NS, 0, trim), alone, "4x{one}, RAID {raid}");
        }
    }
    let mut array = built("4xdatacentre/4096,chunk=64k,raid=5");
    let end_ns = fill(&mut *array, 3 * 65_536) + REST_NS;
    let mapped_bytes = array.counters().mapped_bytes;
    array.submit(end_ns, 0, Io { length: 1 << 20, ..trim });
    assert_eq!(array.counters().mapped_bytes, mapped_bytes);
}

#[test]
fn a_degraded_array_reads_what_is_left() {
    let latency_ns = |text: &str| {
        let mut drive = built(text);
        let end_ns = fill(&mut *drive, 3 * 65_536) + REST_NS;
        let (rate, _) = random_rate(&mut *drive, end_ns, 1, 3000, io(IoKind::Read), 1);
        1e9 / rate
    };
    let whole = latency_ns("4xdatacentre/4096,chunk=64k,raid=5");
    let degraded = latency_ns("4xdatacentre/4096,chunk=64k,raid=5,failed=2");
    assert!(degraded >= whole, "the slowest of three: {degraded} {whole}");
    let rate = |text: &str| {
        let mut drive = built(text);
        let end_ns = fill(&mut *drive, 3 * 65_536) + REST_NS;
        random_rate(&mut *drive, end_ns, 512, 100_000, io(IoKind::Read), 1).0
    };
    let whole = rate("4xdatacentre/4096,chunk=64k,raid=5");
    let degraded = rate("4xdatacentre/4096,chunk=64k,raid=5,failed=2");
    // Three drives do three quarters of the reads once and one quarter three times: 4 / (3/4 + 3/4) / … =
    // half.
    within(0.10, degraded / whole, 0.5, "degraded over whole");
}

#[test]
fn mirrors_read_from_both() {
    let mut one = built("datacentre/4096");
    let end_ns = fill(&mut *one, 1 << 20) + REST_NS;
    let (alone, _) = random_rate(&mut *one, end_ns, 256, 100_000, io(IoKind::Read), 1);
    let mut mirror = built("2xdatacentre/4096,raid=1");
    let end_ns = fill(&mut *mirror, 1 << 20) + REST_NS;
    let (both, _) = random_rate(&mut *mirror, end_ns, 256, 100_000, io(IoKind::Read), 1);
    within(0.05, both, 2.0 * alone, "two copies");
    assert_eq!(mirror.counters().media_written_bytes / mirror.counters().host_written_bytes, 2);
}

#[test]
fn disks_pay_for_parity_with_turns() {
    let rate = |text: &str| {
        let mut drive = built(text);
        random_rate(&mut *drive, 0, 16, 4000, io(IoKind::Write), 1).0
    };
    let (stripes, parity) = (rate("4xdisk"), rate("4xdisk,raid=5"));
    let penalty = stripes / parity;
    assert!((2.0..5.0).contains(&penalty), "four I/Os instead of one: {penalty}");
}

#[test]
fn every_layout_keeps_the_count_of_bytes() {
    for raid in ["0", "1", "5", "6", "10"] {
        let mut drive = built(&format!("4xdatacentre/4096,chunk=64k,raid={raid}"));
        let mut bits = crate::queued::closed_loop::Bits(8);
        let (mut left, mut bytes) = (5000, 0);
        let units = drive.capacity_bytes() / 4096;
        let next = || {
            left -= 1;
            let length = (1 + bits.below(100)) * 4096;
            bytes += if left >= 0 { length } else { 0 };
            (left >= 0).then(|| Io { kind: IoKind::Write, offset: bits.below(units - 100) * 4096, length })
        };
        run(&mut *drive, 0, 32, next);
        assert_eq!(drive.counters().host_written_bytes, bytes, "raid={raid}");
        assert_eq!(drive.next_decision_ns(), None);
    }
}

#[test]
fn a_whole_drive_takes_the_sequential_writes_of_its_dies() {
    let mut drive = built("datacentre/1024");
    let end_ns = fill(&mut *drive, 1 << 20);
    let simulated = drive.capacity_bytes() as f64 * 1e9 / end_ns as f64 * 1024.0;
    within(0.01, simulated, 3.459e9, "sequential writes");
}
