//! What follows from a model without simulating it: rates, and what a plan must say of it.

use super::{ArrayModel, DiskModel, DriveModel, FlashModel, SlcFull};
use crate::{SimError, fifo_write_amplification, greedy_write_amplification};
use std::fmt;

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

/// Expected error of write amplification above which a model gets a remark: the tolerance of its tests.
const ERROR_SHARE_MAX: f64 = 0.02;

/// A remark about a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelRemark {
    /// The drive is a part of a whole one.
    Scaled {
        /// One of so many parts.
        scale: u32,
    },
    /// So few or so short blocks that write amplification is too low.
    FewBlocks {
        /// Blocks of the drive.
        blocks: u32,
        /// Units in each.
        block_units: u32,
        /// About how much too low write amplification is, in percent.
        error_percent: f64,
    },
}

impl FlashModel {
    /// What a plan must say of this drive.
    ///
    /// # Errors
    /// Those of [`FlashModel::space`].
    pub fn remarks(&self) -> Result<Vec<ModelRemark>, SimError> {
        let space = self.space()?;
        let over_provisioning = space.effective_over_provisioning();
        // Fitted to simulations with 64 to 4,096 blocks of 1,024 units: −17 to −0.3 % at 7 %, −3.9 % at
        // 28 % with 64 blocks.
        let few = 0.9 / (f64::from(space.blocks()) * over_provisioning);
        let short = greedy_write_amplification(over_provisioning, space.block_units())
            .zip(fifo_write_amplification(over_provisioning))
            .map_or(1.0, |(greedy, limit)| 1.0 - greedy / limit);
        let error = (few + short).min(1.0);
        let mut remarks = Vec::new();
        if self.scale > 1 {
            remarks.push(ModelRemark::Scaled { scale: self.scale });
        }
        if error > ERROR_SHARE_MAX {
            remarks.push(ModelRemark::FewBlocks {
                blocks: space.blocks(),
                block_units: space.block_units(),
                error_percent: error * 100.0,
            });
        }
        Ok(remarks)
    }
}

impl fmt::Display for ModelRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scaled { scale } => write!(
                f,
                "The drive is 1/{scale} of a whole one: capacity and parallelism are divided alike, so fills, \
                 transitions and steady state take as long as on the whole drive. The latency of I/Os that \
                 wait for each other is not that of the whole drive."
            ),
            Self::FewBlocks { blocks, block_units, error_percent } => write!(
                f,
                "The drive has only {blocks} blocks of {block_units} units, so its write amplification is about \
                 {error_percent:.0} % lower than that of a real drive. A smaller scale or a larger size corrects this."
            ),
        }
    }
}
