//! The free slots of a queue.

/// A stack of slot numbers that never grows: the slot freed last is used
/// next, while its buffer is warm.
#[derive(Debug)]
pub struct FreeSlots {
    slots: Box<[u32]>,
    count: usize,
}

impl FreeSlots {
    /// All of `0..depth`, lowest first to go.
    pub fn all(depth: u32) -> FreeSlots {
        FreeSlots { slots: (0..depth).rev().collect(), count: depth as usize }
    }

    /// None left?
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many are left.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Those that are left.
    pub fn slots(&self) -> &[u32] {
        &self.slots[..self.count]
    }

    /// The slot to be used next.
    #[inline(always)]
    pub fn next(&self) -> Option<u32> {
        self.slots.get(self.count.wrapping_sub(1)).copied()
    }

    /// It is used.
    #[inline(always)]
    pub fn take(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Uses `count` slots at once, the first to be used last in the slice; no
    /// more than are left.
    #[inline(always)]
    pub fn take_many(&mut self, count: usize) -> &[u32] {
        let before = self.count;
        self.count = before.saturating_sub(count);
        &self.slots[self.count..before]
    }

    /// Up to `count` slots are about to be free again.
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

    /// A slot is free again.
    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        let mut giving = self.giving(1);
        giving.give(slot);
        giving.end();
    }
}

/// Slots on their way back; where they go is kept in a register meanwhile.
#[derive(Debug)]
pub struct Giving<'f> {
    places: std::slice::IterMut<'f, u32>,
    count: usize,
    back: &'f mut usize,
}

impl Giving<'_> {
    /// A slot is free again; no more often than was said.
    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        if let Some(place) = self.places.next() {
            *place = slot;
        }
    }

    /// How many were given.
    #[inline(always)]
    pub fn given(&self) -> usize {
        self.count - self.places.len()
    }

    /// That was all.
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
