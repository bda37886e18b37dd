//! Which drives an I/O of the array touches, and how.

use crate::{ArrayModel, Redundancy};

/// A part of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub drive: u32,
    pub offset: u64,
    pub length: u64,
}

/// Where the chunks of an array are. Parity moves by one drive from stripe to stripe, data follows it (md's
/// left-symmetric layout).
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub redundancy: Redundancy,
    pub drives: u32,
    pub data_drives: u32,
    pub chunk_bytes: u64,
    pub failed: Option<u32>,
}

/// The part of an I/O that lies in one stripe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StripePart {
    pub stripe: u64,
    /// Bytes from the start of the stripe's data.
    pub begin: u64,
    pub length: u64,
}

/// What a write needs: reads first, then writes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Phases {
    pub reads: Vec<Extent>,
    pub writes: Vec<Extent>,
}

impl Layout {
    pub fn new(model: &ArrayModel) -> Self {
        Self {
            redundancy: model.redundancy,
            drives: model.drives,
            data_drives: model.data_drives(),
            chunk_bytes: model.chunk_bytes,
            failed: model.failed,
        }
    }

    pub fn stripe_parts(&self, offset: u64, length: u64) -> impl Iterator<Item = StripePart> + use<> {
        let stripe_bytes = self.chunk_bytes * u64::from(self.data_drives);
        let end = offset + length;
        let mut at = offset;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let stripe = at / stripe_bytes;
                let next = ((stripe + 1) * stripe_bytes).min(end);
                let begin = at - stripe * stripe_bytes;
                StripePart { stripe, begin, length: next - std::mem::replace(&mut at, next) }
            })
        })
    }

    /// The chunks of data that a part touches: number in the stripe, begin and length in the chunk.
    pub fn chunks(&self, part: StripePart) -> Vec<(u32, u64, u64)> {
        let (mut at, end) = (part.begin, part.begin + part.length);
        let mut chunks = Vec::new();
        while at < end {
            let chunk = at / self.chunk_bytes;
            let next = ((chunk + 1) * self.chunk_bytes).min(end);
            chunks.push((chunk as u32, at - chunk * self.chunk_bytes, next - at));
            at = next;
        }
        chunks
    }

    /// The drive of a chunk of data; of RAID 10 the first of its pair.
    pub fn drive_of(&self, stripe: u64, chunk: u32) -> u32 {
        match self.redundancy {
            Redundancy::Stripes => chunk,
            Redundancy::Mirror => 0,
            Redundancy::MirroredStripes => 2 * chunk,
            Redundancy::Parity | Redundancy::DoubleParity => {
                (self.parity_drive(stripe) + self.redundancy.parities() + chunk) % self.drives
            }
        }
    }

    /// The first parity's drive; the second one's is the next.
    fn parity_drive(&self, stripe: u64) -> u32 {
        self.drives - 1 - (stripe % u64::from(self.drives)) as u32
    }

    /// All drives that hold a copy of a chunk.
    pub fn copies(&self, stripe: u64, chunk: u32) -> Vec<u32> {
        let first = self.drive_of(stripe, chunk);
        let count = match self.redundancy {
            Redundancy::Mirror => self.drives,
            Redundancy::MirroredStripes => 2,
            Redundancy::Stripes | Redundancy::Parity | Redundancy::DoubleParity => 1,
        };
        (first..first + count).filter(|drive| Some(*drive) != self.failed).collect()
    }

    /// What replaces the read of a chunk whose drive has failed: the same bytes of as many other drives as
    /// hold data.
    pub fn reconstruction(&self, stripe: u64, begin: u64, length: u64) -> Vec<Extent> {
        let others = (0..self.drives).filter(|drive| Some(*drive) != self.failed);
        let offset = stripe * self.chunk_bytes + begin;
        others.take(self.data_drives as usize).map(|drive| Extent { drive, offset, length }).collect()
    }

    /// A write to parity. Old data and old parity are read (read-modify-write), or the rest of the stripe
    /// (reconstruct-write), whichever is fewer reads. A stripe that is written in full needs neither, nor
    /// does one whose parity was on the drive that failed.
    pub fn parity_write(&self, part: StripePart) -> Phases {
        let chunks = self.chunks(part);
        let begin = chunks.iter().map(|chunk| chunk.1).min().unwrap_or(0);
        let end = chunks.iter().map(|chunk| chunk.1 + chunk.2).max().unwrap_or(0);
        let extent =
            |drive, begin, length| Extent { drive, offset: part.stripe * self.chunk_bytes + begin, length };
        let is_left = |extent: &Extent| Some(extent.drive) != self.failed;
        let of_chunk = |chunk, begin, length| extent(self.drive_of(part.stripe, chunk), begin, length);
        let touched: Vec<Extent> =
            chunks.iter().map(|&(chunk, begin, length)| of_chunk(chunk, begin, length)).collect();
        let parity: Vec<Extent> = (0..self.redundancy.parities())
            .map(|number| (self.parity_drive(part.stripe) + number) % self.drives)
            .map(|drive| extent(drive, begin, end - begin))
            .filter(is_left)
            .collect();
        let is_replaced = |chunk: u32| chunks.contains(&(chunk, begin, end - begin));
        let rest: Vec<Extent> = (0..self.data_drives)
            .filter(|chunk| !is_replaced(*chunk))
            .map(|chunk| of_chunk(chunk, begin, end - begin))
            .collect();
        let old = touched.iter().chain(&parity).copied();
        let is_full = part.length == self.chunk_bytes * u64::from(self.data_drives);
        let reads = if is_full || parity.is_empty() {
            Vec::new()
        } else if !touched.iter().all(is_left) {
            rest
        } else if !rest.iter().all(is_left) || touched.len() + parity.len() <= rest.len() {
            old.clone().collect()
        } else {
            rest
        };
        Phases { reads: reads.into_iter().filter(is_left).collect(), writes: old.filter(is_left).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: u64 = 65_536;

    fn layout(drives: u32, redundancy: Redundancy, failed: Option<u32>) -> Layout {
        let data_drives = drives - redundancy.parities();
        Layout { redundancy, drives, data_drives, chunk_bytes: CHUNK, failed }
    }

    /// Reads and writes of a write of `length` bytes at the start of stripe 0.
    fn ios(layout: Layout, length: u64) -> (usize, usize) {
        let phases = layout.parity_write(StripePart { stripe: 0, begin: 0, length });
        (phases.reads.len(), phases.writes.len())
    }

    #[test]
    fn the_cheaper_way_is_taken() {
        use Redundancy::{DoubleParity, Parity};
        for (drives, redundancy, length, expected) in [
            // Old data and parity, as many reads as the two other chunks.
            (4, Parity, 4096, (2, 2)),
            (8, Parity, 4096, (2, 2)),
            // Six of seven chunks: the seventh is read.
            (8, Parity, 6 * CHUNK, (1, 7)),
            (8, Parity, 7 * CHUNK, (0, 8)),
            (4, DoubleParity, 4096, (1, 3)),
            (8, DoubleParity, 4096, (3, 3)),
            (8, DoubleParity, 6 * CHUNK, (0, 8)),
        ] {
            let found = ios(layout(drives, redundancy, None), length);
            assert_eq!(found, expected, "{drives} drives, {redundancy:?}, {length} bytes");
        }
    }

    #[test]
    fn a_failed_drive_is_neither_read_nor_written() {
        // Stripe 0 of four drives: parity on 3, data on 0, 1 and 2.
        for (failed, expected) in [(3, (0, 1)), (0, (2, 1)), (1, (2, 2)), (2, (2, 2))] {
            let layout = layout(4, Redundancy::Parity, Some(failed));
            let phases = layout.parity_write(StripePart { stripe: 0, begin: 0, length: 4096 });
            assert_eq!((phases.reads.len(), phases.writes.len()), expected, "drive {failed} has failed");
            let all = phases.reads.iter().chain(&phases.writes);
            assert!(all.into_iter().all(|extent| extent.drive != failed));
        }
    }

    #[test]
    fn chunks_and_parity_share_no_drive() {
        for redundancy in [Redundancy::Parity, Redundancy::DoubleParity] {
            let layout = layout(6, redundancy, None);
            for stripe in 0..12 {
                let length = CHUNK * u64::from(layout.data_drives);
                let phases = layout.parity_write(StripePart { stripe, begin: 0, length });
                let mut drives: Vec<u32> = phases.writes.iter().map(|extent| extent.drive).collect();
                drives.sort_unstable();
                assert_eq!(drives, [0, 1, 2, 3, 4, 5], "stripe {stripe}");
            }
        }
    }
}
