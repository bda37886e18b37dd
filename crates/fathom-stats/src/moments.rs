//! Count, sum, sum of squares and extremes: what slat and clat keep when the job does not ask for
//! their percentiles.
//!
//! The accumulators are integers, so the order of recording and merging does not change a digit.
//! Doubles would lose digits in long runs.

/// Integer moments of a stream of values, usually nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moments {
    n: u64,
    sum: u128,
    sum_squares: u128,
    min: u64,
    max: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self::new()
    }
}

impl Moments {
    /// Moments without any value.
    pub const fn new() -> Self {
        Self { n: 0, sum: 0, sum_squares: 0, min: u64::MAX, max: 0 }
    }

    /// Moments as they were saved: count, sum, sum of squares, minimum, maximum ([`Self::parts`]).
    pub const fn from_parts((n, sum, sum_squares, min, max): (u64, u128, u128, u64, u64)) -> Self {
        Self { n, sum, sum_squares, min, max }
    }

    /// Count, sum, sum of squares, minimum and maximum, to be saved. Without a value, the minimum is
    /// above the maximum.
    pub const fn parts(&self) -> (u64, u128, u128, u64, u64) {
        (self.n, self.sum, self.sum_squares, self.min, self.max)
    }

    /// Adds one value.
    #[inline(always)]
    pub fn record(&mut self, value: u64) {
        self.record_n(value, 1);
    }

    /// Adds a value `n` times.
    #[inline(always)]
    pub fn record_n(&mut self, value: u64, n: u64) {
        if value > u64::from(u32::MAX) || n > u64::from(u32::MAX) {
            return self.record_large(value, n);
        }
        if n == 0 {
            return;
        }
        // Below 2^32 (4.3 seconds) a square fits into one word, so no long multiplication
        // is needed.
        self.n += n;
        self.sum += u128::from(value * n);
        let (squares, is_over) = self.sum_squares.overflowing_add(u128::from(value * value) * u128::from(n));
        self.sum_squares = squares;
        if is_over {
            self.stand_still();
        }
        // Two separate tests: if they were one, the compiler would compute it without
        // jumps.
        if value < self.min {
            self.lower(value);
        }
        if value > self.max {
            self.raise(value);
        }
    }

    #[cold]
    fn record_large(&mut self, value: u64, n: u64) {
        if n == 0 {
            return;
        }
        let wide = u128::from(value);
        self.n += n;
        self.sum += wide * u128::from(n);
        let squares = (wide * wide).saturating_mul(n.into());
        self.sum_squares = self.sum_squares.saturating_add(squares);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// The sum of squares is too large to be stored, and stays at the maximum.
    #[cold]
    fn stand_still(&mut self) {
        self.sum_squares = u128::MAX;
    }

    #[cold]
    fn lower(&mut self, value: u64) {
        self.min = value;
    }

    #[cold]
    fn raise(&mut self, value: u64) {
        self.max = value;
    }

    /// Adds all that `other` has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.n = self.n.saturating_add(other.n);
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.n
    }

    /// Exact sum of the values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Smallest value.
    pub fn min(&self) -> Option<u64> {
        (self.n > 0).then_some(self.min)
    }

    /// Largest value.
    pub fn max(&self) -> Option<u64> {
        (self.n > 0).then_some(self.max)
    }

    /// Arithmetic mean.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum as f64 / self.n as f64)
    }

    /// Standard deviation as estimated from a sample (divided by n − 1), the one definition that all
    /// reports use, and fio's (3.33, checked against its log of single I/Os); needs two values.
    pub fn stddev(&self) -> Option<f64> {
        Some((self.squared_deviations().filter(|_| self.n > 1)? / (self.n - 1) as f64).sqrt())
    }

    /// Σ (v − mean)². `None` without values, or when their squares went beyond 128 bits, which
    /// takes 2^32 values of three days each.
    ///
    /// The textbook difference of Σv² and n·mean² loses all digits when the spread is small compared with
    /// the mean. So the sum is first moved, in exact integers, to the whole number below the mean.
    fn squared_deviations(&self) -> Option<f64> {
        if self.n == 0 || self.sum_squares == u128::MAX {
            return None;
        }
        let n = u128::from(self.n);
        let (whole, rest) = (self.sum / n, self.sum % n);
        // Σ(v − w)² = Σv² − 2wΣv + nw². Modulo 2^128 is enough: the result itself fits.
        let moved = self
            .sum_squares
            .wrapping_sub(whole.wrapping_mul(self.sum).wrapping_mul(2))
            .wrapping_add(n.wrapping_mul(whole).wrapping_mul(whole));
        let rest = rest as f64;
        Some((moved as f64 - rest * rest / self.n as f64).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Moments {
        let mut moments = Moments::new();
        values.iter().for_each(|v| moments.record(*v));
        moments
    }

    #[test]
    fn worked_example() {
        let moments = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(moments.mean(), Some(5.0));
        assert_eq!(moments.stddev(), Some((32.0_f64 / 7.0).sqrt()));
        assert_eq!((moments.min(), moments.max()), (Some(2), Some(9)));
        assert_eq!((moments.count(), moments.sum()), (8, 40));
    }

    #[test]
    fn deviation_is_what_fio_makes_of_the_same_ios() {
        // fio 3.33, `--rw=read --size=12k --write_lat_log`: the log and the JSON of one run.
        let moments = of(&[246_861, 4_416, 1_582]);
        assert!((moments.stddev().unwrap() - 140_800.921_767).abs() < 1e-6);
    }

    #[test]
    fn small_spread_on_a_large_mean_survives() {
        // Mean 10^12 ns, spread 1 ns: in doubles Σv²/n − mean² would be off by 10^8.
        let far = 1_000_000_000_000;
        let moments = of(&[far - 1, far, far + 1, far]);
        assert_eq!(moments.stddev(), Some((2.0_f64 / 3.0).sqrt()));
    }

    #[test]
    fn nothing_and_one() {
        let empty = Moments::new();
        assert_eq!((empty.mean(), empty.stddev(), empty.min()), (None, None, None));
        let one = of(&[7]);
        assert_eq!((one.mean(), one.stddev()), (Some(7.0), None));
    }

    #[test]
    fn repeated_and_merged_equal_recorded() {
        let mut repeated = Moments::new();
        repeated.record_n(5, 3);
        repeated.record_n(99, 0);
        assert_eq!(repeated, of(&[5, 5, 5]));
        repeated.merge(&of(&[1, 9]));
        repeated.merge(&Moments::new());
        assert_eq!(repeated, of(&[1, 5, 5, 5, 9]));
    }

    #[test]
    fn squares_beyond_the_accumulator_give_no_deviation() {
        let broken_clock = of(&[u64::MAX, u64::MAX, u64::MAX]);
        assert_eq!(broken_clock.stddev(), None);
        assert_eq!(broken_clock.mean(), Some(u64::MAX as f64));
    }
}
