//! Paging and swapping, as `sar -B` and `sar -W` show it.

use super::SampledSpan;
use crate::ratio;
use fathom_results::sample::kind::PAGING;

/// Paging in a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PagingFigures {
    lines: Vec<(&'static str, f64)>,
}

impl PagingFigures {
    /// How far a line of `/proc/vmstat` went in a second; 0 for one that was not sampled.
    pub fn rate(&self, line: &str) -> f64 {
        self.lines.iter().find(|(name, _)| *name == line).map_or(0.0, |(_, rate)| *rate)
    }

    /// Pages that were taken back, in a second.
    pub fn stolen(&self) -> f64 {
        self.rate("pgsteal_kswapd") + self.rate("pgsteal_direct")
    }

    /// Pages taken back in percent of those looked at.
    pub fn reclaimed_percent(&self) -> f64 {
        100.0 * ratio(self.stolen(), self.rate("pgscan_kswapd") + self.rate("pgscan_direct"))
    }
}

impl SampledSpan<'_> {
    /// Paging; `None` where it was not sampled.
    pub fn paging(&self) -> Option<PagingFigures> {
        let rows = self.rows(&PAGING);
        let row = rows.first()?;
        Some(PagingFigures { lines: PAGING.columns.iter().map(|line| (*line, row.rate(line))).collect() })
    }
}
