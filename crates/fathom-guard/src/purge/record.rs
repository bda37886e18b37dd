//! The record of a purge for later use: a report names its method, and a precondition may start
//! from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::method::DriveAnswer;
use super::proof::Proof;
use fathom_device::device::Identity;

/// One purge, from the first command to the proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurgeRecord {
    /// When the first command was sent, in seconds since 1970 (UTC).
    pub began_unix_s: u64,
    /// When the proof was complete, likewise.
    pub ended_unix_s: u64,
    /// Id of the method.
    pub method: String,
    /// What was done, in one sentence.
    pub act: String,
    /// What is true of the device, if the drive does what it reports.
    pub leaves: String,
    /// What the drive itself said.
    pub answers: Vec<DriveAnswer>,
    /// The device before.
    pub before: Identity,
    /// The device after: size and blocks may have changed.
    pub after: Identity,
    /// All devices that were emptied by it, the named one first.
    pub affected: Vec<Identity>,
    /// NVMe: blocks allocated (NUSE) before and after. Many drives always
    /// report all of them.
    pub used_blocks: Option<(u64, u64)>,
    /// What reading proved.
    pub proof: Proof,
}
