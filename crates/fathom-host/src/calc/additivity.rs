//! Do the rates of drives that were measured one by one add up when the drives
//! run together, and if not, what limits them (M-2, M-3…M-8)?
//!
//! There are two explanations. *Stripe-bound*: the load is spread evenly, so
//! all wait for the slowest and N drives give N times its rate. *Shared link*:
//! something that they share is full, so the sum stops at a limit that does not
//! depend on the single drives.

use serde::Serialize;

/// A prediction that differs from the measurement by less than this share
/// explains it. The figures of M-6 that the even spread explains differ by
/// less, all others by 24 % and more.
const TOLERANCE: f64 = 0.05;

/// What limits a combination of drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// Nothing: the parts add up.
    None,
    /// The slowest: N times its rate explains the sum.
    Slowest,
    /// Neither: something shared is full.
    Shared,
}

/// A combination of drives, and what the single rates predict for it. The rates
/// may have any unit, but all must have the same one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Additivity {
    /// Number of drives, or of slots.
    pub count: usize,
    /// The sum of the single rates: what the drives could do if nothing limited them.
    pub sum: f64,
    /// The count times the slowest rate: what the drives can do if all wait for the slowest.
    pub stripe_bound: f64,
    /// The measured rate of all together.
    pub together: f64,
}

impl Additivity {
    /// From each part's rate alone and the rate of all together. `None` without
    /// parts, or with a rate that is not a valid number.
    pub fn of(alone: &[f64], together: f64) -> Option<Self> {
        let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
        if alone.is_empty() || !alone.iter().chain([&together]).all(is_rate) {
            return None;
        }
        let slowest = alone.iter().copied().fold(f64::INFINITY, f64::min);
        let count = alone.len();
        Some(Self { count, sum: alone.iter().sum(), stripe_bound: slowest * count as f64, together })
    }

    /// The rate together, in per cent of the sum of the single rates.
    pub fn percent(&self) -> f64 {
        self.together / self.sum * 100.0
    }

