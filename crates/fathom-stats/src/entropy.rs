//! How random bytes are.

/// Fewer bytes do not tell what depends on their places from chance: 16 contexts of 256 values need several bytes each.
const DEPENDENCE_BYTES_MIN: usize = 16 << 10;
/// Places within a word of the machine: a counter changes its low bytes more often than its high ones.
const PLACES: usize = 8;
/// Contexts: the high four bits of the byte before.
const CONTEXTS: usize = 16;

/// The least of several entropies of the bytes, bits per byte. Values that are equally frequent can follow from their place or
/// from the byte before, which a drive may use as well: six random bits and two that count have a flat distribution.
/// Random data of 64 KiB has 7.95 bits or more in each of them.
pub fn least_entropy_bits(bytes: &[u8]) -> f64 {
    let plain = entropy_bits(bytes.iter().map(|byte| (0, *byte)), 1);
    if bytes.len() < DEPENDENCE_BYTES_MIN {
        return plain;
    }
    let of_places = bytes.iter().enumerate().map(|(at, byte)| (at % PLACES, *byte));
    let neighbours = || bytes.windows(2);
    let steps = neighbours().map(|pair| (0, pair[1].wrapping_sub(pair[0])));
    let after = neighbours().map(|pair| (usize::from(pair[0] >> 4), pair[1]));
    let all = [plain, entropy_bits(of_places, PLACES), entropy_bits(steps, 1), entropy_bits(after, CONTEXTS)];
    all.into_iter().fold(plain, f64::min)
}

/// Shannon entropy of values whose context is known, bits for each.
fn entropy_bits(values: impl Iterator<Item = (usize, u8)>, contexts: usize) -> f64 {
    let mut counts = vec![[0u32; 256]; contexts];
    values.for_each(|(context, value)| counts[context][usize::from(value)] += 1);
    let all: u32 = counts.iter().flatten().sum();
    let of_context = |counts: &[u32; 256]| {
        let sum = f64::from(counts.iter().sum::<u32>());
        let there = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count));
        there.map(|count| -count * (count / sum).log2()).sum::<f64>()
    };
    counts.iter().map(of_context).sum::<f64>() / f64::from(all.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    /// A window of data may be as short as a sector.
    #[test]
    fn a_sector_of_random_data_is_random() {
        for seed in 0..50 {
            let mut random = SplitMix64::new(seed);
            let sector: Vec<u8> = (0..64).flat_map(|_| random.next_bits().to_le_bytes()).collect();
            assert!(least_entropy_bits(&sector) > 7.4, "{seed}");
        }
    }
}
