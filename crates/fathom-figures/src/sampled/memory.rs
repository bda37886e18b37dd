//! Memory, as `free` and `sar -r` show it.

use super::SampledSpan;
use fathom_results::sample::kind::MEMORY;

/// Memory on average over a span: the lines of `/proc/meminfo`, KiB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryFigures {
    lines: Vec<(&'static str, f64)>,
}

impl MemoryFigures {
    /// A line of `/proc/meminfo`, KiB; 0 for one that was not sampled.
    pub fn kib(&self, line: &str) -> f64 {
        self.lines.iter().find(|(name, _)| *name == line).map_or(0.0, |(_, kib)| *kib)
    }

    /// What programs and the kernel use, KiB, as `free` computes it since procps 4.0.
    pub fn used_kib(&self) -> f64 {
        let (total, available) = (self.kib("MemTotal"), self.kib("MemAvailable"));
        if available > total { total - self.kib("MemFree") } else { total - available }
    }

    /// Buffers and page cache with the memory that the kernel can reclaim, KiB.
    pub fn cache_kib(&self) -> f64 {
        self.kib("Buffers") + self.kib("Cached") + self.kib("SReclaimable")
    }

    /// What `sar` calls used, KiB.
    pub fn sar_used_kib(&self) -> f64 {
        let not_used =
            ["MemFree", "Buffers", "Cached", "Slab"].iter().map(|line| self.kib(line)).sum::<f64>();
        (self.kib("MemTotal") - not_used).max(0.0)
    }
}

impl SampledSpan<'_> {
    /// Memory on average; `None` where it was not sampled.
    pub fn memory(&self) -> Option<MemoryFigures> {
        let rows = self.rows(&MEMORY);
        let row = rows.first()?;
        Some(MemoryFigures { lines: MEMORY.columns.iter().map(|line| (*line, row.mean(line))).collect() })
    }
}
