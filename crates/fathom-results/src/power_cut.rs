//! What a target held after its power was cut ([`PowerCutResult`]): the document of `fathom power-cut check`, and the file that it
//! saves.

use crate::replace::create_run_file;
use fathom_verify::power_cut::{CutTally, CutVerdict, Durability, FlushMode, LogTarget};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Version of the document. Added fields do not change it.
pub const POWER_CUT_FORMAT: u32 = 1;

/// A target after a power cut, judged by the log of what it had acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PowerCutResult {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The version of fathom that judged.
    pub fathom: String,
    /// The id of this check.
    pub id: String,
    /// When it was judged, seconds since the epoch.
    pub checked_unix_s: u64,
    /// The target that was read.
    pub target: String,
    /// What the state proves.
    #[serde(flatten)]
    pub verdict: CutVerdict,
    /// What the units hold.
    pub tally: CutTally,
    /// The log by which it was judged.
    pub log: PowerCutLog,
}

/// The log of acknowledgements, as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PowerCutLog {
    /// The target that it is about.
    pub target: LogTarget,
    /// Bytes of a unit: what the target promises to write as a whole.
    pub unit: u32,
    /// The first byte of the region that was written.
    pub start: u64,
    /// Bytes of the region.
    pub len: u64,
    /// When a write survives.
    pub durability: Durability,
    /// How the writer asked for that.
    pub flush: FlushMode,
    /// When the writer began, seconds since the epoch.
    pub started_unix_s: u64,
    /// Records that could be read.
    pub records: u64,
    /// Writes that were complete by the log.
    pub writes: u64,
    /// Flushes that were complete by the log.
    pub flushes: u64,
    /// How the log ends.
    #[serde(flatten)]
    pub end: LogEnd,
}

/// How a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "end")]
pub enum LogEnd {
    /// With a whole record: the writer was cut off between two of them.
    Cut,
    /// With bytes that are no record. They are not believed.
    Torn {
        /// How many.
        bytes: u64,
    },
    /// A record is missing or altered, and further records of the log follow. None of them is believed.
    Damaged {
        /// Bytes that are not believed.
        bytes: u64,
    },
    /// The writer ended before the power was cut.
    Ended,
}

impl PowerCutResult {
    /// The name of such a check, in lists and in the names of directories.
    pub const NAME: &'static str = "power-cut";
    /// The name of its file.
    pub const FILE: &'static str = "power-cut.json";

    /// Saves it in a directory that has none yet.
    ///
    /// # Errors
    /// The errors of the file system.
    pub fn save_new(&self, dir: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        create_run_file(dir, Self::FILE, (text + "\n").as_bytes())
    }

    /// Is one saved in this directory?
    pub fn is_in(dir: &Path) -> bool {
        dir.join(Self::FILE).is_file()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The file cannot be read, or is of another version.
    pub fn load(dir: &Path) -> io::Result<PowerCutResult> {
        Self::of_bytes(&std::fs::read(dir.join(Self::FILE))?)
    }

    /// The same of the bytes of its file.
    ///
    /// # Errors
    /// They are no such document, or one of another version.
    pub fn of_bytes(bytes: &[u8]) -> io::Result<PowerCutResult> {
        #[derive(Deserialize)]
        struct FormatOnly {
            format: u32,
        }
        let wrong = |e| io::Error::other(format!("{} is not the check of a power cut: {e}", Self::FILE));
        match serde_json::from_slice::<FormatOnly>(bytes).map_err(wrong)?.format {
            POWER_CUT_FORMAT => serde_json::from_slice(bytes).map_err(wrong),
            other => {
                let message =
                    format!("{} has format {other}; this fathom reads {POWER_CUT_FORMAT}", Self::FILE);
                Err(io::Error::other(message))
            }
        }
    }
}
