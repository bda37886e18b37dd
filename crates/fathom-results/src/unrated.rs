//! Which amounts of I/O are told as they are, because a rate, a mean or a percentile of them would say nothing.

use crate::totals::Latency;
use fathom_stats::Moments;
use serde::{Deserialize, Serialize};

/// Amounts of less time are not told as a rate: 2,560 I/Os in 3 ms are no 853,333 IOPS (contract T-50). A worker may begin
/// and end a tick of the scheduler late, 10 ms where HZ is 100 (Linux, kernel/Kconfig.hz). In a tenth of a second one tick is 10 %,
/// which is as far as a round may be from the mean in the steady state of SNIA PTS 2.0.1.
pub const RATE_NS_MIN: u64 = 100_000_000;

/// Fewer I/Os are told by their number, and neither as a rate nor with a mean or a percentile: of so few events, the relative
/// error of their rate is above a third (1/√10 is 0.32).
pub const RATE_IOS_MIN: u64 = 10;

/// Why I/Os are told by their number and not as a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unrated {
    /// They were measured for less than [`RATE_NS_MIN`].
    TooShort,
    /// They are fewer than [`RATE_IOS_MIN`].
    TooFew,
}

impl Unrated {
    /// Why so many I/Os in this time, ns, are no rate; `None` where they are one. No I/O at all in a time that is long enough is the
    /// rate 0.
    pub fn of(ios: u64, ns: u64) -> Option<Self> {
        match ns < RATE_NS_MIN {
            true => Some(Unrated::TooShort),
            false => has_too_few(ios).then_some(Unrated::TooFew),
        }
    }

    /// Behind an amount and its time: `which is too short for a rate`.
    pub fn words(self) -> &'static str {
        match self {
            Unrated::TooShort => "which is too short for a rate",
            Unrated::TooFew => "too few for a rate",
        }
    }
}

/// Are there events, and too few for a rate, a mean or a percentile?
pub fn has_too_few(events: u64) -> bool {
    (1..RATE_IOS_MIN).contains(&events)
}

/// The mean of these values, if they are enough for one.
pub fn mean_of_enough(moments: &Moments) -> Option<f64> {
    moments.mean().filter(|_| !has_too_few(moments.count()))
}

impl Latency {
    /// Its mean, ns; `None` where it was not kept, and of fewer than [`RATE_IOS_MIN`] I/Os.
    pub fn mean_ns(&self) -> Option<f64> {
        mean_of_enough(&self.moments)
    }

    /// Is it of too few I/Os for a mean or a percentile?
    pub fn has_too_few(&self) -> bool {
        has_too_few(self.moments.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_needs_time_and_ios() {
        let second = 1_000_000_000;
        assert_eq!(Unrated::of(2_560, RATE_NS_MIN - 1), Some(Unrated::TooShort));
        assert_eq!(Unrated::of(3, 3_000_000), Some(Unrated::TooShort));
        assert_eq!([1, 9].map(|ios| Unrated::of(ios, second)), [Some(Unrated::TooFew); 2]);
        assert_eq!([0, 10, 2_560].map(|ios| Unrated::of(ios, second)), [None; 3]);
    }
}
