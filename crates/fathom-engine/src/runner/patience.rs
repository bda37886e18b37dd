//! How long a target may be silent.

use std::time::Duration;

/// When a silence is reported, and when it ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// A worker is reported when its target has not answered for this time.
    pub warn_after: Duration,
    /// A worker is given up after this time; `None`: only after a request to stop
    /// the run.
    pub give_up_after: Option<Duration>,
}

impl Patience {
    /// Twice the block layer's time-out of one request (30 s). A queue of an NVMe
    /// device may take that long with one retry.
    pub const USUAL: Patience =
        Patience { warn_after: Duration::from_secs(10), give_up_after: Some(Duration::from_secs(60)) };

    /// Gives a target up after `limit`, and reports it earlier; with zero it never gives up.
    pub fn of(limit: Duration) -> Patience {
        let warn_after = match limit {
            Duration::ZERO => Self::USUAL.warn_after,
            limit => Self::USUAL.warn_after.min(limit / 2),
        };
        Patience { warn_after, give_up_after: (!limit.is_zero()).then_some(limit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_limit_is_told_of_before_it_is_reached() {
        assert_eq!(Patience::of(Duration::from_secs(60)), Patience::USUAL);
        assert_eq!(Patience::of(Duration::from_secs(3)).warn_after, Duration::from_millis(1500));
        assert_eq!(Patience::of(Duration::ZERO).give_up_after, None);
    }
}
