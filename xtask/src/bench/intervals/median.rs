//! The median ratio of pairs of runs: `tune --try`, and the comparison with fio.

use fathom_stats::{SplitMix64, median_ratio};

use super::{Coverage, Table};

const PAIRS: [usize; 7] = [6, 7, 8, 10, 12, 20, 30];
const CORRELATIONS: [f64; 3] = [0.0, 0.3, 0.6];
const CONFIDENCE: f64 = 0.95;

/// Share of intervals that hold the truth, by number of pairs and correlation of neighbours.
pub fn table(trials: u64) -> Table {
    let mut headings = vec!["pairs".to_owned()];
    headings.extend(CORRELATIONS.map(|r| format!("{r}")));
    let row = |pairs: usize| {
        let cells = CORRELATIONS.map(|r| of(pairs, r, trials).text());
        (pairs.to_string(), cells.to_vec())
    };
    Table { headings, rows: PAIRS.into_iter().map(row).collect() }
}

/// Ratios are lognormal around 1; each pair resembles the one before.
fn of(pairs: usize, r: f64, trials: u64) -> Coverage {
    let mut random = SplitMix64::new(pairs as u64);
    let baseline = vec![1.0; pairs];
    Coverage::of(trials, || {
        let candidate: Vec<f64> = random.autoregressive(r, pairs).iter().map(|v| v.exp()).collect();
        let shown = median_ratio(&baseline, &candidate, CONFIDENCE).expect("enough pairs");
        (shown.low <= 1.0 && 1.0 <= shown.high, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::page::assert_agrees;
    use super::*;

    #[test]
    fn the_page_tells_what_the_interval_of_a_ratio_holds() {
        const TRIALS: u64 = 2_000;
        for (pairs, r) in [(6, 0.0), (7, 0.0), (12, 0.0), (12, 0.6), (20, 0.0)] {
            let now = of(pairs, r, TRIALS);
            assert_agrees("pairs", &pairs.to_string(), &r.to_string(), &now, TRIALS);
            assert!(r > 0.0 || now.held_percent >= 93.0, "{pairs} pairs: {now:?}");
        }
    }
}
