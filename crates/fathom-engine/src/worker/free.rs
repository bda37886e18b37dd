//! The free slots of a queue.

/// A stack of slot numbers that never grows. The slot that was freed last is used
/// next, while its buffer is in the cache.
#[derive(Debug)]
pub struct FreeSlots {
    slots: Box<[u32]>,
    count: usize,
}

impl FreeSlots {
    /// All of `0..depth` are free; the lowest is used first.
    pub fn all(depth: u32) -> FreeSlots {
        FreeSlots { slots: (0..depth).rev().collect(), count: depth as usize }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn slots(&self) -> &[u32] {
        &self.slots[..self.count]
    }

    /// The slot to be used next.
    #[inline(always)]
    pub fn next(&self) -> Option<u32> {
        self.slots.get(self.count.wrapping_sub(1)).copied()
    }

    /// Removes the slot that [`FreeSlots::next`] returned.
    #[inline(always)]
    pub fn take(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Removes `count` slots. The slot that would be used next is the last in the slice.
    /// No more slots are removed than are left.
    #[inline(always)]
    pub fn take_many(&mut self, count: usize) -> &[u32] {
        let before = self.count;
        self.count = before.saturating_sub(count);
        &self.slots[self.count..before]
    }

    /// Begins to give back up to `count` slots.
    ///
    /// # Panics
    /// When more would be free than there are.
    #[inline(always)]
    pub fn giving(&mut self, count: usize) -> Giving<'_> {
        let FreeSlots { slots, count: back } = self;
        let place = slots.get_mut(*back..*back + count);
        let place = place.unwrap_or_else(|| unreachable!("no more can be free than there are"));
        Giving { places: place.iter_mut(), count, back }
    }

    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        let mut giving = self.giving(1);
        giving.give(slot);
        giving.end();
    }
}

/// Slots that are being given back. The place of the next one is kept in a register.
#[derive(Debug)]
pub struct Giving<'f> {
    places: std::slice::IterMut<'f, u32>,
    count: usize,
    back: &'f mut usize,
}

impl Giving<'_> {
    /// Adds a slot that is free again; at most `count` times.
    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        if let Some(place) = self.places.next() {
            *place = slot;
        }
    }

    #[inline(always)]
    pub fn given(&self) -> usize {
        self.count - self.places.len()
    }

    /// Ends giving slots back.
    #[inline(always)]
    pub fn end(self) {
        *self.back += self.given();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_once_and_the_last_freed_first() {
        let mut free = FreeSlots::all(5);
        let mut taken = Vec::new();
        while let Some(slot) = free.next().filter(|_| taken.len() < 3) {
            free.take();
            taken.push(slot);
        }
        assert_eq!(taken, [0, 1, 2]);
        assert_eq!(free.take_many(9), [4, 3], "no more than there are");
        assert!(free.is_empty());
        free.give(1);
        free.give(0);
        assert_eq!((free.next(), free.count()), (Some(0), 2));
    }
}
