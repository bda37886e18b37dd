//! Consecutive completions that have everything in common.
//!
//! I/Os of one submit call that are reaped together have equal latency, so
//! they are counted here and recorded once: one histogram step for all of them.
//! What they have in common is one word, so that the usual completion costs one
//! comparison.

use crate::desc::{Desc, Op};

/// Length, direction and batch of a read or write in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowKey(u64);

/// Above every length that the kernel moves in one call (`MAX_RW_COUNT`).
const WRITE: u64 = 1 << 31;

impl RowKey {
    /// The key of a slot that the engine does not have. No I/O has such a length.
    pub const FREE: RowKey = RowKey(u64::MAX);

    /// The key of a row without completions; no I/O and no free slot has it.
    const NONE: RowKey = RowKey(u64::MAX - 1);

    /// The part of the key that all I/Os of a batch have in common.
    #[inline(always)]
    pub fn of_batch(batch: u32) -> RowKey {
        RowKey(u64::from(batch) << 32)
    }

    #[inline(always)]
    pub fn with(self, desc: &Desc) -> RowKey {
        RowKey(self.0 | u64::from(desc.kind()))
    }

    pub fn new(desc: &Desc, batch: u32) -> RowKey {
        RowKey::of_batch(batch).with(desc)
    }

    /// Length in bytes, as asked for.
    #[inline(always)]
    pub fn len(self) -> i32 {
        (self.0 & (WRITE - 1)) as i32
    }

    #[inline(always)]
    pub fn batch(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    pub fn is_write(self) -> bool {
        self.0 & WRITE != 0
    }

    #[inline(always)]
    pub fn op(self) -> Op {
        if self.is_write() { Op::Write } else { Op::Read }
    }
}

/// What a row of equal completions has in common.
#[derive(Clone, Copy, Debug)]
pub struct CompletionRow {
    /// Length, direction and batch of its I/Os.
    key: RowKey,
    /// What each of them returned: the length of the key.
    result: i32,
}

impl CompletionRow {
    pub const EMPTY: CompletionRow = CompletionRow { key: RowKey::NONE, result: i32::MIN };

    /// A row that begins with a complete I/O.
    pub fn of(key: RowKey) -> CompletionRow {
        CompletionRow { key, result: key.len() }
    }

    pub fn key(&self) -> RowKey {
        self.key
    }

    /// Is this completion like the others, and complete?
    #[inline(always)]
    pub fn takes(&self, key: RowKey, result: i32) -> bool {
        self.key == key && result == self.result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(op: Op, len: u32, batch: u32) -> RowKey {
        RowKey::new(&Desc::new(op, 7, len, 3), batch)
    }

    #[test]
    fn a_key_gives_back_what_it_was_made_of() {
        for (op, len, batch) in
            [(Op::Read, 512, 0), (Op::Write, 0x7fff_f000, 65_536), (Op::Read, 1, u32::MAX)]
        {
            let key = key(op, len, batch);
            assert_eq!((key.op(), key.len(), key.batch()), (op, len as i32, batch));
        }
    }

    #[test]
    fn a_row_takes_only_what_is_like_it() {
        let row = CompletionRow::of(key(Op::Write, 512, 9));
        let cases = [
            (key(Op::Write, 512, 9), 512, true),
            (key(Op::Write, 512, 9), 100, false),
            (key(Op::Write, 512, 9), -5, false),
            (key(Op::Read, 512, 9), 512, false),
            (key(Op::Write, 4096, 9), 4096, false),
            (key(Op::Write, 512, 10), 512, false),
        ];
        for (key, result, expected) in cases {
            assert_eq!(row.takes(key, result), expected, "{key:?} {result}");
        }
    }

    #[test]
    fn an_empty_row_takes_nothing() {
        assert!(!CompletionRow::EMPTY.takes(key(Op::Read, 4096, 0), 4096));
    }
}