    /// Which explanation fits. If the parts have almost the same rate and add
    /// up, nothing limits them.
    pub fn tie(&self) -> Tie {
        if self.together >= self.sum * (1.0 - TOLERANCE) {
            Tie::None
        } else if (self.together / self.stripe_bound - 1.0).abs() <= TOLERANCE {
            Tie::Slowest
        } else {
            // The rate is below both predictions, or above the even spread,
            // which then does not limit it either.
            Tie::Shared
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M-3: slot, MB/s and IO/s of the duo in it, measured alone.
    const SLOTS: [(u32, f64, f64); 8] = [
        (1, 842.0, 80_922.0),
        (3, 1468.0, 99_166.0),
        (4, 1421.0, 101_891.0),
        (5, 1510.0, 102_666.0),
        (6, 1516.0, 103_299.0),
        (7, 1420.0, 97_606.0),
        (8, 1427.0, 104_398.0),
        (9, 1512.0, 106_387.0),
    ];

    fn mbps(slots: &[u32], together: f64) -> Additivity {
        let alone: Vec<f64> = SLOTS.iter().filter(|s| slots.contains(&s.0)).map(|s| s.1).collect();
        Additivity::of(&alone, together).unwrap()
    }

    fn iops(slots: &[u32], together: f64) -> Additivity {
        let alone: Vec<f64> = SLOTS.iter().filter(|s| slots.contains(&s.0)).map(|s| s.2).collect();
        Additivity::of(&alone, together).unwrap()
    }

    fn tenths(value: f64) -> f64 {
        (value * 10.0).round() / 10.0
    }

    const ALL: [u32; 8] = [1, 3, 4, 5, 6, 7, 8, 9];

    #[test]
    fn sums_of_all_slots() {
        assert_eq!(SLOTS.iter().map(|s| s.1).sum::<f64>(), 11_116.0);
        assert_eq!(SLOTS.iter().map(|s| s.2).sum::<f64>(), 796_335.0);
    }

    /// M-5: IO/s, and per cent of the parts.
    const OPERATIONS: [(&[u32], f64, f64); 4] = [
        (&[7, 8, 9], 291_405.0, 94.5),
        (&[4, 5, 6], 286_260.0, 93.0),
        (&ALL, 532_309.0, 66.8),
        (&[3, 5, 6, 7, 8, 9], 469_400.0, 76.5),
    ];

    #[test]
    fn operations_per_second() {
        for (slots, together, percent) in OPERATIONS {
            assert_eq!(tenths(iops(slots, together).percent()), percent, "{slots:?}");
        }
    }

    /// M-6: MB/s, per cent of the parts, and what limits them (M-7).
    const SUMS: [(&[u32], f64, f64, Tie); 10] = [
        (&[7, 8, 9], 4057.0, 93.1, Tie::Slowest),
        (&[4, 5, 6], 4118.0, 92.6, Tie::Slowest),
        (&[1, 3], 1695.0, 73.4, Tie::Slowest),
        (&ALL, 6433.0, 57.9, Tie::Slowest),
        (&[3, 5, 6, 7, 8, 9], 8353.0, 94.4, Tie::Slowest),
        (&[5, 6, 8, 9], 5441.0, 91.2, Tie::Slowest),
        (&[3, 4, 5, 6], 5536.0, 93.6, Tie::Slowest),
        (&[1, 3, 4, 5, 6], 4253.0, 62.9, Tie::Slowest),
        (&[4, 5, 6, 7, 8, 9], 6500.0, 73.8, Tie::Shared),
        (&[3, 4, 5, 6, 7, 8, 9], 6535.0, 63.6, Tie::Shared),
    ];

    #[test]
    fn bandwidth_and_what_ties_it() {
        for (slots, together, percent, tie) in SUMS {
            let sum = mbps(slots, together);
            assert_eq!((tenths(sum.percent()), sum.tie()), (percent, tie), "{slots:?}");
        }
        let pair = mbps(&[1, 3], 1695.0);
        assert_eq!(pair.stripe_bound, 1684.0);
    }

    /// M-8: "more than 500K IO/sec" and "more than 8 GB/sec" come from one combination each, and not from the same:
    /// all eight duos for operations, the six in fast slots for bandwidth.
    #[test]
    fn the_headlines_come_from_one_combination_each() {
        let above = |table: &[(&'static [u32], f64)], claim: f64| -> Vec<&'static [u32]> {
            table.iter().filter(|row| row.1 > claim).map(|row| row.0).collect()
        };
        let operations = OPERATIONS.map(|(slots, together, _)| (slots, together));
        assert_eq!(above(&operations, 500_000.0), [&ALL[..]]);
        let bandwidth = SUMS.map(|(slots, together, ..)| (slots, together));
        assert_eq!(above(&bandwidth, 8_000.0), [&[3, 5, 6, 7, 8, 9][..]]);
        // 2^20 or 10^6 bytes a MB: both are above 8 GB/s; 8 GiB/s are reached with the first reading only.
        let bytes = |mega: f64| 8_353.0 * mega;
        assert!(bytes(1e6) > 8e9 && bytes(1_048_576.0) > 8.0 * 1_073_741_824.0);
        assert!(bytes(1e6) < 8.0 * 1_073_741_824.0);
        // Each headline is below what its parts give alone, and the bandwidth that operations of 8 KiB need is below
        // what the same eight reached with large blocks, so the two tables do not contradict each other.
        assert!(iops(&ALL, 532_309.0).sum > 532_309.0 && mbps(&[3, 5, 6, 7, 8, 9], 8_353.0).sum > 8_353.0);
        let all_mbps = SUMS.iter().find(|row| row.0 == ALL).unwrap().1;
        assert!(532_309.0 * 8_192.0 / 1e6 < all_mbps);
    }

    #[test]
    fn what_adds_up_is_not_tied() {
        assert_eq!(Additivity::of(&[100.0, 100.0], 199.0).unwrap().tie(), Tie::None);
        assert_eq!(Additivity::of(&[100.0, 400.0], 350.0).unwrap().tie(), Tie::Shared);
        assert_eq!(Additivity::of(&[], 1.0), None);
        assert_eq!(Additivity::of(&[1.0, 0.0], 1.0), None);
        assert_eq!(Additivity::of(&[1.0], f64::NAN), None);
    }
}
