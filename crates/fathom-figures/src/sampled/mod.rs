//! What the machine did beside a run, as rates and shares over any span.
//!
//! [`Sampled`] has the samples of a run. A span of it ([`SampledSpan`]) adds up the samples in it; a sample that
//! lies only partly in the span counts with that part. From the sums come the figures of each kind of thing:
//! those of sysstat's programs, by the same formulas.

mod cpu;
mod disk;
mod gauges;
mod interrupt;
mod memory;
mod page_cache;
mod paging;

pub use cpu::{CpuFigures, CpuUse};
pub use disk::{DiskFigures, DiskFlow};
pub use gauges::{ClockFigures, CountFigures, TemperatureFigures};
pub use interrupt::InterruptFigures;
pub use memory::MemoryFigures;
pub use page_cache::{PAGE_BYTES, PageCacheFigures};
pub use paging::PagingFigures;

use fathom_results::sample::kind::SampleKind;
use fathom_results::{JobResult, PackedSample, RunResult, RunSamples, Sample, SampleTable, SampleTables};

/// A sample shorter than this has no rates of its own, ns.
const MOMENT_NS: u64 = 100_000_000;

/// The samples of a run. They stay packed: unpacked, those of a day would take many times the memory.
#[derive(Clone, Debug)]
pub struct Sampled<'a> {
    run: &'a RunResult,
    /// Those that have a length, in order.
    samples: Vec<&'a PackedSample>,
}

/// Some time of a run, and what was sampled in it.
#[derive(Clone, Debug)]
pub struct SampledSpan<'a> {
    tables: &'a SampleTables,
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// First instant after it, ns since the start of the run.
    pub end_ns: u64,
    /// The part of it that samples cover, seconds.
    pub seconds: f64,
    /// The times of which it consists, in order.
    windows: Vec<(u64, u64)>,
    /// For each table its rows.
    sums: Vec<Vec<RowSum>>,
}

/// One row over a span.
#[derive(Clone, Debug, Default)]
struct RowSum {
    /// Counters: how far they went. Gauges: their values, each times the seconds for which it stood.
    cells: Vec<f64>,
    /// Seconds in which the row was there.
    seconds: f64,
}

impl<'a> Sampled<'a> {
    /// The samples of a run; `None` where nothing was sampled.
    pub fn of(run: &'a RunResult) -> Option<Self> {
        let has_length = |sample: &&PackedSample| sample.end_ns() > sample.start_ns;
        let samples: Vec<&PackedSample> = run.samples.packed().iter().filter(has_length).collect();
        let is_readable = samples.iter().any(|sample| run.samples.unpacked(sample).is_some());
        is_readable.then_some(Sampled { run, samples })
    }

