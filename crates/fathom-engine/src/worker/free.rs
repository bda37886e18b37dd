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

    /// A slot is free again.
    #[inline(always)]
    pub fn give(&mut self, slot: u32) {
        if let Some(place) = self.slots.get_mut(self.count) {
            *place = slot;
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_once_and_the_last_freed_first() {
        let mut free = FreeSlots::all(3);
        let mut taken = Vec::new();
        while let Some(slot) = free.next() {
            free.take();
            taken.push(slot);
        }
        assert_eq!(taken, [0, 1, 2]);
        assert!(free.is_empty());
        free.give(1);
        free.give(0);
        assert_eq!(free.next(), Some(0));
    }
}
