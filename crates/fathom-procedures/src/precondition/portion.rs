//! How a pass over a range is cut: a crash costs one portion.

/// No portion is longer: at 200 MB/s, 64 GiB take less than six minutes.
const LENGTH_MAX: u64 = 64 << 30;

/// A pass has at least so many portions, if the range has as many blocks.
const COUNT_MIN: u64 = 16;

/// A part of the range that one round writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Block of its writes: at the odd end of the range, as many bytes as are left.
    pub block: u64,
}

/// The portions of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Portions {
    offset: u64,
    /// Bytes in whole blocks.
    whole: u64,
    tail: u64,
    block: u64,
    length: u64,
}

impl Portions {
    /// Those of a range with this block.
    pub fn of(offset: u64, size: u64, block: u64) -> Portions {
        Portions::at_most(((size - size % block) / COUNT_MIN).min(LENGTH_MAX), offset, size, block)
    }

    /// The same with portions of at most this length, or one block.
    pub fn at_most(length: u64, offset: u64, size: u64, block: u64) -> Portions {
        let (whole, tail) = (size - size % block, size % block);
        let length = length.clamp(1, size.max(1)).next_multiple_of(block);
        Portions { offset, whole, tail, block, length }
    }

    /// In order.
    pub fn iter(self) -> impl Iterator<Item = Portion> {
        let Portions { offset, whole, tail, block, length } = self;
        let starts = (0..whole.div_ceil(length)).map(move |number| number * length);
        let whole_blocks =
            starts.map(move |at| Portion { offset: offset + at, size: length.min(whole - at), block });
        let odd_end = (tail > 0).then_some(Portion { offset: offset + whole, size: tail, block: tail });
        whole_blocks.chain(odd_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::SplitMix64;

    #[test]
    fn every_byte_is_in_one_portion() {
        let mut random = SplitMix64::new(3);
        let mut draw = |bits: u32| random.next_bits() >> (64 - bits);
        for _ in 0..2_000 {
            let (offset, size, block) = (draw(40), draw(44).max(1), 512 << draw(4));
            let mut at = offset;
            for portion in Portions::of(offset, size, block).iter() {
                assert_eq!(portion.offset, at);
                assert!(portion.size > 0 && portion.size.is_multiple_of(portion.block), "{portion:?}");
                assert!(portion.size <= LENGTH_MAX + block, "{portion:?}");
                at += portion.size;
            }
            assert_eq!(at, offset + size);
        }
    }

    #[test]
    fn a_small_range_has_sixteen_portions_and_its_odd_end() {
        let portions: Vec<Portion> = Portions::of(0, (64 << 20) + 512, 128 << 10).iter().collect();
        assert_eq!(portions.len(), 17);
        assert_eq!(portions[0], Portion { offset: 0, size: 4 << 20, block: 128 << 10 });
        assert_eq!(portions[16], Portion { offset: 64 << 20, size: 512, block: 512 });
        let less_than_a_block: Vec<Portion> = Portions::of(4096, 512, 4096).iter().collect();
        assert_eq!(less_than_a_block, [Portion { offset: 4096, size: 512, block: 512 }]);
    }
}
