//! A rate that differs from second to second: its mean describes no second of
//! the run.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_figures::RateSpread;
use fathom_results::finding::{IoRate, RateSpreadEvidence};
use fathom_results::{Evidence, Weight};
use fathom_stats::{chi_square_p_value, z_two_sided};

/// The code of the rule.
pub const CODE: &str = "unstable";

pub(super) const RULE: TaintRule = TaintRule { code: CODE, weight: Weight::Low, check };

/// Variation of a steady device stays below this between seconds; the SNIA's
/// test for steady state allows a fifth between rounds of a minute.
const VARIATION_MAX: f64 = 0.10;
/// A ratio this large between the fastest second and the slowest means that the rate is not steady,
/// even where one of many seconds differs and the variation hides it.
const RATIO_MAX: f64 = 1.5;
/// With fewer windows the variation itself is not known.
const WINDOWS_MIN: usize = 4;
/// With fewer I/Os in a window, windows differ by counting alone.
const IOS_MIN: f64 = 10.0;
/// Counts of independent events vary by themselves, with a variance that equals
/// their mean (Poisson). What such counts show with this probability or more is
/// no change of the rate: one false alarm in ten thousand runs.
const CHANCE: f64 = 1e-4;
/// For blocks of this size and more, the rate is shown as bandwidth.
const LARGE: u64 = 64 << 10;

/// The spread of a cell whose rate is not steady, in I/Os per second. Of a rate that fell and stayed low, that is told instead.
fn spread(cell: &Cell<'_>) -> Option<RateSpread> {
    if cell.rate_fall().is_some() {
        return None;
    }
    let (rates, spread) = (cell.rates(), cell.rate_spread());
    // Chance makes counts vary, and a window of a long run counts several seconds.
    let each = cell.window_seconds() as f64;
    let counts: Vec<f64> = rates.values.iter().map(|rate| rate * each).collect();
    let [min, max, mean] = [spread.min, spread.max, spread.mean].map(|rate| rate * each);
    if mean < IOS_MIN || counts.len() < WINDOWS_MIN {
        return None;
    }
    let varies = variation(&spread) > VARIATION_MAX && is_more_than_counting(&counts, mean);
    let is_outlier = |count| is_outlier(count, mean, counts.len());
    let differs = max > RATIO_MAX * min && (is_outlier(min) || is_outlier(max));
    (varies || differs).then_some(spread)
}

fn variation(spread: &RateSpread) -> f64 {
    spread.variation().unwrap_or(0.0)
}

/// Do all windows together vary more than independent events do? (Fisher's
/// index of dispersion: Σ (n − mean)² / mean follows chi-square.)
fn is_more_than_counting(counts: &[f64], mean: f64) -> bool {
    let statistic = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
    chi_square_p_value(statistic, counts.len() as u64 - 1) < CHANCE
}

/// Is this window one that none of `windows` independent ones would show?
/// (Anscombe, Biometrika 35 (1948) 246-254: twice the root of a Poisson count
/// plus 3/8 is nearly normal, with variance 1.)
fn is_outlier(count: f64, mean: f64, windows: usize) -> bool {
    let root = |count: f64| 2.0 * (count + 0.375).sqrt();
    let limit = z_two_sided(1.0 - CHANCE / windows as f64);
    limit.is_some_and(|limit| (root(count) - root(mean)).abs() > limit)
}

fn check(case: &Case<'_>) -> Option<Found> {
    let cells = case.cells.iter().filter(|cell| cell.has_target());
    let mut unsteady: Vec<_> = cells.filter_map(|cell| Some((cell, spread(cell)?))).collect();
    unsteady.sort_by(|a, b| variation(&b.1).total_cmp(&variation(&a.1)));
    let jobs = unsteady.iter().map(|(cell, spread)| spread_evidence(cell, *spread)).collect();
    let is_only = case.cells.len() == 1;
    Found::where_any(jobs, |jobs| Evidence::Unstable { jobs, is_only })
}

