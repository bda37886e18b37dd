//! One file of one clone: what its length is, where the clone begins in it,
//! and how much is asked from there.

use super::PlannedJob;
use super::fill;
use super::notes::{Checked, Notes};
use super::target::PlannedTarget;
use super::target::TargetKind;
use crate::option::Key;
use crate::options;
use crate::units::Bytes;
use crate::value::{Size, SizeRange};

/// Golden ratio less one: multiples of it, mod 1, spread evenly whatever their
/// number (Weyl's sequence), so drawn values repeat from run to run.
pub(super) const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// What is known of one file while its region is found.
pub(super) struct Spot<'a> {
    pub(super) planned: &'a PlannedJob,
    pub(super) target: &'a PlannedTarget,
    /// Length that percentages and the end refer to, if there is one.
    pub(super) length: Option<u64>,
    /// This file's part of an absolute `size`.
    share: Option<u64>,
    /// Length of a missing file once the clones before this one have laid it
    /// out; `None` where none of them does.
    pub(super) laid: Option<u64>,
}

impl<'a> Spot<'a> {
    pub(super) fn new(planned: &'a PlannedJob, target: &'a PlannedTarget, index: usize, count: u64) -> Self {
        let share = match planned.job.get(&options::SIZE) {
            Some(Size::Bytes(size)) if size.0 > 0 && !planned.job.is_given(&options::FILESIZE) => {
                Some(size.0 / count)
            }
            _ => None,
        };
        Spot { planned, target, length: length(planned, target, index, share), share, laid: None }
    }

    /// `offset` and the clone's part of `offset_increment`.
    pub(super) fn offset(&self, notes: &mut Notes) -> Checked<u64> {
        let job = &self.planned.job;
        let (base, step) = (job.get(&options::OFFSET), job.get(&options::OFFSET_INCREMENT));
        let clone = u64::from(self.planned.subjob);
        let start = self.distance(&options::OFFSET, base, notes)?;
        let each = if clone == 0 { 0 } else { self.distance(&options::OFFSET_INCREMENT, step, notes)? };
        let unit = match (base, step) {
            (Size::Percent(_), _) | (_, Size::Percent(_)) => self.offset_unit(),
            _ => 1,
        };
        let shifted = each.checked_mul(clone).and_then(|shift| shift.checked_add(start));
        shifted.and_then(|offset| offset.checked_next_multiple_of(unit)).ok_or_else(|| {
            let message = "offset_increment times the number of clones overflows 64 bits";
            self.error(&options::OFFSET_INCREMENT, "overflow", message)
        })
    }

    fn offset_unit(&self) -> u64 {
        match self.planned.job.get(&options::OFFSET_ALIGN) {
            Bytes(0) => self.planned.block_min().0,
            Bytes(unit) => unit,
        }
    }

    /// An offset in bytes of this file. A percentage of a file that the job will create refers to
    /// its length when the job is set up: 0, or what an earlier clone has laid out. fio does the
    /// same.
    fn distance(&self, key: &Key<Size>, distance: Size, notes: &mut Notes) -> Checked<u64> {
        let is_made_here = self.target.facts.kind == TargetKind::Missing && self.share.is_some();
        let Size::Percent(percent) = distance else { return self.amount(key, distance) };
        if !is_made_here || self.length.is_some() {
            return self.amount(key, distance);
        }
        if self.laid.is_none() && percent > 0 {
            notes.push(self.of_nothing(key, percent));
        }
        Ok(percent_of(self.laid.unwrap_or(0), percent))
    }

