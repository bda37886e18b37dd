//! The histogram, compared with the sorted list of its values.

use fathom_stats::{BUCKETS, Bucket, CEILING_NS, Histogram, SparseHistogram, quantile_rank};
use proptest::collection::vec;
use proptest::prelude::*;

const QUANTILES: [f64; 10] = [0.0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0];

fn of(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|ns| histogram.record(*ns));
    histogram
}

/// Latencies of every magnitude below the ceiling, each octave as likely as the next.
fn latency() -> impl Strategy<Value = u64> {
    (0_u32..40, any::<u64>()).prop_map(|(bits, noise)| (1 << bits) | (noise & ((1 << bits) - 1)))
}

fn latencies() -> impl Strategy<Value = Vec<u64>> {
    vec(prop_oneof![9 => latency(), 1 => Just(0)], 1..400)
}

proptest! {
    #[test]
    fn quantiles_are_order_statistics_within_four_per_mille(mut values in latencies(), q in 0.0..=1.0) {
        let histogram = of(&values);
        values.sort_unstable();
        for q in QUANTILES.into_iter().chain([q]) {
            let rank = quantile_rank(q, values.len() as u64).unwrap();
            let exact = values[rank as usize - 1];
            let got = histogram.quantile(q).unwrap();
            let error = got.abs_diff(exact) as f64;
            prop_assert!(error <= 0.004 * exact as f64, "q {q}: {got} for {exact}");
        }
        prop_assert_eq!(histogram.quantile(0.0), values.first().copied());
        prop_assert_eq!(histogram.quantile(1.0), values.last().copied());
    }

    #[test]
    fn quantiles_never_fall(values in latencies()) {
        let histogram = of(&values);
        let read: Vec<_> = (0..=100).map(|percent| histogram.quantile(f64::from(percent) / 1e2)).collect();
        prop_assert!(read.is_sorted());
    }

    #[test]
    fn totals_are_exact(values in vec(any::<u64>(), 1..100)) {
        let histogram = of(&values);
        let sum: u128 = values.iter().map(|v| u128::from(*v)).sum();
        prop_assert_eq!(histogram.count(), values.len() as u64);
        prop_assert_eq!(histogram.sum(), sum);
        prop_assert_eq!(histogram.min(), values.iter().copied().min());
        prop_assert_eq!(histogram.max(), values.iter().copied().max());
        prop_assert_eq!(histogram.totals().mean(), Some(sum as f64 / values.len() as f64));
        prop_assert_eq!(histogram.buckets().map(|b| b.count).sum::<u64>(), histogram.count());
    }

    #[test]
    fn deviation_is_within_four_per_mille_of_the_rms(values in latencies()) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<u64>() as f64 / n;
        let power =
            |c: f64| (values.iter().map(|v| (*v as f64 - c).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        let Some(got) = of(&values).totals().stddev() else {
            prop_assert_eq!(values.len(), 1);
            return Ok(());
        };
        prop_assert!((got - power(mean)).abs() <= 0.004 * power(0.0) + 1e-6);
    }

    #[test]
    fn merging_is_recording_the_union(a in vec(any::<u64>(), 0..60), b in latencies()) {
        let mut merged = of(&a);
        merged.merge(&of(&b));
        prop_assert_eq!(merged, of(&[a, b].concat()));
    }

    #[test]
    fn saved_histograms_return_bit_for_bit(values in vec(any::<u64>(), 0..60), more in latencies()) {
        let histogram = of(&[values, more.clone()].concat());
        let sparse = histogram.sparse();
        prop_assert_eq!(&Histogram::from(&sparse), &histogram);
        for percent in 0..=100 {
            let q = f64::from(percent) / 100.0;
            prop_assert_eq!(sparse.quantile(q), histogram.quantile(q));
        }
        prop_assert_eq!(sparse.quantile(1.5), None);

        let mut packed = Vec::new();
        sparse.pack(&mut packed);
        let mut unpacked = of(&more).sparse();
        unpacked.unpack(&packed).unwrap();
        prop_assert_eq!(&unpacked, &sparse);
        for cut in 0..packed.len() {
            prop_assert!(unpacked.unpack(&packed[..cut]).is_err());
            prop_assert_eq!(&unpacked, &SparseHistogram::default());
        }

        let mut added = of(&more);
        added.add_sparse(&sparse);
        let mut merged = of(&more);
        merged.merge(&histogram);
        prop_assert_eq!(added, merged);
    }

    #[test]
    fn any_bytes_unpack_to_a_histogram_or_not_at_all(mut bytes in vec(any::<u8>(), 0..60)) {
        let mut unpacked = SparseHistogram::default();
        for buckets in 0..40 {
            bytes.iter_mut().take(1).for_each(|first| *first = buckets);
            if unpacked.unpack(&bytes).is_ok() {
                let (restored, totals) = (Histogram::from(&unpacked), unpacked.totals());
                prop_assert_eq!(&restored.sparse(), &unpacked);
                let buckets: Vec<Bucket> = restored.buckets().collect();
                prop_assert!(buckets.iter().all(|bucket| bucket.count > 0));
                prop_assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), totals.count());
                for (bucket, ns) in [(buckets.first(), totals.min()), (buckets.last(), totals.max())] {
                    let is_in = bucket.zip(ns).map(|(bucket, ns)| (bucket.low_ns..=bucket.high_ns).contains(&ns));
                    prop_assert_eq!(is_in, totals.min().map(|_| true));
                }
                let (n, sum) = (u128::from(totals.count()), totals.sum());
                let ends = totals.min().zip(totals.max()).unwrap_or_default();
                prop_assert!((u128::from(ends.0) * n..=u128::from(ends.1) * n).contains(&sum));
            }
        }
    }

    #[test]
    fn repeated_values_equal_single_ones(ns in any::<u64>(), n in 0_u64..50) {
        let mut repeated = Histogram::new();
        repeated.record_n(ns, n);
        prop_assert_eq!(repeated, of(&vec![ns; n as usize]));
    }

    #[test]
    fn counts_below_err_only_within_a_bucket_of_the_bound(values in latencies(), bound in latency()) {
        let histogram = of(&values);
        let below = |ns: f64| values.iter().filter(|v| (**v as f64) < ns).count() as u64;
        let got = histogram.estimated_below(bound);
        let bound = bound as f64;
        prop_assert!(below(bound * 0.992) <= got && got <= below(bound * 1.008 + 1.0));
    }
}

