//! fio's coarse latency classes: 2, 4, 10, 20, 50 … of each decimal unit.
//!
//! fio counts each I/O into its class while it runs; here the classes are read from the histogram,
//! whose buckets do not end where the classes do. A bucket that a class's end cuts is divided.

use crate::ratio;
use crate::row::Row;
use fathom_stats::Histogram;

/// Upper ends of the nanosecond and of the microsecond classes.
pub const UNITS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// Names of the millisecond classes.
pub const MILLISECONDS: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// Percent of I/Os in each class. All classes together are 100 %, within 0.01.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classes {
    /// Below 1 µs, by [`UNITS`] nanoseconds.
    pub ns: [f64; 10],
    /// 1 µs to 1 ms, by [`UNITS`] microseconds.
    pub us: [f64; 10],
    /// From 1 ms, by [`MILLISECONDS`].
    pub ms: [f64; 12],
}

/// The least share of a class in which anything was counted, percent, as in fio: readers take a printed 0 for "never".
const LEAST: f64 = 0.01;

impl Classes {
    /// The classes of all I/O of a row, by completion latency as in fio, or by
    /// total latency where no distribution of the former was kept.
    pub fn of_row(row: &Row<'_>) -> Self {
        if !row.asked.completion {
            return Classes::default();
        }
        let kept = row.totals.directions.iter().filter_map(|(_, d)| {
            let own = d.completion.histogram.as_ref().or(d.total.histogram.as_ref());
            own.filter(|h| !h.is_empty())
        });
        Classes::of(kept)
    }

    /// Counts histograms into the classes, in percent of all that they hold.
    pub fn of<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Self {
        let mut counts = Counts::default();
        histograms.for_each(|histogram| counts.add(histogram));
        let total = counts.ns.iter().chain(&counts.us).chain(&counts.ms).sum();
        let share = |count: u64| visible(count, total, LEAST);
        Classes { ns: counts.ns.map(share), us: counts.us.map(share), ms: counts.ms.map(share) }.whole()
    }

    /// Rounded to hundredths of a percent, as text shows them.
    pub fn rounded(&self) -> Self {
        let round = |share: f64| (share * 100.0).round() / 100.0;
        Classes { ns: self.ns.map(round), us: self.us.map(round), ms: self.ms.map(round) }.whole()
    }

    /// All classes below 1 µs, percent.
    pub fn below_us(&self) -> f64 {
        self.ns.iter().sum()
    }

    /// Gives the largest class what raising or rounding the others took from it, or added to it.
    fn whole(mut self) -> Self {
        let sum: f64 = self.ns.iter().chain(&self.us).chain(&self.ms).sum();
        let all = self.ns.iter_mut().chain(&mut self.us).chain(&mut self.ms);
        if let Some(largest) = all.max_by(|a, b| a.total_cmp(b)).filter(|largest| **largest > 0.0) {
            *largest += 100.0 - sum;
        }
        self
    }
}

#[derive(Default)]
struct Counts {
    ns: [u64; 10],
    us: [u64; 10],
    ms: [u64; 12],
}

impl Counts {
    fn add(&mut self, histogram: &Histogram) {
        let mut below = 0;
        let mut take = |high: u64| {
            let before = std::mem::replace(&mut below, histogram.estimated_below(high));
            below - before
        };
        for (class, high) in self.ns.iter_mut().zip(UNITS) {
            *class += take(high);
        }
        for (class, high) in self.us.iter_mut().zip(UNITS) {
            *class += take(high * 1_000);
        }
        for (class, high) in self.ms.iter_mut().zip(UNITS.into_iter().chain([2000])) {
            *class += take(high * 1_000_000);
        }
        self.ms[11] += histogram.count() - histogram.estimated_below(2_000_000_000);
    }
}

