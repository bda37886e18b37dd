//! How far a random count may differ from what was asked: is an achieved read/write mix correct?

/// Weights below this share of the most likely one are left out; the rest of such a tail is
/// far smaller than the error that any confidence allows.
const NEGLIGIBLE: f64 = 1e-18;

/// The central range of successes, both ends inclusive, in `n` trials of probability `p`: at most
/// half of `1 - confidence` lies below it and at most half above it. `None` unless `p` lies in 0..=1
/// and 0 < `confidence` < 1.
///
/// The range is exact, not a normal approximation, since mixes such as 99/1 over short windows have
/// few successes. The probabilities are computed outward from the most likely count by their ratios
/// and divided by their sum, which takes some twenty standard deviations of steps.
pub fn binomial_bounds(n: u64, p: f64, confidence: f64) -> Option<(u64, u64)> {
    let sensible = (0.0..=1.0).contains(&p) && confidence > 0.0 && confidence < 1.0;
    if !sensible {
        return None;
    }
    let mode = (((n as f64 + 1.0) * p) as u64).min(n);
    let below = weights_below(mode, n, p);
    let above = weights_below(n - mode, n, 1.0 - p);
    let total = 1.0 + below.iter().sum::<f64>() + above.iter().sum::<f64>();
    let outside = total * (1.0 - confidence) / 2.0;
    Some((mode - kept(&below, outside), mode + kept(&above, outside)))
}

/// Weights of mode − 1, mode − 2, … relative to that of the mode. The side above the mode is
/// computed in the same way, for failures.
fn weights_below(mode: u64, n: u64, p: f64) -> Vec<f64> {
    let odds = (1.0 - p) / p;
    let mut weight = 1.0;
    (1..=mode)
        .rev()
        .map(|k| {
            weight *= k as f64 / (n - k + 1) as f64 * odds;
            weight
        })
        .take_while(|w| *w > NEGLIGIBLE)
        .collect()
}

/// How many of the weights remain once the outermost, together at most `outside`, are cut off.
fn kept(weights: &[f64], outside: f64) -> u64 {
    let mut cut = 0.0;
    let last = weights.iter().rposition(|w| {
        cut += w;
        cut > outside
    });
    last.map_or(0, |at| at as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_coins() {
        // P(X <= 1) = 11/1024 = 1.07 %, P(X <= 2) = 56/1024 = 5.5 %: 95 % is 2..=8.
        assert_eq!(binomial_bounds(10, 0.5, 0.95), Some((2, 8)));
        assert_eq!(binomial_bounds(10, 0.5, 0.85), Some((3, 7)));
    }

    #[test]
    fn rare_successes_are_exact() {
        // (0.99)^100 = 36.6 %; P(X >= 4) = 1.84 %, P(X >= 3) = 7.9 %.
        assert_eq!(binomial_bounds(100, 0.01, 0.95), Some((0, 3)));
    }

    #[test]
    fn large_counts_meet_the_normal() {
        let (low, high) = binomial_bounds(1_000_000, 0.7, 0.95).unwrap();
        let reach = 1.96 * (1e6_f64 * 0.7 * 0.3).sqrt();
        assert!((low as f64 - (7e5 - reach)).abs() <= 1.5, "{low}");
        assert!((high as f64 - (7e5 + reach)).abs() <= 1.5, "{high}");
    }

    #[test]
    fn certainty_allows_one_count() {
        assert_eq!(binomial_bounds(9, 0.0, 0.95), Some((0, 0)));
        assert_eq!(binomial_bounds(9, 1.0, 0.95), Some((9, 9)));
        assert_eq!(binomial_bounds(0, 0.5, 0.95), Some((0, 0)));
    }

    #[test]
    fn nonsense_is_none() {
        assert_eq!(binomial_bounds(9, 1.5, 0.95), None);
        assert_eq!(binomial_bounds(9, f64::NAN, 0.95), None);
        assert_eq!(binomial_bounds(9, 0.5, 1.0), None);
    }
}
