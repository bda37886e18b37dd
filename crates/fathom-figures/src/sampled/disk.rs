//! The disks below the targets, by the formulas of `iostat -x`.

use super::{SampledRow, SampledSpan};
use crate::ratio;
use fathom_results::sample::kind::DISK;

/// One disk.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskFigures {
    /// Its kernel name.
    pub name: String,
    /// Reads.
    pub read: DiskFlow,
    /// Writes.
    pub write: DiskFlow,
    /// Discards.
    pub discard: DiskFlow,
    /// Flushes: the requests of a second, and how long one took, ms.
    pub flush: (f64, f64),
    /// Requests in the queue and in the disk, on average.
    pub queued: f64,
    /// Percent of the time with a request under way.
    pub busy: f64,
}

/// Reads, writes or discards of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiskFlow {
    /// Requests completed in a second.
    pub requests: f64,
    /// KiB moved in a second.
    pub kib: f64,
    /// Requests that were merged into another before they were sent to the disk, in a second.
    pub merges: f64,
    /// How long a request took on average, queue included, ms.
    pub wait_ms: f64,
}

impl DiskFlow {
    /// Merged requests in percent of all that were asked for.
    pub fn merged_percent(&self) -> f64 {
        100.0 * ratio(self.merges, self.requests + self.merges)
    }

    /// KiB of a request on average.
    pub fn request_kib(&self) -> f64 {
        ratio(self.kib, self.requests)
    }

    fn of(row: &SampledRow<'_>, one: &str) -> DiskFlow {
        let requests = format!("{one}s");
        DiskFlow {
            requests: row.rate(&requests),
            kib: row.rate(&format!("{one}_sectors")) / 2.0,
            merges: row.rate(&format!("{one}_merges")),
            wait_ms: ratio(row.count(&format!("{one}_wait_ms")), row.count(&requests)),
        }
    }
}

impl DiskFigures {
    /// All requests but flushes, in a second.
    pub fn requests(&self) -> f64 {
        self.read.requests + self.write.requests + self.discard.requests
    }

    /// KiB of a request on average, all directions.
    pub fn request_kib(&self) -> f64 {
        ratio(self.read.kib + self.write.kib + self.discard.kib, self.requests())
    }

    /// How long a request took on average, all directions, ms.
    pub fn wait_ms(&self) -> f64 {
        let all = [&self.read, &self.write, &self.discard];
        ratio(all.iter().map(|flow| flow.requests * flow.wait_ms).sum(), self.requests())
    }
}

impl SampledSpan<'_> {
    /// Each disk, those that were gone left out.
    pub fn disks(&self) -> Vec<DiskFigures> {
        let figures = |row: SampledRow<'_>| DiskFigures {
            name: row.subject.to_owned(),
            read: DiskFlow::of(&row, "read"),
            write: DiskFlow::of(&row, "write"),
            discard: DiskFlow::of(&row, "discard"),
            flush: (row.rate("flushes"), ratio(row.count("flush_wait_ms"), row.count("flushes"))),
            // Milliseconds of requests in a second.
            queued: row.rate("wait_ms") / 1e3,
            busy: (row.rate("busy_ms") / 10.0).min(100.0),
        };
        self.rows(&DISK).into_iter().map(figures).collect()
    }
}
