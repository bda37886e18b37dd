//! The write saturation test: random writes on an empty device, minute by minute, until it is saturated.

use super::figures::{determination, response_times};
use super::latency::HISTOGRAM_S;
use super::phase::{Fixed, Loop, TestPhase};
use super::reported::Reported;
use super::segment::Segment;
use super::taken::Taken;
use super::terms::{Edition, PtsTerms};
use super::test::{ACTIVE_MIN, PtsTest};
use super::until::{Tracked, Until};
use fathom_job::units::Bytes;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::RoundFigures;
use fathom_results::{ReportAxis, ReportPart, ReportSeries, TestReport};

/// Block of the writes.
const BLOCK: Bytes = Bytes::kib(4);

/// A check comes 30 minutes after the one before, and takes a minute: a cycle has 31.
const CYCLE_MINUTES: u32 = 31;

/// The test ends after 6 hours (PTS 2.0.x).
const MINUTES_MAX: u32 = 6 * 60;

/// The test ends when the user capacity was written so many times.
const FILLS_MAX: u64 = 4;

/// TKperf goes on for 24 hours, without steady state.
const TKPERF_MINUTES_MAX: u32 = 24 * 60;

/// Minutes of a round of TKperf's variant. Few, because it ends after a round in which the fills are reached.
const TKPERF_ROUND_MINUTES: u32 = 30;

pub const ROUND: &str = "wsat-round";
const HISTOGRAM: &str = "wsat-histogram";

pub static TEST: PtsTest = PtsTest {
    name: "wsat",
    title: "Write saturation test",
    takes_demand: true,
    needs_block: BLOCK,
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

fn phases(terms: &PtsTerms) -> Vec<TestPhase> {
    let writes = |terms: &PtsTerms, taken: &Taken<'_>| {
        let minutes = 1..=minutes_of_round(terms, taken);
        minutes.map(|number| Segment::writes(minute(number), BLOCK, terms.demand, terms.ms(60))).collect()
    };
    let mut phases =
        vec![TestPhase::Purge, TestPhase::Loop(Loop { until: rounds(terms), segments: Box::new(writes) })];
    if terms.edition != Edition::Tkperf {
        phases.push(TestPhase::Fixed(Fixed {
            cell: HISTOGRAM.to_owned(),
            segments: Box::new(|terms, _| {
                vec![Segment::writes("histogram", BLOCK, terms.demand, terms.ms(HISTOGRAM_S))]
            }),
            rounds: 1,
        }));
    }
    phases
}

/// The minutes of the next round. TKperf's end with the minute in which the capacity was written four times: that is foreseen
/// from the last minute.
fn minutes_of_round(terms: &PtsTerms, taken: &Taken<'_>) -> u32 {
    if terms.edition != Edition::Tkperf {
        return CYCLE_MINUTES;
    }
    let rounds = taken.rounds(ROUND);
    let Some(last) = rounds.last().and_then(|(round, _)| round.figures.last()) else {
        return TKPERF_ROUND_MINUTES;
    };
    let left = fills_max(terms) as f64 - taken.bytes(ROUND);
    let by_writes = (left / (last.bytes_per_second * last.seconds).max(1.0)).ceil() as u32;
    by_writes.clamp(1, TKPERF_ROUND_MINUTES)
}

/// The bytes with which the test ends.
pub fn fills_max(terms: &PtsTerms) -> u64 {
    FILLS_MAX * terms.active().0
}

fn minute(number: u32) -> String {
    format!("m{number:02}")
}

fn rounds(terms: &PtsTerms) -> Until {
    let tracked = Tracked {
        name: "RND 4 KiB, 0/100, by half hour".to_owned(),
        segment: minute(CYCLE_MINUTES),
        quantity: JudgedFigure::Iops,
    };
    let (tracked, rounds_max) = match terms.edition {
        Edition::Tkperf => (Vec::new(), TKPERF_MINUTES_MAX / TKPERF_ROUND_MINUTES),
        _ => (vec![tracked], MINUTES_MAX.div_ceil(CYCLE_MINUTES).min(terms.rounds_max)),
    };
    Until { cell: ROUND.to_owned(), tracked, rounds_max, written_max: Some(fills_max(terms)) }
}

/// The minutes of all rounds: time and bytes written at the end of each, with its figures.
pub fn minutes<'a>(of: &Reported<'a>) -> Vec<(f64, f64, &'a RoundFigures)> {
    let (mut minutes, mut written) = (0.0, 0.0);
    let rounds = of.taken.rounds(ROUND);
    let figures = rounds.iter().flat_map(|(round, _)| &round.figures);
    let add = |figures: &'a RoundFigures| {
        minutes += figures.seconds / 60.0;
        written += figures.bytes_per_second * figures.seconds;
        (minutes, written, figures)
    };
    figures.map(add).collect()
}

fn report(of: &Reported<'_>, report: &mut TestReport) {
    report.parameters.push(("Stimulus".to_owned(), of.terms.demand.text() + ", random 4 KiB writes"));
    let minutes = minutes(of);
    let capacity = of.terms.active().0 as f64;
    let rate = |figures: &RoundFigures| Some(figures.iops);
    let iops = |x: fn(f64, f64, f64) -> f64, label: &str, y: ReportAxis| {
        let points = points(&minutes, |minute, written| x(minute, written, capacity), rate);
        let scale = if y.is_log { ", logarithmic" } else { "" };
        plot(&format!("IOPS over {label}{scale}"), label, y, vec![ReportSeries::measured("IOPS", points)])
    };
    let linear = || ReportAxis::linear("IOPS");
    report.parts.push(iops(|minute, _, _| minute, "time (minutes)", linear()));
    report.parts.push(iops(|_, written, _| written / 1e9, "written data (GB)", linear()));
    report.parts.push(iops(|_, written, capacity| written / capacity, "drive fills", linear()));
    report.parts.push(iops(
        |_, written, capacity| written / capacity,
        "drive fills",
        ReportAxis::log("IOPS (logarithmic)"),
    ));
    let fills =
        |value: fn(&RoundFigures) -> Option<f64>| points(&minutes, |_, written| written / capacity, value);
    report.parts.push(plot(
        "Latency over drive fills",
        "drive fills",
        ReportAxis::log("ms (logarithmic)"),
        vec![
            ReportSeries::measured("average", fills(|it| it.latency_ns_mean.map(|ns| ns / 1e6))),
            ReportSeries::measured(
                "99.999 %",
                fills(|it| it.latency_percentiles.get(99.999).map(|ns| ns as f64 / 1e6)),
            ),
            ReportSeries::measured("maximum", fills(|it| it.latency_ns_max.map(|ns| ns as f64 / 1e6))),
        ],
    ));
    if of.terms.edition != Edition::Tkperf {
        determination(of, &rounds(of.terms), report);
    }
    let demand = format!("RND 4 KiB writes, {}", of.terms.demand.text());
    report.parts.extend(response_times(of, HISTOGRAM, "histogram", &demand));
}

fn points(
    minutes: &[(f64, f64, &RoundFigures)],
    x: impl Fn(f64, f64) -> f64,
    value: impl Fn(&RoundFigures) -> Option<f64>,
) -> Vec<(f64, f64)> {
    minutes
        .iter()
        .filter_map(|(minute, written, figures)| Some((x(*minute, *written), value(figures)?)))
        .collect()
}

fn plot(title: &str, x: &str, y: ReportAxis, series: Vec<ReportSeries>) -> ReportPart {
    ReportPart::plot(title, x, y, series)
}
