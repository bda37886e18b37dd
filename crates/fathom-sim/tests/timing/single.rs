//! One I/O at a time: its latency is the sum of its parts.

use fathom_sim::{FlashDrive, FlashModel, Io, IoKind, SimulatedDrive, consumer, datacentre, qlc};

use crate::timing::closed_loop::{fill, flush, read, write};

/// A time at which every drive here has long been idle.
const LATER_NS: u64 = 100_000_000_000_000;

fn filled(model: FlashModel) -> FlashDrive {
    let mut drive = FlashDrive::new(&model).expect("valid");
    fill(&mut drive, 0);
    drive
}

#[test]
fn a_read_takes_the_sum_of_its_parts() {
    // Flash + 4,096 bytes on the channel + on the link + fixed.
    for (model, expected_ns) in [
        (consumer(), 45_000 + 2560 + 585 + 10_000),
        (datacentre(), 70_000 + 3413 + 630 + 10_000),
        (qlc(), 90_000 + 6113 + 2276 + 15_000),
    ] {
        for scale in [256, 1024] {
            let mut drive = filled(FlashModel { scale, ..model.clone() });
            let latency_ns = drive.submit_at(LATER_NS, read(0, 4096)) - LATER_NS;
            assert_eq!(latency_ns, expected_ns, "1/{scale}: as on the whole drive");
        }
    }
}

#[test]
fn an_unwritten_unit_answers_without_flash() {
    let mut drive = FlashDrive::new(&FlashModel { scale: 256, ..datacentre() }).expect("valid");
    drive.submit_at(0, write(0, 8192));
    assert_eq!(drive.submit_at(LATER_NS, read(1 << 20, 4096)) - LATER_NS, 630 + 10_000);
    assert_eq!(drive.counters().unwritten_read_bytes, 4096);
    // A trimmed one is like one that was never written.
    let mut drive = filled(FlashModel { scale: 256, ..datacentre() });
    let written = drive.submit_at(LATER_NS, read(40_960, 4096)) - LATER_NS;
    drive.submit_at(2 * LATER_NS, Io { kind: IoKind::Trim, offset: 40_960, length: 4096 });
    let trimmed = drive.submit_at(3 * LATER_NS, read(40_960, 4096)) - 3 * LATER_NS;
    assert!(written > 80_000 && trimmed == 630 + 10_000, "{written} {trimmed}");
    assert_eq!(drive.counters().trimmed_bytes, 4096);
    // The edges of a trim keep their data.
    drive.submit_at(4 * LATER_NS, Io { kind: IoKind::Trim, offset: 81_921, length: 8000 });
    assert_eq!(drive.counters().trimmed_bytes, 4096);
}

#[test]
fn a_write_is_complete_in_the_buffer_and_a_flush_when_it_is_safe() {
    let model = FlashModel { scale: 256, ..datacentre() };
    let mut drive = FlashDrive::new(&model).expect("valid");
    assert_eq!(drive.submit_at(LATER_NS, write(0, 4096)) - LATER_NS, 630 + 10_000);
    let now_ns = LATER_NS + 400_000;
    assert_eq!(drive.submit_at(now_ns, flush()) - now_ns, 10_000, "the buffer is safe");
    let mut drive = FlashDrive::new(&FlashModel { power_loss_protection: false, ..model }).expect("valid");
    drive.submit_at(LATER_NS, write(0, 4096));
    // A page is programmed: a third of a word line's time.
    assert_eq!(drive.submit_at(now_ns, flush()) - now_ns, 600_000 + 10_000);
    assert_eq!(drive.counters().media_written_bytes, 4096);
    // A flush after a flush has nothing to do but to wait for the command before.
    let now_ns = 2 * LATER_NS;
    assert_eq!(drive.submit_at(now_ns, flush()) - now_ns, 10_000);
}

#[test]
fn a_part_of_a_unit_is_read_before_it_is_written() {
    let model = FlashModel { scale: 256, unit_bytes: 16_384, ..datacentre() };
    let mut drive = filled(model);
    let before = drive.counters();
    let latency_ns = drive.submit_at(LATER_NS, write(4096, 4096)) - LATER_NS;
    assert!(latency_ns > 70_000 + 10_000, "{latency_ns}");
    let mut bits = crate::timing::closed_loop::Bits(3);
    let units = drive.capacity_bytes() / 16_384;
    let mut now_ns = 2 * LATER_NS;
    for _ in 0..4800 {
        now_ns = drive.submit_at(now_ns, write(bits.below(units) * 16_384, 4096));
    }
    let counted = drive.counters().since(&before);
    let amplification = counted.write_amplification().expect("written");
    assert!(amplification >= 3.99, "a unit of 16 KiB for each 4 KiB: {amplification}");
}
