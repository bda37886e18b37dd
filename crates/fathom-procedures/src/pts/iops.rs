//! The IOPS test: random I/O of eight block sizes in seven mixes of reads and writes.

use super::figures::{Matrix, convergence, determination, tracking_variables};
use super::phase::{Loop, TestPhase};
use super::reported::Reported;
use super::segment::{Segment, Stimulus};
use super::terms::{Edition, FILL_BLOCK, PtsTerms};
use super::test::{ACTIVE_MIN, PtsTest};
use super::until::{Tracked, Until};
use fathom_job::units::Bytes;
use fathom_results::answer::JudgedFigure;
use fathom_results::{ReportPart, TestReport};

/// Reads among the I/Os, per cent, in the standard's order.
pub const MIXES: [u32; 7] = [100, 95, 65, 50, 35, 5, 0];

/// Blocks in the standard's order, bytes.
pub const BLOCKS: [Bytes; 8] = [
    Bytes::kib(1024),
    Bytes::kib(128),
    Bytes::kib(64),
    Bytes::kib(32),
    Bytes::kib(16),
    Bytes::kib(8),
    Bytes::kib(4),
    Bytes(512),
];

/// The tracking variables of PTS 2.0.x: mix and block.
const TRACKED: [(u32, Bytes); 3] = [(0, Bytes::kib(4)), (65, Bytes::kib(64)), (100, Bytes::kib(1024))];

/// TKperf tracks the first alone, as PTS 1.1 did.
const TRACKED_BY_TKPERF: usize = 1;

/// The time of one cell, seconds.
const CELL_S: u64 = 60;

pub const ROUND: &str = "iops-round";

pub static TEST: PtsTest = PtsTest {
    name: "iops",
    title: "IOPS test",
    takes_demand: true,
    needs_block: Bytes::kib(4),
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

fn phases(terms: &PtsTerms) -> Vec<TestPhase> {
    vec![
        TestPhase::Purge,
        TestPhase::Fill { cell: "iops-fill".to_owned(), block: FILL_BLOCK },
        TestPhase::Loop(Loop { until: rounds(terms), segments: Box::new(|terms, _| segments(terms)) }),
    ]
}

pub fn rounds(terms: &PtsTerms) -> Until {
    let many = if terms.edition == Edition::Tkperf { TRACKED_BY_TKPERF } else { TRACKED.len() };
    Until {
        cell: ROUND.to_owned(),
        tracked: TRACKED[..many].iter().filter(|(_, block)| *block >= terms.sector).map(tracked).collect(),
        rounds_max: terms.rounds_max,
        written_max: None,
    }
}

fn tracked((read, block): &(u32, Bytes)) -> Tracked {
    Tracked {
        name: format!("RND {block}, {}", mix_name(*read)),
        segment: segment_name(*read, *block),
        quantity: JudgedFigure::Iops,
    }
}

fn segments(terms: &PtsTerms) -> Vec<Segment> {
    let blocks: Vec<Bytes> = BLOCKS.into_iter().filter(|block| *block >= terms.sector).collect();
    let cells = MIXES.iter().flat_map(|read| blocks.iter().map(|block| (*read, *block)));
    let segment = |(read_percent, block): (u32, Bytes)| Segment {
        name: segment_name(read_percent, block),
        read_percent,
        stimulus: Stimulus::Random(block),
        demand: terms.demand,
        ms: terms.ms(CELL_S),
        idle_ms: 0,
    };
    cells.map(segment).collect()
}

/// `r65-64k`: the name of a segment.
pub fn segment_name(read: u32, block: Bytes) -> String {
    match block.0 {
        small if small < 1024 => format!("r{read}-{small}"),
        large => format!("r{read}-{}k", large / 1024),
    }
}

/// `65/35`: reads and writes, as the standard writes them.
pub fn mix_name(read: u32) -> String {
    format!("{read}/{}", 100 - read)
}

/// `0.5`: a block in KiB, as the standard writes it.
pub fn block_name(block: Bytes) -> String {
    format!("{}", block.0 as f64 / 1024.0)
}

fn report(of: &Reported<'_>, report: &mut TestReport) {
    let rounds = rounds(of.terms);
    let blocks: Vec<Bytes> = BLOCKS.into_iter().filter(|block| *block >= of.terms.sector).collect();
    let of_writes =
        blocks.iter().map(|block| (format!("{} KiB", block_name(*block)), segment_name(0, *block)));
    let (cells, mixes) = (blocks.len(), MIXES.len());
    let stimulus = format!(
        "{}, random, {cells} block sizes in {mixes} mixes of reads and writes",
        of.terms.demand.text()
    );
    report.parameters.push(("Stimulus".to_owned(), stimulus));
    report.parts.push(convergence(
        of,
        ROUND,
        "Steady state convergence: 0/100, all blocks",
        of_writes,
        JudgedFigure::Iops,
    ));
    report.parts.extend(tracking_variables(of, &rounds));
    determination(of, &rounds, report);
    let Some(window) = of.taken.reported_window(&rounds) else { return };
    let mean = |block: Bytes, read: u32| {
        of.taken.mean(ROUND, &window, &segment_name(read, block), |figures| Some(figures.iops))
    };
    let matrix = Matrix {
        title: "IOPS: mean of the measurement window".to_owned(),
        rows_are: "Block size (KiB)",
        columns_are: "Read/write mix (%)",
        unit: "IOPS",
        rows: blocks.iter().rev().map(|block| block_name(*block)).collect(),
        columns: MIXES.iter().rev().map(|read| mix_name(*read)).collect(),
        values: blocks
            .iter()
            .rev()
            .map(|block| MIXES.iter().rev().map(|read| mean(*block, *read)).collect())
            .collect(),
    };
    report.parts.push(matrix.table());
    let sizes: Vec<f64> = blocks.iter().rev().map(|block| block.0 as f64 / 1024.0).collect();
    report.parts.push(ReportPart::Plot(matrix.lines("IOPS by block size", &sizes)));
    report.parts.push(matrix.three_dimensional());
}
