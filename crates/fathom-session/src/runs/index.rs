//! The index of a directory of runs: a file beside them.
//!
//! ```text
//! "FATHOMIX" version:u32le crc32:u32le payload      the payload is CBOR, and the CRC is its own
//! ```
//! It is a cache. The file is never changed in place: it is read as a whole, and a new one takes its
//! name in one step. So no lock is needed: two lists at the same time each see a whole index, and
//! the one that is saved last stays. After a crash the old index or the new one is there.
//!
//! The file may come from anybody, as a directory of runs may. So its kind, its length and its
//! checksum are checked before its content is read.

use super::entries::{self, Known};
use super::saved_run::Listed;
use fathom_device::bounded;
use fathom_results::write_run_file;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Name of the index in the directory of the runs. It is hidden, as what is no run.
pub(super) const FILE: &str = ".fathom-index";

/// The longest index that is read. That of ten thousand runs of `quick` has 7 MB.
const INDEX_MAX_BYTES: u64 = 1 << 30;

const MAGIC: &[u8; 8] = b"FATHOMIX";

/// Version of the index. It changes when what is read from a record does.
pub(super) const VERSION: u32 = 1;

/// Length of what is before the payload.
const HEADER_BYTES: usize = 16;

/// Why an index cannot be used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// It cannot be read, is of another version, or was not made by fathom.
    Other,
    /// It is ours, and its content is wrong.
    Damaged(String),
}

/// What has the name of the index.
#[derive(PartialEq, Eq)]
enum Holder {
    Nothing,
    /// An index that fathom made. An empty file is what some file systems leave of one after a power
    /// failure.
    Index,
    /// Something else, which stays as it is.
    Other,
}

/// Reads the index in `dir`. One that is missing knows nothing.
pub(super) fn read(dir: &Path) -> Result<Known, Unusable> {
    let path = dir.join(FILE);
    match holder(&path) {
        Ok(Holder::Nothing) => return Ok(Known::new()),
        Ok(Holder::Index) => {}
        _ => return Err(Unusable::Other),
    }
    let bytes = bounded::file(&path, INDEX_MAX_BYTES).map_err(|_| Unusable::Other)?;
    let damaged = |what: String| Unusable::Damaged(what);
    let Some((header, payload)) = bytes.split_at_checked(HEADER_BYTES) else {
        return Err(damaged(if bytes.is_empty() { "it is empty" } else { "it is cut" }.to_owned()));
    };
    if word(header, 8) != VERSION {
        return Err(Unusable::Other);
    }
    if word(header, 12) != crc32fast::hash(payload) {
        return Err(damaged("its checksum is wrong".to_owned()));
    }
    entries::known(payload).map_err(|e| damaged(e.to_string()))
}

/// Saves an index of all runs that are not damaged: what is wrong with a damaged one may pass.
pub(super) fn save(dir: &Path, listed: &[Listed]) -> io::Result<()> {
    let has_runs = listed.iter().any(|run| run.run.head.is_ok());
    match holder(&dir.join(FILE))? {
        Holder::Other => {
            return Err(io::Error::other("fathom did not make what has this name, and leaves it as it is"));
        }
        // A directory without runs gets no file.
        Holder::Nothing if !has_runs => return Ok(()),
        Holder::Nothing | Holder::Index => {}
    }
    write_run_file(dir, FILE, &file(&entries::bytes(listed)))
}

/// The bytes of an index with this payload.
pub(super) fn file(payload: &[u8]) -> Vec<u8> {
    let crc32 = crc32fast::hash(payload);
    [MAGIC.as_slice(), &VERSION.to_le_bytes(), &crc32.to_le_bytes(), payload].concat()
}

fn holder(path: &Path) -> io::Result<Holder> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Holder::Nothing),
        meta => meta?,
    };
    // Opening a FIFO would wait.
    if !meta.is_file() {
        return Ok(Holder::Other);
    }
    let mut head = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(if head == MAGIC || head.is_empty() { Holder::Index } else { Holder::Other })
}

/// The little-endian word at index `at`.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
