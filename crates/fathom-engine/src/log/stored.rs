//! The samples of logs that are stored compressed (`log_store_compressed`), as fio 3.33 keeps them in memory and compresses them.
//!
//! What is here was read from logs of fio 3.33: little-endian words of time in ms, value, direction with its flags and the priority,
//! and block size; and the offset, if there is one.

use super::line::number_of;
use super::{LogChunk, LogColumns, LogKind, LogSample};
use fathom_job::direction::Direction;

/// Flag of the word of the direction: each sample has an offset.
const HAS_OFFSET: u32 = 1 << 31;
/// The priority is that of ioprio_set(2).
const HAS_PRIORITY: u32 = 1 << 30;
/// Bytes of a sample without an offset, and of the offset.
const SAMPLE: usize = 32;
const OFFSET: usize = 8;

impl LogColumns {
    /// Appends the samples that a chunk has for one kind of log.
    pub fn append_stored(&self, chunk: &LogChunk, kind: LogKind, stored: &mut Vec<u8>) {
        chunk.each(kind, |sample| {
            let direction = number_of(sample.direction) as u32
                | if self.offset { HAS_OFFSET } else { 0 }
                | if self.priority { HAS_PRIORITY } else { 0 };
            let direction = u64::from(direction) | u64::from(sample.priority) << 32;
            let time_ms = chunk.epoch_ms + sample.at_ns / 1_000_000;
            for word in [time_ms, self.value(&sample), direction, sample.bytes] {
                stored.extend_from_slice(&word.to_le_bytes());
            }
            if self.offset {
                stored.extend_from_slice(&sample.offset.to_le_bytes());
            }
        });
    }
}

/// The lines of stored samples. `None` if these are no whole samples.
pub fn lines_of_stored(stored: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(stored.len());
    let flags = stored.get(16..20).map_or(0, |flags| word(flags, 0) as u32);
    let columns = LogColumns {
        offset: flags & HAS_OFFSET != 0,
        priority: flags & HAS_PRIORITY != 0,
        ..LogColumns::default()
    };
    let mut samples = stored.chunks_exact(SAMPLE + if columns.offset { OFFSET } else { 0 });
    for sample in &mut samples {
        let value = word(sample, 1);
        let direction = word(sample, 2);
        let line = LogSample {
            // It is not in the text.
            kind: LogKind::Total,
            at_ns: 0,
            value,
            value_max: value,
            direction: *Direction::ALL.get((direction as u32 & !(HAS_OFFSET | HAS_PRIORITY)) as usize)?,
            bytes: word(sample, 3),
            offset: if columns.offset { word(sample, 4) } else { 0 },
            priority: (direction >> 32) as u16,
            issued_ns: 0,
        };
        columns.append_line(&line, word(sample, 0), &mut text);
    }
    samples.remainder().is_empty().then_some(text)
}

/// A word of a sample; one that is cut off has zeros.
fn word(sample: &[u8], index: usize) -> u64 {
    let mut bytes = [0; 8];
    let there = sample.iter().skip(index * 8);
    bytes.iter_mut().zip(there).for_each(|(byte, there)| *byte = *there);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two samples of fio 3.33 with `log_prio` and `log_offset`, and what `fio --inflate-log` prints of them.
    #[test]
    fn samples_of_fio_have_the_lines_that_fio_prints() {
        let words: [u64; 10] = [
            0,
            0x2_3d27,
            0x2002_c000_0000,
            4096,
            61440, //
            7,
            0x1_7a5d,
            0x2002_c000_0001,
            4096,
            491_520,
        ];
        let stored: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let text = lines_of_stored(&stored).map(|text| String::from_utf8(text).unwrap());
        let expected = "0, 146727, 0, 4096, 61440, 0x2002\n7, 96861, 1, 4096, 491520, 0x2002\n";
        assert_eq!(text.as_deref(), Some(expected));
        assert_eq!(lines_of_stored(&stored[..79]), None);
        assert_eq!(lines_of_stored(&[]), Some(Vec::new()));
    }
}
