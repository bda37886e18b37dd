//! The throughput test: large blocks in order, read and written; for each block size from an empty device on.

use super::figures::{Matrix, convergence, determination};
use super::phase::{Loop, TestPhase};
use super::reported::Reported;
use super::segment::{Segment, Stimulus};
use super::taken::Taken;
use super::terms::{Demand, PtsTerms};
use super::test::{ACTIVE_MIN, PtsTest};
use super::until::{Tracked, Until};
use fathom_job::units::Bytes;
use fathom_results::TestReport;
use fathom_results::answer::JudgedFigure;

/// The blocks, in order.
const BLOCKS: [Bytes; 2] = [Bytes::kib(1024), Bytes::kib(128)];

/// Threads and depth.
const DEMAND: Demand = Demand { threads: 1, depth: 32 };

/// The time of one cell, seconds.
const CELL_S: u64 = 60;

pub static TEST: PtsTest = PtsTest {
    name: "tp",
    title: "Throughput test",
    takes_demand: false,
    needs_block: Bytes::kib(128),
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

fn phases(terms: &PtsTerms) -> Vec<TestPhase> {
    let of_block = |block: Bytes| {
        [
            TestPhase::Purge,
            TestPhase::Fill { cell: format!("tp-{}k-fill", block.0 >> 10), block },
            TestPhase::Loop(Loop {
                until: rounds(terms, block),
                segments: Box::new(move |terms, taken| segments(terms, taken, block)),
            }),
        ]
    };
    BLOCKS.into_iter().flat_map(of_block).collect()
}

fn cell(block: Bytes) -> String {
    format!("tp-{}k-round", block.0 >> 10)
}

fn segments(terms: &PtsTerms, taken: &Taken<'_>, block: Bytes) -> Vec<Segment> {
    let cell = cell(block);

    let one = |name: &str, read_percent| Segment {
        name: name.to_owned(),
        read_percent,
        stimulus: Stimulus::Sequential { block, from: from(taken, &cell, name, block, terms.active()) },
        demand: DEMAND,
        ms: terms.ms(CELL_S),
        idle_ms: 0,
    };
    vec![one("read", 100), one("write", 0)]
}

fn rounds(terms: &PtsTerms, block: Bytes) -> Until {
    let tracked = |name: &str, segment: &str| Tracked {
        name: format!("SEQ {block}, {name}"),
        segment: segment.to_owned(),
        quantity: JudgedFigure::Bandwidth,
    };
    Until {
        cell: cell(block),
        tracked: vec![tracked("0/100", "write"), tracked("100/0", "read")],
        rounds_max: terms.rounds_max,
        written_max: None,
    }
}

/// Where a segment in order goes on: behind what it has moved in the rounds before. Otherwise every round would use the
/// same part of the device. It begins again where not twice as much is left as the last round moved.
pub fn from(taken: &Taken<'_>, cell: &str, segment: &str, block: Bytes, active: Bytes) -> Bytes {
    let mut at = 0;
    for moved in taken.series(cell, segment, |figures| Some(figures.bytes_per_second * figures.seconds)) {
        let moved = moved.unwrap_or(0.0).max(0.0) as u64;
        at += moved;
        if at + 2 * moved > active.0 {
            at = 0;
        }
    }
    Bytes(at - at % block.0)
}

fn report(of: &Reported<'_>, report: &mut TestReport) {
    report.parameters.push(("Stimulus".to_owned(), DEMAND.text() + ", sequential"));
    let mut values = Vec::new();
    for block in BLOCKS {
        let rounds = rounds(of.terms, block);
        for (name, segment) in [("0/100", "write"), ("100/0", "read")] {
            let title = format!("Steady state convergence: {block}, {name}");
            let series = [(name.to_owned(), segment.to_owned())];
            let plot = convergence(of, &rounds.cell, &title, series, JudgedFigure::Bandwidth);
            report.parts.push(plot);
        }
        determination(of, &rounds, report);
        let window = of.taken.reported_window(&rounds);
        let mean = |segment: &str| {
            let mean =
                |figures: &fathom_results::procedure::RoundFigures| Some(figures.bytes_per_second / 1e6);
            of.taken.mean(&rounds.cell, window.as_ref()?, segment, mean)
        };
        values.push(vec![mean("write"), mean("read")]);
    }
    let matrix = Matrix {
        title: "Throughput: mean of the measurement window (MB/s)".to_owned(),
        rows_are: "Block size (KiB)",
        columns_are: "Read/write mix (%)",
        unit: "MB/s",
        rows: BLOCKS.iter().map(|block| (block.0 >> 10).to_string()).collect(),
        columns: vec!["0/100".to_owned(), "100/0".to_owned()],
        values,
    };
    report.parts.push(matrix.table());
    report.parts.push(matrix.three_dimensional());
}
