//! How often the machine is read: each second, or less often where a reading costs too much.

const SECOND_NS: u64 = 1_000_000_000;

/// The part of one core that reading may take: 0.5 %.
const COST_PER_SECOND_NS: u64 = SECOND_NS / 200;

/// Readings never come later than this.
const SECONDS_MAX: u64 = 60;

/// A new cost changes the mean by one part of this many: one slow reading among many says little.
const WEIGHT: u64 = 8;

/// The pace of the readings.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// What a reading costs on average, ns.
    mean_ns: u64,
}

impl Pace {
    /// A reading cost this CPU time, ns.
    pub(super) fn took(&mut self, cost_ns: u64) {
        self.mean_ns = match self.mean_ns {
            0 => cost_ns,
            mean => (mean * (WEIGHT - 1) + cost_ns) / WEIGHT,
        };
    }

    /// Seconds between two readings.
    pub(super) fn seconds(&self) -> u64 {
        self.mean_ns.div_ceil(COST_PER_SECOND_NS).clamp(1, SECONDS_MAX)
    }

    /// When the next reading is due, after one at `last_ns`: whole seconds after `origin_ns`.
    pub(super) fn next_ns(&self, origin_ns: u64, last_ns: u64) -> u64 {
        let begun = last_ns.saturating_sub(origin_ns) / SECOND_NS;
        origin_ns + (begun + self.seconds()) * SECOND_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cheap_reading_comes_each_second_and_a_dear_one_less_often() {
        let mut pace = Pace::default();
        assert_eq!(pace.seconds(), 1);
        pace.took(300_000);
        assert_eq!(pace.seconds(), 1);
        (0..100).for_each(|_| pace.took(17_000_000));
        assert_eq!(pace.seconds(), 4, "17 ms every 4 s are 0.43 % of a core");
        (0..100).for_each(|_| pace.took(u64::from(u32::MAX)));
        assert_eq!(pace.seconds(), SECONDS_MAX);
    }

    #[test]
    fn readings_stay_on_the_seconds_of_the_window() {
        let pace = Pace::default();
        let origin = 2_300_000_000;
        // A reading comes a little after it was due, and the next one is not later for it.
        assert_eq!(pace.next_ns(origin, origin + SECOND_NS + 60_000), origin + 2 * SECOND_NS);
        assert_eq!(pace.next_ns(origin, origin + 40_000), origin + SECOND_NS);
        assert_eq!(pace.next_ns(origin, 0), origin + SECOND_NS, "before the window");
    }
}
