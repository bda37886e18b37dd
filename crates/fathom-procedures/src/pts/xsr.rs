//! The cross stimulus recovery test: writes in order, then random writes, then in order again.

use super::phase::{Fixed, TestPhase};
use super::reported::Reported;
use super::segment::{Segment, Stimulus};
use super::terms::{Demand, PtsTerms};
use super::test::{ACTIVE_MIN, PtsTest};
use super::throughput::from;
use fathom_job::direction::Direction;
use fathom_job::units::Bytes;
use fathom_results::{
    ReportAxis, ReportHeadline, ReportPart, ReportSeries, RunResult, TableCell, TestReport,
};
use fathom_stats::Histogram;
use std::collections::BTreeMap;

/// Threads and depth.
const DEMAND: Demand = Demand { threads: 1, depth: 32 };

/// Block of the writes in order, and of the random ones.
const ORDERED: Bytes = Bytes::kib(1024);
const RANDOM: Bytes = Bytes::kib(8);

/// Half an hour is a round: a crash costs no more.
const ROUND_S: u64 = 30 * 60;

/// The three groups: name of the rounds, hours.
const GROUPS: [(&str, u32); 3] = [("xsr-1-ordered", 8), ("xsr-2-random", 6), ("xsr-3-ordered", 8)];

pub static TEST: PtsTest = PtsTest {
    name: "xsr",
    title: "Cross stimulus recovery test",
    takes_demand: false,
    needs_block: RANDOM,
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

fn is_random(cell: &str) -> bool {
    cell == GROUPS[1].0
}

fn phases(_: &PtsTerms) -> Vec<TestPhase> {
    let group = |(cell, hours): (&'static str, u32)| {
        TestPhase::Fixed(Fixed {
            cell: cell.to_owned(),
            segments: Box::new(move |terms, taken| {
                let stimulus = if is_random(cell) {
                    Stimulus::Random(RANDOM)
                } else {
                    let from = from(taken, cell, "write", ORDERED, terms.active());
                    Stimulus::Sequential { block: ORDERED, from }
                };
                let name = "write".to_owned();
                vec![Segment {
                    name,
                    read_percent: 0,
                    stimulus,
                    demand: DEMAND,
                    ms: terms.ms(ROUND_S),
                    idle_ms: 0,
                }]
            }),
            rounds: hours * 3600 / ROUND_S as u32,
        })
    };
    [TestPhase::Purge].into_iter().chain(GROUPS.map(group)).collect()
}

/// A sample of the test.
struct Sample {
    minute: f64,
    megabytes_per_second: f64,
    average_ms: f64,
    maximum_ms: f64,
}

/// The samples of a group, a minute long; `begin_minute` is the time at which it begins.
fn samples(of: &Reported<'_>, cell: &str, begin_minute: &mut f64) -> Vec<Sample> {
    let block = if is_random(cell) { RANDOM } else { ORDERED };
    let mut samples = Vec::new();
    for (round, _) in of.taken.rounds(cell) {
        let seconds: f64 = round.figures.iter().map(|figures| figures.seconds).sum();
        if let Some(run) = of.runs.run(&round.directory) {
            samples.extend(of_run(&run, block, *begin_minute, of.terms.ms(60)));
        }
        *begin_minute += seconds / 60.0;
    }
    samples
}

/// The samples of a round. Where the run keeps fewer columns than minutes, a sample is as long as a column.
fn of_run(run: &RunResult, block: Bytes, begin_minute: f64, sample_ms: u64) -> Vec<Sample> {
    let mut minutes: BTreeMap<u64, (Histogram, f64)> = BTreeMap::new();
    let columns = run.jobs.iter().flat_map(|job| job.latency.columns());
    for column in columns {
        let at = column.start_ns / (sample_ms.max(1) * 1_000_000);
        let (histogram, seconds) = minutes.entry(at).or_default();
        histogram.merge(&column.latency[Direction::Write]);
        *seconds += column.length_ns as f64 / 1e9;
    }
    let runtime_s = run.jobs.first().map_or(0.0, |job| job.runtime_ns() as f64 / 1e9);
    let sample_s = sample_ms as f64 / 1e3;
    let sample = |(at, (histogram, seconds)): (u64, (Histogram, f64))| {
        let length_s = seconds.min(runtime_s - at as f64 * sample_s).max(1e-3);
        let (count, totals) = (histogram.count(), histogram.totals());
        Some(Sample {
            minute: begin_minute + (at as f64 * sample_s + length_s) / 60.0,
            megabytes_per_second: count as f64 * block.0 as f64 / length_s / 1e6,
            average_ms: totals.mean()? / 1e6,
            maximum_ms: histogram.max()? as f64 / 1e6,
        })
    };
    minutes.into_iter().filter_map(sample).collect()
}

/// `TC 1 / QD 32: sequential writes of 1 MiB for 8 h, …`.
fn stimulus() -> String {
    let group = |(cell, hours): (&str, u32)| match is_random(cell) {
        true => format!("random writes of {RANDOM} for {hours} h"),
        false => format!("sequential writes of {ORDERED} for {hours} h"),
    };
    format!("{}: {}", DEMAND.text(), GROUPS.map(group).join(", "))
}

/// The samples of a group, and the minute at which it began.
struct GroupSamples {
    name: String,
    begin_minute: f64,
    samples: Vec<Sample>,
}

fn report(of: &Reported<'_>, report: &mut TestReport) {
    report.parameters.push(("Stimulus".to_owned(), stimulus()));
    let names = [format!("SEQ {ORDERED}, before"), format!("RND {RANDOM}"), format!("SEQ {ORDERED}, after")];
    let mut minute = 0.0;
    let group = |(name, (cell, _)): (String, (&str, u32))| {
        let begin_minute = minute;
        GroupSamples { name, begin_minute, samples: samples(of, cell, &mut minute) }
    };
    let groups: Vec<GroupSamples> = names.into_iter().zip(GROUPS).map(group).collect();
    let lines = |value: fn(&Sample) -> f64, what: &str| -> Vec<ReportSeries> {
        let line = |group: &GroupSamples| {
            let points = group.samples.iter().map(|sample| (sample.minute, value(sample))).collect();
            ReportSeries::measured(format!("{}{what}", group.name), points)
        };
        groups.iter().map(line).collect()
    };
    let rate = lines(|sample| sample.megabytes_per_second, "");
    report.parts.push(ReportPart::plot("Throughput over time", "time (minutes)", "MB/s", rate));
    let mut latency = lines(|sample| sample.average_ms, ", average");
    latency.extend(lines(|sample| sample.maximum_ms, ", maximum"));
    let axis = ReportAxis::log("ms (logarithmic)");
    report.parts.push(ReportPart::plot("Latency over time", "time (minutes)", axis, latency));
    let [before, .., after] = groups.as_slice() else { return };
    let recovered = recovery(&before.samples, after.begin_minute, &after.samples);
    report.parts.push(table(&groups, recovered.as_ref()));
    if let Some(recovered) = recovered {
        report.headline = recovered.headline(&after.samples);
    }
}

/// The last rate and the longest latencies of each group; of the last one, when it had recovered.
fn table(groups: &[GroupSamples], recovered: Option<&Recovery>) -> ReportPart {
    let row = |(at, group): (usize, &GroupSamples)| {
        let peak = |value: fn(&Sample) -> f64| group.samples.iter().map(value).reduce(f64::max);
        let recovered = recovered.filter(|_| at + 1 == groups.len());
        vec![
            group.name.as_str().into(),
            group.samples.last().map(|sample| sample.megabytes_per_second).into(),
            peak(|sample| sample.average_ms).into(),
            peak(|sample| sample.maximum_ms).into(),
            recovered.map_or_else(|| "".into(), Recovery::cell),
        ]
    };
    let columns = [
        "Group",
        "MB/s, last sample",
        "Average latency, peak (ms)",
        "Maximum latency, peak (ms)",
        "Recovery (minutes)",
    ];
    let title = "Groups, and how long the recovery to the mean of the first took";
    ReportPart::table(title, &columns, groups.iter().enumerate().map(row).collect())
}

/// When the writes in order were as fast again as before the random ones, on average.
struct Recovery {
    /// Mean of the first group, MB/s.
    mean: f64,
    /// Minutes from the beginning of the last group to the end of the sample that reached it, and the minute of that sample;
    /// `None` where none did.
    reached: Option<(f64, f64)>,
}

fn recovery(before: &[Sample], after_begins: f64, after: &[Sample]) -> Option<Recovery> {
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let mean = before.iter().map(|sample| sample.megabytes_per_second).sum::<f64>() / before.len() as f64;
    let back = after.iter().find(|sample| sample.megabytes_per_second >= mean);
    Some(Recovery { mean, reached: back.map(|sample| (sample.minute - after_begins, sample.minute)) })
}

impl Recovery {
    fn cell(&self) -> TableCell {
        self.reached.map_or_else(|| "not reached".into(), |(minutes, _)| minutes.into())
    }

    fn headline(&self, after: &[Sample]) -> ReportHeadline {
        ReportHeadline::Recovery {
            bytes_per_second_mean: self.mean * 1e6,
            minutes: self.reached.map(|(minutes, _)| minutes),
            bytes_per_second_least_later: self.reached.and_then(|(_, at)| self.least_later(at, after)),
        }
    }

    /// How slow the writes were after they had recovered, where they were clearly slower, bytes/s.
    fn least_later(&self, reached_at: f64, after: &[Sample]) -> Option<f64> {
        let later = after.iter().filter(|sample| sample.minute > reached_at);
        let least = later.map(|sample| sample.megabytes_per_second).reduce(f64::min);
        least.filter(|least| *least < FELL_BELOW * self.mean).map(|least| least * 1e6)
    }
}

/// A sample below this share of the mean after the recovery is told.
const FELL_BELOW: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(rates: &[f64], begin: f64) -> Vec<Sample> {
        let of = |(at, rate): (usize, &f64)| Sample {
            minute: begin + (at + 1) as f64,
            megabytes_per_second: *rate,
            average_ms: 1.0,
            maximum_ms: 2.0,
        };
        rates.iter().enumerate().map(of).collect()
    }

    #[test]
    fn recovery_is_the_first_minute_that_reaches_the_mean_of_the_first_group() {
        let before = samples(&[90.0, 110.0], 0.0);
        for (after, cell, says) in [
            (&[50.0, 99.0, 100.0, 95.0][..], TableCell::from(3.0), "after 3.0 minutes"),
            (&[100.0, 60.0], 1.0.into(), "later samples were as low as 60.0 MB/s"),
            (&[50.0, 99.0], "not reached".into(), "did not reach the mean of the first group, 100 MB/s"),
        ] {
            let after = samples(after, 20.0);
            let found = recovery(&before, 20.0, &after).unwrap();
            assert_eq!(found.cell(), cell);
            let headline = fathom_words::report_part::headline(&found.headline(&after));
            assert!(headline.contains(says), "{headline}");
        }
        assert!(recovery(&before, 20.0, &[]).is_none() && recovery(&[], 20.0, &before).is_none());
    }
}
