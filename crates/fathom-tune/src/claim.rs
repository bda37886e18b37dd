//! Which session tunes what on this machine, for all state directories.
//!
//! Two sessions must not change settings of one owner: each would put back what it found, and the
//! second found what the first had made. The lock of a state directory keeps them apart only where
//! both use that directory, and a lock that a process holds would end with `tune apply`, which
//! leaves its settings in force. So each session writes down what it changes in one directory of
//! the machine, and this claim stays until its journal is closed. The directory is in `/run`
//! because a reboot undoes settings and claims alike.

use super::error::TuneError;
use super::journal;
use super::key::OwnerKey;
use super::plan::PlannedChange;
use super::state_dir::{self, files_with, prepare, read_own};
use super::watched_process::WatchedProcess;
use crate::record::{Record, State};
use fathom_device::counters::boot_id;
use fathom_device::root::Root;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf, absolute};

const DIR: &str = "/run/fathom/tuned";
const ENDING: &str = "json";

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Claim {
    #[serde(with = "fathom_device::saved_path")]
    pub(super) journal: PathBuf,
    /// The process that began it; `None` where it could not be seen.
    process: Option<WatchedProcess>,
    boot_id: Option<String>,
    owners: Vec<Claimed>,
    /// What it found, in case the journal is lost.
    pub(super) found: Vec<LostSetting>,
    /// A person asked for settings that stay when the process ends.
    stays: bool,
}

/// A setting that a lost session set out to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostSetting {
    /// Where it was.
    pub path: String,
    /// What it was.
    pub before: String,
}

/// An owner whose settings one session alone may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claimed {
    key: OwnerKey,
    /// Settings of the whole machine are independent of each other: of these a session has those of
    /// its knobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    knob: Option<String>,
}

/// Claims for a journal what the lines change, or says who has it.
pub(super) fn take(root: &Root, journal: &Path, lines: &[PlannedChange]) -> Result<(), TuneError> {
    let owners = owners(lines);
    if owners.is_empty() {
        return Ok(());
    }
    let dir = root.at(DIR);
    make(&dir)?;
    // Held until the claim is written, so that of two sessions one sees the other.
    let registry = File::open(&dir).and_then(|dir| dir.lock().map(|()| dir));
    let _registry = registry.map_err(TuneError::state("lock", &dir))?;
    for (path, claim) in claims(&dir)? {
        let claim = claim?;
        if claim.is_over(root) {
            fs::remove_file(&path).map_err(TuneError::state("remove", &path))?;
        } else if let Some(owner) = claim.owners.iter().find(|owner| owners.contains(owner)) {
            return Err(claim.refusal(root, owner, path));
        }
    }
    let process = WatchedProcess::of(root, std::process::id());
    let journal = absolute(journal).map_err(TuneError::state("find", journal))?;
    let (boot_id, found) = (boot_id(root), originals(lines));
    write(&dir, &Claim { journal, process, boot_id, owners, found, stays: false })
}

/// All claims of the machine, each with its file. A machine on which nobody has tuned since it
/// started has none.
pub(super) fn all(root: &Root) -> Result<Vec<Read>, TuneError> {
    let dir = root.at(DIR);
    match fs::symlink_metadata(&dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(TuneError::state("list", &dir)(e)),
        Ok(_) => claims(&dir),
    }
}

/// Ends the claim of a journal that is closed. If it cannot be removed, the next session finds that
/// it is over.
pub(super) fn release(root: &Root, journal: &Path) {
    let path = root.at(DIR).join(name(journal));
    let journal = absolute(journal).unwrap_or_default();
    let is_its_own = read(&path).is_ok_and(|claim| claim.journal.parent() == journal.parent());
    if is_its_own {
        let _ = fs::remove_file(path);
    }
}

/// Notes that the settings of a journal stay in force on purpose. What cannot be noted is told as left.
pub(super) fn stays(root: &Root, journal: &Path) {
    let dir = root.at(DIR);
    if let Ok(claim) = read(&dir.join(name(journal))) {
        let _ = write(&dir, &Claim { stays: true, ..claim });
    }
}

fn owners(lines: &[PlannedChange]) -> Vec<Claimed> {
    let mut owners: Vec<Claimed> = Vec::new();
    for line in lasting(lines) {
        let key = line.setting.key.clone();
        let knob = (key == OwnerKey::Host).then(|| line.knob.clone());
        let owner = Claimed { key, knob };
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    owners
}

fn originals(lines: &[PlannedChange]) -> Vec<LostSetting> {
    let found = |line: &PlannedChange| LostSetting {
        path: line.path.clone(),
        before: line.setting.codec.describe(&line.now),
    };
    lasting(lines).map(found).collect()
}

/// Handles end with the process that holds them; all other changes last.
fn lasting(lines: &[PlannedChange]) -> impl Iterator<Item = &PlannedChange> {
    lines.iter().filter(|line| !line.setting.is_self_releasing())
}

/// Everybody may look at `/run/fathom`; only the user who tunes may read the claims.
fn make(dir: &Path) -> Result<(), TuneError> {
    let above = dir.parent().unwrap_or(dir);
    let made = DirBuilder::new().recursive(true).mode(0o755).create(above);
    made.map_err(TuneError::state("make", above))?;
    prepare(dir)
}

pub(super) type Read = (PathBuf, Result<Claim, TuneError>);

fn claims(dir: &Path) -> Result<Vec<Read>, TuneError> {
    let paths = files_with(dir, ENDING).map_err(TuneError::state("list", dir))?;
    let read = paths.into_iter().filter_map(|path| match read(&path) {
        // It has ended meanwhile.
        Err(TuneError::State { source, .. }) if source.kind() == ErrorKind::NotFound => None,
        claim => Some((path, claim)),
    });
    Ok(read.collect())
}

fn read(path: &Path) -> Result<Claim, TuneError> {
    let bytes = read_own(path).map_err(TuneError::state("read", path))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| TuneError::Claim { path: path.to_owned(), reason: e.to_string() })
}