/// A class and its share, not raised to be visible: the shares of a distribution add up to 100 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassShare {
    /// Upper end of the class, ns; `None` for the last, which has none.
    pub below_ns: Option<u64>,
    /// I/Os in the class.
    pub ios: u64,
    /// Percent of the I/Os.
    pub percent: f64,
}

/// The share of each class of one distribution, the fastest class first; `None` if it is empty.
pub fn class_shares(histogram: &Histogram) -> Option<Vec<ClassShare>> {
    let mut counts = Counts::default();
    counts.add(histogram);
    let ms_ends = UNITS.into_iter().chain([2000]).map(|ms| Some(ms * 1_000_000)).chain([None]);
    let ends = UNITS.map(Some).into_iter().chain(UNITS.map(|us| Some(us * 1000))).chain(ms_ends);
    let counts = counts.ns.into_iter().chain(counts.us).chain(counts.ms);
    let total = histogram.count() as f64;
    let share = |(below_ns, count): (Option<u64>, u64)| ClassShare {
        below_ns,
        ios: count,
        percent: ratio(100.0 * count as f64, total),
    };
    (!histogram.is_empty()).then(|| ends.zip(counts).map(share).collect())
}

/// Percent, raised to `least` where anything was counted: fio does so, and its
/// readers take a printed 0 for "never".
pub fn visible(count: u64, total: u64, least: f64) -> f64 {
    match count {
        0 => 0.0,
        _ => ratio(100.0 * count as f64, total as f64).max(least),
    }
}

