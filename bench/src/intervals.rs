//! How often the intervals that fathom shows hold the truth, found by simulation.
//!
//! Each table simulates measurements whose truth is known, asks fathom's own estimate for its 95 %
//! interval, and counts. `cargo xtask bench --intervals` prints the tables of
//! docs/measurement.md; for each table, a test repeats some cells with fewer trials and compares
//! them with the page.

use fathom_stats::{Estimate, Histogram, SplitMix64, median_ratio};

/// Trials for each cell of the page: the standard error of a share of 95 % is then 0.2 %.
pub const TRIALS: u64 = 10_000;

/// A table of shares, as it is printed.
pub struct Table {
    /// The heading of the column of row names, then the heading of each further column.
    pub headings: Vec<String>,
    /// The name of each row and its cells.
    pub rows: Vec<(String, Vec<String>)>,
}

/// How often the intervals of one cell hold the truth.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    /// Share of trials whose interval held the truth, percent.
    pub held_percent: f64,
    /// Mean width of the intervals divided by a reference; 1 if there is no reference.
    pub width: f64,
}

/// Prints all tables.
pub fn print(trials: u64) {
    for (title, table) in [
        ("Mean rate", rate_table(trials)),
        ("Mean rate, other forms of resemblance", other_forms(trials)),
        ("Percentile of latency", percentile_table(trials)),
        ("Median ratio of pairs", median_table(trials)),
    ] {
        println!("\n{title}\n\n{}", table.markdown());
    }
}

impl Table {
    /// The table as the page has it.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.headings.len()));
        let rows = self.rows.iter().map(|(name, cells)| {
            let cells: Vec<String> = std::iter::once(name.clone()).chain(cells.iter().cloned()).collect();
            line(&cells)
        });
        line(&self.headings) + &rule + &rows.collect::<String>()
    }
}

impl Coverage {
    /// Makes this number of trials; each returns whether its interval held the truth, and its width.
    pub fn of(trials: u64, mut trial: impl FnMut() -> (bool, f64)) -> Self {
        let (mut held, mut width) = (0_u64, 0.0);
        for _ in 0..trials {
            let (is_held, its_width) = trial();
            held += u64::from(is_held);
            width += its_width;
        }
        let trials = trials as f64;
        Self { held_percent: 100.0 * held as f64 / trials, width: width / trials }
    }

    /// The share as the page has it.
    pub fn text(&self) -> String {
        format!("{:.1}", self.held_percent)
    }
}

// The mean rate of a run, from its windows.

/// Numbers of windows: what `quick` has by default, the least with an interval, up to a minute and
/// more.
const WINDOWS: [usize; 8] = [7, 10, 15, 20, 30, 60, 120, 600];
const CORRELATIONS: [f64; 6] = [0.0, 0.3, 0.5, 0.7, 0.8, 0.9];
/// Of every interval.
const CONFIDENCE: f64 = 0.95;

/// A way to make a run: its windows, whose true mean is 0.
type Form = fn(&mut SplitMix64, usize) -> Vec<f64>;

/// Runs whose neighbouring windows are related in another way than the estimate assumes.
const FORMS: [(&str, Form); 6] = [
    ("half noise, half slow (0.9)", |random, n| sum(&random.autoregressive(0.9, n), &noise(random, n))),
    ("four workers of 0.5 added up", four_workers),
    ("alternating (-0.5)", |random, n| random.autoregressive(-0.5, n)),
    ("skewed (lognormal, 0.5)", skewed),
    ("drift of 5 %, noise of 1 %", |random, n| sum(&drift(n), &noise(random, n))),
    ("runs that differ by 2.5 %, noise of 1 %", another_run),
];

/// Share of intervals that hold the truth, by number of windows and correlation of neighbours.
pub fn rate_table(trials: u64) -> Table {
    let mut headings = vec!["windows".to_owned()];
    headings.extend(CORRELATIONS.map(|r| format!("{r}")));
    headings.push("width at 0".to_owned());
    let row = |windows: usize| {
        let all = CORRELATIONS.map(|r| of_correlation(r, windows, trials));
        let told = |one: &Option<Coverage>, text: fn(&Coverage) -> String| {
            one.as_ref().map_or("none".to_owned(), text)
        };
        let mut cells: Vec<String> = all.iter().map(|one| told(one, Coverage::text)).collect();
        cells.push(told(&all[0], |one| format!("{:.2}", one.width)));
        (windows.to_string(), cells)
    };
    Table { headings, rows: WINDOWS.into_iter().map(row).collect() }
}

