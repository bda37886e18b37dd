//! A method to empty a device, as a record, and the ladder of all methods.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::drive::DriveInterfaces;
use super::error::PurgeError;
use super::facts::DriveFacts;
use super::methods;
use fathom_device::nvme::{AdminCommand, NvmeStatus};

#[derive(Debug)]
pub struct Method {
    /// Its name on the command line and in records.
    pub id: &'static str,
    pub title: &'static str,
    /// What is true of the device afterwards, if the drive does what it reports.
    pub leaves: &'static str,
    /// Why it is only used when it is asked for by name; `None`: the ladder
    /// may choose it.
    pub only_by_name: Option<&'static str>,
    pub offers: fn(&DriveFacts, &Wish) -> Offer,
    pub run: fn(&Work<'_>, ProgressListener<'_>) -> Result<Vec<DriveAnswer>, PurgeError>,
}

/// What is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wish {
    /// A method's id, or the first part of several (`sanitize`); `None`: the
    /// strongest.
    pub method: Option<String>,
    /// Logical blocks of this many bytes afterwards; `None`: as they are.
    pub block_bytes: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    Yes(Terms),
    No {
        why: String,
        /// What would change that.
        remedy: Option<String>,
    },
}

impl Offer {
    /// The device does not offer it, and nothing changes that.
    pub(super) fn no(why: impl Into<String>) -> Self {
        Self::No { why: why.into(), remedy: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Terms {
    /// What would be done, in one sentence.
    pub act: String,
    pub reach: Reach,
    /// Logical block in bytes afterwards, if the method sets it.
    pub block_bytes: Option<u32>,
    pub takes: Option<Duration>,
}

/// What a method empties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The device that was named: a disk, a partition, a namespace.
    Target,
    /// Every namespace of the NVMe subsystem.
    AllNamespaces,
}

/// A command to the drive, and what it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriveAnswer {
    /// The command or query.
    pub asked: String,
    /// What came back.
    pub answered: String,
}

impl DriveAnswer {
    pub(super) fn new(asked: impl Into<String>, answered: impl Into<String>) -> Self {
        Self { asked: asked.into(), answered: answered.into() }
    }
}

pub struct Work<'a> {
    /// The claimed device.
    pub drive: &'a dyn DriveInterfaces,
    pub facts: &'a DriveFacts,
    pub wish: &'a Wish,
}

impl Work<'_> {
    /// Sends an NVMe admin command as a step. A status that is not success is an error.
    pub(super) fn admin(
        &self,
        tell: ProgressListener<'_>,
        name: &str,
        act: String,
        command: AdminCommand,
    ) -> Result<DriveAnswer, PurgeError> {
        tell(PurgeProgress::Step(act.clone()));
        let done = self.drive.admin(command, &mut []).map_err(|e| self.io(&format!("send {name} to"), e))?;
        let status = NvmeStatus(done.status);
        if !status.is_success() {
            return Err(PurgeError::Nvme { device: self.drive.name().to_owned(), act, status });
        }
        Ok(DriveAnswer::new(act, status.to_string()))
    }

    /// A system call that failed.
    pub(super) fn io(&self, act: &str, source: std::io::Error) -> PurgeError {
        PurgeError::Io { device: self.drive.name().to_owned(), act: act.to_owned(), source }
    }

    /// The drive accepted the command and failed to carry it out.
    pub(super) fn failed(&self, act: &str, message: impl Into<String>, remedy: Option<&str>) -> PurgeError {
        PurgeError::Failed {
            device: self.drive.name().to_owned(),
            act: act.to_owned(),
            message: message.into(),
            remedy: remedy.map(str::to_owned),
        }
    }
}

/// A message about the progress of a purge.
#[derive(Debug, Clone, PartialEq)]
pub enum PurgeProgress {
    /// The step that begins now.
    Step(String),
    /// The part of the step that is done, from 0 to 1.
    Done(f64),
}

pub type ProgressListener<'a> = &'a mut dyn FnMut(PurgeProgress);

/// All methods, the strongest first: those that also empty blocks that no address leads to
/// (over-provisioned and retired blocks), then those that empty all blocks with an address, then
/// those that only declare blocks unused.
pub static LADDER: [&Method; 15] = [
    &methods::nvme_sanitize::BLOCK,
    &methods::nvme_sanitize::CRYPTO,
    &methods::nvme_sanitize::OVERWRITE,
    &methods::scsi::BLOCK,
    &methods::scsi::CRYPTO,
    &methods::scsi::OVERWRITE,
    &methods::ata_erase::ENHANCED,
    &methods::ata_erase::NORMAL,
    &methods::nvme_format::ERASE,
    &methods::nvme_format::CRYPTO,
    &methods::scsi::FORMAT,
    &methods::nvme_format::PLAIN,
    &methods::range::SECURE_TRIM,
    &methods::range::TRIM,
    &methods::range::ZERO,
];

impl Wish {
    /// Whether `method` is, or may be, what is wanted.
    pub fn admits(&self, method: &Method) -> bool {
        match &self.method {
            None => method.only_by_name.is_none(),
            Some(name) => names(method, name),
        }
    }

    /// Whether any method has the name that is wanted.
    pub fn check(&self) -> Result<(), PurgeError> {
        let Some(name) = &self.method else { return Ok(()) };
        if LADDER.iter().any(|method| names(method, name)) {
            return Ok(());
        }
        let mut known: Vec<&str> = LADDER.iter().map(|method| method.id).collect();
        known.sort_unstable();
        Err(PurgeError::NoSuchMethod { name: name.clone(), known })
    }
}

/// `sanitize` names `sanitize-block` and all others that begin so; `format` is itself a method, and
/// names only that one.
fn names(method: &Method, name: &str) -> bool {
    let is_exact = LADDER.iter().any(|method| method.id == name);
    let begins = |id: &str| id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    method.id == name || !is_exact && method.only_by_name.is_none() && begins(method.id)
}
