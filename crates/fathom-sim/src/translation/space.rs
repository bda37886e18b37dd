//! How the flash of a drive is divided: units, blocks, reserve.

use super::Frontiers;
use crate::SimError;

/// The division of the flash. Sizes count mapping units.
///
/// Over-provisioning is *effective*: (T − U) / U, where T leaves out the blocks that never hold data in
/// steady state: the reserve and the open blocks. Where they counted as space, a drive of 256 blocks with 7 %
/// would have 29 % too much write amplification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlashSpace {
    units: u32,
    block_units: u32,
    blocks: u32,
    read_units: u32,
    frontiers: Frontiers,
}

/// What a division is made of.
#[derive(Debug, Clone, Copy)]
pub struct Division {
    /// Logical units: the capacity that the drive offers.
    pub units: u64,
    /// (T − U) / U that is wanted. Whole blocks come nearest to it.
    pub over_provisioning: f64,
    /// Units in a block.
    pub block_units: u32,
    /// Units that garbage collection reads at once.
    pub read_units: u32,
    /// How writes are assigned to open blocks.
    pub frontiers: Frontiers,
}

impl FlashSpace {
    /// The division that comes nearest to what is wanted.
    ///
    /// # Errors
    /// Slots have no number of 32 bits, blocks are shorter than two units, or nothing is over-provisioned.
    pub fn new(division: Division) -> Result<Self, SimError> {
        let Division { units, over_provisioning, block_units, read_units, frontiers } = division;
        let too_many = SimError::TooManyUnits { units };
        let units_known = u32::try_from(units).map_err(|_| too_many.clone())?;
        if block_units < 2 || units < u64::from(block_units) {
            return Err(SimError::LessThanOneBlock { units, block_units });
        }
        let wanted = units as f64 * (1.0 + over_provisioning) / f64::from(block_units);
        // One block of spare is the least with which a victim with a stale unit can always be found.
        let least = units.div_ceil(u64::from(block_units)) + 1;
        let data_blocks = (wanted.round() as u64).max(least);
        let blocks = data_blocks + u64::from(frontiers.reserve()) + frontiers.count() as u64;
        if blocks.saturating_mul(u64::from(block_units)) >= u64::from(u32::MAX) {
            return Err(too_many);
        }
        let read_units = read_units.clamp(1, block_units);
        Ok(Self { units: units_known, block_units, blocks: blocks as u32, read_units, frontiers })
    }

    /// Logical units that the host sees.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Units in a block.
    pub fn block_units(&self) -> u32 {
        self.block_units
    }

    /// All blocks, with the reserve and the open ones.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Units that garbage collection reads at once.
    pub fn read_units(&self) -> u32 {
        self.read_units
    }

    /// How writes are assigned to open blocks.
    pub fn frontiers(&self) -> Frontiers {
        self.frontiers
    }

    /// Physical slots.
    pub fn slots(&self) -> u32 {
        self.blocks * self.block_units
    }

    /// (T − U) / U as it came out in whole blocks.
    pub fn effective_over_provisioning(&self) -> f64 {
        let unused = self.frontiers.reserve() + self.frontiers.count() as u32;
        let space = u64::from(self.blocks - unused) * u64::from(self.block_units);
        space as f64 / f64::from(self.units) - 1.0
    }

    /// Bytes of memory that a [`Translation`](super::Translation) of this division takes.
    pub fn memory_bytes(&self) -> u64 {
        let entries = u64::from(self.units) + u64::from(self.slots()) + u64::from(self.block_units) + 1;
        // A block has 16 bytes of state and 4 in the list of free blocks.
        4 * entries + 20 * u64::from(self.blocks)
    }
}
