//! `fathom power-cut`: writes until the power is cut, and judges afterwards what the target holds (docs/adr/0025).
//!
//! What is written and what may be there is decided by [`fathom_verify::power_cut`]; here are the threads, the files and the
//! guard.

mod check;
mod log_file;
mod target;
mod writer;

pub use check::{CheckRequest, check};
pub use log_file::{LogDestination, LogWriter, ReadLog, create_log, read_log, shares_disk};
pub use target::{CutTarget, admit, atomic_unit, durability, logical_block};
pub use writer::{WriteEnd, WriteRequest, write};

use crate::exit::{Exit, Failure};
use crate::run_id::random;
use fathom_results::PowerCutResult;
use fathom_text::calendar::Moment;
use fathom_text::shown;
use std::io;
use std::path::{Path, PathBuf};

/// A random key for a run: it names the writes of this run.
///
/// # Errors
/// The kernel gives no random numbers.
pub fn new_key() -> Result<u64, Failure> {
    random().map_err(|e| Failure::new(Exit::Failed, format!("cannot make a random number: {e}")))
}

/// Memory of direct I/O begins at a multiple of this: the largest logical block of a device that Linux takes without
/// large folios.
const ALIGNMENT: usize = 4096;

/// So many bytes of this memory, which is made for them, for direct I/O.
fn aligned(memory: &mut Vec<u8>, bytes: usize) -> &mut [u8] {
    *memory = vec![0; bytes + ALIGNMENT];
    let start = memory.as_ptr().align_offset(ALIGNMENT);
    &mut memory[start..start + bytes]
}

/// Saves a result in `<runs-dir>/<UTC>-power-cut-<id>`, and returns that directory.
///
/// # Errors
/// Those of the file system.
pub fn save(result: &PowerCutResult, runs_dir: &Path) -> Result<PathBuf, Failure> {
    let when = Moment::of_unix_ns(result.checked_unix_s.saturating_mul(1_000_000_000)).compact();
    let dir = runs_dir.join(format!("{when}-{}-{}", PowerCutResult::NAME, result.id));
    let cannot = |e: io::Error| {
        Failure::new(Exit::Failed, format!("cannot save the result in {}: {e}", shown::path(&dir)))
    };
    std::fs::create_dir_all(&dir).map_err(cannot)?;
    result.save_new(&dir).map_err(cannot)?;
    Ok(dir)
}
