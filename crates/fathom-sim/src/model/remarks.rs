//! What a plan must say of a model, without simulating it.

use super::FlashModel;
use crate::{SimError, fifo_write_amplification, greedy_write_amplification};
use std::fmt;

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
