//! Uniform random and sequential writes.

use fathom_sim::{
    Division, FlashSpace, Frontiers, VictimChoice, fifo_write_amplification, greedy_write_amplification,
};

use crate::write_amplification::workload::{Bits, measured, space, uniform, within};

#[test]
fn uniform_writes_give_the_greedy_table() {
    for (over_provisioning, expected) in
        [(0.07, 7.39), (0.11, 5.03), (0.20, 3.12), (0.28, 2.44), (0.50, 1.70)]
    {
        let found = uniform(over_provisioning, 128, VictimChoice::Greedy);
        within(0.02, found, expected, &format!("over-provisioning {over_provisioning}"));
        let forecast = greedy_write_amplification(over_provisioning, 128).expect("valid");
        within(0.02, found, forecast, "the mean field");
    }
}

#[test]
fn larger_blocks_amplify_more() {
    let small = uniform(0.07, 64, VictimChoice::Greedy);
    let large = uniform(0.07, 256, VictimChoice::Greedy);
    within(0.02, small, 7.01, "64 units");
    within(0.02, large, 7.60, "256 units");
    assert!(small < 7.39 && 7.39 < large);
}

#[test]
fn the_oldest_block_first_gives_the_closed_form() {
    for (over_provisioning, expected) in [(0.07, 7.82), (0.28, 2.48)] {
        let found = uniform(over_provisioning, 128, VictimChoice::Fifo);
        within(0.02, found, expected, "FIFO");
        within(0.02, found, fifo_write_amplification(over_provisioning).expect("valid"), "closed form");
    }
}

#[test]
fn few_blocks_amplify_less_as_a_plan_says() {
    // 64 blocks at 7 %: 17 % too low. `ModelRemark::FewBlocks` estimates 0.9 / (blocks × over-provisioning).
    let block_units = 1024;
    for (blocks, over_provisioning) in [(64.0, 0.07), (128.0, 0.07), (64.0, 0.28)] {
        let units = (blocks * f64::from(block_units) / (1.0 + over_provisioning)) as u64;
        let division =
            Division { units, over_provisioning, block_units, read_units: 16, frontiers: Frontiers::One };
        let space = FlashSpace::new(division).expect("valid");
        let effective = space.effective_over_provisioning();
        let mut bits = Bits(6);
        let found = measured(space, VictimChoice::Greedy, 12, |_| bits.below(space.units()));
        let many = greedy_write_amplification(effective, block_units).expect("valid");
        let (error, estimate) = (1.0 - found / many, 0.9 / (f64::from(space.blocks()) * effective));
        assert!(error > 0.0 && error < 1.5 * estimate && estimate < 2.5 * error, "{error:.3} {estimate:.3}");
    }
}

#[test]
fn sequential_overwrites_copy_nothing() {
    let space = space(0.07, 128, Frontiers::One);
    let units = u64::from(space.units());
    let found = measured(space, VictimChoice::Greedy, 2, |n| (n % units) as u32);
    within(0.001, found, 1.0, "sequential");
}

#[test]
fn half_of_the_drive_in_use_is_over_provisioning() {
    let space = space(0.28, 128, Frontiers::One);
    let mut bits = Bits(2);
    let found = measured(space, VictimChoice::Greedy, 4, |_| bits.below(space.units() / 2));
    within(0.02, found, 1.105, "half of the units at 28 %");
}

#[test]
fn a_replayed_order_is_not_random() {
    // fio without norandommap replays an order when its seed repeats: nothing is copied at 28 %.
    let space = space(0.28, 128, Frontiers::One);
    let units = u64::from(space.units());
    // A step without a common divisor visits every unit once.
    let step = (1..).map(|k| units * 618 / 1000 + k).find(|&step| divisor(step, units) == 1).expect("exists");
    let found = measured(space, VictimChoice::Greedy, 4, |n| (n * step % units) as u32);
    within(0.02, found, 1.0, "the same order again");
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
