//! What holds after any sequence of writes and trims.

use fathom_sim::{Division, FlashSpace, Frontiers, SimError, Translation, VictimChoice};

use crate::write_amplification::workload::Bits;

fn small(frontiers: Frontiers) -> FlashSpace {
    let division =
        Division { units: 4000, over_provisioning: 0.1, block_units: 16, read_units: 4, frontiers };
    FlashSpace::new(division).expect("valid")
}

/// Writes and trims at random, and checks after each thousand that no unit is lost or doubled.
fn churn(frontiers: Frontiers, victims: VictimChoice) {
    let space = small(frontiers);
    let mut drive = Translation::new(space, victims).expect("memory");
    let (mut bits, mut written) = (Bits(5), vec![false; space.units() as usize]);
    for step in 0..200_000 {
        let unit = bits.below(space.units());
        let is_write = !bits.chance(0.1);
        if is_write {
            drive.write(unit, &mut ());
        } else {
            drive.trim(unit);
        }
        written[unit as usize] = is_write;
        if step % 1000 == 0 {
            let expected = written.iter().filter(|written| **written).count() as u32;
            assert_eq!(drive.mapped_units(), expected);
            assert_eq!(drive.live_units(), u64::from(expected));
            let mut slots: Vec<u32> = (0..space.units()).filter_map(|unit| drive.slot_of(unit)).collect();
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len(), expected as usize, "no two units share a slot");
            let is_mapped = |unit: u32| drive.slot_of(unit).is_some();
            assert!((0..space.units()).all(|unit| is_mapped(unit) == written[unit as usize]));
        }
    }
    assert!(drive.erases() > 1000 && drive.block_erases_max() > 1);
}

#[test]
fn no_unit_is_lost_or_doubled() {
    for frontiers in [Frontiers::One, Frontiers::HostAndCollected] {
        for victims in [VictimChoice::Greedy, VictimChoice::Fifo] {
            churn(frontiers, victims);
        }
    }
}

#[test]
fn the_least_possible_spare_is_enough() {
    let division = Division {
        units: 4000,
        over_provisioning: 0.0,
        block_units: 16,
        read_units: 4,
        frontiers: Frontiers::HostAndCollected,
    };
    let space = FlashSpace::new(division).expect("valid");
    assert!(space.effective_over_provisioning() > 0.0);
    let mut drive = Translation::new(space, VictimChoice::Greedy).expect("memory");
    let mut bits = Bits(6);
    for _ in 0..40_000 {
        drive.write(bits.below(4000), &mut ());
    }
    assert_eq!(drive.live_units(), u64::from(drive.mapped_units()));
}

#[test]
fn wear_is_even() {
    let space = small(Frontiers::One);
    let mut drive = Translation::new(space, VictimChoice::Greedy).expect("memory");
    let mut bits = Bits(7);
    for _ in 0..1_000_000 {
        drive.write(bits.below(space.units()), &mut ());
    }
    let mean = drive.erases() as f64 / f64::from(space.blocks());
    assert!(f64::from(drive.block_erases_max()) < 1.2 * mean, "{} of {mean}", drive.block_erases_max());
}

#[test]
fn a_mapped_unit_takes_at_most_ten_bytes() {
    for (over_provisioning, block_units) in [(0.07, 128), (0.28, 128), (0.40, 2048)] {
        let division = Division {
            units: 16_777_216,
            over_provisioning,
            block_units,
            read_units: 16,
            frontiers: Frontiers::HostAndCollected,
        };
        let space = FlashSpace::new(division).expect("valid");
        let bytes = space.memory_bytes() as f64 / f64::from(space.units());
        assert!((8.0..10.0).contains(&bytes), "{over_provisioning}: {bytes}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let division = Division {
        units: 4000,
        over_provisioning: 0.1,
        block_units: 16,
        read_units: 4,
        frontiers: Frontiers::One,
    };
    let refused = |division| FlashSpace::new(division).expect_err("not possible");
    assert!(matches!(refused(Division { units: 10, ..division }), SimError::LessThanOneBlock { .. }));
    assert!(matches!(refused(Division { units: 1 << 32, ..division }), SimError::TooManyUnits { .. }));
    assert!(matches!(refused(Division { units: 4_200_000_000, ..division }), SimError::TooManyUnits { .. }));
}
