//! Sessions whose journal has gone although they were never put back.
//!
//! A journal can be removed or emptied: by hand, with its directory, by a disk
//! that was full. The settings are in force all the same, and the claim of the
//! session still tells which ones it found, and with which values.

use std::path::PathBuf;

use super::claim::{self, Found, Witness};
use super::error::TuneError;
use crate::root::Root;

/// A session of this boot that nobody can put back from its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Its journal.
    pub journal: PathBuf,
    /// Why the journal cannot be used.
    pub reason: String,
    /// Where the session is written down. While this file stands, its owners
    /// are tuned by nobody else.
    pub claim: PathBuf,
    /// What it set out to change, as it found it.
    pub found: Vec<Found>,
}

/// Looks for such sessions on the whole machine.
pub fn lost(root: &Root) -> Result<Vec<Lost>, TuneError> {
    let claims = claim::all(root)?.into_iter().filter(|(_, claim)| !claim.is_of_another_boot(root));
    let lost = claims.filter_map(|(path, claim)| match claim.witness() {
        Witness::Lost(reason) => {
            Some(Lost { journal: claim.journal, reason, claim: path, found: claim.found })
        }
        Witness::Journal { .. } | Witness::Closed => None,
    });
    Ok(lost.collect())
}
