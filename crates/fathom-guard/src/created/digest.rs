//! A digest of samples: cheap for a file of any size.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use fathom_device::sampling::SplitMix;
use fathom_device::sys;

/// One sample: a page, the least that a page cache reads.
const SAMPLE_BYTES: u64 = 4096;
/// Samples of a large file: both ends, and places between them.
const SAMPLES: u64 = 48;
/// A file up to this size is read whole; it is hardly more than the samples.
const WHOLE_BYTES: u64 = 256 << 10;

/// A file in memory is read whole up to this size, in two seconds or less. A
/// larger one has no digest.
const IN_MEMORY_BYTES: u64 = 1 << 30;
/// Magic numbers (linux/magic.h) of tmpfs, ramfs and hugetlbfs: a store through a shared mapping
/// does not change the times of their files.
const IN_MEMORY: [u32; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest([u8; 32]);

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let wrong = "a digest is 64 hexadecimal digits";
        let mut digest = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(wrong);
        }
        for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| wrong)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong)?;
        }
        Ok(Digest(digest))
    }
}

/// The digest of what the file holds at the sampled places. The
/// places follow from the seed, so they differ from file to file. Holes read as
/// zeroes and cost nothing.
pub(super) fn of(file: &File, size_bytes: u64, seed: u64) -> io::Result<Digest> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; SAMPLE_BYTES as usize];
    let places = match IN_MEMORY.contains(&sys::file_system(file)?.magic) {
        true if size_bytes > IN_MEMORY_BYTES => {
            let message =
                "it is in memory, where file times do not show changes, and too large to be read whole";
            return Err(io::Error::other(message));
        }
        true => whole(size_bytes),
        false => places(size_bytes, seed),
    };
    for at in places {
        let length = SAMPLE_BYTES.min(size_bytes - at) as usize;
        file.read_exact_at(&mut buffer[..length], at)?;
        hash.update(at.to_le_bytes());
        hash.update(&buffer[..length]);
    }
    Ok(Digest(hash.finalize().into()))
}

fn whole(size_bytes: u64) -> Vec<u64> {
    (0..size_bytes).step_by(SAMPLE_BYTES as usize).collect()
}

fn places(size_bytes: u64, seed: u64) -> Vec<u64> {
    if size_bytes <= WHOLE_BYTES {
        return whole(size_bytes);
    }
    let last = size_bytes - SAMPLE_BYTES;
    let between = (0..SAMPLES - 2).map(|n| SplitMix::from_seed(seed.wrapping_add(n)).next_bits() % last);
    [0, last].into_iter().chain(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(bytes: &[u8]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(bytes, 0).unwrap();
        file
    }

    #[test]
    fn every_byte_of_a_small_file_counts() {
        let size = 9001;
        let file = file_of(&vec![7; size as usize]);
        let before = of(&file, size, 1).unwrap();
        assert_eq!(of(&file, size, 1).unwrap(), before);
        for at in [0, 4095, 4096, size - 1] {
            file.write_all_at(&[8], at).unwrap();
            assert_ne!(of(&file, size, 1).unwrap(), before, "{at}");
            file.write_all_at(&[7], at).unwrap();
        }
        let digest = of(&file_of(&[]), 0, 1).unwrap();
        assert_eq!(Digest::try_from(String::from(digest)), Ok(digest));
        assert!(Digest::try_from(String::from(digest).replace('e', "é")).is_err());
    }

    #[test]
    fn a_sparse_terabyte_is_sampled_at_both_ends_and_between() {
        let size = 1 << 40;
        let file = tempfile::tempfile().unwrap();
        file.set_len(size).unwrap();
        let (empty, places) = (of(&file, size, 5).unwrap(), places(size, 5));
        assert_eq!(places.len() as u64, SAMPLES);
        for at in [0, size - 1, places[30] + 17] {
            file.write_all_at(&[1], at).unwrap();
            assert_ne!(of(&file, size, 5).unwrap(), empty, "{at}");
            file.write_all_at(&[0], at).unwrap();
        }
        assert_ne!(super::places(size, 5)[2..], super::places(size, 6 << 32)[2..]);
    }

    /// Only its bytes show that a file in memory was changed.
    #[test]
    fn every_page_of_a_file_in_memory_counts() {
        let file = tempfile::tempfile_in("/dev/shm").unwrap();
        let size = 2 << 20;
        file.set_len(size).unwrap();
        let before = of(&file, size, 5).unwrap();
        for page in (0..size / SAMPLE_BYTES).step_by(50) {
            file.write_all_at(&[1], page * SAMPLE_BYTES + 7).unwrap();
            assert_ne!(of(&file, size, 5).unwrap(), before, "{page}");
            file.write_all_at(&[0], page * SAMPLE_BYTES + 7).unwrap();
        }
        file.set_len(IN_MEMORY_BYTES + 1).unwrap();
        assert!(of(&file, IN_MEMORY_BYTES + 1, 5).is_err());
    }

    #[test]
    fn a_file_that_is_shorter_than_it_should_be_has_no_digest() {
        assert!(of(&file_of(&[1; 100]), 5000, 1).is_err());
    }
}
