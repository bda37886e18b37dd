//! Makes an array: all members admitted, then the record, then mdadm; and undoes it where it fails.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::ArrayError;
use super::kernel::{array_of, arrays_over};
use super::mdadm::Mdadm;
use super::plan::{ArrayPlan, barred, withheld};
use super::record::{ArrayRecord, ArrayRecords};
use super::superblock::Superblock;
use crate::lock::DiskLock;
use crate::purge::{claim, same};
use crate::{Access, Admitted, Consent, Door, Guard, OpenFlags};
use fathom_device::device::Identity;
use fathom_device::root::Root;

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
    if let Some(refused) = barred(plan).or_else(|| withheld(&plan.members)) {
        return Err(refused);
    }
    let mdadm = Mdadm::find()?;
    let uuid: String = root.read_text("/proc/sys/kernel/random/uuid")?;
    let name = plan.name.clone().unwrap_or_else(|| format!("fathom-{}", &uuid[..uuid.len().min(8)]));
    if root.exists(Path::new("/dev/md").join(&name)) {
        let said = format!("there is an array named {name}");
        return Err(ArrayError::asked(said, "give it another --name"));
    }
    let guard = Guard::new(root.clone(), Door::Native, consent.clone());
    let claims = claim(&guard, &plan.members)?;
    let record = ArrayRecord::new(uuid, plan.members.iter().map(|member| &member.identity));
    records.store(&record).map_err(ArrayError::io("write the record of the array"))?;
    let (opened, locks) = hand_over(&claims)?;
    drop((claims, guard));
    let made = mdadm
        .create(plan, &record.uuid, &name, &opened)
        .map_err(|said| format!("mdadm made no array: {said}"))
        .and_then(|()| found(root, plan, &record.uuid));
    // A second descriptor would keep the claims of `undo` from the locks.
    drop((opened, locks));
    match made {
        Ok((node, identity)) => Ok(MadeArray { node, identity, record }),
        Err(said) => {
            let left = undo(root, plan, consent, &mdadm, &record.uuid);
            if left.is_empty() {
                let _ = records.forget(&record.uuid);
            }
            Err(ArrayError::Failed { said, left })
        }
    }
}

/// A descriptor of each member, and the locks that keep udev off them.
type Held = (Vec<OwnedFd>, Vec<Option<Arc<DiskLock>>>);

/// What stays with fathom while mdadm has the members: as long as they are open, their numbers lead to no other disk.
fn hand_over(claims: &[Arc<Admitted>]) -> Result<Held, ArrayError> {
    let open = |claim: &Arc<Admitted>| {
        let act = format!("open {}", claim.path().display());
        claim.open(OpenFlags::default()).map_err(ArrayError::io(act))
    };
    let opened = claims.iter().map(open).collect::<Result<Vec<OwnedFd>, ArrayError>>()?;
    Ok((opened, claims.iter().map(|claim| claim.lock.clone()).collect()))
}

/// The array that the kernel shows over exactly these members, if it is the one that was asked for.
fn found(root: &Root, plan: &ArrayPlan, uuid: &str) -> Result<(PathBuf, Identity), String> {
    let members: Vec<&str> = plan.members.iter().map(|member| member.identity.kernel_name.as_str()).collect();
    let array = array_of(root, &members)?;
    for member in &plan.members {
        match superblock(root, &member.path) {
            Ok(Some(there)) if there.uuid == uuid => {}
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
    Ok((node, identity))
}

/// The superblock of the device at a path.
pub(super) fn superblock(root: &Root, path: &Path) -> Result<Option<Superblock>, ArrayError> {
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let admitted = guard.admit(path, Access::Read)?;
    let read = admitted.open(OpenFlags::default()).and_then(|file| Superblock::read(&file.into()));
    read.map_err(ArrayError::io(format!("read the superblock of {}", path.display())))
}

/// Stops what was started, and erases what was written. Returns what is left.
fn undo(root: &Root, plan: &ArrayPlan, consent: &Consent, mdadm: &Mdadm, uuid: &str) -> Vec<String> {
    let mut left = Vec::new();
    for member in &plan.members {
        match superblock(root, &member.path) {
            Ok(Some(found)) if found.uuid == uuid => {}
            Ok(_) => continue,
            // What cannot be read may be left.
            Err(e) => {
                left.push(e.to_string());
                continue;
            }
        }
        for array in arrays_over(root, &member.identity.kernel_name) {
            left.extend(mdadm.stop(&array).err().map(|said| format!("{array} runs: {said}")));
        }
        left.extend(erase(root, &member.identity, &member.path, consent, uuid).err().map(|e| e.to_string()));
    }
    left
}

/// Erases the superblock of this array from a member, which the guard admits for that.
pub(super) fn erase(
    root: &Root,
    member: &Identity,
    path: &Path,
    consent: &Consent,
    uuid: &str,
) -> Result<(), ArrayError> {
    let guard = Guard::new(root.clone(), Door::Native, consent.clone());
    let admitted = guard.admit(path, Access::Write)?;
    let identity = admitted.identity().expect("what is admitted for writing was identified");
    same(member, identity)?;
    let act = || ArrayError::io(format!("erase the superblock of {}", path.display()));
    let file = admitted.open(OpenFlags { write: true, ..OpenFlags::default() }).map_err(act())?.into();
    match Superblock::read(&file).map_err(act())? {
        Some(found) if found.uuid == uuid => found.erase(&file).map_err(act()),
        _ => {
            let said = format!("{} has no superblock of this array any more", path.display());
            Err(ArrayError::Refused { said, hint: format!("mdadm --examine {} shows it", path.display()) })
        }
    }
}
