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

    /// Fills `block`, which begins at `offset` of its file.
    pub fn fill(&self, offset: u64, block: &mut [u8]) {
        let mut filled = 0;
        for piece in self.pieces(&offset.to_le_bytes()) {
            let bytes = piece.len().min(block.len() - filled);
            block[filled..filled + bytes].copy_from_slice(&piece[..bytes]);
            filled += bytes;
        }
        if filled == 0 {
            return block.fill(0);
        }
        // What is filled doubles with each copy.
        while filled < block.len() {
            let more = filled.min(block.len() - filled);
            block.copy_within(..more, filled);
            filled += more;
        }
    }

    /// Are these bytes those of a block that begins at `offset` of its file, from the byte `from` of that block on?
    pub fn holds(&self, offset: u64, from: usize, bytes: &[u8]) -> bool {
        let offset = offset.to_le_bytes();
        let once: Vec<u8> = self.pieces(&offset).flatten().copied().collect();
        !once.is_empty() && bytes.iter().enumerate().all(|(n, byte)| *byte == once[(from + n) % once.len()])
    }

    /// The first byte of `block` from `from` on that is not the pattern's, and what it should be. The block begins at
    /// `offset` of its file.
    pub(crate) fn first_difference(&self, offset: u64, block: &[u8], from: usize) -> Option<(usize, u8)> {
        let offset = offset.to_le_bytes();
        let length: usize = self.pieces(&offset).map(<[u8]>::len).sum();
        if length == 0 {
            let first = block.iter().skip(from).position(|&byte| byte != 0)?;
            return Some((from + first, 0));
        }
        // The first whole repetition behind `from`, and what is before it, are compared with the pattern itself.
        let until = (from.next_multiple_of(length) + length).min(block.len());
        let mut at = from - from % length;
        while at < until {
            for piece in self.pieces(&offset) {
                let (start, end) = (at.clamp(from, until), (at + piece.len()).clamp(from, until));
                if start < end && block[start..end] != piece[start - at..end - at] {
                    return (start..end).map(|n| (n, piece[n - at])).find(|&(n, right)| block[n] != right);
                }
                at += piece.len();
            }
        }
        // Every later byte is the one of a repetition before it.
        let (earlier, later) = (&block[until - length.min(until)..], &block[until..]);
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
        pattern.fill(0x0102, &mut block);
        let once = [b'a', b'b', 2, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(block[..10], once);
        assert_eq!(block[10..20], once);
        assert_eq!(block[20..], once[..5]);
        assert!((0..25).all(|from| pattern.holds(0x0102, from, &block[from..])));
        assert!(!pattern.holds(0x0103, 0, &block) && !pattern.holds(0x0102, 1, &block));
        Pattern::default().fill(0, &mut block);
        assert_eq!(block, [0; 25]);
    }

    #[test]
    fn the_first_byte_that_differs_is_found_wherever_it_is() {
        let parts = [
            vec![PatternPart::Bytes(b"abc".into()), PatternPart::BlockOffset],
            vec![PatternPart::Bytes(vec![7])],
        ];
        for pattern in parts.map(|parts| Pattern { parts }).into_iter().chain([Pattern::default()]) {
            for (len, from) in [(1, 0), (5, 0), (64, 0), (64, 40), (45, 44), (200, 13)] {
                let mut right = vec![0; len];
                pattern.fill(0x1122, &mut right);
                let mut block = right.clone();
                block[..from].fill(0xee);
                assert_eq!(pattern.first_difference(0x1122, &block, from), None, "{len} from {from}");
                for at in from..len {
                    block[at] ^= 0x40;
                    let difference = pattern.first_difference(0x1122, &block, from);
                    assert_eq!(difference, Some((at, right[at])), "{len} from {from}");
                    block[at] = right[at];
                }
            }
        }
    }
}
