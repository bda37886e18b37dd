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

    /// What replaces the read of a chunk whose drive has failed: the same bytes of as many other drives as hold data.
    pub fn reconstruction(&self, stripe: u64, begin: u64, length: u64) -> Vec<Extent> {
        let others = (0..self.drives).filter(|drive| Some(*drive) != self.failed);
        let offset = stripe * self.chunk_bytes + begin;
        others.take(self.data_drives as usize).map(|drive| Extent { drive, offset, length }).collect()
    }

    /// A write to parity. Old data and parity are read, or the rest of the stripe, whichever is fewer reads; a stripe that is
    /// written in full needs none.
    pub fn parity_write(&self, part: StripePart) -> Phases {
        let chunks = self.chunks(part);
        let begin = chunks.iter().map(|chunk| chunk.1).min().unwrap_or(0);
        let end = chunks.iter().map(|chunk| chunk.1 + chunk.2).max().unwrap_or(0);
        let base = part.stripe * self.chunk_bytes;
        let extent = |drive, begin, length| Extent { drive, offset: base + begin, length };
        let parity = (0..self.redundancy.parities()).map(|number| {
            let drive = (self.parity_drive(part.stripe) + number) % self.drives;
            extent(drive, begin, end - begin)
        });
        let touched = chunks
            .iter()
            .map(|&(chunk, begin, length)| extent(self.drive_of(part.stripe, chunk), begin, length));
        let writes: Vec<Extent> = touched.chain(parity).collect();
        let is_full = part.length == self.chunk_bytes * u64::from(self.data_drives);
        let mut rest: Vec<Extent> = Vec::new();
        for chunk in 0..self.data_drives {
            let whole = chunks
                .iter()
                .any(|touched| touched.0 == chunk && touched.1 <= begin && touched.1 + touched.2 >= end);
            if !whole {
                rest.push(extent(self.drive_of(part.stripe, chunk), begin, end - begin));
            }
        }
        let is_left = |extent: &Extent| Some(extent.drive) != self.failed;
        let reads = match () {
            () if is_full => Vec::new(),
            // What was on the failed drive can only be had from all others, or is not needed.
            () if writes.iter().any(|extent| !is_left(extent)) => rest,
            () if rest.iter().any(|extent| !is_left(extent)) || writes.len() <= rest.len() => writes.clone(),
            () => rest,
        };
        let left = |extents: Vec<Extent>| extents.into_iter().filter(is_left).collect();
        Phases { reads: left(reads), writes: left(writes) }
    }
}
