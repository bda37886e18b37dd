//! Which order statistic a quantile is, and which two bracket it.

use crate::binomial::binomial_bounds;
use crate::normal::z_two_sided;

/// The rank, from 1 to `n`, of the smallest value whose cumulative share reaches `q`:
/// `ceil(q·n)`, at least 1. `None` when `n` is 0 or `q` lies outside 0..=1.
///
/// A product that is a whole number up to rounding counts as that number: in binary
/// 0.07 × 100 is 7.000000000000001, and its ceiling would be one rank too high.
pub fn quantile_rank(q: f64, n: u64) -> Option<u64> {
    if n == 0 || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let product = q * n as f64;
    let whole = product.round();
    // Two roundings (of the decimal q, of the product) amount to one ulp; allow four.
    let rank = if (product - whole).abs() <= 4.0 * f64::EPSILON * product { whole } else { product.ceil() };
    Some((rank as u64).clamp(1, n))
}

/// Ranks of the two order statistics that enclose the true quantile with the given confidence:
/// `floor(np - d)` and `ceil(np + d) + 1` with `d = z·sqrt(np(1-p))`, the normal approximation to
/// the binomial count of values below the quantile (Le Boudec, *Performance Evaluation of Computer
/// and Communication Systems*, appendix A; David & Nagaraja, *Order Statistics*, 7.1).
///
/// `None` when the sample does not reach far enough on either side: with the minimum or the
/// maximum instead, the interval would claim a confidence that it does not have.
pub fn quantile_rank_interval(q: f64, n: u64, confidence: f64) -> Option<(u64, u64)> {
    quantile_rank(q, n)?;
    let centre = q * n as f64;
    let reach = z_two_sided(confidence)? * (centre * (1.0 - q)).sqrt();
    let low = (centre - reach).floor();
    let high = (centre + reach).ceil() + 1.0;
    (low >= 1.0 && high <= n as f64).then_some((low as u64, high as u64))
}

/// Ranks of the two order statistics that enclose the true median with at least the given confidence, by the
/// binomial distribution itself: for the few values of repeated runs the normal approximation is too wide.
///
/// `None` when there are too few values: six for 95 %.
pub fn median_rank_interval(n: u64, confidence: f64) -> Option<(u64, u64)> {
    let (below, _) = binomial_bounds(n, 0.5, confidence)?;
    (below > 0).then(|| (below, n + 1 - below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_between_the_ranks_of_the_tables() {
        // W. J. Conover, Practical Nonparametric Statistics, table A3 (binomial, p = 0.5).
        for (n, ranks) in [
            (5, None),
            (6, Some((1, 6))),
            (8, Some((1, 8))),
            (9, Some((2, 8))),
            (10, Some((2, 9))),
            (20, Some((6, 15))),
        ] {
            assert_eq!(median_rank_interval(n, 0.95), ranks, "{n}");
        }
    }

    #[test]
    fn rank_is_the_ceiling_despite_binary_fractions() {
        let cases = [
            (0.0, 10, 1),
            (0.07, 100, 7),
            (0.5, 1, 1),
            (0.5, 2, 1),
            (0.5, 3, 2),
            (0.99, 100, 99),
            (0.999, 1_000, 999),
            (0.9999, 1_000_000, 999_900),
            (0.29, 100, 29),
            (0.291, 100, 30),
            (1.0, 7, 7),
        ];
        for (q, n, rank) in cases {
            assert_eq!(quantile_rank(q, n), Some(rank), "q {q} of {n}");
        }
    }

    #[test]
    fn every_percentile_of_a_hundred_is_its_own_rank() {
        for percent in 1..=100 {
            assert_eq!(quantile_rank(percent as f64 / 100.0, 100), Some(percent));
        }
    }

    #[test]
    fn nonsense_has_no_rank() {
        assert_eq!(quantile_rank(0.5, 0), None);
        for q in [-0.1, 1.1, f64::NAN] {
            assert_eq!(quantile_rank(q, 10), None);
        }
    }

    #[test]
    fn interval_brackets_and_refuses_small_samples() {
        // n·p = 50, d = 1.96 · 5 = 9.8: ranks 40 and 61, the textbook pair for n = 100.
        assert_eq!(quantile_rank_interval(0.5, 100, 0.95), Some((40, 61)));
        assert_eq!(quantile_rank_interval(0.5, 5, 0.95), None);
        assert_eq!(quantile_rank_interval(0.999, 1_000, 0.95), None);
        assert_eq!(quantile_rank_interval(1.0, 1_000, 0.95), None);
        assert_eq!(quantile_rank_interval(0.5, 100, 1.0), None);
    }
}
