//! A drive without a heat sink.

use fathom_sim::{FlashDrive, FlashModel, SimulatedDrive, thermal};

use crate::timing::closed_loop::{fill, random_rate, read};

#[test]
fn a_bare_drive_is_throttled_and_cools_again() {
    let model = FlashModel { scale: 512, ..thermal() };
    let mut drive = FlashDrive::new(&model).expect("valid");
    // 1,000 GB take more than the 163 s after which it is too warm.
    let end_ns = fill(&mut drive, 0);
    let counters = drive.counters();
    assert!(counters.throttled_ns > 60_000_000_000, "{counters:?}");
    let warm = counters.temperature_c.expect("has one");
    assert!((70.0..80.0).contains(&warm), "{warm}");
    let cool = {
        let rested_ns = end_ns + 3_600_000_000_000;
        drive.submit_at(rested_ns, read(0, 4096));
        drive.counters().temperature_c.expect("has one")
    };
    assert!((43.0..44.0).contains(&cool), "{cool}");
}

#[test]
fn a_heat_sink_keeps_it_fast() {
    let mut model = FlashModel { scale: 512, ..thermal() };
    model.heat.as_mut().expect("has one").resistance_k_per_w = 4.5;
    let mut drive = FlashDrive::new(&model).expect("valid");
    let end_ns = fill(&mut drive, 0);
    random_rate(&mut drive, end_ns, 256, 1_000_000, read, 9);
    let counters = drive.counters();
    assert_eq!(counters.throttled_ns, 0, "{counters:?}");
    assert!(counters.temperature_c.is_some_and(|c| c < 62.0), "{counters:?}");
}