    /// The samples as they are kept, with their cost.
    pub fn samples(&self) -> &'a RunSamples {
        &self.run.samples
    }

    /// CPU time of sampling as a share of one core.
    pub fn cost_share(&self) -> f64 {
        crate::ratio(self.run.samples.cost_ns() as f64, self.run.samples.covered_ns() as f64)
    }

    /// Why this kind of thing could not be read, where the machine should have it.
    pub fn unknown(&self, kind: &SampleKind) -> Option<&'a str> {
        let all = self.run.samples.tables().unknown.iter();
        all.filter(|one| one.kind == kind.name).map(|one| one.reason.as_str()).next()
    }

    /// Each sample of a measured window, in order. One of a moment, at the end of a window, is part of the one before.
    pub fn each(&self) -> impl Iterator<Item = SampledSpan<'a>> + '_ {
        let windows = self.windows();
        let is_measured = |sample: &&&PackedSample| {
            let middle = sample.start_ns + sample.length_ns / 2;
            windows.iter().any(|(from, to)| (*from..*to).contains(&middle))
        };
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for sample in self.samples.iter().filter(is_measured) {
            let is_moment = sample.length_ns < MOMENT_NS;
            match spans.last_mut().filter(|last| is_moment && last.1 == sample.start_ns) {
                Some(last) => last.1 = sample.end_ns(),
                None => spans.push((sample.start_ns, sample.end_ns())),
            }
        }
        // A sample that cannot be unpacked is left out.
        spans.into_iter().map(|span| self.over(&[span])).filter(|span| span.seconds > 0.0)
    }

    /// Every sample of the run, in `parts` spans at most, each of as many samples.
    pub fn line(&self, parts: usize) -> Vec<SampledSpan<'a>> {
        let each = self.samples.len().div_ceil(parts.max(1)).max(1);
        let span = |part: &[&PackedSample]| self.over(&[(part[0].start_ns, part[part.len() - 1].end_ns())]);
        self.samples.chunks(each).map(span).collect()
    }

    /// The measured windows of all jobs together.
    pub fn measured(&self) -> SampledSpan<'a> {
        self.over(&self.windows())
    }

    /// The measured window of one job; `None` where it has none.
    pub fn of_job(&self, job: &JobResult) -> Option<SampledSpan<'a>> {
        let from = job.measured_from_ns()?;
        Some(self.over(&[(from, from + job.runtime_ns())]))
    }

    /// The measured windows of the jobs, joined where they overlap.
    fn windows(&self) -> Vec<(u64, u64)> {
        let window = |job: &JobResult| {
            let from = job.measured_from_ns()?;
            Some((from, from + job.runtime_ns()))
        };
        let mut all: Vec<(u64, u64)> = self.run.jobs.iter().filter_map(window).collect();
        all.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (from, to) in all {
            match joined.last_mut().filter(|last| from <= last.1) {
                Some(last) => last.1 = last.1.max(to),
                None => joined.push((from, to)),
            }
        }
        joined
    }

    fn over(&self, windows: &[(u64, u64)]) -> SampledSpan<'a> {
        let tables = self.run.samples.tables();
        let start_ns = windows.first().map_or(0, |window| window.0);
        let end_ns = windows.last().map_or(0, |window| window.1);
        let empty = |table: &SampleTable| {
            let row = RowSum { cells: vec![0.0; table.columns.len()], seconds: 0.0 };
            vec![row; table.subjects.len()]
        };
        let sums = tables.tables.iter().map(empty).collect();
        let mut span =
            SampledSpan { tables, start_ns, end_ns, seconds: 0.0, windows: windows.to_vec(), sums };
        for packed in self.within(start_ns, end_ns) {
            let inside =
                |(from, to): &(u64, u64)| packed.end_ns().min(*to).saturating_sub(packed.start_ns.max(*from));
            let inside_ns: u64 = windows.iter().map(inside).sum();
            if inside_ns > 0
                && let Some(sample) = self.run.samples.unpacked(packed)
            {
                span.add(&sample, inside_ns);
            }
        }
        span
    }

    /// The samples that touch this time. They are in order.
    fn within(&self, start_ns: u64, end_ns: u64) -> impl Iterator<Item = &'a PackedSample> + '_ {
        let first = self.samples.partition_point(|sample| sample.end_ns() <= start_ns);
        self.samples[first..].iter().copied().take_while(move |sample| sample.start_ns < end_ns)
    }
}

impl<'a> SampledSpan<'a> {
    fn add(&mut self, sample: &Sample, inside_ns: u64) {
        let seconds = inside_ns as f64 / 1e9;
        let part = inside_ns as f64 / (sample.end_ns - sample.start_ns) as f64;
        self.seconds += seconds;
        for ((table, sums), rows) in self.tables.tables.iter().zip(&mut self.sums).zip(&sample.tables) {
            let weight = if table.is_counter { part } else { seconds };
            for (sum, row) in sums.iter_mut().zip(rows) {
                let Some(row) = row else { continue };
                sum.seconds += seconds;
                sum.cells.iter_mut().zip(row).for_each(|(sum, cell)| *sum += *cell as f64 * weight);
            }
        }
    }

    /// The rows of a kind that were there, each with its name.
    fn rows(&self, kind: &SampleKind) -> Vec<SampledRow<'_>> {
        let Some((place, table)) = self.tables.of_kind(kind.name) else { return Vec::new() };
        let rows = table.subjects.iter().zip(&self.sums[place]);
        let there = rows.filter(|(_, sum)| sum.seconds > 0.0);
        there.map(|(subject, sum)| SampledRow { table, subject, sum }).collect()
    }
}

/// One row of a table over a span.
#[derive(Clone, Copy, Debug)]
struct SampledRow<'a> {
    table: &'a SampleTable,
    subject: &'a str,
    sum: &'a RowSum,
}

impl SampledRow<'_> {
    /// How far a counter went; 0 for a column that was not sampled.
    fn count(&self, column: &str) -> f64 {
        self.table.column(column).map_or(0.0, |column| self.sum.cells[column])
    }

    /// The same for each second.
    fn rate(&self, column: &str) -> f64 {
        crate::ratio(self.count(column), self.sum.seconds)
    }

    /// The mean of a gauge. Its sum holds each value times the seconds for which it stood, so the mean is that sum per second.
    fn mean(&self, column: &str) -> f64 {
        self.rate(column)
    }
}

#[cfg(test)]
mod tests;
