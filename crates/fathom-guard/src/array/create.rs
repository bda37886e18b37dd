//! Makes an array: all members admitted, then the record, then mdadm; and undoes it where it fails.

use super::error::ArrayError;
use super::kernel::{array_of, arrays_over, container_over, is_container};
use super::mdadm::{self, Mdadm, container_name};
use super::metadata::ArrayMetadata;
use super::plan::{ArrayPlan, barred, withheld};
use super::record::{ArrayRecord, ArrayRecords};
use super::superblock::{self, Superblock};
use crate::lock::TargetLock;
use crate::purge::{Affected, claim, same};
use crate::{Access, Admitted, Consent, Door, Guard, OpenFlags, program};
use fathom_device::device::Identity;
use fathom_device::root::Root;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An array that was made.
#[derive(Debug, Clone)]
pub struct MadeArray {
    /// The device, as the kernel named it.
    pub node: PathBuf,
    /// Its identity.
    pub identity: Identity,
    /// What is remembered of it.
    pub record: ArrayRecord,
}

/// What the making of an array needs, found before anything is written.
struct Ready {
    mdadm: Mdadm,
    before: Before,
}

/// Finds out whether the array can be made, apart from consent. Nothing is written.
///
/// # Errors
/// A member is barred, the kernel or the program is missing, or the name is taken.
pub fn check(root: &Root, plan: &ArrayPlan) -> Result<(), ArrayError> {
    ready(root, plan).map(drop)
}

fn ready(root: &Root, plan: &ArrayPlan) -> Result<Ready, ArrayError> {
    if let Some(refused) = barred(plan) {
        return Err(refused);
    }
    mdadm::can_run(root, plan.level, program::has_module)?;
    let mdadm = Mdadm::find()?;
    if let Some(name) = plan.name.as_ref().filter(|name| root.exists(Path::new("/dev/md").join(name))) {
        let message = format!("there is an array named {name}");
        return Err(ArrayError::asked(message, "give it another --name"));
    }
    Ok(Ready { mdadm, before: Before::of(root, plan)? })
}

/// Makes the array. Nothing is written before every member is admitted; where something fails, the array is stopped
/// and the superblocks are erased again.
///
/// # Errors
/// Consent is missing, the guard refuses a member, or mdadm fails; the error says what could not be undone.
pub fn create(
    root: &Root,
    plan: &ArrayPlan,
    consent: &Consent,
    records: &ArrayRecords,
) -> Result<MadeArray, ArrayError> {
    let Ready { mdadm, before } = ready(root, plan)?;
    if let Some(refused) = withheld(&plan.members) {
        return Err(refused);
    }
    mdadm::load_md(root)?;
    let uuid: String = root.read_text("/proc/sys/kernel/random/uuid")?;
    let short = &uuid[..uuid.len().min(8)];
    let name = plan.name.clone().unwrap_or_else(|| format!("fathom-{short}"));
    let guard = Guard::new(root.clone(), Door::Native, consent.clone());
    let claims = claim(&guard, &plan.members)?;
    let pending = ArrayRecord::new(uuid.clone(), plan.members.iter().map(|member| &member.identity));
    records.store(&pending).map_err(ArrayError::io("write the record of the array"))?;
    let (opened, locks) = hand_over(&claims)?;
    drop((claims, guard));
    let made = match plan.metadata {
        ArrayMetadata::Native => mdadm.create(plan, &uuid, &name, &opened),
        ArrayMetadata::Imsm => mdadm
            .create_container(plan, &container_name(short), &opened)
            .and_then(|()| container_over(root, &plan.kernel_names()))
            .and_then(|container| mdadm.create_volume(plan, &name, &container)),
    };
    let made = made
        .map_err(|message| format!("mdadm made no array: {message}"))
        .and_then(|()| find_array(root, plan, &uuid))
        .and_then(|array| array.remembered(pending, records));
    // A second descriptor would keep the claims of `undo` from the locks.
    drop((opened, locks));
    made.map_err(|message| {
        let left = undo(root, plan, consent, &mdadm, |at, there| before.is_new(&uuid, at, there));
        if left.is_empty() {
            let _ = records.forget(&uuid);
        }
        ArrayError::Failed { message, hint: plan.metadata.hint_of_failure(), left }
    })
}

/// The superblocks of the members before mdadm begins. Intel's have no number that fathom chooses, so what is written now is
/// known by its difference.
struct Before {
    metadata: ArrayMetadata,
    superblocks: Vec<Option<Superblock>>,
}

