//! Which devices a method empties in addition to the one that was named.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::PurgeError;
use super::facts::DriveFacts;
use super::method::Reach;
use crate::{Access, Consent, Door, Finding, FindingKind, Guard, GuardError};
use fathom_device::device::{Graph, Identity, all_disks};
use fathom_device::root::Root;

/// A device that would be emptied.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Affected {
    /// Its node.
    #[serde(with = "fathom_device::saved_path")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// Its identity.
    pub identity: Identity,
    /// What it holds, and what forbids emptying it, the most severe first.
    pub holds: Vec<Finding>,
    /// The word that consents to it; `None` if it has no name of its own.
    pub consent: Option<String>,
    /// Whether it was consented to.
    pub is_allowed: bool,
    /// Whether no consent can let it through: it is in use, or it could not
    /// be examined.
    pub is_barred: bool,
}

/// Everything that a method with this reach empties, the target first.
pub fn affected(root: &Root, facts: &DriveFacts, reach: Reach) -> Result<Vec<Identity>, PurgeError> {
    let target = &facts.identity;
    let mut found = vec![target.clone()];
    let Some(nvme) = &facts.nvme else { return Ok(found) };
    let neighbours = neighbours(root, target)?;
    for nsid in &nvme.namespaces {
        let mut nodes = neighbours.iter().filter(|(number, _)| number == nsid).peekable();
        // The same namespace may be there twice, by two controllers.
        if reach == Reach::Target && *nsid != nvme.nsid {
            continue;
        }
        if nodes.peek().is_none() {
            return Err(PurgeError::HiddenNamespace { device: target.kernel_name.clone(), nsid: *nsid });
        }
        found.extend(nodes.map(|(_, identity)| identity.clone()).filter(|other| other.dev != target.dev));
    }
    if reach == Reach::AllNamespaces {
        // A controller without namespace management lists only its own namespaces; those of the
        // drive's other controllers are emptied too.
        for (_, other) in neighbours {
            if found.iter().all(|known| known.dev != other.dev) {
                found.push(other);
            }
        }
    }
    Ok(found)
}

/// The namespaces of the target's subsystem that are block devices here, the
/// target among them, each with its number.
fn neighbours(root: &Root, target: &Identity) -> Result<Vec<(u32, Identity)>, PurgeError> {
    let own = subsystem(root, &target.kernel_name)?;
    let mut found = Vec::new();
    for disk in all_disks(root)? {
        let name = &disk.kernel_name;
        if subsystem(root, name).ok().as_ref() == Some(&own) {
            found.push((root.read_value(format!("/sys/class/block/{name}/nsid"))?, disk));
        }
    }
    Ok(found)
}

fn subsystem(root: &Root, name: &str) -> Result<String, fathom_device::root::Unknown> {
    root.read_text(format!("/sys/class/block/{name}/device/subsysnqn"))
}

/// What each of the devices holds, what it takes to empty it, and whether `consent` is enough. The
/// guard that is asked has no consent, so nothing is opened for writing.
pub fn examine(root: &Root, devices: Vec<Identity>, consent: &Consent) -> Result<Vec<Affected>, PurgeError> {
    let disks = all_disks(root)?;
    devices.into_iter().map(|identity| examine_one(root, identity, &disks, consent)).collect()
}

fn examine_one(
    root: &Root,
    identity: Identity,
    disks: &[Identity],
    consent: &Consent,
) -> Result<Affected, PurgeError> {
    let graph = Graph::read(root, identity.dev)?;
    let path = graph.target().dev_path.clone();
    let disk = graph.whole_disk().number;
    let others: Vec<Identity> = disks.iter().filter(|other| other.dev != disk).cloned().collect();
    let is_allowed = consent.destroys(&identity, &others);
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let (mut holds, is_barred) = match guard.admit(&path, Access::Write) {
        Ok(_) => (Vec::new(), false),
        Err(GuardError::Refused(refusal)) => {
            let is_barred = !refusal.can_be_overridden();
            (refusal.findings, is_barred)
        }
        Err(other) => return Err(PurgeError::Refused(vec![other])),
    };
    holds.retain(|finding| finding.kind != FindingKind::NoConsent);
    let word = Consent::word_for(&identity, &others);
    Ok(Affected { path, identity, holds, consent: word, is_allowed, is_barred })
}
