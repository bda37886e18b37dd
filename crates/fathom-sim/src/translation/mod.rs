//! Flash translation: which physical slot holds each logical unit.
//!
//! Page-mapped: a forward map from unit to slot, and a reverse map from slot to unit. The reverse map is
//! *lazy*: an overwrite does not clear it, and a slot is live where the forward map points back to it. That
//! saves one random access to memory for each write, and no bitmap of valid slots is needed. A unit costs 4
//! bytes, a slot 4 bytes and a block 16 bytes ([`FlashSpace::memory_bytes`]).
//!
//! ```text
//!             map                     rev
//!   unit 7 ───────► slot 130      slot 130 ───► unit 7     live: map[rev[130]] = 130
//!                                 slot  12 ───► unit 7     stale: unit 7 has moved
//! ```
//!
//! Writes go to the *frontier*, the block that is being filled. When few blocks are free, a victim is chosen
//! (`blocks.rs`), and what is live in it is copied to a frontier, a few slots after each write of the host
//! (`collection.rs`), so that no write waits for a whole block.

mod blocks;
mod collection;
mod frontier;

pub use frontier::Frontiers;

use crate::SimError;
use blocks::Blocks;
use collection::Collection;
use frontier::Frontier;

/// A unit that was never written, or was trimmed.
const UNMAPPED: u32 = u32::MAX;

/// Which closed block is collected next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VictimChoice {
    /// The block with the fewest live units.
    Greedy,
    /// The block that was closed first. It is a comparison with theory; no drive is built so.
    Fifo,
}

/// Who wrote a unit to its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacedBy {
    /// The host.
    Host,
    /// Garbage collection.
    Collection,
}

/// What the translation asks of the flash. A drive gives each of these its time; `()` does nothing.
pub trait FlashWork {
    /// A unit has been put into `slot`. The slots of a block are used in order.
    fn placed(&mut self, slot: u32, by: PlacedBy);
    /// Garbage collection reads live units among the [`FlashSpace::read_units`] slots from `slot` on.
    fn collection_read(&mut self, slot: u32);
}

impl FlashWork for () {
    fn placed(&mut self, _: u32, _: PlacedBy) {}
    fn collection_read(&mut self, _: u32) {}
}

/// The state of the flash translation of one drive.
#[derive(Debug)]
pub struct Translation {
    space: FlashSpace,
    assignment: Frontiers,
    map: Vec<u32>,
    rev: Vec<u32>,
    blocks: Blocks,
    frontiers: [Frontier; 2],
    collection: Option<Collection>,
    mapped_units: u32,
    host_units: u64,
    collected_units: u64,
    erases: u64,
}

impl Translation {
    /// A drive without data: fresh out of the box.
    ///
    /// # Errors
    /// Memory for the maps cannot be had.
    pub fn new(space: FlashSpace, victims: VictimChoice) -> Result<Self, SimError> {
        let no_memory = || SimError::NoMemory { needed_bytes: space.memory_bytes() };
        let filled = |value: u32, length: usize| {
            let mut entries = Vec::new();
            entries.try_reserve_exact(length).map_err(|_| no_memory())?;
            entries.resize(length, value);
            Ok::<_, SimError>(entries)
        };
        let mut blocks = Blocks::new(space.blocks(), space.block_units(), victims);
        let assignment = space.frontiers();
        let frontiers = std::array::from_fn(|index| {
            if index < assignment.count() {
                Frontier::open(blocks.take_free(), &space)
            } else {
                Frontier::NONE
            }
        });
        Ok(Self {
            map: filled(UNMAPPED, space.units() as usize)?,
            rev: filled(0, space.slots() as usize)?,
            assignment,
            blocks,
            frontiers,
            space,
            collection: None,
            mapped_units: 0,
            host_units: 0,
            collected_units: 0,
            erases: 0,
        })
    }

    /// The slot that holds `unit`; `None` if it is not written.
    pub fn slot_of(&self, unit: u32) -> Option<u32> {
        let slot = self.map[unit as usize];
        (slot != UNMAPPED).then_some(slot)
    }

    /// The host writes `unit`.
    pub fn write(&mut self, unit: u32, work: &mut impl FlashWork) {
        // The slot is taken first: making room for it may move the unit.
        let slot = self.host_slot(work);
        let old = std::mem::replace(&mut self.map[unit as usize], slot);
        self.rev[slot as usize] = unit;
        if old == UNMAPPED {
            self.mapped_units += 1;
        } else {
            self.blocks.lose_one(old / self.space.block_units());
        }
        self.host_units += 1;
        work.placed(slot, PlacedBy::Host);
        self.collect_in_pace(work);
    }

    /// The host says that it does not need `unit` any more.
    pub fn trim(&mut self, unit: u32) {
        let old = std::mem::replace(&mut self.map[unit as usize], UNMAPPED);
        if old != UNMAPPED {
            self.mapped_units -= 1;
            self.blocks.lose_one(old / self.space.block_units());
        }
    }

    /// How the flash is divided.
    pub fn space(&self) -> &FlashSpace {
        &self.space
    }

    /// Units that hold data of the host.
    pub fn mapped_units(&self) -> u32 {
        self.mapped_units
    }

    /// Units that the host wrote.
    pub fn host_units(&self) -> u64 {
        self.host_units
    }

    /// Units that garbage collection copied.
    pub fn collected_units(&self) -> u64 {
        self.collected_units
    }

    /// Blocks that were erased.
    pub fn erases(&self) -> u64 {
        self.erases
    }

    /// Erases of the block that was erased most.
    pub fn block_erases_max(&self) -> u32 {
        self.blocks.erases_max()
    }

    /// The sum of the live units of all blocks, counted block by block. It equals [`Self::mapped_units`]; a
    /// test checks that.
    pub fn live_units(&self) -> u64 {
        self.blocks.live_units()
    }

    /// The slot that the host's next unit gets, if its block has room: what is in its word line is not yet
    /// programmed.
    pub fn host_frontier(&self) -> u32 {
        self.frontiers[0].next_slot()
    }
}

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

    /// Bytes of memory that a [`Translation`](Translation) of this division takes.
    pub fn memory_bytes(&self) -> u64 {
        let entries = u64::from(self.units) + u64::from(self.slots()) + u64::from(self.block_units) + 1;
        // A block has 16 bytes of state and 4 in the list of free blocks.
        4 * entries + 20 * u64::from(self.blocks)
    }
}
