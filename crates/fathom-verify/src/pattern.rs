//! `verify_pattern`: bytes that are repeated, and the offset of the block among them.

use serde::{Deserialize, Serialize};

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PatternPart {
    /// These bytes.
    Bytes(Vec<u8>),
    /// `%o`: the offset of the block in its file as 8 bytes, the lowest first.
    BlockOffset,
}

/// The parts of `verify_pattern`, in order; they repeat to the end of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pattern {
    /// The parts; at least one that is not empty.
    pub parts: Vec<PatternPart>,
}

impl Pattern {
    /// A pattern of these bytes alone.
    pub fn of_bytes(bytes: &[u8]) -> Pattern {
        Pattern { parts: vec![PatternPart::Bytes(bytes.to_vec())] }
    }

    /// The bytes of each part, for a block whose offset is these bytes.
    fn pieces<'a>(&'a self, offset: &'a [u8; 8]) -> impl Iterator<Item = &'a [u8]> {
        self.parts.iter().map(move |part| match part {
            PatternPart::Bytes(bytes) => &bytes[..],
            PatternPart::BlockOffset => offset,
        })
    }

    /// The bytes of one repetition.
    fn length(&self) -> usize {
        self.pieces(&[0; 8]).map(<[u8]>::len).sum()
    }

    /// Fills a part of a block that begins at `offset` of its file, from the byte `skipped` of that block on.
    pub fn fill(&self, offset: u64, skipped: usize, part: &mut [u8]) {
        let (offset, length) = (offset.to_le_bytes(), self.length());
        if length == 0 {
            return part.fill(0);
        }
        // The first repetition may begin in the middle of the pattern, so it needs pieces of two.
        let (mut filled, mut skipped) = (0, skipped % length);
        for piece in self.pieces(&offset).chain(self.pieces(&offset)) {
            let skips = skipped.min(piece.len());
            let bytes = (piece.len() - skips).min(length.min(part.len()) - filled);
            part[filled..filled + bytes].copy_from_slice(&piece[skips..skips + bytes]);
            (filled, skipped) = (filled + bytes, skipped - skips);
        }
        // What is filled doubles with each copy.
        while filled < part.len() {
            let more = filled.min(part.len() - filled);
            part.copy_within(..more, filled);
            filled += more;
        }
    }

    /// Are these bytes those of a block that begins at `offset` of its file, from the byte `from` of that block on?
    pub fn holds(&self, offset: u64, from: usize, bytes: &[u8]) -> bool {
        let offset = offset.to_le_bytes();
        let once: Vec<u8> = self.pieces(&offset).flatten().copied().collect();
        !once.is_empty() && bytes.iter().enumerate().all(|(n, byte)| *byte == once[(from + n) % once.len()])
    }

    /// The first byte of `part` from `from` on that is not the pattern's, and what it should be. The part is one of a block that
    /// begins at `offset` of its file, from the byte `skipped` of that block on.
    pub(crate) fn first_difference(
        &self,
        offset: u64,
        skipped: usize,
        part: &[u8],
        from: usize,
    ) -> Option<(usize, u8)> {
        let (offset, length) = (offset.to_le_bytes(), self.length());
        if length == 0 {
            let first = part.iter().skip(from).position(|&byte| byte != 0)?;
            return Some((from + first, 0));
        }
        // Places count from the beginning of the repetition in which the part begins. The first whole repetition behind `from`,
        // and what is before it, are compared with the pattern itself.
        let skipped = skipped % length;
        let from = from + skipped;
        let until = (from.next_multiple_of(length) + length).min(part.len() + skipped);
        let mut at = from - from % length;
        while at < until {
            for piece in self.pieces(&offset) {
                let (start, end) = (at.clamp(from, until), (at + piece.len()).clamp(from, until));
                if start < end && part[start - skipped..end - skipped] != piece[start - at..end - at] {
                    let mut places = (start..end).map(|n| (n - skipped, piece[n - at]));
                    return places.find(|&(n, right)| part[n] != right);
                }
                at += piece.len();
            }
        }
        // Every later byte is the one of a repetition before it.
        let until = until - skipped;
        let (earlier, later) = (&part[until - length.min(until)..], &part[until..]);
        let differs = later != &earlier[..later.len()];
        let n = differs.then(|| (0..later.len()).find(|&n| later[n] != earlier[n])).flatten()?;
        Some((until + n, earlier[n]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_repeats_with_the_offset_in_it() {
        let pattern = Pattern { parts: vec![PatternPart::Bytes(b"ab".into()), PatternPart::BlockOffset] };
        let mut block = [0xff; 25];
        pattern.fill(0x0102, 0, &mut block);
        let once = [b'a', b'b', 2, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(block[..10], once);
        assert_eq!(block[10..20], once);
        assert_eq!(block[20..], once[..5]);
        assert!((0..25).all(|from| pattern.holds(0x0102, from, &block[from..])));
        assert!(!pattern.holds(0x0103, 0, &block) && !pattern.holds(0x0102, 1, &block));
        for skipped in 0..30 {
            let mut part = [0xff; 13];
            pattern.fill(0x0102, skipped, &mut part);
            assert!(pattern.holds(0x0102, skipped, &part), "{skipped}: {part:x?}");
        }
        Pattern::default().fill(0, 0, &mut block);
        assert_eq!(block, [0; 25]);
    }

    #[test]
    fn the_first_byte_that_differs_is_found_wherever_it_is() {
        let parts = [
            vec![PatternPart::Bytes(b"abc".into()), PatternPart::BlockOffset],
            vec![PatternPart::Bytes(vec![7])],
        ];
        for pattern in parts.map(|parts| Pattern { parts }).into_iter().chain([Pattern::default()]) {
            let places =
                [(1, 0, 0), (5, 0, 3), (64, 0, 0), (64, 40, 11), (45, 44, 8), (200, 13, 1024), (200, 0, 10)];
            for (len, from, skipped) in places {
                let mut right = vec![0; len];
                pattern.fill(0x1122, skipped, &mut right);
                let mut block = right.clone();
                block[..from].fill(0xee);
                assert_eq!(
                    pattern.first_difference(0x1122, skipped, &block, from),
                    None,
                    "{len} from {from} of {skipped}"
                );
                for at in from..len {
                    block[at] ^= 0x40;
                    let difference = pattern.first_difference(0x1122, skipped, &block, from);
                    assert_eq!(difference, Some((at, right[at])), "{len} from {from} of {skipped}");
                    block[at] = right[at];
                }
            }
        }
    }
}
