//! The time line of a log, in memory that does not grow with it.
//!
//! Time is counted in ticks of 1/1024 s, so that steps whose length is a power of two of ticks fit into each other and
//! one of them is exactly a second. If there are too many steps, they are merged two by two.

/// Steps of a time line: two hours of seconds, 400 KB.
const BINS_MAX: usize = 1 << 13;

/// Ticks of a second, as a power of two.
pub(super) const SECOND_SHIFT: u32 = 10;

/// What lies in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeBin {
    /// How much of it is covered: ms for windows, I/Os where each line is an I/O.
    pub(super) weight: f64,
    /// The sum of value times weight.
    pub(super) sum: f64,
    /// Bytes, where each line is an I/O.
    pub(super) bytes: u64,
    /// Smallest value of a line.
    pub(super) min: u64,
    /// Largest value of a line.
    pub(super) max: u64,
}

impl TimeBin {
    const EMPTY: TimeBin = TimeBin { weight: 0.0, sum: 0.0, bytes: 0, min: u64::MAX, max: 0 };

    /// The mean of the values; `None` for an empty step.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }

    fn add(&mut self, other: &TimeBin) {
        self.weight += other.weight;
        self.sum += other.sum;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// Steps of equal length, without a gap between the first and the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeBins {
    /// A step has 2^shift ticks.
    shift: u32,
    /// Steps between time zero and the first.
    first: u64,
    bins: Vec<TimeBin>,
    is_merged: bool,
}

impl TimeBins {
    /// With steps not longer than this, as long as there is room.
    pub(super) fn with_step_of(ms: u64) -> TimeBins {
        TimeBins { shift: ticks(ms as f64).max(1.0).log2() as u32, ..TimeBins::default() }
    }

    /// Length of a step, ms.
    pub fn step_ms(&self) -> f64 {
        (1_u64 << self.shift) as f64 * 1000.0 / 1024.0
    }

    /// The power of two of ticks in a step.
    pub(super) fn shift(&self) -> u32 {
        self.shift
    }

    /// Were steps merged, because there was no room for all?
    pub fn is_merged(&self) -> bool {
        self.is_merged
    }

    /// Start in ms, and content, of each step.
    pub(super) fn iter(&self) -> impl Iterator<Item = (f64, &TimeBin)> {
        let start = move |at: usize| (self.first + at as u64) as f64 * self.step_ms();
        self.bins.iter().enumerate().map(move |(at, bin)| (start(at), bin))
    }

    /// Adds one I/O.
    #[inline]
    pub(super) fn add_io(&mut self, time_ms: u64, value: u64, bytes: u64) {
        let tick = time_ms * 128 / 125;
        let bin = self.bin((tick >> self.shift, tick));
        bin.weight += 1.0;
        bin.sum += value as f64;
        bin.bytes = bin.bytes.saturating_add(bytes);
        bin.min = bin.min.min(value);
        bin.max = bin.max.max(value);
    }

    /// Adds several I/Os of one value, whose bytes are not known.
    pub(super) fn add_ios(&mut self, time_ms: u64, value: u64, ios: u64) {
        let tick = time_ms * 128 / 125;
        let part =
            TimeBin { weight: ios as f64, sum: value as f64 * ios as f64, bytes: 0, min: value, max: value };
        self.bin((tick >> self.shift, tick)).add(&part);
    }

    /// How many steps there are.
    pub(super) fn len(&self) -> usize {
        self.bins.len()
    }

    /// Makes the steps twice as long, so that half of them are left.
    pub(super) fn coarsen(&mut self) {
        self.is_merged = true;
        self.double();
        self.bins.shrink_to_fit();
    }

    /// Adds a window: each step gets the part that lies in it.
    pub(super) fn add_window(&mut self, (from_ms, to_ms): (f64, f64), value: u64) {
        // Both ends first: they decide how long steps are.
        for tick in [ticks(from_ms) as u64, (ticks(to_ms) as u64).saturating_sub(1)] {
            self.bin((tick >> self.shift, tick));
        }
        let step = self.step_ms();
        let (first, last) = ((from_ms / step) as u64, ((to_ms / step).ceil() as u64).max(1) - 1);
        for at in first..=last.max(first) {
            let (low, high) = (from_ms.max(at as f64 * step), to_ms.min((at + 1) as f64 * step));
            let weight = (high - low).max(0.0);
            let part = TimeBin { weight, sum: value as f64 * weight, bytes: 0, min: value, max: value };
            if weight > 0.0 || first >= last {
                self.bin((at, at << self.shift)).add(&part);
            }
        }
    }

