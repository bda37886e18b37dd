//! A hard disk: seek, rotation, zones, and the order of its queue.

use fathom_sim::{DiskModel, HardDisk, Io, IoKind, SimulatedDrive, Submitted, disk};

use crate::queued::closed_loop::{random_rate, run, within};

fn read(offset: u64) -> Io {
    Io { kind: IoKind::Read, offset, length: 4096 }
}

#[test]
fn random_reads_give_the_table() {
    // Shortest access first over the queue, by an independent simulation.
    let table = [(1, 80.0), (2, 95.0), (4, 113.0), (8, 133.0), (16, 157.0), (32, 187.0), (64, 219.0)];
    for (depth, expected) in table {
        let mut drive = HardDisk::new(&disk()).expect("valid");
        let (rate, _) = random_rate(&mut drive, 0, depth, 20_000, read, 1);
        within(0.03, rate, expected, &format!("{depth} in flight"));
    }
}

#[test]
fn outer_tracks_are_faster_and_the_whole_takes_a_day() {
    let model = disk();
    let mut drive = HardDisk::new(&model).expect("valid");
    let rate = |drive: &mut HardDisk, offset: u64, now_ns: u64| {
        let io = |n: u64| Io { kind: IoKind::Read, offset: offset + n * 1_048_576, length: 1_048_576 };
        let mut n = 0;
        let next = || {
            n += 1;
            (n <= 2000).then(|| io(n - 1))
        };
        let done_ns = run(drive, now_ns, 1, next);
        1999.0 * 1_048_576.0 * 1e9 / (done_ns[1999] - done_ns[0]) as f64
    };
    within(0.01, rate(&mut drive, 0, 0), 270e6, "outer");
    within(0.01, rate(&mut drive, model.capacity_bytes - 2000 * 1_048_576, 1 << 40), 130e6, "inner");
    // In one read, as far as a model goes.
    let mut drive = HardDisk::new(&model).expect("valid");
    let Submitted::At(done_ns) = drive.submit(0, 0, Io { length: model.capacity_bytes, ..read(0) }) else {
        panic!("an idle disk decides at once");
    };
    within(0.001, done_ns as f64 / 3.6e12, 25.0, "hours");
}

#[test]
fn nobody_waits_much_longer_than_the_age_limit() {
    let latency_max = |age_limit_ns| {
        let model = DiskModel { age_limit_ns, ..disk() };
        let mut drive = HardDisk::new(&model).expect("valid");
        let (mut left, mut bits, mut longest) = (20_000_u64, crate::queued::closed_loop::Bits(4), 0);
        let units = model.capacity_bytes / 4096;
        // All are there from the start of each round of 200.
        let mut now_ns = 0;
        while left > 0 {
            let mut round = 200;
            let next = || {
                round -= 1;
                (round >= 0).then(|| read(bits.below(units) * 4096))
            };
            let done_ns = run(&mut drive, now_ns, 64, next);
            longest =
                longest.max(done_ns.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max().unwrap_or(0));
            now_ns = done_ns.into_iter().max().unwrap_or(now_ns) + 1;
            left -= 200;
        }
        longest
    };
    assert!(latency_max(300_000_000) < latency_max(100_000_000_000));
}

#[test]
fn the_same_twice_is_the_same() {
    let once = || {
        let mut drive = HardDisk::new(&disk()).expect("valid");
        random_rate(&mut drive, 0, 16, 2000, read, 5).1
    };
    assert_eq!(once(), once());
}