#[test]
fn memory_is_thirty_four_kib() {
    assert_eq!(BUCKETS * size_of::<u64>() / 1024, 34);
}

#[test]
fn nothing_recorded_answers_nothing() {
    let empty = Histogram::new();
    assert!(empty.is_empty());
    assert_eq!((empty.count(), empty.sum()), (0, 0));
    assert_eq!((empty.min(), empty.max(), empty.quantile(0.5)), (None, None, None));
    assert_eq!((empty.totals().mean(), empty.totals().stddev()), (None, None));
    assert_eq!(empty.quantile_interval(0.5, 0.95), None);
    assert_eq!(empty.estimated_below(u64::MAX), 0);
    assert_eq!(empty.buckets().count(), 0);
    assert_eq!(empty.sparse(), SparseHistogram::default());
    assert_eq!(Histogram::from(&empty.sparse()), empty);
}

#[test]
fn one_value_is_exact_everywhere() {
    for ns in [0, 1, 255, 256, 123_457, CEILING_NS, u64::MAX] {
        let one = of(&[ns]);
        for q in QUANTILES {
            assert_eq!(one.quantile(q), Some(ns));
        }
        assert_eq!((one.totals().mean(), one.totals().stddev()), (Some(ns as f64), None));
        assert_eq!(one.estimated_below(ns), 0);
        assert_eq!(one.estimated_below(u64::MAX), u64::from(ns != u64::MAX));
    }
}

#[test]
fn quantiles_outside_the_unit_range_are_refused() {
    let histogram = of(&[1, 2, 3]);
    for q in [-0.01, 1.01, f64::NAN] {
        assert_eq!(histogram.quantile(q), None);
    }
}