    /// A size option in bytes of this file.
    fn amount<T>(&self, key: &Key<T>, size: Size) -> Checked<u64> {
        match (size, self.length) {
            (Size::Bytes(bytes), _) => Ok(bytes.0),
            (Size::Percent(percent), Some(length)) => Ok(percent_of(length, percent)),
            (Size::Percent(percent), None) => {
                let message =
                    format!("{}={percent}% of {}: its size is not known", key.def.name, self.name());
                let hint = match self.target.facts.kind {
                    TargetKind::Missing => {
                        format!("name a device or a file that exists, or give {} in bytes", key.def.name)
                    }
                    _ => format!("give {} in bytes", key.def.name),
                };
                Err(self.error(key, "size-needed", &message).hint(hint))
            }
            (Size::Zones(_), _) => Err(self.error(
                key,
                "zones",
                "sizes in zones need a zoned device, which fathom does not support",
            )),
        }
    }

    /// Bytes asked for from `offset`, and bytes there are. Of a percentage only whole blocks count, as in fio.
    pub(super) fn extent(&self, offset: u64, notes: &mut Notes) -> Checked<(u64, u64)> {
        let job = &self.planned.job;
        match (job.get(&options::SIZE), self.share) {
            (_, Some(share)) if !self.target.facts.kind.is_drive() => {
                let behind = self.length.unwrap_or(0).saturating_sub(offset);
                Ok((share, behind.max(share)))
            }
            (_, Some(share)) => {
                let room = self.room(offset)?;
                if share > room {
                    notes.push(self.clipped(offset, share, room));
                }
                Ok((share.min(room), room))
            }
            (Some(Size::Percent(100)), None) => self.room(offset).map(|room| (room, room)),
            (Some(size @ (Size::Percent(_) | Size::Zones(_))), None) => {
                let part = self.amount(&options::SIZE, size)?;
                let room = self.room(offset)?;
                let asked = part.min(room);
                self.holds_a_block(offset, asked, asked)?;
                Ok((asked - asked % self.planned.block_min().0, room))
            }
            _ if self.is_until_full() => Ok((fill::room(offset), fill::room(offset))),
            _ => self.room(offset).map(|room| (room, room)),
        }
    }

    /// Does the file grow until no space is left?
    fn is_until_full(&self) -> bool {
        let job = &self.planned.job;
        let has_size = job.is_given(&options::FILESIZE) || job.get(&options::SIZE).is_some();
        fill::fills_files(self.planned) && self.target.facts.kind.is_file() && !has_size
    }

    /// Bytes from `offset` to the end.
    fn room(&self, offset: u64) -> Checked<u64> {
        let Some(length) = self.length.filter(|length| *length > 0) else {
            return Err(self.size_needed());
        };
        length.checked_sub(offset).filter(|room| *room > 0).ok_or_else(|| self.beyond_end(offset, length))
    }
}

/// The length that percentages and the end refer to: `filesize`, cut at the
/// end of a device; else what is there; for a target without end, its share of
/// the size asked.
fn length(planned: &PlannedJob, target: &PlannedTarget, index: usize, share: Option<u64>) -> Option<u64> {
    let facts = &target.facts;
    let real =
        facts.size.map(|size| size.0).filter(|_| facts.kind == TargetKind::File || facts.kind.is_drive());
    let Some(range) = planned.job.get(&options::FILESIZE) else {
        return if facts.kind == TargetKind::None { share } else { real };
    };
    let drawn = drawn_length(range, index, planned.block_min().0);
    match (facts.kind, real) {
        (kind, Some(real)) if kind.is_drive() => Some(drawn.min(real)),
        _ => Some(drawn),
    }
}

/// A length within `filesize=low-high`, whole blocks, for the file of this
/// number.
fn drawn_length(range: SizeRange, index: usize, block: u64) -> u64 {
    let SizeRange { low, high } = range;
    if low == high {
        return low.0;
    }
    let draw = ((index + 1) as f64 * GOLDEN).fract();
    let between = low.0 + ((high.0 - low.0) as f64 * draw) as u64;
    between - between % block
}

/// Whole percent, without overflow.
pub(super) fn percent_of(length: u64, percent: u8) -> u64 {
    u64::try_from(u128::from(length) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}
