//! Open blocks: where the next unit goes.

use super::{FlashSpace, FlashWork, Translation};

/// How writes are assigned to open blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frontiers {
    /// What the host writes and what is collected share one open block.
    One,
    /// One block for what the host writes, and one for what is collected: data that survived a collection is
    /// colder, so it is kept apart.
    HostAndCollected,
}

impl Frontiers {
    /// Blocks that are open at a time.
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::HostAndCollected => 2,
        }
    }

    /// Free blocks below which a collection begins.
    pub(super) fn reserve(self) -> u32 {
        self.count() as u32 + 1
    }
}

/// An open block and the slots that it has left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frontier {
    block: u32,
    next: u32,
    end: u32,
}

impl Frontier {
    /// The place of a frontier that the policy does not have.
    pub const NONE: Self = Self { block: u32::MAX, next: 0, end: 0 };

    pub fn open(block: u32, space: &FlashSpace) -> Self {
        let next = block * space.block_units();
        Self { block, next, end: next + space.block_units() }
    }

    pub fn next_slot(&self) -> u32 {
        self.next
    }

    fn is_full(&self) -> bool {
        self.next == self.end
    }
}

impl Translation {
    /// A slot for a unit of the host.
    pub(super) fn host_slot(&mut self, work: &mut impl FlashWork) -> u32 {
        // The last free block is for the copies of a collection: it ends with a block freed, so the loop
        // does too.
        while self.frontiers[0].is_full() {
            if self.blocks.free() > 1 {
                self.reopen(0);
            } else {
                self.collect_whole_block(work);
            }
        }
        self.next_slot(0)
    }

    /// A slot for a unit that is copied.
    #[inline]
    pub(super) fn copy_slot(&mut self) -> u32 {
        let index = self.assignment.count() - 1;
        if self.frontiers[index].is_full() {
            self.reopen(index);
        }
        self.next_slot(index)
    }

    #[inline]
    fn next_slot(&mut self, index: usize) -> u32 {
        let frontier = &mut self.frontiers[index];
        let slot = frontier.next;
        frontier.next += 1;
        self.blocks.gain_one(frontier.block);
        slot
    }

    fn reopen(&mut self, index: usize) {
        self.blocks.close(self.frontiers[index].block);
        self.frontiers[index] = Frontier::open(self.blocks.take_free(), &self.space);
    }
}
