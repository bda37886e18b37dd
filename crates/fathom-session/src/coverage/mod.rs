//! What fathom has written over each device, across runs and reboots: which ranges, in which pattern, how often.
//!
//! One small file for each device, replaced whole and flushed. It counts only as long as nothing else has written to
//! the device: then the counters of drive and kernel stand where the last run left them.

mod counter;
mod note;
mod ranges;

pub use counter::Unnoted;
pub(crate) use note::{BeforeRun, note};
pub use ranges::{CoveredRange, Pattern};

use crate::state::{runtime_dir, since_purge, state_dir};
use counter::WriteCounters;
use fathom_device::Root;
use fathom_device::bounded;
use fathom_device::device::Identity;
use fathom_guard::purge::{Ledger, PurgeState};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Version of the file.
const FORMAT: u32 = 1;

/// What was written over a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    format: u32,
    /// The device, as it was when this was written.
    pub device: Identity,
    /// When its last purge began, in seconds since 1970 (UTC).
    purge_unix_s: Option<u64>,
    /// Ranges that were written whole, each byte as often as it says.
    pub ranges: Vec<CoveredRange>,
    /// Where the counters stood afterwards.
    counters: WriteCounters,
}

/// What is known of a device now.
#[derive(Clone, Debug, PartialEq)]
pub enum Covered {
    /// fathom has written nothing there.
    Nothing,
    /// This was written, and is still there.
    Still(Box<Coverage>),
    /// What was written does not count any more, one clause that says why.
    Void(String),
}

impl Covered {
    /// What is known of the device at this path.
    pub fn read(root: &Root, path: &Path) -> Covered {
        Covered::read_after(root, path, Unnoted::Nothing)
    }

    /// The same after a run of fathom that may have written what it did not note.
    pub fn read_after(root: &Root, path: &Path, unnoted: Unnoted) -> Covered {
        Identity::at(root, path).map_or(Covered::Nothing, |device| Covered::after(root, &device, unnoted))
    }

    fn of(root: &Root, device: &Identity) -> Covered {
        Covered::after(root, device, Unnoted::Nothing)
    }

    fn after(root: &Root, device: &Identity, unnoted: Unnoted) -> Covered {
        // A file that cannot be read says nothing.
        let Ok(Some(known)) = load(device) else { return Covered::Nothing };
        if known.purge_unix_s != last_purge(device) {
            return Covered::Void("it was purged since".to_owned());
        }
        if known.device.size_bytes != device.size_bytes {
            return Covered::Void("its size has changed since".to_owned());
        }
        match known.counters.moved_until(&WriteCounters::read(root, device), unnoted) {
            Some(why) => Covered::Void(why),
            None => Covered::Still(Box::new(known)),
        }
    }

    /// How often the whole range was written in order.
    pub fn passes(&self, start_bytes: u64, end_bytes: u64) -> u32 {
        match self {
            Covered::Still(known) => {
                ranges::passes(&known.ranges, Some(Pattern::Sequential), start_bytes, end_bytes)
            }
            _ => 0,
        }
    }

    /// Was every byte of the range written, in whatever order?
    pub fn is_written(&self, start_bytes: u64, end_bytes: u64) -> bool {
        matches!(self, Covered::Still(known) if ranges::passes(&known.ranges, None, start_bytes, end_bytes) > 0)
    }
}

/// Forgets what was written over the device at this path, because reading did not prove it: the next run writes it again.
pub fn disprove(root: &Root, path: &Path) -> io::Result<()> {
    let Some(file) = Identity::at(root, path).and_then(|device| file(&device)) else { return Ok(()) };
    match fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

fn last_purge(device: &Identity) -> Option<u64> {
    Some(match since_purge(device)?.purge {
        PurgeState::Begun { began_unix_s, .. } | PurgeState::Failed { began_unix_s, .. } => began_unix_s,
        PurgeState::NotProven { record } | PurgeState::Purged { record } => record.began_unix_s,
    })
}

/// The file of the device; `None` for one without a name that lasts. What counts only until the next boot is kept where
/// the next boot removes it.
fn file(device: &Identity) -> Option<PathBuf> {
    let dir = if WriteCounters::last(device) { state_dir("coverage") } else { runtime_dir("coverage") };
    Ledger::at(dir?).path(device)
}

fn load(device: &Identity) -> io::Result<Option<Coverage>> {
    let Some(path) = file(device) else { return Ok(None) };
    let text = match bounded::file(&path, bounded::SETTINGS_MAX_BYTES) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    let known: Coverage = serde_json::from_slice(&text)?;
    match known.format {
        FORMAT => Ok(Some(known)),
        other => Err(io::Error::other(format!("{}: unknown format {other}", path.display()))),
    }
}

/// Removes the notes on loop devices whose files are gone. A note that cannot be read or removed does no harm.
fn forget_lost(dir: &Path) {
    for path in fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let known = bounded::file(&path, bounded::SETTINGS_MAX_BYTES).ok();
        let known = known.and_then(|text| serde_json::from_slice::<Coverage>(&text).ok());
        if known.and_then(|known| known.device.backing_file).is_some_and(|file| !file.exists()) {
            let _ = fs::remove_file(&path);
        }
    }
}

fn store(known: &Coverage) -> io::Result<()> {
    let Some(path) = file(&known.device) else { return Ok(()) };
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    if known.device.backing_file.is_some() {
        forget_lost(dir);
    }
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    serde_json::to_writer_pretty(&mut file, known)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|e| e.error)?;
    File::open(dir)?.sync_all()
}
