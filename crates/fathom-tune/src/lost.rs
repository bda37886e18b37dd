//! Sessions that cannot be put back from their journals.
//!
//! A journal can be removed, emptied or cut: by hand, with its directory, by a disk that was full.
//! The settings are still in force, and the claim of the session shows which ones it found, and
//! with which values. If the claim is damaged too, this is not known.

use std::path::PathBuf;

use super::claim::{self, Found, Witness};
use super::error::TuneError;
use fathom_device::root::Root;

/// A session of this boot that nobody can put back from its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Why, in a sentence that names what cannot be used.
    pub reason: String,
    /// Where the session is written down. While this file exists, nobody else can tune its owners.
    pub claim: PathBuf,
    /// What it set out to change, as it found it.
    pub found: Vec<Found>,
}

/// Looks for such sessions on the whole machine.
///
/// # Errors
/// Where the directory of claims cannot be listed.
pub fn lost(root: &Root) -> Result<Vec<Lost>, TuneError> {
    let lost = claim::all(root)?.into_iter().filter_map(|(path, claim)| match claim {
        Ok(claim) if claim.is_of_another_boot(root) => None,
        Ok(claim) => match claim.witness(root) {
            Witness::Lost(why) => {
                let reason = format!("its journal {} cannot be used: {why}", claim.journal.display());
                Some(Lost { reason, claim: path, found: claim.found })
            }
            Witness::Journal { .. } | Witness::Closed => None,
        },
        Err(e) => Some(Lost { reason: e.to_string(), claim: path, found: Vec::new() }),
    });
    Ok(lost.collect())
}
