//! What is known of a device since it was last purged, in one small file for
//! each device.
//!
//! It is written before the first command ("begun") and after the proof
//! ("purged"), each time whole and flushed: after a power cut in between the
//! file says that a purge began and did not end. Files are keyed by serial
//! and WWID, so they find the device again under any kernel name.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::record::PurgeRecord;
use super::samples::fingerprint;
use fathom_device::bounded;
use fathom_device::device::Identity;

/// Version of the file.
const FORMAT: u32 = 1;
/// Longest readable part of a file's name.
const NAME_MAX: usize = 100;

/// The directory of the files.
#[derive(Debug, Clone)]
pub struct Ledger {
    dir: PathBuf,
}

/// What is known of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceState {
    /// Version of the file.
    pub format: u32,
    /// The device, as it was when this was written.
    pub device: Identity,
    /// The state of its purge.
    pub purge: PurgeState,
    /// What fathom has written since.
    pub written_since: Vec<Written>,
}

/// The state of a purge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PurgeState {
    /// It began; unless it is going on now, it was cut short.
    Begun {
        /// When, in seconds since 1970 (UTC).
        began_unix_s: u64,
        /// Id of the method.
        method: String,
        /// What was to be done.
        act: String,
    },
    /// It began and failed.
    Failed {
        /// When it began.
        began_unix_s: u64,
        /// Id of the method.
        method: String,
        /// What went wrong.
        said: String,
    },
    /// The method ended, and reading afterwards did not prove that the device is empty.
    NotProven {
        /// Its record, with the proof that failed.
        record: Box<PurgeRecord>,
    },
    /// It ended, and reading proved it.
    Purged {
        /// Its record.
        record: Box<PurgeRecord>,
    },
}

impl PurgeState {
    /// Of a method that ended.
    pub(super) fn ended(record: Box<PurgeRecord>) -> PurgeState {
        match record.proof.is_given() {
            true => PurgeState::Purged { record },
            false => PurgeState::NotProven { record },
        }
    }
}

/// A range that fathom wrote after the purge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Written {
    /// Id of the run.
    pub run: String,
    /// First byte.
    pub start_bytes: u64,
    /// First byte after it.
    pub end_bytes: u64,
}

impl DeviceState {
    /// Whether the device was purged and fathom has written nothing since:
    /// what a precondition may start from.
    pub fn is_fresh(&self) -> bool {
        matches!(self.purge, PurgeState::Purged { .. }) && self.written_since.is_empty()
    }

    /// How many bytes of a range fathom has not written since the purge. `None` where the device
    /// was not purged, or was purged by writing over it, because many drives treat what was written
    /// then as data.
    pub fn never_written_bytes(&self, start_bytes: u64, end_bytes: u64) -> Option<u64> {
        let PurgeState::Purged { record } = &self.purge else { return None };
        if record.method == "zero" || record.method.ends_with("overwrite") {
            return None;
        }
        let mut written: Vec<(u64, u64)> =
            self.written_since.iter().map(|range| (range.start_bytes, range.end_bytes)).collect();
        written.sort_unstable();
        let (mut reached, mut unwritten) = (start_bytes, 0);
        for (start, end) in written {
            unwritten += start.min(end_bytes).saturating_sub(reached);
            reached = reached.max(end);
        }
        Some(unwritten + end_bytes.saturating_sub(reached))
    }
}

impl Ledger {
    /// The files in `dir`, which is made when the first is written.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Where the file of a device is; `None` for one that has no lasting name
    /// of its own (zram, a RAM disk).
    pub fn path(&self, device: &Identity) -> Option<PathBuf> {
        Some(self.dir.join(format!("{}.json", key(device)?)))
    }

    /// What is known of a device; `None` if nothing is.
    pub fn load(&self, device: &Identity) -> io::Result<Option<DeviceState>> {
        let Some(path) = self.path(device) else { return Ok(None) };
        let text = match bounded::file(&path, bounded::SETTINGS_MAX_BYTES) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let state: DeviceState = serde_json::from_slice(&text)?;
        match state.format {
            FORMAT => Ok(Some(state)),
            other => Err(io::Error::other(format!("{}: unknown format {other}", path.display()))),
        }
    }

    /// Replaces what is known. Says where it was written.
    pub fn store(&self, device: &Identity, purge: PurgeState) -> io::Result<Option<PathBuf>> {
        let state = DeviceState { format: FORMAT, device: device.clone(), purge, written_since: Vec::new() };
        self.write(&state)
    }

    /// Notes that a run wrote to a device. Nothing is known of a device that
    /// was never purged, so nothing is noted.
    pub fn note_write(&self, device: &Identity, written: Written) -> io::Result<()> {
        let Some(mut state) = self.load(device)? else { return Ok(()) };
        state.written_since.push(written);
        self.write(&state).map(drop)
    }

    /// Writes the file under another name, flushes it, renames it, and flushes the directory.
    fn write(&self, state: &DeviceState) -> io::Result<Option<PathBuf>> {
        let Some(path) = self.path(&state.device) else { return Ok(None) };
        fs::create_dir_all(&self.dir)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.dir)?;
        serde_json::to_writer_pretty(&mut file, state)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|e| e.error)?;
        File::open(&self.dir)?.sync_all()?;
        Ok(Some(path))
    }
}

/// A name for the file of a device: readable, and unique because of a fingerprint.
fn key(device: &Identity) -> Option<String> {
    let names = [device.serial.clone(), device.wwid.clone()];
    let mut words: Vec<String> = names.into_iter().flatten().collect();
    if words.is_empty() {
        words.push(device.backing_file.as_deref().map(Path::display)?.to_string());
    }
    words.extend(device.partition.map(|number| format!("part{number}")));
    let name = words.join("_");
    let readable: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' })
        .take(NAME_MAX)
        .collect();
    Some(format!("{}-{:016x}", readable.trim_start_matches('.'), fingerprint(name.as_bytes())))
}
