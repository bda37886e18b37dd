//! The latency test: one I/O at a time, and the response times of 20 minutes of writes.

use super::figures::{Matrix, convergence, determination, milliseconds, response_times};
use super::iops::{block_name, mix_name, segment_name};
use super::phase::{Fixed, Loop, TestPhase};
use super::reported::Reported;
use super::segment::{Segment, Stimulus};
use super::terms::{Demand, Edition, FILL_BLOCK, PtsTerms};
use super::test::{ACTIVE_MIN, PtsTest};
use super::until::{Tracked, Until};
use crate::pts::taken::MeasurementWindow;
use fathom_job::units::Bytes;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::RoundFigures;
use fathom_results::{ReportRemark, TestReport};

/// Reads among the I/Os, per cent, in order.
pub const MIXES: [u32; 3] = [100, 65, 0];

/// Blocks in order.
pub const BLOCKS: [Bytes; 3] = [Bytes::kib(8), Bytes::kib(4), Bytes(512)];

/// The block that is tracked, and that of the histogram.
const TRACKED: Bytes = Bytes::kib(4);

/// The time of one cell, seconds.
const CELL_S: u64 = 60;

/// The time of the histogram, seconds.
pub const HISTOGRAM_S: u64 = 20 * 60;

pub const ROUND: &str = "lat-round";
const HISTOGRAM: &str = "lat-histogram";

pub static TEST: PtsTest = PtsTest {
    name: "lat",
    title: "Latency test",
    takes_demand: false,
    needs_block: TRACKED,
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

fn phases(terms: &PtsTerms) -> Vec<TestPhase> {
    let mut phases = vec![
        TestPhase::Purge,
        TestPhase::Fill { cell: "lat-fill".to_owned(), block: FILL_BLOCK },
        TestPhase::Loop(Loop {
            until: rounds(terms),
            segments: Box::new(|terms, _| {
                let cells =
                    MIXES.iter().flat_map(|read| blocks(terms).into_iter().map(|block| (*read, block)));
                let segment = |(read_percent, block)| Segment {
                    name: segment_name(read_percent, block),
                    read_percent,
                    stimulus: Stimulus::Random(block),
                    demand: Demand::ONE,
                    ms: terms.ms(CELL_S),
                    idle_ms: 0,
                };
                cells.map(segment).collect()
            }),
        }),
    ];
    if terms.edition != Edition::Tkperf {
        phases.push(TestPhase::Fixed(Fixed {
            cell: HISTOGRAM.to_owned(),
            segments: Box::new(|terms, _| {
                vec![Segment::writes("histogram", TRACKED, Demand::ONE, terms.ms(HISTOGRAM_S))]
            }),
            rounds: 1,
        }));
    }
    phases
}

fn blocks(terms: &PtsTerms) -> Vec<Bytes> {
    BLOCKS.into_iter().filter(|block| *block >= terms.sector).collect()
}

pub fn rounds(terms: &PtsTerms) -> Until {
    let tracked = Tracked {
        name: "RND 4 KiB, 0/100, average latency".to_owned(),
        segment: segment_name(0, TRACKED),
        quantity: JudgedFigure::Latency,
    };
    Until { cell: ROUND.to_owned(), tracked: vec![tracked], rounds_max: terms.rounds_max, written_max: None }
}

/// The I/Os of which one is slower than 99.999 %.
const IOS_OF_FIVE_NINES: f64 = 1e5;

fn report(of: &Reported<'_>, report: &mut TestReport) {
    let (rounds, blocks) = (rounds(of.terms), blocks(of.terms));
    report.parameters.push(("Stimulus".to_owned(), Demand::ONE.text() + ", random"));
    let of_writes =
        || blocks.iter().map(|block| (format!("{} KiB", block_name(*block)), segment_name(0, *block)));
    let title = "Steady state convergence: average latency, 0/100";
    report.parts.push(convergence(of, ROUND, title, of_writes(), JudgedFigure::Latency));
    report.parts.push(of.over_rounds(
        ROUND,
        ("Steady state convergence: maximum latency, 0/100", "ms"),
        of_writes(),
        |figures| milliseconds(figures.latency_ns_max),
    ));
    determination(of, &rounds, report);
    if let Some(window) = of.taken.reported_window(&rounds) {
        of_window(of, &window, &blocks, report);
        report.parts.extend(response_times(of, HISTOGRAM, "histogram", "RND 4 KiB writes, TC 1 / QD 1"));
    }
}

/// The latencies and the rate of the measurement window, for each block size and mix.
fn of_window(of: &Reported<'_>, window: &MeasurementWindow, blocks: &[Bytes], report: &mut TestReport) {
    let matrix = |title: &str, unit: &'static str, of_figures: &dyn Fn(&str) -> Option<f64>| Matrix {
        title: title.to_owned(),
        rows_are: "Read/write mix (%)",
        columns_are: "Block size (KiB)",
        unit,
        rows: MIXES.iter().map(|read| mix_name(*read)).collect(),
        columns: blocks.iter().rev().map(|block| block_name(*block)).collect(),
        values: MIXES
            .iter()
            .map(|read| blocks.iter().rev().map(|block| of_figures(&segment_name(*read, *block))).collect())
            .collect(),
    };
    let mean = |segment: &str, of_round: fn(&RoundFigures) -> Option<f64>| {
        of.taken.mean(ROUND, window, segment, of_round)
    };
    let average = matrix("Average latency (ms): mean of the window", "ms", &|segment| {
        mean(segment, |figures| figures.latency_ns_mean.map(|ns| ns / 1e6))
    });
    let nines = matrix("99.999 % latency (ms): mean of the window", "ms", &|segment| {
        mean(segment, |figures| milliseconds(figures.latency_percentiles.get(99.999)))
    });
    let most = matrix("Maximum latency (ms): the longest of the window", "ms", &|segment| {
        let all = of.taken.series(ROUND, segment, |figures| milliseconds(figures.latency_ns_max));
        all.get(window.first() - 1..window.last)?.iter().flatten().copied().reduce(f64::max)
    });
    let rate =
        matrix("IOPS: mean of the window", "IOPS", &|segment| mean(segment, |figures| Some(figures.iops)));
    let ios = |segment: &str| of.taken.series(ROUND, segment, |figures| Some(figures.ios as f64));
    let is_few = |ios: f64| ios < IOS_OF_FIVE_NINES;
    if blocks.iter().any(|block| {
        MIXES.iter().any(|read| ios(&segment_name(*read, *block)).into_iter().flatten().any(is_few))
    }) {
        report.remarks.push(ReportRemark::FewForFiveNines);
    }
    report.parts.extend([average.table(), nines.table(), most.table(), rate.table()]);
    report.parts.extend([average.three_dimensional(), most.three_dimensional()]);
}