fn spread_evidence(cell: &Cell<'_>, spread: RateSpread) -> RateSpreadEvidence {
    let bytes = cell.bytes_per_second() / cell.iops().max(1.0);
    let rate = |iops: f64| IoRate { iops, bytes_per_second: iops * bytes };
    RateSpreadEvidence {
        job: cell.name().to_owned(),
        in_bytes: cell.planned().block_max().0 >= LARGE,
        min: rate(spread.min),
        max: rate(spread.max),
        window_s: cell.window_seconds(),
        variation: variation(&spread),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::SeriesPoint;

    const TWO: &str = "[global]\nioengine=psync\ndirect=1\nfilename=/data/f\n\
                       [calm]\nrw=read\nbs=1m\n[wild]\nstonewall\nrw=randread\nbs=4k\n";

    fn found(calm: &[u64], wild: &[u64]) -> Option<String> {
        let mut scene = RunBuilder::text(TWO);
        for (job, (rates, block)) in [(calm, 1 << 20), (wild, 4096)].into_iter().enumerate() {
            for ios in rates {
                scene = scene.seconds(job, 1, &[DirectionLoad::reads(*ios, block, 100_000)]);
            }
        }
        let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &surrounds)).map(|found| found.evidence())
    }

    #[test]
    fn the_worst_job_comes_first() {
        let told = found(&[500, 500, 900, 500, 500], &[10_100, 74_200, 40_000, 30_000, 50_000]).unwrap();
        assert!(
            told.starts_with(
                "wild: 10.1k to 74.2k IOPS between windows of 1 s; varies by 58 %; calm: 524 MB/s to 944 MB/s"
            ),
            "{told}"
        );
    }

    #[test]
    fn steady_short_and_slow_rates_are_not_told() {
        assert_eq!(found(&[500; 5], &[10_000, 10_500, 9_800, 10_100]), None);
        assert_eq!(found(&[500; 5], &[10_000, 70_000, 20_000]), None, "three windows");
        assert_eq!(found(&[5, 7, 4, 6, 8], &[10_000; 4]), None, "counting");
    }

    #[test]
    fn one_second_of_many_is_enough() {
        let mut rates = [10_000; 60];
        rates[30] = 6_000;
        assert!(found(&[500; 5], &rates).unwrap().contains("6.00k to 10.0k IOPS"));
    }

    /// One job with these numbers of reads, one for each second.
    fn found_one(pace: &str, rates: &[u64]) -> bool {
        let job = format!("rw=randread bs=4k ioengine=io_uring direct=1 iodepth=64 filename=/data/f {pace}");
        let scene = rates.iter().fold(RunBuilder::of(job.trim_end()), |scene, ios| {
            scene.seconds(0, 1, &[DirectionLoad::reads(*ios, 4096, 100_000)])
        });
        let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &surrounds)).is_some()
    }

    /// Counts of a Poisson process in each of many seconds (Knuth's method).
    fn poisson(mean: f64, seconds: usize, seed: u64) -> Vec<u64> {
        let mut random = fathom_stats::SplitMix64::new(seed);
        let mut one = || {
            let (mut n, mut left) = (0, mean);
            loop {
                left += random.uniform().ln();
                if left < 0.0 {
                    return n;
                }
                n += 1;
            }
        };
        (0..seconds).map(|_| one()).collect()
    }

    #[test]
    fn counting_noise_is_no_change() {
        for (mean, seconds) in [(20.0, 30), (50.0, 60), (100.0, 60), (400.0, 30)] {
            for seed in 0..40 {
                let rates = poisson(mean, seconds, seed);
                let pace = format!("rate_iops={mean} rate_process=poisson");
                assert!(!found_one(&pace, &rates), "{mean} a second, seed {seed}: {rates:?}");
            }
        }
    }

    #[test]
    fn what_exceeds_counting_noise_is_told() {
        let mut rates = poisson(100.0, 60, 1);
        rates[30] = 40;
        assert!(found_one("rate_iops=100 rate_process=poisson", &rates), "one slow second");
        let waves: Vec<u64> = (0..30).map(|second| if second % 2 == 0 { 50 } else { 100 }).collect();
        assert!(found_one("", &waves), "half the rate in every other second");
    }

    #[test]
    fn counting_noise_of_long_windows_is_judged_by_their_counts() {
        // Three days and more: windows of four seconds, here made by joining four.
        let text = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=64 filename=/data/f";
        let joined = |counts: &[u64]| {
            let scene = counts.iter().fold(RunBuilder::of(text), |scene, ios| {
                scene.seconds(0, 1, &[DirectionLoad::reads(*ios, 4096, 100_000)])
            });
            let mut run = scene.run();
            let series = std::mem::take(&mut run.jobs[0].series);
            run.jobs[0].series = series.chunks(4).map(one_window).collect();
            check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        for seed in 0..40 {
            assert_eq!(joined(&poisson(3.0, 120, seed)), None, "12 of a window, seed {seed}");
        }
        let waves: Vec<u64> = (0..120).map(|second| if second / 4 % 2 == 0 { 50 } else { 100 }).collect();
        assert_eq!(joined(&waves).unwrap(), "t: 50.0 to 100 IOPS between windows of 4 s; varies by 34 %");
    }

    fn one_window(points: &[SeriesPoint]) -> SeriesPoint {
        let mut all = points[0].clone();
        all.end_ns = points[points.len() - 1].end_ns;
        all.windows = points.len() as u32;
        all.ios.read = points.iter().map(|point| point.ios.read).sum();
        all
    }
}