/// The same for other forms of runs.
pub fn other_forms(trials: u64) -> Table {
    const FEWER: [usize; 5] = [10, 15, 30, 60, 600];
    let mut headings = vec!["form".to_owned()];
    headings.extend(FEWER.map(|n| format!("{n} windows")));
    let row = |(name, form): (&str, Form)| {
        let cells = FEWER.map(|n| of_form(form, n, trials).map_or("none".to_owned(), |one| one.text()));
        (name.to_owned(), cells.to_vec())
    };
    Table { headings, rows: FORMS.into_iter().map(row).collect() }
}

/// `None` where fathom shows no interval.
fn of_correlation(r: f64, windows: usize, trials: u64) -> Option<Coverage> {
    coverage(windows, trials, |random| random.autoregressive(r, windows))
}

fn of_form(form: Form, windows: usize, trials: u64) -> Option<Coverage> {
    coverage(windows, trials, |random| form(random, windows))
}

/// The widths are relative to the interval for independent values.
fn coverage(
    windows: usize,
    trials: u64,
    mut run: impl FnMut(&mut SplitMix64) -> Vec<f64>,
) -> Option<Coverage> {
    let mut random = SplitMix64::new(windows as u64);
    Estimate::of_series(&run(&mut random), CONFIDENCE)?;
    Some(Coverage::of(trials, || {
        let values = run(&mut random);
        let shown = Estimate::of_series(&values, CONFIDENCE).expect("as many windows as before");
        let plain = Estimate::of_independent(&values, CONFIDENCE).expect("at least three");
        (shown.low <= 0.0 && 0.0 <= shown.high, (shown.high - shown.low) / (plain.high - plain.low))
    }))
}

