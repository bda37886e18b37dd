//! The CRC-32C of content that was just made, without reading it.
//!
//! Content is a table combined with a key by exclusive or ([`crate::body`]), and a CRC is linear in the same sense: the
//! CRC of two combined messages is the combination of their CRCs, apart from the state that it begins with. So the CRC of a
//! chunk follows from that of the table's chunk, which is calculated once, and from that of the key. The CRCs themselves are
//! those of [`crate::checksum`]; here they are only put together.
//!
//! A *register* is the state of the CRC: without the inversions at its start and end. `advanced(n, register)` is the register
//! after `n` more bytes of zeros, a linear function of its 32 bits. All equations follow from
//! `register(a then b) = advanced(bytes of b, register(a)) ^ register(b)`.

use crate::body::{CHUNK, KEY, TABLE, key_bytes, table};
use crate::checksum::crc32c;
use std::sync::OnceLock;

/// Bytes of header and checksum of a block with `verify=crc32c`.
const PROOF: usize = 44;
/// The register with which CRC-32C begins.
const START: u32 = !0;

/// A linear function of 32 bits: its value for every value of each of the four bytes.
struct Linear([[u32; 256]; 4]);

impl Linear {
    /// The function with these values for the numbers that have one bit.
    fn of(value: impl Fn(u32) -> u32) -> Linear {
        let of_bits: [u32; 32] = std::array::from_fn(|bit| value(1 << bit));
        Linear(std::array::from_fn(|byte| {
            std::array::from_fn(|number| {
                let bits = (0..8).filter(|bit| number >> bit & 1 == 1);
                bits.fold(0, |sum, bit| sum ^ of_bits[byte * 8 + bit])
            })
        }))
    }

    fn value(&self, register: u32) -> u32 {
        let parts = self.0.iter().zip(register.to_le_bytes());
        parts.fold(0, |sum, (part, byte)| sum ^ part[usize::from(byte)])
    }
}

/// What is calculated once.
struct Constants {
    /// The registers of the table's chunks.
    chunks: [u32; TABLE / CHUNK],
    /// The register behind a chunk of zeros.
    behind_chunk: Linear,
    /// The register behind the zeros that follow the header in the first chunk.
    behind_content: Linear,
    /// From the register of a key to that of a chunk full of it.
    repeated: Linear,
    /// What [`crc32c`] is for zeros: for as many as a key has bytes, and a header.
    zero_key: u32,
    zero_proof: u32,
}

/// The register of a message of up to a chunk that begins with 0.
fn register(message: &[u8]) -> u32 {
    crc32c(message) ^ crc32c(&[0; CHUNK][..message.len()])
}

/// The register after `bytes` of zeros, at least 4 and at most a chunk: 4 bytes are combined with it when they come in, so
/// it is that of a message that begins with these 4.
fn advanced(bytes: usize, from: u32) -> u32 {
    let mut message = [0; CHUNK];
    message[..4].copy_from_slice(&from.to_le_bytes());
    register(&message[..bytes])
}

/// The register of a chunk that is full of a key with this register.
fn repeated(of_key: u32) -> u32 {
    // That of each repetition is advanced by those behind it; the last one has none.
    let mut message = [0; CHUNK - KEY];
    message.chunks_mut(KEY).for_each(|unit| unit[..4].copy_from_slice(&of_key.to_le_bytes()));
    register(&message) ^ of_key
}

fn constants() -> &'static Constants {
    static CONSTANTS: OnceLock<Box<Constants>> = OnceLock::new();
    CONSTANTS.get_or_init(|| {
        let chunks = table().as_chunks::<CHUNK>().0;
        Box::new(Constants {
            chunks: std::array::from_fn(|n| register(&chunks[n])),
            behind_chunk: Linear::of(|from| advanced(CHUNK, from)),
            behind_content: Linear::of(|from| advanced(CHUNK - PROOF, from)),
            repeated: Linear::of(repeated),
            zero_key: crc32c(&[0; KEY]),
            zero_proof: crc32c(&[0; PROOF]),
        })
    })
}

/// Calculates the constants, so that the first write does not have to.
pub(crate) fn prepare() {
    constants();
}

/// The CRC-32C, as [`crc32c`] gives it, of `block[proof..]`, where [`crate::body::fill`] has just filled all of `block` with the
/// write of `seed` at `offset`, without zeros. `None` for a length that is not made of whole chunks.
pub(crate) fn of_block(block: &[u8], seed: u64, offset: u64, proof: usize) -> Option<u32> {
    if block.is_empty() || !block.len().is_multiple_of(CHUNK) || proof != PROOF {
        return None;
    }
    let constants = constants();
    let of_chunk = |at: usize| {
        let key = key_bytes(seed, offset + (at * CHUNK) as u64);
        let of_key = crc32c(&key) ^ constants.zero_key;
        constants.chunks[at % constants.chunks.len()] ^ constants.repeated.value(of_key)
    };
    // The bytes that the header will take are in the first chunk and must not count.
    let of_proof = crc32c(&block[..PROOF]) ^ constants.zero_proof;
    let first = of_chunk(0) ^ constants.behind_content.value(of_proof ^ START);
    let rest = 1..block.len() / CHUNK;
    Some(rest.fold(first, |register, at| constants.behind_chunk.value(register) ^ of_chunk(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::fill;

    #[test]
    fn the_checksum_of_content_is_the_one_of_its_bytes() {
        let mut block = vec![0; 40 * CHUNK];
        for (chunks, seed, offset) in
            [(1, 1, 0), (2, 99, 4096), (15, 7, 512), (16, 8, 1 << 40), (17, 3, 77), (40, 4, 0)]
        {
            let block = &mut block[..chunks * CHUNK];
            fill(block, seed, offset, 0);
            let sum = of_block(block, seed, offset, PROOF);
            assert_eq!(sum, Some(crc32c(&block[PROOF..])), "{chunks} chunks of {seed} at {offset}");
        }
        assert_eq!(of_block(&block[..CHUNK + 512], 4, 0, PROOF), None);
        assert_eq!(of_block(&block[..512], 4, 0, PROOF), None);
    }
}
