//! Do values depend on their order: a drift, or blocks of values that are alike?

use crate::normal::normal_below;

/// Fewer values have no order that would be unlikely by chance.
pub const ORDER_MIN: usize = 5;

/// Up to so many values every order is counted; above, the distribution is near enough to the normal one.
const EXACT_MAX: usize = 7;

/// The probability that neighbours are at least as alike as these if the order is chance; `None` for fewer than [`ORDER_MIN`] values,
/// and where one is not finite or all are the same.
///
/// The test of J. von Neumann's ratio with ranks (R. Bartels, "The rank version of von Neumann's ratio test for randomness",
/// Journal of the American Statistical Association 77 (1982) 40-46), on the side of neighbours that are alike.
pub fn order_p_value(values: &[f64]) -> Option<f64> {
    let is_usable = values.len() >= ORDER_MIN && values.iter().all(|value| value.is_finite());
    let ranks = is_usable.then(|| ranks(values))?;
    let seen = steps(&ranks);
    let spread: f64 = ranks.iter().map(|rank| (rank - (ranks.len() as f64 + 1.0) / 2.0).powi(2)).sum();
    if spread == 0.0 {
        return None;
    }
    if ranks.len() <= EXACT_MAX {
        let (mut all, mut alike, mut order) = (0_u32, 0_u32, ranks.clone());
        each_order(&mut order, 0, &mut |order| {
            all += 1;
            alike += u32::from(steps(order) <= seen + 1e-9);
        });
        return Some(f64::from(alike) / f64::from(all));
    }
    let n = ranks.len() as f64;
    let variance =
        4.0 * (n - 2.0) * (5.0 * n * n - 2.0 * n - 9.0) / (5.0 * n * (n + 1.0) * (n - 1.0).powi(2));
    let z = (seen / spread - 2.0) / variance.sqrt();
    Some(normal_below(z))
}

/// The sum of the squared steps from value to value.
fn steps(ranks: &[f64]) -> f64 {
    ranks.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum()
}

/// Places in the order of size, from 1; equal values share the middle of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let same = values.iter().filter(|other| *other == value).count();
        below as f64 + (same as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Every order of the values from `at` on.
fn each_order(values: &mut [f64], at: usize, see: &mut impl FnMut(&[f64])) {
    if at + 1 >= values.len() {
        return see(values);
    }
    for other in at..values.len() {
        values.swap(at, other);
        each_order(values, at + 1, see);
        values.swap(at, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn a_drift_and_blocks_are_unlikely_orders() {
        // Of 120 orders two are monotone.
        assert_eq!(order_p_value(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(2.0 / 120.0));
        let blocks = [10.0, 10.2, 10.1, 10.3, 12.0, 12.1, 12.3, 12.2, 9.0, 9.2, 9.1, 9.3];
        assert!(order_p_value(&blocks).unwrap() < 0.02);
        assert!(order_p_value(&[1.0, 5.0, 2.0, 4.0, 3.0]).unwrap() > 0.5);
        assert_eq!((order_p_value(&[1.0; 6]), order_p_value(&[1.0, 2.0, 3.0, 4.0])), (None, None));
    }

    #[test]
    fn independent_values_seldom_seem_to_have_an_order() {
        for n in [5, 7, 8, 20] {
            let mut random = SplitMix64::new(n);
            let mut is_found = || {
                let values: Vec<f64> = (0..n).map(|_| random.normal()).collect();
                order_p_value(&values).unwrap() <= 0.02
            };
            let found = (0..1_000).filter(|_| is_found()).count();
            assert!((4..=36).contains(&found), "{n} values: {found} of 1000");
        }
    }
}
