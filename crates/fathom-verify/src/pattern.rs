//! `verify_pattern`: bytes that are repeated, and the offset of the block among them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum PatternPart {
    /// These bytes.
    Bytes(Vec<u8>),
    /// `%o`: the offset of the block in its file as 8 bytes, the lowest first.
    BlockOffset,
}

/// The parts of `verify_pattern`, in order; they repeat to the end of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Pattern {
    /// The parts; at least one that is not empty.
    pub parts: Vec<PatternPart>,
}

impl Pattern {
    /// A pattern of these bytes alone.
    pub fn of_bytes(bytes: &[u8]) -> Pattern {
        Pattern { parts: vec![PatternPart::Bytes(bytes.to_vec())] }
    }

    /// One repetition for a block at `offset`.
    fn once(&self, offset: u64) -> Vec<u8> {
        let mut once = Vec::new();
        for part in &self.parts {
            match part {
                PatternPart::Bytes(bytes) => once.extend_from_slice(bytes),
                PatternPart::BlockOffset => once.extend_from_slice(&offset.to_le_bytes()),
            }
        }
        once
    }

    /// Fills `block`, which begins at `offset` of its file.
    pub fn fill(&self, offset: u64, block: &mut [u8]) {
        let once = self.once(offset);
        if once.is_empty() {
            return block.fill(0);
        }
        let first = once.len().min(block.len());
        block[..first].copy_from_slice(&once[..first]);
        // What is filled doubles with each copy.
        let mut filled = first;
        while filled < block.len() {
            let more = filled.min(block.len() - filled);
            block.copy_within(..more, filled);
            filled += more;
        }
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
        Pattern::default().fill(0, &mut block);
        assert_eq!(block, [0; 25]);
    }
}
