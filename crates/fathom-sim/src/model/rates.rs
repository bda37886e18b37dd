//! Rates that follow from a model, without simulating it.

use super::{ArrayModel, DiskModel, DriveModel, FlashModel, SlcFull};

/// Bandwidth of long sequential I/O, in bytes a second, of the whole drive: before any scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequentialRates {
    /// Of reads.
    pub read_bytes_per_s: u64,
    /// Of writes, past any cache.
    pub write_bytes_per_s: u64,
}

impl FlashModel {
    /// The smallest of link, channels and dies.
    pub fn sequential_rates(&self) -> SequentialRates {
        let nand = &self.nand;
        let pages = u64::from(nand.word_line_pages);
        let channels = u64::from(nand.channels).saturating_mul(nand.bus_bytes_per_s);
        let dies = |bytes: u64, ns: u64| {
            (u128::from(nand.dies) * u128::from(bytes) * 1_000_000_000 / u128::from(ns.max(1))) as u64
        };
        let cache_ns = match self.slc {
            Some(slc) if slc.full == SlcFull::Fold => pages * (slc.program_ns + slc.read_ns),
            _ => 0,
        };
        let erase_ns = nand.erase_ns * pages / u64::from(nand.block_pages.max(1));
        let reads = dies(nand.plane_set_bytes(), nand.read_ns);
        let writes = dies(nand.word_line_bytes(), cache_ns + nand.program_ns + erase_ns);
        SequentialRates {
            read_bytes_per_s: self.link_bytes_per_s.min(channels).min(reads),
            write_bytes_per_s: self.link_bytes_per_s.min(writes),
        }
    }
}

impl DiskModel {
    /// The mean over the whole disk.
    pub fn sequential_rates(&self) -> SequentialRates {
        let mean = u64::midpoint(self.outer_bytes_per_s, self.inner_bytes_per_s);
        SequentialRates { read_bytes_per_s: mean, write_bytes_per_s: mean }
    }
}

impl ArrayModel {
    /// How long a drive that failed takes to be rebuilt while the host does nothing: its capacity at the
    /// slowest of what the others read, what the new one writes, and the limit that the array sets itself
    /// (md's `sync_speed_max`). `None` where nothing can be rebuilt: RAID 0, or a rate of zero.
    pub fn rebuild_ns(&self, limit_bytes_per_s: Option<u64>) -> Option<u64> {
        let (capacity_bytes, rates) = match &*self.drive {
            DriveModel::Flash(model) => (model.capacity_bytes, model.sequential_rates()),
            DriveModel::Disk(model) => (model.capacity_bytes, model.sequential_rates()),
            DriveModel::Array(_) => return None,
        };
        let slowest = rates.read_bytes_per_s.min(rates.write_bytes_per_s);
        let slowest = limit_bytes_per_s.map_or(slowest, |limit| limit.min(slowest));
        let is_redundant = self.redundancy != super::Redundancy::Stripes;
        (is_redundant && slowest > 0)
            .then(|| (u128::from(capacity_bytes) * 1_000_000_000 / u128::from(slowest)) as u64)
    }
}
