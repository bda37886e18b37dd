//! The bytes around the archive: gzip (RFC 1952), whose header has a mark.

use super::hindered;
use super::manifest::{BLOCKS_MAX_BYTES, SAVED_MAX_BYTES};
use crate::exit::{Exit, Failure};
use fathom_text::shown;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Take, Write};
use std::path::Path;

/// The first bytes of every bundle: a gzip header without a time, with an extra field `FT` of 15 bytes.
pub const HEADER: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x13\0FT\x0f\0fathom-bundle 1";

/// Where the extra field begins in the header.
const EXTRA_AT: usize = 12;

/// Compresses an archive.
pub(super) fn compressed<W: Write>(to: W) -> GzEncoder<W> {
    GzBuilder::new().extra(&HEADER[EXTRA_AT..]).write(to, Compression::default())
}

/// The archive, no longer than that of any bundle. What was added behind it is read too, and is an error.
pub(super) fn archive(file: &mut File) -> io::Result<Take<MultiGzDecoder<&mut File>>> {
    file.seek(SeekFrom::Start(0))?;
    Ok(MultiGzDecoder::new(file).take(SAVED_MAX_BYTES + BLOCKS_MAX_BYTES))
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
    let begun = File::open(path).and_then(|mut file| begins(&mut file));
    begun.map_err(|e| unread(path, &e))
}

/// A file that cannot be read, with what a person can do about it.
pub(super) fn unread(path: &Path, e: &io::Error) -> Failure {
    hindered(format!("cannot read {}: {e}", shown::path(path)), e, Exit::Failed)
}

/// Whether the rest of the file begins as a bundle does.
pub(super) fn begins(file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(HEADER.len() as u64).read_to_end(&mut head)?;
    Ok(head == HEADER)
}

/// Reads all of it, up to the checksums of gzip at its end; the error is a sentence.
pub(super) fn verify(file: &mut File) -> Result<(), String> {
    let cannot = |e: io::Error| format!("it cannot be read: {e}");
    // Compression never adds that much; a sparse file of a terabyte would be read for hours.
    let length = file.metadata().map_err(cannot)?.len();
    if length > SAVED_MAX_BYTES + BLOCKS_MAX_BYTES {
        return Err(format!("it has {length} bytes, which no bundle has"));
    }
    let mut archive = archive(file).map_err(cannot)?;
    let read = io::copy(&mut archive, &mut io::sink());
    let read = read.map_err(|e| format!("it is cut, was changed, or something was added to it: {e}"))?;
    match read < SAVED_MAX_BYTES + BLOCKS_MAX_BYTES {
        true => Ok(()),
        false => Err(format!("it holds {read} bytes or more, which no bundle does")),
    }
}

/// Reads, and computes the SHA-256 of what passes.
pub(super) struct Hashed<T> {
    inner: T,
    hash: Sha256,
    /// How many bytes have passed.
    pub bytes: u64,
}

impl<T> Hashed<T> {
    pub fn new(inner: T) -> Self {
        Hashed { inner, hash: Sha256::new(), bytes: 0 }
    }

    /// The digest of what has passed, as hexadecimal digits.
    pub fn hex(&self) -> String {
        self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<T: Read> Read for Hashed<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}
