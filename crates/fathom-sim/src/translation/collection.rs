//! Garbage collection: copying what is live out of a victim, in pace with the writes of the host.
//!
//! A victim of b slots with v live ones frees b − v slots for the host. So it is scanned at b / (b − v) slots
//! for each write of the host, and is empty when the open block is full. A drive that copied the whole
//! block at once would stall its host for as long.

use super::{FlashWork, PlacedBy, Translation};

/// Slots that are scanned at once. Their entries in the map are looked up before any is moved, so the CPU
/// waits for many of them at the same time: three times as fast as one by one.
const STRIDE: usize = 64;

/// A victim that is being emptied.
#[derive(Debug)]
pub(super) struct Collection {
    block: u32,
    /// Slots of it that have been scanned.
    scanned: u32,
    /// Slots that it frees for the host.
    freed: u64,
    /// b for each write of the host, and less `freed` for each slot scanned.
    credit: u64,
}

impl Translation {
    /// What a write of the host makes due.
    #[inline]
    pub(super) fn collect_in_pace(&mut self, work: &mut impl FlashWork) {
        let Some(collection) = &mut self.collection else {
            if self.blocks.free() < self.assignment.reserve() as usize {
                self.begin_collection();
            }
            return;
        };
        collection.credit += u64::from(self.space.block_units());
        let stride = collection.freed * STRIDE as u64;
        if collection.credit >= stride {
            collection.credit -= stride;
            self.collect_stride(work);
        }
    }

    /// Ends the collection that has begun, or does a whole one.
    pub(super) fn collect_whole_block(&mut self, work: &mut impl FlashWork) {
        if self.collection.is_none() {
            self.begin_collection();
        }
        while self.collection.is_some() {
            self.collect_stride(work);
        }
    }

    fn begin_collection(&mut self) {
        let (block, live) = self.blocks.take_victim();
        let freed = u64::from(self.space.block_units() - live).max(1);
        self.collection = Some(Collection { block, scanned: 0, freed, credit: 0 });
    }

    /// Copies what is live in the next slots, and erases the block after its last.
    fn collect_stride(&mut self, work: &mut impl FlashWork) {
        let block_units = self.space.block_units();
        let Some(Collection { block, scanned, .. }) = self.collection else { return };
        let slots = (block_units - scanned).min(STRIDE as u32);
        let first = block * block_units + scanned;
        let mut live = [0; STRIDE];
        let count = self.live_in(first, slots, &mut live, work);
        for &unit in &live[..count] {
            self.copy(unit, work);
        }
        self.blocks.lose_unlisted(block, count as u32);
        self.collected_units += count as u64;
        if scanned + slots == block_units {
            self.blocks.erase(block);
            self.erases += 1;
            self.collection = None;
        } else if let Some(collection) = &mut self.collection {
            collection.scanned += slots;
        }
    }

    /// Puts the live units of `slots` slots from `first` on into `live`; gives their number.
    fn live_in(&self, first: u32, slots: u32, live: &mut [u32; STRIDE], work: &mut impl FlashWork) -> usize {
        let read_units = self.space.read_units() as usize;
        let units = &self.rev[first as usize..(first + slots) as usize];
        let mut count = 0;
        let mut slot = first;
        for read in units.chunks(read_units) {
            let (before, read_slot) = (count, slot);
            for &unit in read {
                // Without a branch: which slots are live cannot be predicted.
                live[count] = unit;
                count += usize::from(self.map[unit as usize] == slot);
                slot += 1;
            }
            if count > before {
                work.collection_read(read_slot);
            }
        }
        count
    }

    #[inline]
    fn copy(&mut self, unit: u32, work: &mut impl FlashWork) {
        let slot = self.copy_slot();
        self.map[unit as usize] = slot;
        self.rev[slot as usize] = unit;
        work.placed(slot, PlacedBy::Collection);
    }
}
