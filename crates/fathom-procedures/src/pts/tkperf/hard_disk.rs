//! TKperf's tests of hard disks: 128 zones from the first to the last block, because a disk is slower towards its centre.
//! Nothing is emptied or filled before, and there is no steady state.

use super::{block_name, throughput};
use crate::pts::figures::Matrix;
use crate::pts::iops::{mix_name, segment_name};
use crate::pts::phase::{Fixed, TestPhase};
use crate::pts::reported::Reported;
use crate::pts::segment::{Segment, Stimulus};
use crate::pts::taken::Taken;
use crate::pts::terms::PtsTerms;
use crate::pts::test::PtsTest;
use fathom_job::units::Bytes;
use fathom_results::procedure::RoundFigures;
use fathom_results::{ReportPart, ReportSeries, TestReport};

/// Zones of a disk.
pub const ZONES: u32 = 128;

/// A zone holds at least one block of each size.
const ACTIVE_MIN: Bytes = Bytes::mib(ZONES as u64);

/// Ends of zones are multiples of it, so that each block size of a sector fits.
const ALIGNMENT: u64 = 4096;

/// Reads among the I/Os of the IOPS test, per cent, in TKperf's order.
pub const MIXES: [u32; 3] = [100, 50, 0];

/// Blocks of the IOPS test, in TKperf's order.
pub const IOPS_BLOCKS: [Bytes; 3] = [Bytes::kib(64), Bytes::kib(16), Bytes::kib(4)];

/// Blocks of the throughput test, in TKperf's order.
pub const BLOCKS: [Bytes; 2] = [Bytes::kib(1024), Bytes::kib(4)];

/// The time of one cell, seconds.
const CELL_S: u64 = 60;

pub const IOPS_CELL: &str = "hdd-iops-zone";

pub static IOPS: PtsTest = PtsTest {
    name: "hdd-iops",
    title: "IOPS test of a hard disk",
    takes_demand: true,
    needs_block: Bytes::kib(4),
    needs_active: ACTIVE_MIN,
    phases: |_| vec![zones(IOPS_CELL.to_owned(), iops_segments)],
    report: report_iops,
};

pub static THROUGHPUT: PtsTest = PtsTest {
    name: "hdd-tp",
    title: "Throughput test of a hard disk",
    takes_demand: true,
    needs_block: Bytes::kib(4),
    needs_active: ACTIVE_MIN,
    phases: |_| {
        let of_block = |block: Bytes| {
            zones(cell(block), move |terms: &PtsTerms, at: u32| {
                let one = |name: &str, read| segment(name.to_owned(), read, (block, false), at, terms);
                vec![one("read", 100), one("write", 0)]
            })
        };
        BLOCKS.into_iter().map(of_block).collect()
    },
    report: report_throughput,
};

/// What the rounds of a block size of the throughput test are called.
pub fn cell(block: Bytes) -> String {
    format!("hdd-tp-{}-zone", block_name(block))
}

fn zones(cell: String, segments: impl Fn(&PtsTerms, u32) -> Vec<Segment> + 'static) -> TestPhase {
    let name = cell.clone();
    let of_next =
        move |terms: &PtsTerms, taken: &Taken<'_>| segments(terms, taken.rounds(&name).len() as u32);
    TestPhase::Fixed(Fixed { cell, segments: Box::new(of_next), rounds: ZONES })
}

fn iops_segments(terms: &PtsTerms, at: u32) -> Vec<Segment> {
    let cells = MIXES.iter().flat_map(|read| IOPS_BLOCKS.iter().map(|block| (*read, *block)));
    cells.map(|(read, block)| segment(segment_name(read, block), read, (block, true), at, terms)).collect()
}

