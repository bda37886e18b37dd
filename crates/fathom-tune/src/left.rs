//! Settings that a session left in force when it ended: it was killed together with its guardian, or could not put them back.
//!
//! A session of a fathom that runs holds what it changed, and so does a guardian at work. `tune apply` leaves its settings on
//! purpose, and says so in its claim. All others are left.

use std::path::PathBuf;

use super::claim;
use super::error::TuneError;
use super::journal;
use super::record::{Record, State};
use super::state_dir;
use fathom_device::root::Root;

/// A session that ended, and whose settings are in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftSession {
    /// Its journal.
    pub journal: PathBuf,
    /// The process that began it, where it is known.
    pub pid: Option<u32>,
    /// What is in force, in the order in which it was changed; never empty.
    pub records: Vec<Record>,
}

/// Looks for such sessions on the whole machine, in all state directories. Nothing is changed, and no device is asked.
///
/// # Errors
/// Where the directory of claims cannot be listed.
pub fn left_in_force(root: &Root) -> Result<Vec<LeftSession>, TuneError> {
    let left = claim::all(root)?.into_iter().filter_map(|(_, claim)| {
        let claim = claim.ok().filter(|claim| claim.is_left(root))?;
        if state_dir::is_held(claim.journal.parent()?) {
            return None;
        }
        let contents = journal::read(&claim.journal).ok()?;
        let records: Vec<Record> = contents.open().filter(|record| is_ours(record)).cloned().collect();
        let pid = contents.header.map(|header| header.pid);
        (!records.is_empty()).then_some(LeftSession { journal: claim.journal, pid, records })
    });
    Ok(left.collect())
}

/// Not what somebody else has set since.
fn is_ours(record: &Record) -> bool {
    record.state != State::Drifted
}
