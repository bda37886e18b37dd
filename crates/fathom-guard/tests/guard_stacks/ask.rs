//! Questions to the guard, as the program would ask them.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;

use fathom_device::Root;
use fathom_device::device::{DevNumber, Graph, Identity, all_disks};
use fathom_guard::{Access, Admitted, Consent, Door, Guard, GuardError, OpenFlags, Refusal, consent_words};

/// What the guard said.
pub enum Answer {
    /// The guard keeps the admission as long as it lives.
    Admitted(Box<Guard>, Arc<Admitted>),
    Refused(Box<Refusal>),
    CannotTell(String),
    Failed(String),
}

/// Asks for writing.
pub fn ask(path: &Path, door: Door, consent: Consent) -> Answer {
    let guard = Guard::new(Root::live(), door, consent);
    let answer = guard.admit(path, Access::Write);
    match answer {
        Ok(admitted) => Answer::Admitted(Box::new(guard), admitted),
        Err(GuardError::Refused(refusal)) => Answer::Refused(refusal),
        Err(error) if error.is_refusal() => Answer::CannotTell(error.to_string()),
        Err(error) => Answer::Failed(error.to_string()),
    }
}

/// The strongest consent that a person can give for a path: the words that the guard prints.
pub fn full_consent(path: &Path) -> Consent {
    let mut consent = Consent { overwrite_files: vec![path.to_path_buf()], ..Consent::default() };
    let meta = fs::metadata(path).expect("a candidate is there");
    if meta.file_type().is_block_device() {
        let words = words_for(DevNumber::from_raw(meta.rdev()));
        consent.destroy = words.iter().filter_map(|word| word.parse().ok()).collect();
    }
    consent
}

fn words_for(number: DevNumber) -> Vec<String> {
    let root = Root::live();
    let graph = Graph::read(&root, number).expect("an attached device");
    let identity = Identity::read(&root, &graph).expect("an attached device");
    let mut others = all_disks(&root).expect("sysfs can be read");
    others.retain(|other| other.dev != graph.whole_disk().number);
    consent_words(&identity, &others)
}

/// Overwrites an admitted target: its ends and 4 KiB in every 8, or at a thousand places.
/// Gives the bytes written; a file system that is full ends it early.
pub fn overwrite(admitted: &Admitted, size_bytes: u64, junk: &[u8]) -> u64 {
    use std::os::unix::fs::FileExt;
    let how = OpenFlags { write: true, ..OpenFlags::default() };
    let Ok(fd) = admitted.open(how) else { return 0 };
    let file = fs::File::from(fd);
    let mut written = 0;
    let mut write = |start: u64, len: u64| {
        let len = usize::try_from(len.min(size_bytes - start)).expect("a small piece");
        let done = file.write_all_at(&junk[..len.min(junk.len())], start);
        written += if done.is_ok() { len as u64 } else { 0 };
    };
    let stride = (size_bytes / 1000).next_multiple_of(4096).max(8192);
    write(0, size_bytes.min(64 << 10));
    write(size_bytes.saturating_sub(64 << 10), size_bytes.min(64 << 10));
    (0..size_bytes).step_by(usize::try_from(stride).expect("a small step")).for_each(|at| write(at, 4096));
    let _ = file.sync_data();
    written
}
