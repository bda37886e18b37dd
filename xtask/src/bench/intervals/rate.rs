//! The mean rate of a run, from its windows.

use fathom_stats::{Estimate, SplitMix64};

use super::{Coverage, Table};

/// Numbers of windows: what `quick` has by default, the least with an interval, up to a minute and
/// more.
const WINDOWS: [usize; 8] = [7, 10, 15, 20, 30, 60, 120, 600];
const CORRELATIONS: [f64; 6] = [0.0, 0.3, 0.5, 0.7, 0.8, 0.9];
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
pub fn table(trials: u64) -> Table {
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

#[cfg(test)]
mod tests {
    use super::super::page::assert_agrees;
    use super::*;

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
}
