//! When operations of the fsync family come: after a number of writes.

use crate::desc::{Desc, Op};

/// After how many writes each operation of the fsync family follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cadence {
    /// Writes before each fsync(2); 0 for never.
    fsync: u32,
    /// Writes before each fdatasync(2); 0 for never.
    fdatasync: u32,
    /// Writes before each sync_file_range(2); 0 for never.
    range: u32,
    writes: u32,
    due: Option<Desc>,
}

impl Cadence {
    /// Writes before each fsync(2), fdatasync(2) and sync_file_range(2); 0 for
    /// never.
    pub fn new(fsync: u32, fdatasync: u32, range: u32) -> Self {
        Cadence { fsync, fdatasync, range, ..Cadence::default() }
    }

    pub fn after_write(&mut self, file: u32) {
        self.writes = self.writes.wrapping_add(1);
        let due = |every: u32| every > 0 && self.writes.is_multiple_of(every);
        let op = match () {
            () if due(self.fsync) => Op::Fsync,
            () if due(self.fdatasync) => Op::Fdatasync,
            () if due(self.range) => Op::SyncRange,
            () => return,
        };
        self.due = Some(Desc::new(op, 0, 0, file));
    }

    /// Does the job ask for any of them?
    pub fn is_used(&self) -> bool {
        self.fsync | self.fdatasync | self.range != 0
    }

    /// The operation that is due before the next I/O.
    #[inline]
    pub fn take_due(&mut self) -> Option<Desc> {
        self.due.take()
    }

    /// Counts from the beginning (the ramp is over).
    pub fn restart(&mut self) {
        (self.writes, self.due) = (0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut cadence: Cadence, writes: usize) -> Vec<Option<Op>> {
        let mut due = || {
            cadence.after_write(3);
            cadence.take_due().map(|d| d.op())
        };
        (0..writes).map(|_| due()).collect()
    }

    #[test]
    fn each_comes_after_its_count_of_writes() {
        let both = Cadence::new(4, 2, 0);
        let (none, fsync, fdatasync) = (None, Some(Op::Fsync), Some(Op::Fdatasync));
        assert_eq!(after(both, 4), [none, fdatasync, none, fsync]);
        let range = Cadence::new(0, 0, 3);
        assert_eq!(after(range, 3), [none, none, Some(Op::SyncRange)]);
        assert_eq!(after(Cadence::default(), 2), [none, none]);
    }

    #[test]
    fn a_restart_forgets_what_is_due() {
        let mut cadence = Cadence::new(2, 0, 0);
        (0..2).for_each(|_| cadence.after_write(0));
        cadence.restart();
        assert_eq!(cadence.take_due(), None);
        cadence.after_write(0);
        assert_eq!(cadence.take_due(), None, "one write since");
    }
}
