//! Queues: dies as servers, and the rates of whole drives under load.

use fathom_sim::{FlashDrive, FlashModel, SlcFull, consumer, datacentre, qlc};

use crate::timing::closed_loop::{fill, random_rate, read, within};

/// The buffer of a drive is empty long after this.
const REST_NS: u64 = 1_000_000_000_000;

#[test]
fn random_reads_find_dies_busy_as_queueing_theory_says() {
    // 64 servers of fixed service time and nothing else; shares of their rate by simulation.
    let mut model =
        FlashModel { capacity_bytes: 4 << 30, command_ns: 0, fixed_ns: 0, slc: None, ..consumer() };
    (model.nand.dies, model.nand.channels, model.nand.read_groups) = (64, 64, 1);
    (model.nand.bus_bytes_per_s, model.link_bytes_per_s) = (1_000_000_000_000, 1_000_000_000_000);
    let mut drive = FlashDrive::new(&model).expect("valid");
    let mut now_ns = fill(&mut drive, 0);
    for (depth, expected) in [(16, 0.22), (64, 0.59), (128, 0.77), (256, 0.88), (512, 0.94)] {
        let (rate, end_ns) = random_rate(&mut drive, now_ns + REST_NS, depth, 300_000, read, 9);
        now_ns = end_ns;
        within(0.02, rate / (64.0 / 45e-6), expected, &format!("{depth} in flight"));
    }
}

#[test]
fn random_reads_reach_the_data_sheet() {
    for (model, expected) in [(consumer(), 1.0e6), (datacentre(), 699e3), (qlc(), 222e3)] {
        let mut drive = FlashDrive::new(&FlashModel { scale: 512, ..model }).expect("valid");
        let end_ns = fill(&mut drive, 0);
        let (rate, _) = random_rate(&mut drive, end_ns + REST_NS, 256, 100_000, read, 9);
        within(0.02, rate * 512.0, expected, "random reads");
    }
}

#[test]
fn reads_and_programs_share_the_dies() {
    let model = FlashModel { scale: 256, slc: None, ..datacentre() };
    let mut drive = FlashDrive::new(&model).expect("valid");
    let end_ns = fill(&mut drive, 0) + REST_NS;
    let (alone, end_ns) = random_rate(&mut drive, end_ns, 1, 2000, read, 9);
    // One read of 4 KiB in turn with one write of 128 KiB.
    let mut turn = 0;
    let mut bits = crate::timing::closed_loop::Bits(2);
    let mut latency_ns = 0;
    let mut now_ns = end_ns + REST_NS;
    for _ in 0..2000 {
        turn += 1;
        drive.submit_at(now_ns, crate::timing::closed_loop::write(turn % 500 * 131_072, 131_072));
        let done_ns = drive.submit_at(now_ns, read(bits.below(1 << 12) * 4096, 4096));
        latency_ns += done_ns - now_ns;
        now_ns = done_ns;
    }
    let beside_writes = latency_ns as f64 / 2000.0;
    assert!(beside_writes > 1.2 * 1e9 / alone, "{beside_writes} where {} alone", 1e9 / alone);
}

#[test]
fn where_the_cache_is_full_tells_what_a_drive_does() {
    assert_eq!(consumer().slc.map(|slc| slc.full), Some(SlcFull::Direct));
    assert_eq!(qlc().slc.map(|slc| slc.full), Some(SlcFull::Fold));
}
