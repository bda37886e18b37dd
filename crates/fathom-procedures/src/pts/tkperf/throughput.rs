//! TKperf's throughput test: five block sizes in order. For each, writes until steady state, then as many rounds of reads.

use super::block_name;
use crate::pts::figures::{Matrix, convergence, determination};
use crate::pts::phase::{Fixed, Loop, TestPhase};
use crate::pts::reported::Reported;
use crate::pts::segment::{Segment, Stimulus};
use crate::pts::taken::Taken;
use crate::pts::terms::{Demand, FILL_BLOCK, PtsTerms};
use crate::pts::test::{ACTIVE_MIN, PtsTest};
use crate::pts::throughput::from;
use crate::pts::until::{Tracked, Until};
use fathom_job::units::Bytes;
use fathom_judge::steady::WINDOW_ROUNDS;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::RoundFigures;
use fathom_results::{ReportPart, ReportSeries, TestReport};

/// The blocks, in TKperf's order.
const BLOCKS: [Bytes; 5] = [Bytes::kib(1024), Bytes::kib(64), Bytes::kib(8), Bytes::kib(4), Bytes(512)];

/// The time of one cell, seconds.
const CELL_S: u64 = 60;

pub static TEST: PtsTest = PtsTest {
    name: "tp",
    title: "Throughput test",
    takes_demand: true,
    needs_block: Bytes::kib(4),
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

/// The blocks that the target can have.
pub fn blocks(terms: &PtsTerms) -> Vec<Bytes> {
    BLOCKS.into_iter().filter(|block| *block >= terms.sector).collect()
}

/// One stream, with as many I/Os outstanding as TKperf's jobs have together.
pub fn demand(terms: &PtsTerms) -> Demand {
    Demand { threads: 1, depth: terms.demand.threads.saturating_mul(terms.demand.depth) }
}

/// What the round of the reads of a block size is called.
pub fn reads_cell(block: Bytes) -> String {
    format!("tp-{}-reads", block_name(block))
}

/// The rounds of the writes of a block size.
pub fn rounds(terms: &PtsTerms, block: Bytes) -> Until {
    let tracked = Tracked {
        name: format!("SEQ {block}, 0/100"),
        segment: "write".to_owned(),
        quantity: JudgedFigure::Bandwidth,
    };
    Until {
        cell: format!("tp-{}-round", block_name(block)),
        tracked: vec![tracked],
        rounds_max: terms.rounds_max,
        written_max: None,
    }
}

fn phases(terms: &PtsTerms) -> Vec<TestPhase> {
    let of_block = |block: Bytes| {
        let until = rounds(terms, block);
        [
            TestPhase::Purge,
            TestPhase::Fill { cell: format!("tp-{}-fill", block_name(block)), block: FILL_BLOCK },
            TestPhase::Loop(Loop {
                until,
                segments: Box::new(move |terms, taken| writes(terms, taken, block)),
            }),
            TestPhase::Fixed(Fixed {
                cell: reads_cell(block),
                segments: Box::new(move |terms, taken| reads(terms, taken, block)),
                rounds: 1,
            }),
        ]
    };
    blocks(terms).into_iter().flat_map(of_block).collect()
}

fn writes(terms: &PtsTerms, taken: &Taken<'_>, block: Bytes) -> Vec<Segment> {
    let at = from(taken, &rounds(terms, block).cell, "write", block, terms.active());
    vec![segment("write".to_owned(), 0, (block, at), terms)]
}

/// As many as there are rounds of writes, spread over the device.
fn reads(terms: &PtsTerms, taken: &Taken<'_>, block: Bytes) -> Vec<Segment> {
    let done = taken.rounds(&rounds(terms, block).cell).len() as u64;
    let many = if done == 0 { u64::from(terms.rounds_max) } else { done };
    let of = |number: u64| {
        let at = terms.active().0 / many * number;
        segment(format!("read-{:02}", number + 1), 100, (block, Bytes(at - at % block.0)), terms)
    };
    (0..many).map(of).collect()
}

fn segment(name: String, read_percent: u32, (block, from): (Bytes, Bytes), terms: &PtsTerms) -> Segment {
    let stimulus = Stimulus::Sequential { block, from };
    Segment { name, read_percent, stimulus, demand: demand(terms), ms: terms.ms(CELL_S), idle_ms: 0 }
}

/// A figure of each round of reads.
pub fn of_reads(taken: &Taken<'_>, block: Bytes, of: impl Fn(&RoundFigures) -> f64) -> Vec<f64> {
    let rounds = taken.rounds(&reads_cell(block));
    rounds.iter().flat_map(|(round, _)| &round.figures).map(of).collect()
}

fn report(of: &Reported<'_>, report: &mut TestReport) {
    report.parameters.push(("Stimulus".to_owned(), demand(of.terms).text() + ", sequential"));
    let blocks = blocks(of.terms);
    let mut values = Vec::new();
    for block in &blocks {
        let until = rounds(of.terms, *block);
        let title = format!("Steady state convergence: {block}, 0/100");
        let series = [("0/100".to_owned(), "write".to_owned())];
        report.parts.push(convergence(of, &until.cell, &title, series, JudgedFigure::Bandwidth));
        let reads = of_reads(of.taken, *block, |figures| figures.bytes_per_second / 1e6);
        report.parts.push(of_rounds(format!("Reads: {block}, 100/0"), &reads));
        determination(of, &until, report);
        let megabytes = |figures: &RoundFigures| Some(figures.bytes_per_second / 1e6);
        let window = of.taken.reported_window(&until);
        let written = window.and_then(|window| of.taken.mean(&until.cell, &window, "write", megabytes));
        let last = reads.get(reads.len().saturating_sub(WINDOW_ROUNDS)..).filter(|last| !last.is_empty());
        values.push(vec![written, last.map(|last| last.iter().sum::<f64>() / last.len() as f64)]);
    }
    let matrix = Matrix {
        title: "Throughput: mean of the last five rounds (MB/s)".to_owned(),
        rows_are: "Block size (KiB)",
        columns_are: "Read/write mix (%)",
        unit: "MB/s",
        rows: blocks.iter().map(|block| (block.0 as f64 / 1024.0).to_string()).collect(),
        columns: vec!["0/100".to_owned(), "100/0".to_owned()],
        values,
    };
    report.parts.push(matrix.table());
    report.parts.push(matrix.three_dimensional());
}

fn of_rounds(title: String, values: &[f64]) -> ReportPart {
    let points = (1..).zip(values).map(|(round, value)| (f64::from(round), *value)).collect();
    let series = vec![ReportSeries::measured("100/0", points)];
    ReportPart::plot(title, "round", "MB/s", series)
}
