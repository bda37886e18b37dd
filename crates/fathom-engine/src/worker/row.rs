//! Completions in a row that share everything.
//!
//! I/Os of one submit call that are reaped together have equal latency, so
//! they are counted here and recorded once: one histogram step for the lot.

use crate::desc::Op;

/// A row of equal completions; empty while `n` is zero.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What they did.
    pub op: Op,
    /// Bytes that each moved.
    pub len: u32,
    /// Stamp of their submit call.
    pub submitted: u64,
    /// Ticks between the taking of their descriptors and that stamp.
    pub lead: u64,
    /// How many.
    pub n: u64,
}

impl Row {
    /// No completions.
    pub const EMPTY: Row = Row { op: Op::Read, len: 0, submitted: 0, lead: 0, n: 0 };

    /// Counts one more, if it is like the others. An empty row has length
    /// zero, which no completion has.
    #[inline(always)]
    pub fn takes(&mut self, op: Op, len: u32, submitted: u64) -> bool {
        if self.submitted != submitted || self.len != len || self.op != op {
            return false;
        }
        self.n += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_only_what_is_like_it() {
        let mut row = Row { op: Op::Write, len: 512, submitted: 9, lead: 3, n: 1 };
        let cases = [
            (Op::Write, 512, 9, true),
            (Op::Read, 512, 9, false),
            (Op::Write, 4096, 9, false),
            (Op::Write, 512, 10, false),
        ];
        for (op, len, submitted, expected) in cases {
            assert_eq!(row.takes(op, len, submitted), expected, "{op:?} {len} {submitted}");
        }
        assert_eq!(row.n, 2);
    }

    #[test]
    fn an_empty_row_takes_nothing() {
        assert!(!Row::EMPTY.clone().takes(Op::Read, 4096, 0));
    }
}