/// Writes all of it or nothing: the file gets its name when it is complete.
fn write(dir: &Path, claim: &Claim) -> Result<(), TuneError> {
    let path = dir.join(name(&claim.journal));
    let text = serde_json::to_vec(claim).expect("a claim is made of texts and numbers");
    let written = tempfile::NamedTempFile::new_in(dir).and_then(|mut file| {
        file.write_all(&text)?;
        file.persist(&path).map_err(|e| e.error).map(drop)
    });
    written.map_err(TuneError::state("write", &path))
}

fn name(journal: &Path) -> PathBuf {
    Path::new(journal.file_stem().unwrap_or_default()).with_extension(ENDING)
}

impl Claim {
    /// Whether nothing of it can be in force any more. What fathom cannot see, such as a state
    /// directory of another container, may still be in force.
    fn is_over(&self, root: &Root) -> bool {
        self.is_of_another_boot(root)
            || match self.witness(root) {
                Witness::Closed => true,
                Witness::Journal { is_open } => !is_open && !self.runs(root),
                Witness::Lost(_) => false,
            }
    }

    /// Whether its process has ended without putting back what it changed in this boot, and nobody asked for that.
    pub(super) fn is_left(&self, root: &Root) -> bool {
        !self.stays && !self.is_of_another_boot(root) && !self.runs(root)
    }

    /// A restart of the machine undid everything.
    pub(super) fn is_of_another_boot(&self, root: &Root) -> bool {
        let boot = boot_id(root);
        self.boot_id.is_some() && boot.is_some() && self.boot_id != boot
    }

    pub(super) fn witness(&self, root: &Root) -> Witness {
        match fs::symlink_metadata(&self.journal) {
            // A journal that is closed gets another name before its claim ends.
            Err(_) if fs::symlink_metadata(self.journal.with_extension(journal::CLOSED)).is_ok() => {
                Witness::Closed
            }
            Err(e) => Witness::Lost(e.to_string()),
            Ok(_) => match journal::read(&self.journal) {
                Ok(contents) if contents.header.is_none() => Witness::Lost("it is empty".to_owned()),
                // A session that is just beginning has not written its first change yet.
                Ok(contents) if contents.records.is_empty() && !self.runs(root) => {
                    Witness::Lost("it ends before its first change".to_owned())
                }
                Ok(contents) => Witness::Journal { is_open: contents.open().next().is_some() },
                Err(e) => Witness::Lost(e.to_string()),
            },
        }
    }

    fn runs(&self, root: &Root) -> bool {
        self.process.as_ref().is_some_and(|process| process.runs(root))
    }

    fn refusal(&self, root: &Root, owner: &Claimed, claim: PathBuf) -> TuneError {
        let what = match &owner.knob {
            Some(knob) => knob.clone(),
            None => owner.key.to_string(),
        };
        let pid = self.process.as_ref().filter(|process| process.runs(root)).map(WatchedProcess::pid);
        TuneError::Claimed { what, pid, journal: self.journal.clone(), claim }
    }
}

/// What there is to learn about a session that has a claim.
pub(super) enum Witness {
    /// Its journal, which has changes to put back or has none.
    Journal { is_open: bool },
    /// All was put back.
    Closed,
    /// The journal cannot be read, for this reason, so it is not known what is in force.
    Lost(String),
}

// Sessions that cannot be put back from their journals.
//
// A journal can be removed, emptied or cut: by hand, with its directory, by a disk that was full.
// The settings are still in force, and the claim of the session shows which ones it found, and
// with which values. If the claim is damaged too, this is not known.

/// A session of this boot that nobody can put back from its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Why, in a sentence that names what cannot be used.
    pub reason: String,
    /// Where the session is written down. While this file exists, nobody else can tune its owners.
    pub claim: PathBuf,
    /// What it set out to change, as it found it.
    pub found: Vec<LostSetting>,
}

/// Looks for such sessions on the whole machine.
///
/// # Errors
/// Where the directory of claims cannot be listed.
pub fn lost(root: &Root) -> Result<Vec<Lost>, TuneError> {
    let lost = all(root)?.into_iter().filter_map(|(path, claim)| match claim {
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

// Settings that a session left in force when it ended: it was killed together with its guardian, or could not put them back.
//
// A session of a fathom that runs holds what it changed, and so does a guardian at work. `tune apply` leaves its settings on
// purpose, and says so in its claim. All others are left.

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
    let left = all(root)?.into_iter().filter_map(|(_, claim)| {
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