/// fio's depth classes in percent of what was counted. fio divides by the I/Os
/// of the measured window, and prints 115 % where ramp or fsync were counted
/// too; a share of the whole cannot.
pub fn depth_shares(counts: &[u64; 7]) -> [f64; 7] {
    let total = counts.iter().sum();
    counts.map(|count| visible(count, total, 0.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_falls_into_the_class_whose_end_it_stays_below() {
        let mut histogram = Histogram::new();
        for ns in [1, 3, 999, 1_000, 1_999, 249_000, 1_500_000, 3_000_000_000] {
            histogram.record(ns);
        }
        let classes = Classes::of([&histogram].into_iter());
        assert_eq!((classes.ns[0], classes.ns[1], classes.ns[9]), (12.5, 12.5, 12.5));
        assert_eq!((classes.us[0], classes.us[6]), (25.0, 12.5));
        assert_eq!((classes.ms[0], classes.ms[11]), (12.5, 12.5));
        assert_eq!(classes.below_us(), 37.5);
    }

    /// Latencies spread evenly by rank over a lognormal distribution.
    fn lognormal(median_ns: f64, sigma: f64) -> Vec<u64> {
        const N: u32 = 100_000;
        let quantile = |rank: u32| fathom_stats::normal_quantile((f64::from(rank) + 0.5) / f64::from(N));
        (0..N).map(|rank| (median_ns * (sigma * quantile(rank).unwrap()).exp()) as u64).collect()
    }

    /// The classes of the unit that begins at `unit_ns`, counted one by one as fio does.
    fn counted(latencies: &[u64], unit_ns: u64) -> Vec<f64> {
        let ends = UNITS.map(|end| end * unit_ns);
        let below = |ns: u64| latencies.iter().filter(|latency| **latency < ns).count();
        let share = |low: u64, high: u64| 100.0 * (below(high) - below(low)) as f64 / latencies.len() as f64;
        let lows = std::iter::once(unit_ns).chain(ends);
        lows.zip(ends).map(|(low, high)| if low < high { share(low, high) } else { 0.0 }).collect()
    }

    #[test]
    fn smooth_distributions_are_classed_as_if_each_io_had_been_counted() {
        // Centred on the ends of classes, where a whole bucket on the wrong side weighs most.
        for (median_ns, sigma) in [(100_000.0, 0.02), (250_000.0, 0.05), (750_000.0, 0.1), (20_000.0, 0.3)] {
            let latencies = lognormal(median_ns, sigma);
            let mut histogram = Histogram::new();
            latencies.iter().for_each(|ns| histogram.record(*ns));
            let classes = Classes::of([&histogram].into_iter());
            for (at, (told, exact)) in classes.us.iter().zip(counted(&latencies, 1_000)).enumerate() {
                let apart = (told - exact).abs();
                // fio prints at least 0.01 for what occurred at all.
                assert!(apart <= 0.02, "around {median_ns} ns, class {}: {told} for {exact}", UNITS[at]);
            }
        }
    }

    #[test]
    fn fixed_latencies_at_the_end_of_a_class_stay_in_one_class() {
        let mut histogram = Histogram::new();
        histogram.record_n(50_000, 10);
        histogram.record_n(100_000, 100);
        histogram.record_n(750_000, 300);
        histogram.record_n(2_000_000, 90);
        let classes = Classes::of([&histogram].into_iter());
        assert_eq!((classes.us[5], classes.us[6], classes.us[8], classes.us[9]), (2.0, 20.0, 0.0, 60.0));
        assert_eq!((classes.ms[0], classes.ms[1]), (0.0, 18.0));
    }

    #[test]
    fn rare_classes_are_seen_and_all_classes_add_up_to_100_percent() {
        let mut histogram = Histogram::new();
        histogram.record_n(15_000, 3_000_000);
        histogram.record_n(30_000, 1_000_001);
        for us in [1, 3, 70, 200, 400, 600, 900, 1_500, 3_000, 30_000] {
            histogram.record_n(us * 1_000, 1);
        }
        let classes = Classes::of([&histogram].into_iter());
        let sum = |of: &Classes| of.ns.iter().chain(&of.us).chain(&of.ms).sum::<f64>();
        assert!((sum(&classes) - 100.0).abs() < 1e-9, "{}", sum(&classes));
        assert_eq!((classes.us[1], classes.us[5], classes.ms[4]), (0.01, 0.01, 0.01));
        let rounded = classes.rounded();
        assert!((sum(&rounded) - 100.0).abs() < 1e-9, "{}", sum(&rounded));
        assert_eq!((format!("{:.2}", rounded.us[4]), rounded.us[5]), ("25.00".to_owned(), 0.01));
        assert_eq!(Classes::of([&Histogram::new()].into_iter()), Classes::default());
    }

    /// T-28: the blog's shares add up to 99.7 % and leave out a class.
    #[test]
    fn shares_of_a_distribution_add_up_to_the_whole() {
        let mut histogram = Histogram::new();
        histogram.record_n(300_000, 9_101);
        histogram.record_n(600_000, 28);
        histogram.record_n(900_000, 700);
        histogram.record_n(1_500_000, 170);
        histogram.record_n(13_505_000, 1);
        histogram.record_n(5_000_000_000, 1);
        let shares = class_shares(&histogram).unwrap();
        let total: f64 = shares.iter().map(|class| class.percent).sum();
        assert!((total - 100.0).abs() < 1e-9, "{total}");
        let of = |below_ns| shares.iter().find(|class| class.below_ns == below_ns).unwrap().percent;
        assert!((of(Some(500_000)) - 91.0).abs() < 0.02 && of(Some(750_000)) > 0.27, "{shares:?}");
        assert!(of(None) > 0.0 && of(Some(20_000_000)) > 0.0);
        assert_eq!((shares.len(), class_shares(&Histogram::new())), (32, None));
    }

    #[test]
    fn rare_is_not_never_and_shares_stay_below_one_hundred() {
        assert_eq!((visible(0, 100, 0.01), visible(1, 1_000_000, 0.01)), (0.0, 0.01));
        assert_eq!(depth_shares(&[0; 7]), [0.0; 7]);
        // V-28: 35 s of samples over 30 s of I/O read 116.7 % in fio.
        assert_eq!(depth_shares(&[0, 0, 0, 0, 0, 350, 0])[5], 100.0);
    }
}