#[test]
fn beyond_the_ceiling_is_counted_and_the_maximum_exact() {
    let hour = 3_600_000_000_000;
    let mut histogram = of(&[1_000; 97]);
    [hour, 2 * hour, 3 * hour].iter().for_each(|ns| histogram.record(*ns));
    assert_eq!(histogram.count(), 100);
    assert!(histogram.quantile(0.97).unwrap().abs_diff(1_000) <= 4);
    assert_eq!(histogram.quantile(0.98), Some(3 * hour));
    assert_eq!(histogram.max(), Some(3 * hour));
    let overflow = Bucket { low_ns: CEILING_NS, high_ns: 3 * hour, count: 3 };
    assert_eq!(histogram.buckets().last(), Some(overflow));
    assert_eq!(histogram.sum(), 97_000 + 6 * u128::from(hour));
}

#[test]
fn the_last_bucket_before_the_ceiling_is_still_resolved() {
    let histogram = of(&[1, CEILING_NS - 1, CEILING_NS, CEILING_NS + 5]);
    let counts: Vec<_> = histogram.buckets().map(|b| (b.low_ns, b.high_ns, b.count)).collect();
    let width = 1 << 32;
    assert_eq!(counts[1], (CEILING_NS - width, CEILING_NS - 1, 1));
    assert_eq!(counts[2], (CEILING_NS, CEILING_NS + 5, 2));
}

#[test]
fn bucket_edges_separate_neighbours() {
    // 256..=257 share the first wide bucket, 512..=515 the first of the next octave.
    let histogram = of(&[255, 256, 257, 258, 511, 512, 515, 516]);
    let counts: Vec<_> = histogram.buckets().map(|b| (b.low_ns, b.high_ns, b.count)).collect();
    let expected = [(255, 255, 1), (256, 257, 2), (258, 259, 1), (510, 511, 1), (512, 515, 2), (516, 519, 1)];
    assert_eq!(counts, expected);
}

#[test]
fn decades_add_up() {
    let values: Vec<u64> = (0..10_000).map(|i| i * i).collect();
    let histogram = of(&values);
    let decades = [0, 2_000, 10_000, 100_000, 1_000_000, 10_000_000, u64::MAX];
    let counts: Vec<u64> = decades
        .windows(2)
        .map(|d| histogram.estimated_below(d[1]) - histogram.estimated_below(d[0]))
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 10_000);
    // i² < 1,000,000 for i < 1000; up to 0.4 % in i² is 0.2 % in i.
    assert!(histogram.estimated_below(1_000_000).abs_diff(1_000) <= 2);
}

#[test]
fn small_values_count_exactly() {
    let histogram = of(&(0..256).collect::<Vec<_>>());
    for ns in 0..=256 {
        assert_eq!(histogram.estimated_below(ns), ns);
    }
}

#[test]
fn interval_encloses_and_narrows() {
    let values: Vec<u64> = (1..=100_000).map(|i| i * 100).collect();
    let few = of(&values[..1_000]);
    let all = of(&values);
    let relative = |histogram: &Histogram| {
        let (low, high) = histogram.quantile_interval(0.9, 0.95).unwrap();
        let value = histogram.quantile(0.9).unwrap();
        assert!(low <= value && value <= high);
        (high - low) as f64 / value as f64
    };
    assert!(relative(&all) < relative(&few));
    // Ranks 89_814 and 90_187 of 100_000, each widened to its bucket.
    let (low, high) = all.quantile_interval(0.9, 0.95).unwrap();
    assert!((8_946_000..=8_981_400).contains(&low), "{low}");
    assert!((9_018_700..=9_054_000).contains(&high), "{high}");
    assert_eq!(of(&values[..100]).quantile_interval(0.999, 0.95), None);
}

#[test]
fn a_second_of_latencies_saves_in_a_few_hundred_bytes() {
    // 100,000 I/Os between 80 and 130 us.
    let mut histogram = Histogram::new();
    (0..100_000_u64).for_each(|i| histogram.record(80_000 + (i * 7_919) % 50_000));
    let mut bytes = Vec::new();
    histogram.sparse().pack(&mut bytes);
    assert!(bytes.len() < 140, "{}", bytes.len());
}