impl Before {
    fn of(root: &Root, plan: &ArrayPlan) -> Result<Before, ArrayError> {
        let metadata = plan.metadata;
        let read = |member: &Affected| superblock(root, &member.path, metadata);
        Ok(Before { metadata, superblocks: plan.members.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Was this superblock of the member at this place written for the array with this UUID?
    fn is_new(&self, uuid: &str, at: usize, there: &Superblock) -> bool {
        match self.metadata {
            ArrayMetadata::Native => there.id == uuid,
            ArrayMetadata::Imsm => self.superblocks.get(at).and_then(Option::as_ref) != Some(there),
        }
    }
}

/// A descriptor of each member, and the locks that keep udev off them.
type Held = (Vec<OwnedFd>, Vec<Arc<TargetLock>>);

/// What stays with fathom while mdadm has the members: as long as they are open, their numbers lead to no other disk.
fn hand_over(claims: &[Arc<Admitted>]) -> Result<Held, ArrayError> {
    let open = |claim: &Arc<Admitted>| {
        let act = format!("open {}", claim.path().display());
        claim.open(OpenFlags::default()).map_err(ArrayError::io(act))
    };
    let opened = claims.iter().map(open).collect::<Result<Vec<OwnedFd>, ArrayError>>()?;
    Ok((opened, claims.iter().flat_map(|claim| claim.locks.iter().cloned()).collect()))
}

/// An array as the kernel shows it.
struct FoundArray {
    node: PathBuf,
    identity: Identity,
    /// What the superblocks of its members call it.
    id: String,
}

impl FoundArray {
    /// Remembers it by what its superblocks call it. Before mdadm had written them, that was not known of Intel's.
    fn remembered(self, pending: ArrayRecord, records: &ArrayRecords) -> Result<MadeArray, String> {
        let FoundArray { node, identity, id } = self;
        let record = ArrayRecord { id, ..pending.clone() };
        if record != pending {
            let stored = records.store(&record).and_then(|()| records.forget(&pending.id));
            stored.map_err(|e| format!("the record of the array cannot be written: {e}"))?;
        }
        Ok(MadeArray { node, identity, record })
    }
}

/// The array that the kernel shows over exactly these members, if it is the one that was asked for.
fn find_array(root: &Root, plan: &ArrayPlan, uuid: &str) -> Result<FoundArray, String> {
    let array = array_of(root, &plan.kernel_names())?;
    let mut id = (plan.metadata == ArrayMetadata::Native).then(|| uuid.to_owned());
    for member in &plan.members {
        match superblock(root, &member.path, plan.metadata) {
            Ok(Some(there)) if id.as_ref().is_none_or(|id| *id == there.id) => id = Some(there.id),
            _ => return Err(format!("{} has no superblock of {array}", member.path.display())),
        }
    }
    let level: String =
        root.read_text(format!("/sys/class/block/{array}/md/level")).map_err(|e| e.to_string())?;
    if level != format!("raid{}", plan.level.number()) {
        return Err(format!("{array} is {level}, and {} was asked for", plan.level));
    }
    let node = root.at(Path::new("/dev").join(&array));
    let identity = Identity::at(root, &node).ok_or_else(|| format!("{array} cannot be examined"))?;
    Ok(FoundArray { node, identity, id: id.unwrap_or_default() })
}

/// The superblock of the device at a path.
pub(super) fn superblock(
    root: &Root,
    path: &Path,
    metadata: ArrayMetadata,
) -> Result<Option<Superblock>, ArrayError> {
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let admitted = guard.admit(path, Access::Read)?;
    let Some(member) = admitted.identity().cloned() else { return Ok(None) };
    let read = admitted
        .open(OpenFlags::default())
        .and_then(|file| superblock::superblock(&file.into(), metadata, &member));
    read.map_err(ArrayError::io(format!("read the superblock of {}", path.display())))
}

/// Stops what was started, and erases what was written: the superblocks that `is_new` knows, by the place of the member.
/// Returns what is left.
fn undo(
    root: &Root,
    plan: &ArrayPlan,
    consent: &Consent,
    mdadm: &Mdadm,
    is_new: impl Fn(usize, &Superblock) -> bool,
) -> Vec<String> {
    let mut left = Vec::new();
    for (at, member) in plan.members.iter().enumerate() {
        let found = match superblock(root, &member.path, plan.metadata) {
            Ok(Some(found)) if is_new(at, &found) => found,
            Ok(_) => continue,
            // What cannot be read may be left.
            Err(e) => {
                left.push(e.to_string());
                continue;
            }
        };
        let mut arrays = arrays_over(root, &member.identity.kernel_name);
        // Volumes before their container.
        arrays.sort_by_key(|array| is_container(root, array));
        for array in arrays {
            left.extend(mdadm.stop(&array).err().map(|message| format!("{array} runs: {message}")));
        }
        // Stopping it may have written it once more.
        let erased = erase(root, &member.identity, &member.path, consent, (plan.metadata, &found.id));
        left.extend(erased.err().map(|e| e.to_string()));
    }
    left
}

/// Erases the superblock of this array from a member, which the guard admits for that.
pub(super) fn erase(
    root: &Root,
    member: &Identity,
    path: &Path,
    consent: &Consent,
    (metadata, id): (ArrayMetadata, &str),
) -> Result<(), ArrayError> {
    let guard = Guard::new(root.clone(), Door::Native, consent.clone());
    let admitted = guard.admit(path, Access::Write)?;
    let identity = admitted.identity().expect("what is admitted for writing was identified");
    same(member, identity)?;
    let act = || ArrayError::io(format!("erase the superblock of {}", path.display()));
    let file = admitted.open(OpenFlags { write: true, ..OpenFlags::default() }).map_err(act())?.into();
    match superblock::superblock(&file, metadata, identity).map_err(act())? {
        Some(superblock) if superblock.id == id => superblock.erase(&file).map_err(act()),
        _ => {
            let message = format!("{} has no superblock of this array any more", path.display());
            Err(ArrayError::Refused { message, hint: format!("mdadm --examine {} shows it", path.display()) })
        }
    }
}
