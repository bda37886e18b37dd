//! Small numbers in few bits: Rice codes.
//!
//! The code of a number with parameter `k` is the number divided by 2^k, as so many zeros and a one,
//! and then its lowest `k` bits. It is short for numbers up to about 2^k. A number that would need
//! [`LONG`] zeros or more has exactly [`LONG`], and then follow its length and its bits. The first
//! bit is the lowest of the first byte.

/// Zeros that announce a number with its length. Two shorter codes fit into the 56 bits that a reader
/// holds.
const LONG: u32 = 12;

/// The largest parameter of a code.
pub(crate) const RICE_MAX: u32 = 14;

/// No code has more bits.
pub(crate) const RICE_LEN_MAX: u32 = LONG + 1 + 6 + 64;

/// Bits of a number, at least one.
fn length(value: u64) -> u32 {
    64 - (value | 1).leading_zeros()
}

/// Appends bits to bytes.
pub(crate) struct BitWriter<'a> {
    to: &'a mut Vec<u8>,
    word: u64,
    /// Bits of the word that were not appended yet, fewer than 32.
    held: u32,
}

impl<'a> BitWriter<'a> {
    pub(crate) fn new(to: &'a mut Vec<u8>) -> Self {
        BitWriter { to, word: 0, held: 0 }
    }

    /// Appends the lowest bits of a value, at most 32; its other bits are zero.
    pub(crate) fn put(&mut self, value: u64, bits: u32) {
        self.word |= value << self.held;
        self.held += bits;
        if self.held >= 32 {
            self.to.extend_from_slice(&(self.word as u32).to_le_bytes());
            self.word >>= 32;
            self.held -= 32;
        }
    }

    pub(crate) fn rice(&mut self, value: u64, k: u32) {
        let zeros = value >> k;
        if zeros >= u64::from(LONG) {
            return self.long(value);
        }
        let low = value & ((1 << k) - 1);
        self.put((low << 1 | 1) << zeros, zeros as u32 + 1 + k);
    }

    #[cold]
    fn long(&mut self, value: u64) {
        let length = length(value);
        self.put(1 << LONG, LONG + 1);
        self.put(u64::from(length - 1), 6);
        self.put(value & u64::from(u32::MAX), length.min(32));
        self.put(value >> 32, length.saturating_sub(32));
    }

    /// Fills the last byte with zeros.
    pub(crate) fn finish(self) {
        self.to.extend_from_slice(&self.word.to_le_bytes()[..self.held.div_ceil(8) as usize]);
    }
}

/// Takes bits from bytes; beyond their end, all bits are zero. What is rare works on a copy, so that the
/// rest keeps its fields in registers.
#[derive(Clone, Copy)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bytes taken into the word, those beyond the end included.
    at: usize,
    word: u64,
    /// Bits of the word that were not taken yet.
    held: u32,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, at: 0, word: 0, held: 0 }
    }

    /// Makes the word hold at least 56 bits: room for two codes.
    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        if let Some(next) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) {
            self.word |= u64::from_le_bytes(*next) << self.held;
            let bytes = (63 - self.held) >> 3;
            self.at += bytes as usize;
            self.held += 8 * bytes;
        } else {
            *self = self.refilled_at_end();
        }
    }

    #[cold]
    fn refilled_at_end(mut self) -> Self {
        while self.held <= 56 {
            let next = self.bytes.get(self.at).copied().unwrap_or(0);
            self.word |= u64::from(next) << self.held;
            self.at += 1;
            self.held += 8;
        }
        self
    }

    /// At most 56 bits.
    #[inline(always)]
    pub(crate) fn take(&mut self, bits: u32) -> u64 {
        self.refill();
        self.drop(bits, self.word & ((1 << bits) - 1))
    }

    #[inline(always)]
    fn drop(&mut self, bits: u32, value: u64) -> u64 {
        self.word >>= bits;
        self.held -= bits;
        value
    }

    /// The number of a code; `None` for one that is never written. At most two codes are read after
    /// each [`Self::refill`].
    #[inline(always)]
    pub(crate) fn rice(&mut self, k: u32) -> Option<u64> {
        let zeros = self.word.trailing_zeros();
        if zeros >= LONG {
            let number;
            (*self, number) = self.long(zeros);
            return number;
        }
        let low = (self.word >> (zeros + 1)) & ((1 << k) - 1);
        Some(self.drop(zeros + 1 + k, u64::from(zeros) << k | low))
    }

    #[cold]
    fn long(mut self, zeros: u32) -> (Self, Option<u64>) {
        if zeros > LONG {
            return (self, None);
        }
        self.drop(LONG + 1, 0);
        let length = self.take(6) as u32 + 1;
        let low = self.take(length.min(32));
        let high = self.take(length.saturating_sub(32));
        self.refill();
        (self, Some(low | high << 32))
    }

    /// Were all bytes taken, none missed, and nothing but zeros left in the last?
    pub(crate) fn is_at_end(&self) -> bool {
        let taken = 8 * self.at - self.held as usize;
        let rest = 8 * self.bytes.len() as i64 - taken as i64;
        let is_zero = |last: &u8| u32::from(*last) >> (8 - rest) == 0;
        (0..8).contains(&rest) && self.bytes.last().is_none_or(is_zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_return_with_every_parameter() {
        let values = [0, 1, 5, 19, 20, 1 << 13, (1 << 32) - 1, 1 << 32, u64::MAX];
        for k in 0..=RICE_MAX {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            values.iter().for_each(|value| writer.rice(*value, k));
            writer.finish();
            assert!(bytes.len() * 8 <= values.len() * RICE_LEN_MAX as usize + 7, "k {k}");
            let mut reader = BitReader::new(&bytes);
            let mut is_next = |value: &u64| {
                reader.refill();
                reader.rice(k) == Some(*value)
            };
            assert!(values.iter().all(&mut is_next), "k {k}");
            assert!(reader.is_at_end(), "k {k}");
        }
    }

    #[test]
    fn the_end_is_noticed() {
        let mut reader = BitReader::new(&[1]);
        reader.refill();
        assert_eq!(reader.rice(0), Some(0));
        assert!(reader.is_at_end());
        assert_eq!(reader.rice(0), None, "zeros beyond the end are no code");
        let mut reader = BitReader::new(&[1, 0]);
        reader.take(1);
        assert!(!reader.is_at_end(), "a byte is left");
        let mut reader = BitReader::new(&[3]);
        reader.take(1);
        assert!(!reader.is_at_end(), "a one is left");
        reader.take(20);
        assert!(!reader.is_at_end(), "more was taken than there is");
    }
}