    /// The steps with 2^shift ticks each, which must not be less than now.
    pub(super) fn coarser(&self, shift: u32) -> TimeBins {
        let mut coarse = self.clone();
        while coarse.shift < shift {
            coarse.double();
        }
        coarse
    }

    /// The number of the first step, counted from time zero, and the steps.
    pub(super) fn numbered(&self) -> (u64, &[TimeBin]) {
        (self.first, &self.bins)
    }

    /// The step with this number, which contains this tick. Where there is no room, steps are merged.
    #[inline]
    fn bin(&mut self, (number, tick): (u64, u64)) -> &mut TimeBin {
        let at = number.wrapping_sub(self.first) as usize;
        if at < self.bins.len() { &mut self.bins[at] } else { self.made_bin(tick) }
    }

    #[cold]
    fn made_bin(&mut self, tick: u64) -> &mut TimeBin {
        loop {
            let number = tick >> self.shift;
            if self.bins.is_empty() {
                self.first = number;
            }
            let last = (self.first + self.bins.len() as u64).max(number + 1);
            let first = self.first.min(number);
            if last - first > BINS_MAX as u64 {
                self.is_merged = true;
                self.double();
                continue;
            }
            if number < self.first {
                let missing = (self.first - number) as usize;
                self.bins.splice(0..0, std::iter::repeat_n(TimeBin::EMPTY, missing));
                self.first = number;
            }
            let at = (number - self.first) as usize;
            if at >= self.bins.len() {
                self.bins.resize(at + 1, TimeBin::EMPTY);
            }
            return &mut self.bins[at];
        }
    }

    fn double(&mut self) {
        let first = self.first >> 1;
        let mut merged: Vec<TimeBin> = Vec::with_capacity(self.bins.len() / 2 + 1);
        for (number, bin) in (self.first..).zip(&self.bins) {
            let at = ((number >> 1) - first) as usize;
            if at == merged.len() {
                merged.push(TimeBin::EMPTY);
            }
            merged[at].add(bin);
        }
        (self.shift, self.first, self.bins) = (self.shift + 1, first, merged);
    }
}

/// The power of two of ticks of the first step that is not shorter than this.
pub(super) fn shift_of(ms: u64) -> u32 {
    (ticks(ms as f64).ceil() as u64).max(1).next_power_of_two().trailing_zeros()
}

/// Milliseconds as ticks.
fn ticks(ms: f64) -> f64 {
    ms * 1.024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_merged_and_nothing_is_lost() {
        let mut bins = TimeBins::default();
        for ms in 0..3_600_000_u64 {
            bins.add_io(ms, ms % 7, 4096);
        }
        assert!(bins.is_merged() && bins.bins.len() <= BINS_MAX);
        assert_eq!(bins.step_ms(), 500.0, "an hour of half seconds fits");
        let ios: f64 = bins.iter().map(|(_, bin)| bin.weight).sum();
        let bytes: u64 = bins.iter().map(|(_, bin)| bin.bytes).sum();
        assert_eq!((ios, bytes), (3.6e6, 3_600_000 * 4096));
        let inner = bins.iter().nth(100).unwrap();
        assert_eq!((inner.0, inner.1.weight), (50_000.0, 500.0));
    }

    #[test]
    fn a_window_is_shared_out_over_the_steps_that_it_covers() {
        let mut bins = TimeBins::with_step_of(1000);
        assert_eq!(bins.step_ms(), 1000.0);
        bins.add_window((0.0, 1500.0), 10);
        bins.add_window((1500.0, 2000.0), 30);
        let means: Vec<f64> = bins.iter().filter_map(|(_, bin)| bin.mean()).collect();
        assert_eq!(means, [10.0, 20.0]);
        let coarse = bins.coarser(SECOND_SHIFT + 1);
        assert_eq!(coarse.iter().filter_map(|(_, bin)| bin.mean()).collect::<Vec<_>>(), [15.0]);
        assert_eq!(coarse.iter().map(|(_, bin)| bin.weight).sum::<f64>(), 2000.0);
    }

    #[test]
    fn a_time_before_the_first_makes_room() {
        let mut bins = TimeBins::default();
        bins.add_io(1_000_000, 1, 0);
        bins.add_io(999_990, 1, 0);
        bins.add_io(0, 1, 0);
        assert_eq!(bins.iter().map(|(_, bin)| bin.weight).sum::<f64>(), 3.0);
        assert_eq!(bins.iter().next().unwrap().0, 0.0);
        bins.add_io(1 << 52, 1, 0);
        assert!(bins.bins.len() <= BINS_MAX);
    }
}
