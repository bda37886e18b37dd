//! Slots for asynchronous I/O of libaio (Documentation/admin-guide/sysctl/fs.rst, aio-nr and aio-max-nr): each context
//! reserves some of them, and the whole host has a limited number. The audit and the tuner judge them by the same rule.

/// How many slots the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AioSlots {
    /// Slots that contexts have reserved (`/proc/sys/fs/aio-nr`).
    pub used: u64,
    /// Slots that there are (`/proc/sys/fs/aio-max-nr`).
    pub max: u64,
}

impl AioSlots {
    /// Fewer free slots are few for a job of which nothing is known: sixteen workers at depth 64.
    pub const FREE_MIN: u64 = 1024;

    /// Slots that a job can reserve.
    pub fn free(self) -> u64 {
        self.max.saturating_sub(self.used)
    }

    /// Are few left for a job of which nothing is known?
    pub fn are_few(self) -> bool {
        self.free() < Self::FREE_MIN
    }
}
