//! The same I/Os at the same times give the same completions, and no completion is lost.

use fathom_sim::{FlashDrive, FlashModel, Io, IoKind, SimulatedDrive, consumer, qlc, thermal};

use crate::timing::closed_loop::{Bits, run};

/// A digest of all completions of a mix of everything, and the counters after it.
fn digest(model: &FlashModel, seed: u64) -> (u64, fathom_sim::DriveCounters) {
    let mut drive = FlashDrive::new(model).expect("valid");
    let units = drive.capacity_bytes() / 4096;
    let (mut bits, mut left, mut digest) = (Bits(seed), 300_000, 0_u64);
    let next = || {
        left -= 1;
        let kind = match bits.below(100) {
            0..50 => IoKind::Write,
            50..90 => IoKind::Read,
            90..99 => IoKind::Trim,
            _ => IoKind::Flush,
        };
        let length = 4096 << bits.below(5);
        let offset = bits.below(units - 16) * 4096;
        (left > 0).then_some(Io { kind, offset, length })
    };
    run(&mut drive, 0, 16, next, |done_ns| {
        digest = digest.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ done_ns;
    });
    assert_eq!(drive.translation().live_units(), u64::from(drive.translation().mapped_units()));
    (digest, drive.counters())
}

#[test]
fn the_same_twice_is_the_same() {
    for model in [consumer(), qlc(), thermal()] {
        let model = FlashModel { scale: 4096, ..model };
        let once = digest(&model, 1);
        assert_eq!(once, digest(&model, 1));
        assert_ne!(once.0, digest(&model, 2).0, "another seed of the load gives others");
    }
}
