//! Hot and cold data: a share of the units gets most of the writes.

use fathom_sim::{Division, FlashSpace, Frontiers, VictimChoice};

use crate::write_amplification::workload::{Bits, measured, space, within};

/// Write amplification at 28 % where `hot` of the data gets 1 − `hot` of the writes.
fn skewed(hot: f64, frontiers: Frontiers) -> f64 {
    let space = space(0.28, 128, frontiers);
    let units = space.units();
    let hot_units = (hot * f64::from(units)) as u32;
    let (mut bits, cold_units) = (Bits(3), space.units() - hot_units);
    let units = u64::from(units);
    measured(space, VictimChoice::Greedy, 12, |n| {
        // Random writes alone would leave cold units unwritten, which is over-provisioning.
        if n < units {
            return n as u32;
        }
        if bits.chance(1.0 - hot) { bits.below(hot_units) } else { hot_units + bits.below(cold_units) }
    })
}

#[test]
fn one_frontier_gives_the_table() {
    for (hot, expected) in [(0.1, 3.27), (0.2, 2.78)] {
        within(0.03, skewed(hot, Frontiers::One), expected, &format!("one frontier, {hot} hot"));
    }
}

#[test]
fn two_frontiers_give_the_table() {
    for (hot, expected) in [(0.1, 2.91), (0.2, 2.68)] {
        within(0.03, skewed(hot, Frontiers::HostAndCollected), expected, &format!("two, {hot} hot"));
    }
}

#[test]
fn separate_pools_gain_much() {
    // Lomet & Luo 2020: 20 % of the data with 80 % of the writes, 25 % over-provisioning, half of it for each
    // pool.
    let total = 500_000.0;
    let pool = |share: f64| {
        let (units, spare) = (share * total, 0.125 * total);
        let division = Division {
            units: units as u64,
            over_provisioning: spare / units,
            block_units: 128,
            read_units: 16,
            frontiers: Frontiers::One,
        };
        let space = FlashSpace::new(division).expect("valid");
        let mut bits = Bits(4);
        measured(space, VictimChoice::Greedy, 8, |_| bits.below(space.units()))
    };
    within(0.02, 0.8 * pool(0.2) + 0.2 * pool(0.8), 2.00, "two pools");
}
