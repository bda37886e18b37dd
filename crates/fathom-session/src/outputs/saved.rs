//! Whether a file belongs to a saved run.

use fathom_results::{RunRecord, is_spool};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are read from the beginning of a file: the first line can be that
/// long in the record of a job with a long name.
pub const HEAD_BYTES: u64 = 16 << 10;

/// Whether an open file is part of a saved run.
pub fn is_saved(path: &Path, file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(is_record(&head) || is_in_run(&path.canonicalize()?))
}

/// Whether a file begins as a spool or a record. No option allows replacing one: without
/// them a run cannot be read.
pub fn is_record(head: &[u8]) -> bool {
    is_spool(head) || RunRecord::is_begun_by(head)
}

/// Whether the file is in the directory of a run.
pub fn is_in_run(real: &Path) -> bool {
    let spool = real.parent().and_then(|dir| File::open(dir.join("spool")).ok());
    let mut head = [0; 8];
    spool.is_some_and(|mut spool| {
        spool.metadata().is_ok_and(|meta| meta.is_file())
            && spool.read_exact(&mut head).is_ok()
            && is_spool(&head)
    })
}
