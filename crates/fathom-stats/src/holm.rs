//! Many tests at once: the more figures are compared, the more often one differs by chance.

/// The p-values of several tests, adjusted so that the chance of even one false difference among all of
/// them stays at the level of each (S. Holm, "A simple sequentially rejective multiple test
/// procedure", Scandinavian Journal of Statistics 6 (1979) 65-70). In the order of the argument.
pub fn holm_adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, place) in order.into_iter().enumerate() {
        largest = largest.max(p_values[place] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[place] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example() {
        // Four tests: 0.005 × 4, 0.01 × 3, then 0.03 × 2, and 0.04 × 1, which is not below the one before.
        let adjusted = holm_adjusted(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{adjusted:?}");
        assert_eq!(holm_adjusted(&[0.2]), [0.2]);
        assert_eq!(holm_adjusted(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm_adjusted(&[]).is_empty());
    }
}
