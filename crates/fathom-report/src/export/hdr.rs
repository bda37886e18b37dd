//! A log of HdrHistogram (version 1.3, compressed histograms V2), which its programs and viewers read: the latencies of each job
//! and direction, in nanoseconds, under a tag of their own.

use super::Exported;
use super::exported::Distribution;
use fathom_stats::{CEILING_NS, Histogram as Latencies};
use fathom_text::shown;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use std::time::{Duration, UNIX_EPOCH};

/// Significant digits of the values: a bucket of fathom is 0.4 % wide, so a fourth digit would hold nothing.
const DIGITS: u8 = 3;

/// The column of maxima is in milliseconds, as in the logs of other programs; the histograms are in nanoseconds.
const NS_OF_MS: f64 = 1e6;

pub(super) fn text(result: &Exported) -> String {
    let mut log = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut begun = IntervalLogWriterBuilder::new();
    begun
        .add_comment(&format!(
            "[{}: latencies in ns, the maximum of a line in ms]",
            shown::line(&result.name)
        ))
        .with_base_time(UNIX_EPOCH + Duration::from_nanos(result.started_unix_ns.unwrap_or_default()))
        .with_max_value_divisor(NS_OF_MS);
    let Ok(mut writer) = begun.begin_log_with(&mut log, &mut serializer) else { return String::new() };
    for of in &result.distributions {
        let length = Duration::from_secs_f64(of.length_s);
        let tag = tag(of);
        // Writing to memory does not fail, and the histogram has values below the largest that can be written.
        let _ = writer.write_histogram(&converted(&of.histogram), Duration::ZERO, length, Tag::new(&tag));
    }
    drop(writer);
    String::from_utf8(log).unwrap_or_default()
}

/// `randread.1.read`: name, number and direction of a job. A tag has no comma and no blank.
fn tag(of: &Distribution) -> String {
    let name = format!("{}.{}.{}", shown::line(&of.job), of.job_number, of.direction);
    name.replace([',', ' ', '\r', '\n'], "_")
}

/// The same counts. A bucket stands at its middle, where the percentiles of a result are too; the last at the maximum.
fn converted(latencies: &Latencies) -> Histogram<u64> {
    let largest = latencies.max().unwrap_or(1).max(2);
    let mut out = Histogram::new_with_bounds(1, largest, DIGITS).expect("the bounds and digits are allowed");
    for bucket in latencies.buckets() {
        let middle = bucket.low_ns + (bucket.high_ns - bucket.low_ns) / 2;
        let ns = if bucket.low_ns >= CEILING_NS {
            largest
        } else {
            middle.clamp(latencies.min().unwrap_or(1), largest)
        };
        let _ = out.record_n(ns.max(1), bucket.count);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use fathom_figures::metric::Columns;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    /// HdrHistogram's own reader finds each job and direction with its count, its percentiles and its extremes.
    #[test]
    fn a_log_is_read_back() {
        let reads = DirectionLoad::reads(100, 4096, 123_456);
        let run = RunBuilder::text("[a, b]\nrw=read\nbs=4k\nsize=1g\n").seconds(0, 5, &[reads]).run();
        let result = Exported::of_run(&run, Columns::USUAL, false);
        let log = text(&result);
        let entries: Vec<_> = IntervalLogIterator::new(log.as_bytes()).map(Result::unwrap).collect();
        let intervals: Vec<_> = entries
            .iter()
            .filter_map(|entry| if let LogEntry::Interval(found) = entry { Some(found) } else { None })
            .collect();
        let [interval] = intervals.as_slice() else { panic!("{log}") };
        assert_eq!(interval.tag().unwrap().as_str(), "a__b.1.read");
        let bytes = of_base64(interval.encoded_histogram());
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        let kept = &result.distributions[0].histogram;
        assert_eq!(read.len(), kept.count());
        for q in [0.0, 0.5, 0.99, 1.0] {
            let (theirs, ours) =
                (read.value_at_quantile(q) as f64, kept.quantile(q.max(1e-9)).unwrap() as f64);
            assert!((theirs - ours).abs() <= 0.006 * ours, "{q}: {theirs} {ours}");
        }
    }

    /// Base64, as the log has it.
    fn of_base64(text: &str) -> Vec<u8> {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bits: Vec<u32> =
            text.bytes().filter_map(|c| LETTERS.iter().position(|l| *l == c)).map(|at| at as u32).collect();
        let whole = bits.chunks(4).flat_map(|four| {
            let value = four.iter().fold(0, |sum, bit| sum << 6 | bit) << (6 * (4 - four.len()));
            value.to_be_bytes()[1..four.len()].to_vec()
        });
        whole.collect()
    }
}
