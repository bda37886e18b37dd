//! Hits and misses of the page cache.
//!
//! A miss is a page that was added to the page cache, by any program. The pages that were read are those of
//! this run's buffered reads, and what of them was no miss was a hit. perf-tools' cachestat counts the same misses; it
//! takes the pages read from another place of the kernel, `mark_page_accessed`, which no tracepoint shows.

use super::{Sampled, SampledSpan};
use fathom_job::direction::Direction;
use fathom_results::sample::kind::{MEMORY, PAGE_CACHE, PAGING};
use fathom_results::{JobResult, SeriesPoint};

/// Bytes of a page. Where the kernel has pages of another size, the sampler counts none.
pub const PAGE_BYTES: f64 = 4096.0;

/// The page cache over a span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageCacheFigures {
    /// Pages that this run read through the page cache.
    pub read_pages: f64,
    /// Pages that were added to it; `None` where the kernel did not count them for us.
    pub miss_pages: Option<f64>,
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
    /// Pages that were found in the page cache.
    pub fn hit_pages(&self) -> Option<f64> {
        Some((self.read_pages - self.miss_pages?).max(0.0))
    }

    /// Hits in percent of the pages read; `None` where nothing was read.
    pub fn hit_percent(&self) -> Option<f64> {
        let hits = self.hit_pages()?;
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
        let jobs = self.run.jobs.iter().filter(|job| is_buffered(job));
        let points = jobs.flat_map(|job| &job.series);
        let read_bytes: f64 = points.map(|point| read_in(point, span.start_ns, span.end_ns)).sum();
        let added = span.rows(&PAGE_CACHE).first().map(|row| row.count("pages_added"));
        let memory = span.rows(&MEMORY);
        let mean = |line: &str| memory.first().map_or(0.0, |row| row.mean(line));
        Some(PageCacheFigures {
            read_pages: read_bytes / PAGE_BYTES,
            miss_pages: added,
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

/// Bytes that a worker read in this part of its time line.
fn read_in(point: &SeriesPoint, from_ns: u64, to_ns: u64) -> f64 {
    let inside = point.end_ns.min(to_ns).saturating_sub(point.start_ns.max(from_ns));
    let length = point.end_ns.saturating_sub(point.start_ns);
    point.bytes[Direction::Read] as f64 * crate::ratio(inside as f64, length as f64)
}
