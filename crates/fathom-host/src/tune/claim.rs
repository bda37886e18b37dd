//! Who tunes what on this machine, wherever the journals are kept.
//!
//! Two sessions must not change settings of one owner: each would put back what
//! it found, and the second found what the first had made. The lock of a state
//! directory keeps them apart only where both use that directory, and a lock
//! that a process holds would end with `tune apply`, which leaves its settings
//! in force. So each session writes down what it changes in one directory of
//! the machine, and that stands until its journal is closed. It lies in `/run`
//! because a reboot undoes settings and claims alike.

use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf, absolute};

use serde::{Deserialize, Serialize};

use super::boot::boot_id;
use super::error::TuneError;
use super::journal;
use super::key::Key;
use super::place::At;
use super::plan::Line;
use super::state_dir::{prepare, read_own};
use super::ward::Ward;
use crate::root::Root;

/// Where claims are, one file a session.
const DIR: &str = "/run/fathom/tuned";
/// Ending of their names.
const ENDING: &str = "json";

/// What one session changes.
#[derive(Debug, Serialize, Deserialize)]
struct Claim {
    /// Its journal.
    journal: PathBuf,
    /// The process that began it; `None` where it could not be seen.
    process: Option<Ward>,
    /// The boot in which it began.
    boot_id: Option<String>,
    /// The owners whose settings it changes.
    owners: Vec<Claimed>,
}

/// An owner whose settings one session alone may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claimed {
    key: Key,
    /// Settings of the whole machine do not hang together: of these a session
    /// has those of its knobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    knob: Option<String>,
}

/// Claims for a journal what the lines change, or says who has it.
pub(super) fn take(root: &Root, journal: &Path, lines: &[Line]) -> Result<(), TuneError> {
    let owners = owners(lines);
    if owners.is_empty() {
        return Ok(());
    }
    let dir = root.at(DIR);
    make(&dir)?;
    // Held until the claim is written, so that of two sessions one sees the other.
    let registry = File::open(&dir).and_then(|dir| dir.lock().map(|()| dir));
    let _registry = registry.map_err(TuneError::state("lock", &dir))?;
    for path in claims(&dir)? {
        let claim = read(&path)?;
        if claim.is_over(root) {
            fs::remove_file(&path).map_err(TuneError::state("remove", &path))?;
        } else if let Some(owner) = claim.owners.iter().find(|owner| owners.contains(owner)) {
            return Err(claim.refusal(root, owner, path));
        }
    }
    let process = Ward::of(root, std::process::id());
    let journal = absolute(journal).map_err(TuneError::state("find", journal))?;
    write(&dir, &Claim { journal, process, boot_id: boot_id(root), owners })
}

/// Ends the claim of a journal that is closed. One that cannot be removed is
/// found to be over by the next session.
pub(super) fn release(root: &Root, journal: &Path) {
    let path = root.at(DIR).join(name(journal));
    let is_its_own = read(&path).is_ok_and(|claim| claim.journal.parent() == parent(journal).as_deref());
    if is_its_own {
        let _ = fs::remove_file(path);
    }
}

fn parent(journal: &Path) -> Option<PathBuf> {
    Some(absolute(journal).ok()?.parent()?.to_owned())
}

fn owners(lines: &[Line]) -> Vec<Claimed> {
    let mut owners: Vec<Claimed> = Vec::new();
    for line in lines.iter().filter(|line| !matches!(line.setting.at, At::Held(_))) {
        let key = line.setting.key.clone();
        let knob = (key == Key::Host).then(|| line.knob.clone());
        let owner = Claimed { key, knob };
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    owners
}

/// `/run/fathom` is for everybody to see; what stands in the claims is for the
/// user who tunes.
fn make(dir: &Path) -> Result<(), TuneError> {
    let above = dir.parent().unwrap_or(dir);
    let made = DirBuilder::new().recursive(true).mode(0o755).create(above);
    made.map_err(TuneError::state("make", above))?;
    prepare(dir)
}

fn claims(dir: &Path) -> Result<Vec<PathBuf>, TuneError> {
    let entries = fs::read_dir(dir).map_err(TuneError::state("list", dir))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(TuneError::state("list", dir))?.path();
        if path.extension().is_some_and(|end| end == ENDING) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<Claim, TuneError> {
    let bytes = read_own(path).map_err(TuneError::state("read", path))?;
    serde_json::from_slice(&bytes).map_err(|e| TuneError::Journal {
        path: path.to_owned(),
        line: e.line(),
        reason: e.to_string(),
    })
}

/// Whole or not at all: it gets its name when all of it is written.
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
    /// Whether nothing of it can be in force any more. What cannot be seen from
    /// here, such as a state directory of another container, may be.
    fn is_over(&self, root: &Root) -> bool {
        let boot = boot_id(root);
        if self.boot_id.is_some() && boot.is_some() && self.boot_id != boot {
            return true;
        }
        match fs::symlink_metadata(&self.journal) {
            // Closed: a closed journal has another name.
            Err(e) if e.kind() == ErrorKind::NotFound => self.journal.parent().is_some_and(Path::exists),
            Err(_) => false,
            Ok(_) => {
                let has_open = journal::read(&self.journal).map(|said| said.open().next().is_some());
                !has_open.unwrap_or(true) && !self.runs(root)
            }
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
        let pid = self.process.as_ref().filter(|process| process.runs(root)).map(Ward::pid);
        TuneError::Claimed { what, pid, journal: self.journal.clone(), claim }
    }
}
