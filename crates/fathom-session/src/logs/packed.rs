//! Logs that are stored compressed, as fio does it: pieces of samples, each a stream of zlib, one behind the other.

use fathom_engine::log::lines_of_stored;
use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{self, Read, Write};

/// Samples of a log that are not compressed yet.
pub(super) struct OpenPiece {
    /// Bytes of a whole piece.
    size: usize,
    /// The job whose samples they are.
    pub job: u32,
    pub bytes: Vec<u8>,
}

impl OpenPiece {
    pub fn new(size: usize) -> OpenPiece {
        OpenPiece { size, job: 0, bytes: Vec::new() }
    }

    /// A piece has the samples of one job.
    pub fn takes(&self, job: u32) -> bool {
        self.job == job
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() >= self.size
    }

    /// The compressed piece; the next one begins.
    pub fn end(&mut self) -> io::Result<Vec<u8>> {
        let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        out.finish()
    }
}

/// The longest log that is inflated, bytes of samples.
const STORED_MAX: u64 = 4 << 30;

/// The lines of a log of fio or fathom that was stored compressed; `None` of a file that does not begin as one.
///
/// # Errors
/// It ends within a piece, or what it holds are no samples.
pub fn inflated(file: &[u8]) -> Option<io::Result<Vec<u8>>> {
    is_packed(file).then(|| {
        let no_samples =
            || io::Error::new(io::ErrorKind::InvalidData, "what it holds are no samples of a log");
        lines_of_stored(&samples(file)?).ok_or_else(no_samples)
    })
}

/// A stream of zlib begins with a byte that names deflate and its window, and a check of both (RFC 1950).
fn is_packed(file: &[u8]) -> bool {
    matches!(file, [first, second, ..] if first & 15 == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31))
}

fn samples(mut file: &[u8]) -> io::Result<Vec<u8>> {
    let mut samples = Vec::new();
    while !file.is_empty() {
        let room = STORED_MAX - samples.len() as u64;
        ZlibDecoder::new(&mut file).take(room).read_to_end(&mut samples)?;
        if samples.len() as u64 == STORED_MAX {
            return Err(io::Error::other("it holds more than 4 GiB of samples"));
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_one_after_another_and_a_cut_one_is_an_error() {
        let words = |time: u64| [time, 5, 1, 4096].into_iter().flat_map(u64::to_le_bytes);
        let mut piece = OpenPiece::new(64);
        let mut file = Vec::new();
        for times in [[1, 2], [3, 4]] {
            piece.bytes.extend(times.into_iter().flat_map(words));
            assert!(piece.is_full());
            file.extend(piece.end().unwrap());
        }
        let lines = String::from_utf8(inflated(&file).unwrap().unwrap()).unwrap();
        assert_eq!(lines, "1, 5, 1, 4096, 0\n2, 5, 1, 4096, 0\n3, 5, 1, 4096, 0\n4, 5, 1, 4096, 0\n");
        assert!(inflated(&file[..file.len() - 3]).unwrap().is_err());
        assert!(inflated(b"1, 5, 1, 4096, 0\n").is_none());
    }
}
