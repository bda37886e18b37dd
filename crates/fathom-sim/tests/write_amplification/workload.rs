//! Writes to a flash translation without a drive around it.

use fathom_sim::{Division, FlashSpace, Frontiers, Translation, VictimChoice};

/// Bits of SplitMix64, the same on every machine.
pub struct Bits(pub u64);

impl Bits {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }

    /// True for this share of the calls.
    pub fn chance(&mut self, share: f64) -> bool {
        (self.next() as f64) < share * u64::MAX as f64
    }
}

/// A drive of about 4,096 blocks.
pub fn space(over_provisioning: f64, block_units: u32, frontiers: Frontiers) -> FlashSpace {
    let units = (4096.0 * f64::from(block_units) / (1.0 + over_provisioning)) as u64;
    FlashSpace::new(Division { units, over_provisioning, block_units, read_units: 16, frontiers })
        .expect("valid")
}

/// Write amplification of units that `next` names: `warm_up` times the capacity first, then 4 times measured.
pub fn measured(
    space: FlashSpace,
    victims: VictimChoice,
    warm_up: u64,
    mut next: impl FnMut(u64) -> u32,
) -> f64 {
    let mut drive = Translation::new(space, victims).expect("memory");
    let units = u64::from(space.units());
    let mut counted = (0, 0);
    for n in 0..(warm_up + 4) * units {
        if n == warm_up * units {
            counted = (drive.host_units(), drive.collected_units());
        }
        drive.write(next(n), &mut ());
    }
    let host = drive.host_units() - counted.0;
    let collected = drive.collected_units() - counted.1;
    1.0 + collected as f64 / host as f64
}

/// Write amplification of uniform random writes to the whole drive.
pub fn uniform(over_provisioning: f64, block_units: u32, victims: VictimChoice) -> f64 {
    let space = space(over_provisioning, block_units, Frontiers::One);
    let mut bits = Bits(1);
    measured(space, victims, 8, |_| bits.below(space.units()))
}

/// Fails if `found` is further from `expected` than this share of it.
#[track_caller]
pub fn within(share: f64, found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() <= share, "{what}: {found:.4} where {expected} is expected");
}
