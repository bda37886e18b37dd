//! A share of a whole, exact to the ten-thousandth of a percent.

use std::fmt;

/// A share of a whole in millionths. Whole numbers add up exactly, so that 33.3 and 66.7 percent are all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(
    /// Millionths, 1,000,000 at most.
    pub u32,
);

impl Millionths {
    /// The whole.
    pub const ALL: Millionths = Millionths(1_000_000);
    /// Millionths in a percent.
    pub const PERCENT: u32 = 10_000;

    /// This share of a number, rounded down.
    pub fn of(self, whole: u64) -> u64 {
        let part = u128::from(whole) * u128::from(self.0) / u128::from(Millionths::ALL.0);
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}

/// The number of percent, with the decimals that it has: `12.5`.
impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / Millionths::PERCENT)?;
        match format!("{:04}", self.0 % Millionths::PERCENT).trim_end_matches('0') {
            "" => Ok(()),
            decimals => write!(f, ".{decimals}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_printed_with_the_decimals_that_it_has() {
        let table = [(0, "0"), (600_000, "60"), (125_000, "12.5"), (1, "0.0001"), (1_000_000, "100")];
        for (millionths, text) in table {
            assert_eq!(Millionths(millionths).to_string(), text);
        }
    }

    #[test]
    fn a_share_of_the_largest_number_fits() {
        assert_eq!(Millionths::ALL.of(u64::MAX), u64::MAX);
        assert_eq!((Millionths(333_333).of(3), Millionths(500_000).of(9)), (0, 4));
    }
}