fn noise(random: &mut SplitMix64, n: usize) -> Vec<f64> {
    random.autoregressive(0.0, n)
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// A straight line from −2.5 to 2.5: 5 % if the noise of 1 is 1 %.
fn drift(n: usize) -> Vec<f64> {
    (0..n).map(|at| 5.0 * (at as f64 / (n - 1) as f64 - 0.5)).collect()
}

fn four_workers(random: &mut SplitMix64, n: usize) -> Vec<f64> {
    (0..4).fold(vec![0.0; n], |all, _| sum(&all, &random.autoregressive(0.5, n)))
}

/// e to the power of a series with deviation 0.5, less its mean, which is e^(1/8).
fn skewed(random: &mut SplitMix64, n: usize) -> Vec<f64> {
    let series = random.autoregressive(0.5, n);
    series.iter().map(|v| (0.5 * v).exp() - 0.125_f64.exp()).collect()
}

/// The truth is the mean of all runs; the mean of this run differs from it by chance.
fn another_run(random: &mut SplitMix64, n: usize) -> Vec<f64> {
    let level = 2.5 * random.normal();
    noise(random, n).iter().map(|v| v + level).collect()
}

// A percentile of latency, from the histogram of a run.

const PERCENTILES: [f64; 5] = [1.0, 50.0, 90.0, 99.0, 99.9];

/// How many I/Os, and how strongly each resembles the one before.
const ROWS: [(usize, f64); 6] =
    [(100, 0.0), (1_000, 0.0), (10_000, 0.0), (10_000, 0.3), (10_000, 0.6), (10_000, 0.9)];

/// Share of intervals that hold the truth, by number of I/Os and percentile.
pub fn percentile_table(trials: u64) -> Table {
    let mut headings = vec!["I/Os".to_owned()];
    headings.extend(PERCENTILES.map(|percent| format!("p{percent}")));
    let row = |(ios, r): (usize, f64)| {
        let all = percentile_coverage(ios, r, trials);
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
fn percentile_coverage(ios: usize, r: f64, trials: u64) -> [Option<Coverage>; 5] {
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

// The median ratio of pairs of runs: `tune --try`, and the comparison with fio.

const PAIRS: [usize; 7] = [6, 7, 8, 10, 12, 20, 30];
const PAIR_CORRELATIONS: [f64; 3] = [0.0, 0.3, 0.6];

/// Share of intervals that hold the truth, by number of pairs and correlation of neighbours.
pub fn median_table(trials: u64) -> Table {
    let mut headings = vec!["pairs".to_owned()];
    headings.extend(PAIR_CORRELATIONS.map(|r| format!("{r}")));
    let row = |pairs: usize| {
        let cells = PAIR_CORRELATIONS.map(|r| median_coverage(pairs, r, trials).text());
        (pairs.to_string(), cells.to_vec())
    };
    Table { headings, rows: PAIRS.into_iter().map(row).collect() }
}

/// Ratios are lognormal around 1; each pair resembles the one before.
fn median_coverage(pairs: usize, r: f64, trials: u64) -> Coverage {
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
    use super::*;

    const PAGE: &str = include_str!("../../docs/measurement.md");

    /// The number in this row and column of the table with this first heading.
    fn cell(table: &str, row: &str, column: &str) -> f64 {
        let mut lines = PAGE.lines().skip_while(|line| cells(line).first() != Some(&table));
        let headings = cells(lines.next().unwrap_or_else(|| panic!("the page has no table {table:?}")));
        let at = headings.iter().position(|heading| *heading == column);
        let at = at.unwrap_or_else(|| panic!("table {table:?} has no column {column:?}: {headings:?}"));
        let found = lines.map(cells).take_while(|cells| !cells.is_empty()).find(|cells| cells[0] == row);
        let found = found.unwrap_or_else(|| panic!("table {table:?} has no row {row:?}"));
        found[at].parse().unwrap_or_else(|_| panic!("{table:?}, {row:?}, {column:?}: {:?}", found[at]))
    }

    fn cells(line: &str) -> Vec<&str> {
        line.strip_prefix('|').map(|rest| rest.split('|').map(str::trim).collect()).unwrap_or_default()
    }

    /// Fails if the simulated share differs from the page by more than five standard errors of a share
    /// of so few trials.
    fn assert_agrees(table: &str, row: &str, column: &str, now: &Coverage, trials: u64) {
        let then = cell(table, row, column);
        let share = (then / 100.0).clamp(0.01, 0.99);
        let allowed = 500.0 * (share * (1.0 - share) / trials as f64).sqrt();
        let apart = (now.held_percent - then).abs();
        assert!(apart <= allowed, "{table}, {row}, {column}: the page says {then}, simulated {now:?}");
    }

    #[test]
    fn the_page_tells_what_the_interval_of_a_rate_holds() {
        const TRIALS: u64 = 300;
        for (windows, r) in [(10, 0.0), (10, 0.7), (10, 0.9), (15, 0.7), (30, 0.7), (60, 0.9)] {
            let now = of_correlation(r, windows, TRIALS).expect("an interval is shown");
            assert_agrees("windows", &windows.to_string(), &r.to_string(), &now, TRIALS);
            assert!(r > 0.7 || now.held_percent >= 92.0, "{windows} windows, {r}: {now:?}");
        }
        assert!(of_correlation(0.0, 7, TRIALS).is_none());
    }

    #[test]
    fn the_page_tells_what_it_does_not_hold() {
        const TRIALS: u64 = 200;
        for (name, form) in [FORMS[0], FORMS[5]] {
            let now = of_form(form, 30, TRIALS).expect("an interval is shown");
            assert_agrees("form", name, "30 windows", &now, TRIALS);
        }
    }

    #[test]
    fn the_page_tells_what_the_interval_of_a_percentile_holds() {
        const TRIALS: u64 = 1_000;
        for (ios, r) in [(100, 0.0), (1_000, 0.0)] {
            for (percent, now) in PERCENTILES.into_iter().zip(percentile_coverage(ios, r, TRIALS)) {
                let Some(now) = now else { continue };
                assert_agrees("I/Os", &name(ios, r), &format!("p{percent}"), &now, TRIALS / 5);
            }
        }
        assert!(
            percentile_coverage(100, 0.0, 5)[3].is_none(),
            "a hundred I/Os say nothing certain about the slowest one"
        );
    }

    #[test]
    fn the_page_tells_what_the_interval_of_a_ratio_holds() {
        const TRIALS: u64 = 2_000;
        for (pairs, r) in [(6, 0.0), (7, 0.0), (12, 0.0), (12, 0.6), (20, 0.0)] {
            let now = median_coverage(pairs, r, TRIALS);
            assert_agrees("pairs", &pairs.to_string(), &r.to_string(), &now, TRIALS);
            assert!(r > 0.0 || now.held_percent >= 93.0, "{pairs} pairs: {now:?}");
        }
    }
}
