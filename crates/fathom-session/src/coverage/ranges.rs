//! Ranges that were written whole.

use serde::{Deserialize, Serialize};

/// Of more ranges, the oldest are forgotten: then less counts as written than was.
const RANGES_MAX: usize = 1_000;

/// In which order a range was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// One block after the other.
    Sequential,
    /// Each block once, in random order.
    Random,
}

/// A range that was written whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredRange {
    /// First byte.
    pub start_bytes: u64,
    /// First byte after it.
    pub end_bytes: u64,
    /// The order.
    pub pattern: Pattern,
    /// The block.
    pub block_bytes: u64,
    /// How often.
    pub passes: u32,
}

impl CoveredRange {
    fn is_like(&self, other: &CoveredRange) -> bool {
        (self.pattern, self.block_bytes) == (other.pattern, other.block_bytes)
    }
}

/// Adds a range. One that continues a range of the same kind makes it longer, so that a pass in many portions is one.
pub(super) fn add(ranges: &mut Vec<CoveredRange>, new: CoveredRange) {
    let continues = |known: &&mut CoveredRange| {
        known.is_like(&new) && known.passes == new.passes && known.end_bytes == new.start_bytes
    };
    if let Some(known) = ranges.iter_mut().rev().find(continues) {
        known.end_bytes = new.end_bytes;
    } else {
        ranges.push(new);
    }
    join(ranges);
    let too_many = ranges.len().saturating_sub(RANGES_MAX);
    ranges.drain(..too_many);
}

/// Two passes over the same range are one entry.
fn join(ranges: &mut Vec<CoveredRange>) {
    let Some(last) = ranges.pop() else { return };
    let is_same = |known: &&mut CoveredRange| {
        known.is_like(&last) && (known.start_bytes, known.end_bytes) == (last.start_bytes, last.end_bytes)
    };
    match ranges.iter_mut().find(is_same) {
        Some(known) => known.passes = known.passes.saturating_add(last.passes),
        None => ranges.push(last),
    }
}

/// How often each byte between the two places was written at least, in this order or in any.
pub(super) fn passes(ranges: &[CoveredRange], of: Option<Pattern>, start_bytes: u64, end_bytes: u64) -> u32 {
    let of_kind = || ranges.iter().filter(move |range| of.is_none_or(|pattern| range.pattern == pattern));
    let inside = |place: &u64| (start_bytes..end_bytes).contains(place);
    // The number changes only where a range begins or ends.
    let changes = of_kind().flat_map(|range| [range.start_bytes, range.end_bytes]).filter(inside);
    let at = |place: u64| -> u32 {
        let over = of_kind().filter(|range| (range.start_bytes..range.end_bytes).contains(&place));
        over.fold(0, |sum, range| sum.saturating_add(range.passes))
    };
    std::iter::once(start_bytes).chain(changes).map(at).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start_bytes: u64, end_bytes: u64, pattern: Pattern) -> CoveredRange {
        CoveredRange { start_bytes, end_bytes, pattern, block_bytes: 4096, passes: 1 }
    }

    fn all(parts: &[(u64, u64, Pattern)]) -> Vec<CoveredRange> {
        let mut ranges = Vec::new();
        parts.iter().for_each(|(start, end, pattern)| add(&mut ranges, range(*start, *end, *pattern)));
        ranges
    }

    #[test]
    fn portions_of_two_passes_become_one_range() {
        use Pattern::Sequential;
        let ranges =
            all(&[(0, 10, Sequential), (10, 20, Sequential), (0, 10, Sequential), (10, 20, Sequential)]);
        assert_eq!(ranges, [CoveredRange { passes: 2, ..range(0, 20, Sequential) }]);
    }

    /// What was written in blocks of 4 KiB is known apart from what was written in others.
    #[test]
    fn a_pass_of_another_block_or_order_is_another_range() {
        let one = range(0, 10, Pattern::Random);
        let larger = CoveredRange { block_bytes: 8192, ..one.clone() };
        let in_order = range(0, 10, Pattern::Sequential);
        let mut ranges = Vec::new();
        [&one, &larger, &in_order, &one].into_iter().for_each(|pass| add(&mut ranges, pass.clone()));
        assert_eq!(ranges, [CoveredRange { passes: 2, ..one }, larger, in_order]);
    }

    #[test]
    fn the_least_number_of_passes_counts() {
        use Pattern::{Random, Sequential};
        let ranges = all(&[(0, 20, Sequential), (0, 10, Sequential), (5, 25, Random)]);
        for (start, end, in_order, in_any) in [
            (0, 10, 2, 2),
            (0, 20, 1, 2),
            (5, 10, 2, 3),
            (0, 25, 0, 1),
            (20, 25, 0, 1),
            (20, 26, 0, 0),
            (30, 40, 0, 0),
        ] {
            assert_eq!(passes(&ranges, Some(Sequential), start, end), in_order, "{start} to {end}");
            assert_eq!(passes(&ranges, None, start, end), in_any, "{start} to {end}");
        }
    }

    #[test]
    fn the_oldest_ranges_are_forgotten() {
        let mut ranges = Vec::new();
        (0..2_000).for_each(|n| add(&mut ranges, range(10 * n, 10 * n + 5, Pattern::Sequential)));
        assert_eq!(ranges.len(), RANGES_MAX);
        assert_eq!(ranges.last().unwrap().start_bytes, 19_990);
    }
}
