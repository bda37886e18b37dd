//! How much a worker may still issue.

use fathom_job::plan::EndRule;

/// Counts issued I/O against the job's limits.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes_max: u64,
    ios_max: u64,
    bytes: u64,
    ios: u64,
}

impl Budget {
    /// The limits of a plan; a limit that is not set is never reached. A
    /// time-based job has no byte limit; `trimwrite` counts each block twice.
    pub fn new(end: &EndRule) -> Self {
        Budget {
            bytes_max: end.bytes.map_or(u64::MAX, |b| b.0),
            ios_max: end.ios.unwrap_or(u64::MAX),
            bytes: 0,
            ios: 0,
        }
    }

    /// Is a limit reached? A limit is checked before an I/O is made, so the
    /// last one may pass it by less than a block, as in fio.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.bytes >= self.bytes_max || self.ios >= self.ios_max
    }

    /// Takes one I/O.
    #[inline]
    pub fn take(&mut self, len: u32) {
        self.ios += 1;
        self.bytes += u64::from(len);
    }

    /// Takes `ios` I/Os of one length.
    pub fn take_many(&mut self, ios: u64, len: u32) {
        self.ios += ios;
        self.bytes += ios * u64::from(len);
    }

    /// How many I/Os of `len` bytes may be made now, at most `want`.
    #[inline]
    pub fn allows(&self, want: usize, len: u32) -> usize {
        let by_bytes = self.bytes_max.saturating_sub(self.bytes).div_ceil(u64::from(len.max(1)));
        let by_ios = self.ios_max.saturating_sub(self.ios);
        (want as u64).min(by_bytes).min(by_ios) as usize
    }

    /// Starts anew after the ramp, which has a budget of its own. So many I/Os
    /// and bytes are taken already: they are in flight.
    pub fn restart(&mut self, ios: u64, bytes: u64) {
        (self.ios, self.bytes) = (ios, bytes);
    }

    /// Was it the count of I/Os that ran out?
    pub fn ended_by_ios(&self) -> bool {
        self.ios >= self.ios_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::units::Bytes;

    fn budget(bytes: Option<u64>, ios: Option<u64>) -> Budget {
        Budget::new(&EndRule { bytes: bytes.map(Bytes), ios, time: None, loops: 1, time_based: false })
    }

    #[test]
    fn the_last_io_may_pass_the_byte_limit() {
        let mut budget = budget(Some(10_000), None);
        assert_eq!(budget.allows(64, 4096), 3);
        budget.take_many(2, 4096);
        assert!(!budget.is_spent());
        budget.take(4096);
        assert!(budget.is_spent() && !budget.ended_by_ios());
        assert_eq!(budget.allows(64, 4096), 0);
    }

    #[test]
    fn the_count_of_ios_limits_too() {
        let mut budget = budget(Some(1 << 30), Some(5));
        assert_eq!(budget.allows(64, 4096), 5);
        budget.take_many(5, 4096);
        assert!(budget.is_spent() && budget.ended_by_ios());
        budget.restart(0, 0);
        assert_eq!(budget.allows(3, 4096), 3);
    }

    #[test]
    fn without_limits_it_is_never_spent() {
        let mut budget = budget(None, None);
        budget.take_many(1 << 40, 1 << 20);
        assert!(!budget.is_spent() && !budget.ended_by_ios());
        assert_eq!(budget.allows(64, 0), 64);
    }
}
