//! The bytes around the archive: a gzip header with a mark, and a last gzip member with a digest (RFC 1952).

use super::manifest::{BLOCKS_MAX_BYTES, SAVED_MAX_BYTES};
use crate::exit::Exit;
use crate::failure::Failure;
use fathom_results::ReadObstacle;
use fathom_text::shown;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The first bytes of every bundle: a gzip header without a time, with an extra field `FT` of 15 bytes.
pub const HEADER: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x13\0FT\x0f\0fathom-bundle 1";

/// What is before the digest in the last member: a gzip header with an extra field `FS` of 32 bytes.
const DIGEST_HEADER: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x24\0FS\x20\0";

/// What is behind the digest: an empty block, its CRC-32 and its length.
const DIGEST_END: &[u8] = b"\x03\0\0\0\0\0\0\0\0\0";

/// Length of the CRC-32 and the length at the end of the first member.
pub(super) const SUMS_BYTES: u64 = 8;

/// Length of a SHA-256.
const SHA256_BYTES: usize = 32;

/// Length of the last member.
pub(super) const DIGEST_BYTES: u64 = (DIGEST_HEADER.len() + SHA256_BYTES + DIGEST_END.len()) as u64;

/// The last member, with the digest of all bytes before it.
pub(super) fn digest_member(digest: &[u8]) -> Vec<u8> {
    [DIGEST_HEADER, digest, DIGEST_END].concat()
}

/// Whether the file begins as a bundle does.
///
/// # Errors
/// It cannot be read, so nothing is known of it.
pub fn is_bundle(path: &Path) -> Result<bool, Failure> {
    // Opening a FIFO would wait.
    if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return Ok(false);
    }
    let mut head = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(HEADER.len() as u64).read_to_end(&mut head));
    opened.map(|_| head == HEADER).map_err(|e| unread(path, &e))
}

/// A file that cannot be read, with what a person can do about it.
pub(super) fn unread(path: &Path, e: &io::Error) -> Failure {
    let failure = Failure::new(Exit::Failed, format!("cannot read {}: {e}", shown::path(path)));
    match ReadObstacle::of(e) {
        Some(obstacle) => failure.hint(obstacle.hint()),
        None => failure,
    }
}

/// Compares the digest at the end with all bytes before it; the error is a sentence.
pub(super) fn verify(file: &mut File) -> Result<(), String> {
    let cannot = |e: io::Error| format!("it cannot be read: {e}");
    let length = file.metadata().map_err(cannot)?.len();
    let smallest = HEADER.len() as u64 + SUMS_BYTES + DIGEST_BYTES;
    let Some(before) = length.checked_sub(DIGEST_BYTES).filter(|_| length >= smallest) else {
        return Err("it is cut".to_owned());
    };
    // Compression never adds that much; a sparse file of a terabyte would be read for hours.
    if length > SAVED_MAX_BYTES + BLOCKS_MAX_BYTES {
        return Err(format!("it has {length} bytes, which no bundle has"));
    }
    file.seek(SeekFrom::Start(0)).map_err(cannot)?;
    let mut hashed = Hashed::new(file.take(before));
    io::copy(&mut hashed, &mut io::sink()).map_err(cannot)?;
    let digest = hashed.digest();
    let mut last = Vec::new();
    file.read_to_end(&mut last).map_err(cannot)?;
    match last == digest_member(&digest) {
        true => Ok(()),
        false if !last.starts_with(DIGEST_HEADER) => {
            Err("it is cut, or something was added to it".to_owned())
        }
        false => Err("its bytes are not those that it was made of".to_owned()),
    }
}

/// Reads or writes, and computes the SHA-256 of what passes.
pub(super) struct Hashed<T> {
    pub inner: T,
    hash: Sha256,
    /// How many bytes have passed.
    pub bytes: u64,
}

impl<T> Hashed<T> {
    pub fn new(inner: T) -> Self {
        Hashed { inner, hash: Sha256::new(), bytes: 0 }
    }

    /// The digest of what has passed.
    pub fn digest(&self) -> Vec<u8> {
        self.hash.clone().finalize().to_vec()
    }

    /// The same as hexadecimal digits.
    pub fn hex(&self) -> String {
        self.digest().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn passed(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Read> Read for Hashed<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.passed(&buffer[..count]);
        Ok(count)
    }
}

impl<T: io::Write> io::Write for Hashed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.passed(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
