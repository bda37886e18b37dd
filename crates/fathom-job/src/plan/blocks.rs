//! `bs`, `bsrange`, `bssplit` and `blockalign` to block sizes per direction.

use super::BlockSizes;
use crate::direction::PerDirection;
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use crate::value::{SizeRange, Split};

/// Block sizes by direction. The more specific option wins, whatever the
/// order, as in fio: `bssplit` over `bsrange` over `bs`.
pub(crate) fn sizes(job: &Job) -> PerDirection<BlockSizes> {
    if let Some(splits) = job.get(&options::BSSPLIT) {
        splits.map(|split| weighted(&split))
    } else if let Some(ranges) = job.get(&options::BSRANGE) {
        ranges.map(range)
    } else {
        job.get(&options::BS).map(BlockSizes::Fixed)
    }
}

/// Random offsets are multiples of this: `blockalign`, else the smallest block.
pub(super) fn align(job: &Job, blocks: &PerDirection<BlockSizes>) -> PerDirection<Bytes> {
    let given = job.get(&options::BLOCKALIGN);
    PerDirection::from_fn(|direction| {
        let asked = given.map(|align| align[direction]).filter(|align| align.0 > 0);
        asked.unwrap_or_else(|| blocks[direction].min())
    })
}

/// The option that the block sizes come from, for findings.
pub(super) fn option_in_force(job: &Job) -> &'static str {
    if job.is_given(&options::BSSPLIT) {
        "bssplit"
    } else if job.is_given(&options::BSRANGE) {
        "bsrange"
    } else {
        "bs"
    }
}

fn range(range: SizeRange) -> BlockSizes {
    if range.low == range.high {
        BlockSizes::Fixed(range.low)
    } else {
        BlockSizes::Range { low: range.low, high: range.high }
    }
}

/// Shares that sum to 100: entries without a share divide what the others leave, and the largest
/// share gets the remainder of that division, as in fio. The parser has checked that the given
/// shares leave room for that.
fn weighted(splits: &[Split]) -> BlockSizes {
    let given: u32 = splits.iter().filter_map(|split| split.percent).map(u32::from).sum();
    let blanks = splits.iter().filter(|split| split.percent.is_none()).count();
    let each = (100 - given).checked_div(u32::try_from(blanks).expect("few entries")).unwrap_or(0);
    let share = |split: &Split| split.percent.unwrap_or(u8::try_from(each).expect("at most 100"));
    let mut parts: Vec<(Bytes, u8)> = splits.iter().map(|split| (split.bytes, share(split))).collect();
    parts.sort_by_key(|(_, percent)| *percent);
    let sum: u8 = parts.iter().map(|(_, percent)| *percent).sum();
    if let Some((_, largest)) = parts.last_mut() {
        *largest += 100 - sum;
    }
    parts.retain(|(_, percent)| *percent > 0);
    match parts.as_slice() {
        [(only, _)] => BlockSizes::Fixed(*only),
        _ => BlockSizes::Split(parts),
    }
}
