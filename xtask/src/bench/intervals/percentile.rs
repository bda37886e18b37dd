//! A percentile of latency, from the histogram of a run.

use fathom_stats::{Histogram, SplitMix64};

use super::{Coverage, Table};

const PERCENTILES: [f64; 5] = [1.0, 50.0, 90.0, 99.0, 99.9];
const CONFIDENCE: f64 = 0.95;

/// How many I/Os, and how strongly each resembles the one before.
const ROWS: [(usize, f64); 6] =
    [(100, 0.0), (1_000, 0.0), (10_000, 0.0), (10_000, 0.3), (10_000, 0.6), (10_000, 0.9)];

/// Share of intervals that hold the truth, by number of I/Os and percentile.
pub fn table(trials: u64) -> Table {
    let mut headings = vec!["I/Os".to_owned()];
    headings.extend(PERCENTILES.map(|percent| format!("p{percent}")));
    let row = |(ios, r): (usize, f64)| {
        let all = of(ios, r, trials);
        let cells = all.iter().map(|one| one.map_or("none".to_owned(), |one| one.text()));
        (name(ios, r), cells.collect())
    };
    Table { headings, rows: ROWS.into_iter().map(row).collect() }
}

fn name(ios: usize, r: f64) -> String {
    if r == 0.0 { format!("{ios}, independent") } else { format!("{ios}, each like the one before ({r})") }
}

/// The coverage for each percentile; `None` where fathom shows no interval.
///
/// Latencies are lognormal around 100 µs with a deviation of 0.5. A trial of many I/Os costs much, so
/// that there are fewer of them than elsewhere.
fn of(ios: usize, r: f64, trials: u64) -> [Option<Coverage>; 5] {
    let mut random = SplitMix64::new(ios as u64);
    let trials = (trials / 5).max(1);
    let histograms: Vec<Histogram> = (0..trials).map(|_| histogram(&mut random, ios, r)).collect();
    PERCENTILES.map(|percent| {
        let q = percent / 100.0;
        histograms[0].quantile_interval(q, CONFIDENCE)?;
        let truth = latency_ns(fathom_stats::normal_quantile(q)?);
        let mut runs = histograms.iter();
        Some(Coverage::of(trials, || {
            let shown = runs.next().and_then(|run| run.quantile_interval(q, CONFIDENCE));
            let (low, high) = shown.expect("as many I/Os as in the first");
            (low <= truth && truth <= high, 1.0)
        }))
    })
}

fn histogram(random: &mut SplitMix64, ios: usize, r: f64) -> Histogram {
    let mut histogram = Histogram::new();
    random.autoregressive(r, ios).into_iter().for_each(|value| histogram.record(latency_ns(value)));
    histogram
}

/// The quantile of a standard normal value.
fn latency_ns(value: f64) -> u64 {
    (100_000.0 * (0.5 * value).exp()) as u64
}

#[cfg(test)]
mod tests {
    use super::super::page::assert_agrees;
    use super::*;

    #[test]
    fn the_page_tells_what_the_interval_of_a_percentile_holds() {
        const TRIALS: u64 = 1_000;
        for (ios, r) in [(100, 0.0), (1_000, 0.0)] {
            for (percent, now) in PERCENTILES.into_iter().zip(of(ios, r, TRIALS)) {
                let Some(now) = now else { continue };
                assert_agrees("I/Os", &name(ios, r), &format!("p{percent}"), &now, TRIALS / 5);
            }
        }
        assert!(of(100, 0.0, 5)[3].is_none(), "a hundred I/Os say nothing certain about the slowest one");
    }
}