fn segment(
    name: String,
    read_percent: u32,
    (block, is_random): (Bytes, bool),
    at: u32,
    terms: &PtsTerms,
) -> Segment {
    let (from, size) = zone(terms.active(), at);
    let stimulus = Stimulus::Zone { block, from, size, is_random };
    // Several sequential streams from the same block on would read what another has just read.
    let demand = if is_random { terms.demand } else { throughput::demand(terms) };
    Segment { name, read_percent, stimulus, demand, ms: terms.ms(CELL_S), idle_ms: 0 }
}

/// Where a zone begins, and its length; the last holds the rest.
fn zone(active: Bytes, at: u32) -> (Bytes, Bytes) {
    let length = active.0 / u64::from(ZONES);
    let length = length - length % ALIGNMENT;
    let from = length * u64::from(at);
    (Bytes(from), Bytes(if at + 1 >= ZONES { active.0.saturating_sub(from) } else { length }))
}

fn report_iops(of: &Reported<'_>, report: &mut TestReport) {
    report.parameters.push(("Stimulus".to_owned(), of.terms.demand.text() + ", random"));
    let iops = |figures: &RoundFigures| Some(figures.iops);
    let all = |read: u32, block: Bytes| of.taken.series(IOPS_CELL, &segment_name(read, block), iops);
    for read in MIXES {
        let line = |block: &Bytes| (block.to_string(), all(read, *block));
        let title = format!("IOPS by zone: {}", mix_name(read));
        report.parts.push(by_zone(title, "IOPS", IOPS_BLOCKS.iter().map(line)));
    }
    let matrix = Matrix {
        title: "IOPS: mean of all zones".to_owned(),
        rows_are: "Block size (KiB)",
        columns_are: "Read/write mix (%)",
        unit: "IOPS",
        rows: IOPS_BLOCKS.iter().map(|block| (block.0 / 1024).to_string()).collect(),
        columns: MIXES.iter().map(|read| mix_name(*read)).collect(),
        values: IOPS_BLOCKS
            .iter()
            .map(|block| MIXES.iter().map(|read| mean(&all(*read, *block))).collect())
            .collect(),
    };
    report.parts.push(matrix.table());
}

fn report_throughput(of: &Reported<'_>, report: &mut TestReport) {
    report.parameters.push(("Stimulus".to_owned(), throughput::demand(of.terms).text() + ", sequential"));
    let megabytes = |figures: &RoundFigures| Some(figures.bytes_per_second / 1e6);
    let all = |block: Bytes, segment: &str| of.taken.series(&cell(block), segment, megabytes);
    let directions = [("100/0", "read"), ("0/100", "write")];
    for block in BLOCKS {
        let lines = directions.map(|(name, segment)| (name.to_owned(), all(block, segment)));
        report.parts.push(by_zone(format!("Throughput by zone: {block}"), "MB/s", lines));
    }
    let matrix = Matrix {
        title: "Throughput: mean of all zones (MB/s)".to_owned(),
        rows_are: "Block size (KiB)",
        columns_are: "Read/write mix (%)",
        unit: "MB/s",
        rows: BLOCKS.iter().map(|block| (block.0 / 1024).to_string()).collect(),
        columns: directions.map(|(name, _)| name.to_owned()).to_vec(),
        values: BLOCKS
            .iter()
            .map(|block| directions.map(|(_, segment)| mean(&all(*block, segment))).to_vec())
            .collect(),
    };
    report.parts.push(matrix.table());
}

fn mean(values: &[Option<f64>]) -> Option<f64> {
    let values: Option<Vec<f64>> = values.iter().copied().collect();
    values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
}

fn by_zone(
    title: String,
    unit: &str,
    lines: impl IntoIterator<Item = (String, Vec<Option<f64>>)>,
) -> ReportPart {
    let series = |(name, values): (String, Vec<Option<f64>>)| {
        let points = (1..).zip(values).filter_map(|(zone, value)| Some((f64::from(zone), value?)));
        ReportSeries::measured(name, points.collect())
    };
    ReportPart::plot(
        title,
        "zone, from the first block of the disk",
        unit,
        lines.into_iter().map(series).collect(),
    )
}
