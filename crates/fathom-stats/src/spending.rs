//! How sure each of many looks at growing data must be, so that all together are as sure as asked.

/// The chance of an error that look `look` (1, 2, …) may have, if all looks together may have `alpha`.
///
/// The shares 6/(π²·k²) sum to 1 (the Basel problem), so by Bonferroni's inequality the sum of all looks is at
/// most `alpha`, however many there are and whatever each shows.
pub fn alpha_of_look(alpha: f64, look: u32) -> f64 {
    let k = f64::from(look.max(1));
    6.0 * alpha / (std::f64::consts::PI * k).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_looks_together_have_what_is_allowed() {
        let spent: f64 = (1..=10_000).map(|look| alpha_of_look(0.05, look)).sum();
        assert!(spent < 0.05 && spent > 0.0499, "{spent}");
        assert!((alpha_of_look(0.05, 1) - 0.0304).abs() < 1e-4);
    }
}
