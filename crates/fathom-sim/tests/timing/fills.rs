//! Sequential fills and random writes over many fills: caches that end, and steady state.

use fathom_sim::{
    FlashDrive, FlashModel, SimulatedDrive, consumer, datacentre, greedy_write_amplification, qlc,
};

use crate::timing::closed_loop::{fill, random_rate, run, within, write};

/// Bandwidth of a sequential fill in windows of 1 % of the drive, in bytes a second.
fn fill_windows(drive: &mut FlashDrive) -> Vec<f64> {
    let capacity = drive.capacity_bytes();
    let ios = capacity / 131_072;
    let window = ios / 100;
    let (mut submitted, mut completed) = (0, 0);
    let mut ends_ns = vec![0];
    let next = || {
        submitted += 1;
        (submitted <= ios).then(|| write((submitted - 1) * 131_072, 131_072))
    };
    run(drive, 0, 32, next, |done_ns| {
        completed += 1;
        if completed % window == 0 {
            ends_ns.push(done_ns);
        }
    });
    let bytes = (window * 131_072) as f64;
    ends_ns.windows(2).map(|pair| bytes * 1e9 / (pair[1] - pair[0]) as f64).collect()
}

#[test]
fn the_cache_of_a_qlc_drive_ends_where_its_rule_says() {
    for scale in [64, 512] {
        let mut drive = FlashDrive::new(&FlashModel { scale, ..qlc() }).expect("valid");
        let windows = fill_windows(&mut drive);
        let whole = |window: usize| windows[window] * f64::from(scale) / 1e9;
        // w = 12 + 128 (1 − w / 750) GB of 1,000: at 11.96 %.
        for window in 1..11 {
            within(0.03, whole(window), 1.80, &format!("in the cache, window {window}"));
        }
        assert!(whole(13) < 0.2 && whole(10) > 1.5, "the knee is at 12 %");
        for window in 14..100 {
            within(0.03, whole(window), 0.109, &format!("past the cache, window {window}"));
        }
    }
}

#[test]
fn sequential_writes_reach_the_data_sheet() {
    let mut drive = FlashDrive::new(&FlashModel { scale: 256, ..consumer() }).expect("valid");
    let windows = fill_windows(&mut drive);
    within(0.03, windows[4] * 256.0, 5.24e9, "consumer, in the cache");
    within(0.03, windows[60] * 256.0, 2.25e9, "consumer, past the cache");
    let mut drive = FlashDrive::new(&FlashModel { scale: 256, ..datacentre() }).expect("valid");
    let windows = fill_windows(&mut drive);
    within(0.03, windows[50] * 256.0, 3.46e9, "datacentre");
    assert_eq!(drive.counters().write_amplification().map(|a| (a * 100.0).round()), Some(100.0));
}

#[test]
fn a_fill_takes_as_long_at_every_scale() {
    let seconds = |scale| {
        let mut drive = FlashDrive::new(&FlashModel { scale, ..datacentre() }).expect("valid");
        fill(&mut drive, 0) as f64 / 1e9
    };
    let (large, small) = (seconds(64), seconds(1024));
    within(0.01, large, 3840.0 / 3.46, "seconds for 3.84 TB");
    within(0.02, small, large, "1/1024 as 1/64");
}

/// Random writes of 4 KiB until steady, in fills of the drive; the rate in each fill, and write amplification
/// in the last one.
fn steady(model: &FlashModel, fills: usize) -> (Vec<f64>, f64) {
    let mut drive = FlashDrive::new(model).expect("valid");
    let units = drive.capacity_bytes() / 4096;
    let (mut now_ns, mut rates, mut before) = (0, Vec::new(), drive.counters());
    for seed in 0..fills as u64 {
        before = drive.counters();
        let (rate, end_ns) = random_rate(&mut drive, now_ns, 64, units, write, seed);
        rates.push(rate * f64::from(model.scale));
        now_ns = end_ns;
    }
    let amplification = drive.counters().since(&before).write_amplification();
    (rates, amplification.expect("written"))
}

#[test]
fn random_writes_go_from_fresh_to_steady_state() {
    let model = FlashModel { scale: 4096, ..datacentre() };
    let space = model.space().expect("valid");
    let (rates, amplification) = steady(&model, 9);
    let expected =
        greedy_write_amplification(space.effective_over_provisioning(), space.block_units()).expect("valid");
    within(0.02, amplification, expected, "write amplification");
    // A word line is programmed, read in 16 × 4 KiB and erased in part: 1,800 + 210 + 19.5 µs.
    let whole = 32.0 * 48.0 / (1800e-6 + 3.0 * 70e-6 + 19.5e-6) / amplification;
    within(0.03, rates[8], whole, "random writes, steady");
    within(0.05, rates[8], 145e3 * 5.224 / amplification, "the figure of the data sheet");
    assert!(rates[0] > 2.0 * rates[8], "fresh out of box is faster: {rates:?}");
}

#[test]
fn a_qlc_drive_writes_everything_twice() {
    let (rates, amplification) = steady(&FlashModel { scale: 1024, ..qlc() }, 9);
    let space = FlashModel { scale: 1024, ..qlc() }.space().expect("valid");
    let expected =
        greedy_write_amplification(space.effective_over_provisioning(), space.block_units()).expect("valid");
    within(0.02, amplification, 1.0 + expected, "cache, then final place");
    within(0.05, rates[8], 3600.0 * 7.8 / expected, "random writes, steady");
}
