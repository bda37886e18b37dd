//! Hits and misses of the page cache.
//!
//! A miss is a page that was added to the page cache, by any program. The pages that were read are those of
//! this run's buffered reads, and what of them was no miss was a hit. perf-tools' cachestat counts the same misses; it
//! takes the pages read from another place of the kernel, `mark_page_accessed`, which no tracepoint shows.
//!
//! Hits are counted sample by sample, and those of a longer span are their sum: pages that were added in one second, by
//! read-ahead or by other programs, take away no hit of another second.

use super::{Sampled, SampledSpan};
use fathom_job::direction::Direction;
use fathom_results::sample::kind::{MEMORY, PAGE_CACHE, PAGING};
use fathom_results::{JobResult, PackedSample, SeriesPoint};

/// Bytes of a page. Where the kernel has pages of another size, the sampler counts none.
pub const PAGE_BYTES: f64 = 4096.0;

/// The page cache over a span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageCacheFigures {
    /// Pages that this run read through the page cache.
    pub read_pages: f64,
    /// Pages that were added to it; `None` where the kernel did not count them for us.
    pub miss_pages: Option<f64>,
    /// Pages that were found in it; `None` where misses were not counted.
    pub hit_pages: Option<f64>,
    /// Pages that were made dirty, by any program.
    pub dirtied_pages: f64,
    /// What waits to be written, on average, KiB.
    pub dirty_kib: f64,
    /// What is being written, on average, KiB.
    pub write_back_kib: f64,
    /// Buffers of file systems, on average, KiB.
    pub buffers_kib: f64,
    /// The page cache, on average, KiB.
    pub cached_kib: f64,
}

impl PageCacheFigures {
    /// Hits in percent of the pages read; `None` where nothing was read.
    pub fn hit_percent(&self) -> Option<f64> {
        let hits = self.hit_pages?;
        (self.read_pages > 0.0).then(|| 100.0 * hits / self.read_pages)
    }
}

impl Sampled<'_> {
    /// Does any job use the page cache?
    pub fn is_buffered(&self) -> bool {
        self.run.jobs.iter().any(is_buffered)
    }

    /// The page cache over a span of this run; `None` where no job uses it.
    pub fn page_cache(&self, span: &SampledSpan<'_>) -> Option<PageCacheFigures> {
        if !self.is_buffered() {
            return None;
        }
        let parts = self.parts(span);
        let read_pages: f64 = parts.iter().map(|part| part.read_pages).sum();
        let hits = || parts.iter().map(|part| (part.read_pages - part.added).max(0.0)).sum();
        let added = span.rows(&PAGE_CACHE).first().map(|row| row.count(ADDED));
        let memory = span.rows(&MEMORY);
        let mean = |line: &str| memory.first().map_or(0.0, |row| row.mean(line));
        Some(PageCacheFigures {
            read_pages,
            miss_pages: added,
            hit_pages: added.map(|_| hits()),
            dirtied_pages: span.rows(&PAGING).first().map_or(0.0, |row| row.count("nr_dirtied")),
            dirty_kib: mean("Dirty"),
            write_back_kib: mean("Writeback"),
            buffers_kib: mean("Buffers"),
            cached_kib: mean("Cached"),
        })
    }
}

fn is_buffered(job: &JobResult) -> bool {
    !job.planned.direct && job.planned.files.iter().any(|file| !file.path.is_empty())
}

/// The column of the pages that were added.
const ADDED: &str = "pages_added";

/// What of a sample lies in a span.
struct CachePart {
    from_ns: u64,
    to_ns: u64,
    /// Pages that were added to the page cache; 0 where they were not counted.
    added: f64,
    /// Pages that this run read through it.
    read_pages: f64,
}

impl Sampled<'_> {
    fn parts(&self, span: &SampledSpan<'_>) -> Vec<CachePart> {
        let mut parts: Vec<CachePart> = Vec::new();
        for packed in self.within(span.start_ns, span.end_ns) {
            let added = self.added(packed);
            for (from, to) in &span.windows {
                let (from_ns, to_ns) = (packed.start_ns.max(*from), packed.end_ns().min(*to));
                if from_ns < to_ns {
                    let share = crate::ratio((to_ns - from_ns) as f64, packed.length_ns as f64);
                    parts.push(CachePart { from_ns, to_ns, added: added * share, read_pages: 0.0 });
                }
            }
        }
        let jobs = self.run.jobs.iter().filter(|job| is_buffered(job));
        jobs.for_each(|job| add_reads(&mut parts, &job.series));
        parts
    }

    fn added(&self, packed: &PackedSample) -> f64 {
        let sampled = || {
            let (place, table) = self.run.samples.tables().of_kind(PAGE_CACHE.name)?;
            let sample = self.run.samples.unpacked(packed)?;
            let row = sample.tables.get(place)?.first()?.as_ref()?;
            row.get(table.column(ADDED)?).map(|pages| *pages as f64)
        };
        sampled().unwrap_or(0.0)
    }
}

/// Adds what a worker read in each part. Parts and points are both in order, so each point is looked at about once.
fn add_reads(parts: &mut [CachePart], points: &[SeriesPoint]) {
    let mut first = 0;
    for part in parts {
        while points.get(first).is_some_and(|point| point.end_ns <= part.from_ns) {
            first += 1;
        }
        let touching = points[first..].iter().take_while(|point| point.start_ns < part.to_ns);
        let bytes: f64 = touching.map(|point| read_in(point, part.from_ns, part.to_ns)).sum();
        part.read_pages += bytes / PAGE_BYTES;
    }
}

/// Bytes that a worker read in this part of its time line.
fn read_in(point: &SeriesPoint, from_ns: u64, to_ns: u64) -> f64 {
    let inside = point.end_ns.min(to_ns).saturating_sub(point.start_ns.max(from_ns));
    let length = point.end_ns.saturating_sub(point.start_ns);
    point.bytes[Direction::Read] as f64 * crate::ratio(inside as f64, length as f64)
}
