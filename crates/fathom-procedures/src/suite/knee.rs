//! The knee of a curve: the least demand that reaches almost the most rate (contract I-29, I-51).

/// The share of the most rate from which on more demand gains nothing. At 95 % the rest is within what repeats vary (I-27).
pub const KNEE_SHARE: f64 = 0.95;

/// The place of the first point whose rate is at least this share of the most, where the points are in order of demand. `None` of
/// fewer than three points, and of a curve that rises up to its last point by more than that share: it has no plateau yet.
pub fn knee(rates: &[f64]) -> Option<usize> {
    let most = rates.iter().copied().fold(0.0, f64::max);
    if rates.len() < 3 || most <= 0.0 {
        return None;
    }
    let place = rates.iter().position(|rate| *rate >= KNEE_SHARE * most)?;
    (place + 1 < rates.len()).then_some(place)
}

/// A mean latency, ns, with its 95 % interval; `None` in the place of the interval of too few rounds.
pub type MeanLatency = (f64, Option<(f64, f64)>);

/// Is the second latency clearly longer than the first? The intervals are apart; where one is not known, the second is longer by
/// more than the share by which rates of a plateau may differ.
pub fn adds_latency(at_knee: MeanLatency, beyond: MeanLatency) -> bool {
    match (at_knee.1, beyond.1) {
        (Some((_, high)), Some((low, _))) => low > high,
        _ => KNEE_SHARE * beyond.0 > at_knee.0,
    }
}

/// Does more demand lower the rate behind the knee, by the rates in order of demand?
pub fn falls_after_knee(rates: &[f64]) -> bool {
    let most = rates.iter().copied().fold(0.0, f64::max);
    rates.last().is_some_and(|last| *last < KNEE_SHARE * most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_is_added_where_it_rose_by_more_than_its_interval() {
        let sure = |mean: f64, half: f64| (mean, Some((mean - half, mean + half)));
        for (at_knee, beyond, is_so) in [
            (sure(100.0, 5.0), sure(120.0, 5.0), true),
            (sure(100.0, 15.0), sure(120.0, 15.0), false),
            (sure(120.0, 5.0), sure(100.0, 5.0), false),
            ((100.0, None), (200.0, None), true),
            ((100.0, None), (104.0, None), false),
        ] {
            assert_eq!(adds_latency(at_knee, beyond), is_so, "{at_knee:?} {beyond:?}");
        }
    }

    #[test]
    fn the_first_point_of_the_plateau() {
        for (rates, place) in [
            (&[10.0, 20.0, 40.0, 79.0, 80.0, 80.5][..], Some(3)),
            (&[10.0, 20.0, 40.0, 80.0], None),
            (&[80.0, 79.0, 78.0], Some(0)),
            (&[10.0, 80.0, 70.0, 60.0], Some(1)),
            (&[10.0, 80.0], None),
            (&[0.0, 0.0, 0.0], None),
        ] {
            assert_eq!(knee(rates), place, "{rates:?}");
        }
        assert!(falls_after_knee(&[10.0, 80.0, 70.0, 60.0]) && !falls_after_knee(&[10.0, 80.0, 79.0]));
    }
}
