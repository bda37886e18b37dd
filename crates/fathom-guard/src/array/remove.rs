//! Takes an array apart that fathom made: it is stopped, and md's metadata is erased from its members.

use std::path::{Path, PathBuf};

use super::create::{erase, superblock};
use super::error::ArrayError;
use super::kernel::{arrays_over, container_of, is_container, members_of, metadata_of};
use super::mdadm::Mdadm;
use super::metadata::ArrayMetadata;
use super::plan::{identity, withheld};
use super::record::{ArrayRecord, ArrayRecords, name};
use crate::purge::{Affected, claim, examine};
use crate::{Consent, Door, Guard};
use fathom_device::device::Identity;
use fathom_device::root::Root;

/// What taking an array apart would do.
#[derive(Debug, Clone)]
pub struct RemovalPlan {
    /// The array: what it holds, and the consent that it needs.
    pub array: Affected,
    /// The kernel name of the container that it is a volume of.
    pub container: Option<String>,
    /// The form of its metadata.
    pub metadata: ArrayMetadata,
    /// What is remembered of it.
    pub record: ArrayRecord,
    /// The members whose metadata is erased.
    pub members: Vec<Identity>,
    /// What a person should know before.
    pub notes: Vec<String>,
}

/// What taking this array apart would do. Nothing is written.
///
/// # Errors
/// It is no array, fathom did not make it, or it has members that fathom did not give it.
pub fn plan_removal(
    root: &Root,
    path: &Path,
    consent: &Consent,
    records: &ArrayRecords,
) -> Result<RemovalPlan, ArrayError> {
    let array = identity(root, path)?;
    let kernel_name = array.kernel_name.clone();
    if !root.is_dir(format!("/sys/class/block/{kernel_name}/md")) {
        let message = format!("{} is no md array", path.display());
        return Err(ArrayError::asked(message, "cat /proc/mdstat lists them"));
    }
    if is_container(root, &kernel_name) {
        let message = format!("{} is a container, which goes with the array in it", path.display());
        return Err(ArrayError::asked(
            message,
            "name the array: cat /proc/mdstat has it with the name of its container",
        ));
    }
    let metadata = ArrayMetadata::of_kernel(&metadata_of(root, &kernel_name));
    let of_member = |member: &String| identity(root, &node(root, member));
    let members: Vec<Identity> =
        members_of(root, &kernel_name)?.iter().map(of_member).collect::<Result<_, _>>()?;
    let first = members.first().map(|first| node(root, &first.kernel_name));
    let found = first.map(|first| superblock(root, &first, metadata)).transpose()?.flatten();
    let record = found.map(|superblock| records.load(&superblock.id)).transpose();
    let record = record.map_err(ArrayError::io("read the record of the array"))?.flatten();
    let Some(record) = record else {
        let message = format!("fathom did not make {}, and it takes apart only what it made", path.display());
        let hint = format!("a person can: mdadm --stop /dev/{kernel_name}");
        return Err(ArrayError::Refused { message, hint });
    };
    let container = container_of(root, &kernel_name);
    others(root, &members, [Some(&kernel_name), container.as_ref()])?;
    let notes = compare(&record, &members, &kernel_name)?;
    let array = examine(root, vec![array], consent)?.remove(0);
    Ok(RemovalPlan { array, container, metadata, record, members, notes })
}

/// An error if a member has a part in another array too: somebody made a second volume in the container.
fn others(root: &Root, members: &[Identity], ours: [Option<&String>; 2]) -> Result<(), ArrayError> {
    for member in members {
        let arrays = arrays_over(root, &member.kernel_name);
        if let Some(other) = arrays.iter().find(|array| !ours.contains(&Some(*array))) {
            let message =
                format!("{} is a member of {other} too, which fathom did not make", member.describe());
            let hint = format!("a person can take that apart: mdadm --stop /dev/{other}");
            return Err(ArrayError::Refused { message, hint });
        }
    }
    Ok(())
}

/// An error if the array has a member that is not in its record; notes on those that it lost.
fn compare(record: &ArrayRecord, members: &[Identity], array: &str) -> Result<Vec<String>, ArrayError> {
    if let Some(new) = members.iter().find(|member| !record.has(member)) {
        let message = format!("{array} has a member that fathom did not give it: {}", new.describe());
        let hint = format!("a person can take it apart: mdadm --stop /dev/{array}");
        return Err(ArrayError::Refused { message, hint });
    }
    let there: Vec<String> = members.iter().map(name).collect();
    let lost = record.members.iter().filter(|known| !there.contains(known));
    Ok(lost.map(|lost| format!("no member any more, and what md wrote on it stays: {lost}")).collect())
}

/// Finds out whether the array can be taken apart, apart from consent. Nothing is written.
///
/// # Errors
/// The program is missing, or the array is in use.
pub fn check_removal(plan: &RemovalPlan) -> Result<(), ArrayError> {
    ready(plan).map(drop)
}

fn ready(plan: &RemovalPlan) -> Result<Mdadm, ArrayError> {
    let mdadm = Mdadm::find()?;
    if plan.array.is_barred {
        let reasons: Vec<String> = plan.array.holds.iter().map(ToString::to_string).collect();
        let message = format!("refused to take {} apart: {}", plan.array.path.display(), reasons.join("; "));
        return Err(ArrayError::Refused { message, hint: "unmount, stop or detach first".to_owned() });
    }
    Ok(mdadm)
}

/// Takes the array apart. The guard admits the array like any target of a write, and then each member.
///
/// The person names the array. The consent for its members follows from that, and only for devices whose superblock
/// has the array's UUID.
///
/// # Errors
/// Consent is missing, the guard refuses, or the array cannot be stopped. Members that could not be
/// erased are named; the others are erased.
pub fn remove(
    root: &Root,
    plan: &RemovalPlan,
    consent: &Consent,
    records: &ArrayRecords,
) -> Result<(), ArrayError> {
    let mdadm = ready(plan)?;
    if let Some(refused) = withheld([&plan.array]) {
        return Err(refused);
    }
    let guard = Guard::new(root.clone(), Door::Native, consent.clone());
    drop((claim(&guard, std::slice::from_ref(&plan.array))?, guard));
    let name = &plan.array.identity.kernel_name;
    let failed = |message: String, left: Vec<String>| ArrayError::Failed { message, hint: None, left };
    for array in [Some(name), plan.container.as_ref()].into_iter().flatten() {
        mdadm
            .stop(array)
            .map_err(|message| failed(format!("{array} was not stopped: {message}"), Vec::new()))?;
    }
    let erased = |member: &Identity| {
        let path = node(root, &member.kernel_name);
        let consent = consent_of(root, member)?;
        erase(root, member, &path, &consent, (plan.metadata, &plan.record.id))
    };
    let left: Vec<String> =
        plan.members.iter().filter_map(|member| Some(erased(member).err()?.to_string())).collect();
    if !left.is_empty() {
        return Err(failed(format!("{name} is stopped"), left));
    }
    records.forget(&plan.record.id).map_err(ArrayError::io("forget the record of the array"))
}

/// Consent to erase a member of the array that a person named; [`erase`] compares the UUID under the claim.
fn consent_of(root: &Root, member: &Identity) -> Result<Consent, ArrayError> {
    let word = examine(root, vec![member.clone()], &Consent::default())?.remove(0).consent;
    let word = word.and_then(|word| word.parse().ok());
    Ok(Consent { destroy: word.into_iter().collect(), ..Consent::default() })
}

fn node(root: &Root, name: &str) -> PathBuf {
    root.at(Path::new("/dev").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::device::{DevNumber, DiskKind};

    fn member(minor: u32, serial: &str) -> Identity {
        Identity {
            kernel_name: format!("sd{minor}"),
            dev: DevNumber { major: 8, minor },
            partition: None,
            serial: Some(serial.to_owned()).filter(|serial| !serial.is_empty()),
            wwid: None,
            by_id: Vec::new(),
            backing_file: None,
            size_bytes: 1 << 30,
            diskseq: Some(u64::from(minor)),
            model: None,
            logical_block_bytes: None,
            physical_block_bytes: None,
            rotational: None,
            removable: None,
            read_only: false,
            driver: None,
            kind: DiskKind::Scsi,
        }
    }

    #[test]
    fn only_members_that_fathom_gave_it() {
        let made = vec![member(1, "A"), member(2, "B"), member(3, "")];
        let record = ArrayRecord::new("u".to_owned(), &made);
        let check = |now: &[Identity]| compare(&record, now, "md127").map_err(|e| e.to_string());
        let moved = [member(7, "A"), member(2, "B"), member(3, "")];
        assert_eq!(check(&moved), Ok(Vec::new()), "the kernel gave a disk another number");
        let notes = check(&moved[..2]).unwrap();
        assert!(
            notes.len() == 1 && notes[0].contains("8:3") && notes[0].contains("no member any more"),
            "{notes:?}"
        );
        for other in [member(2, "X"), member(4, ""), Identity { size_bytes: 1, ..member(2, "B") }] {
            let message = check(&[member(1, "A"), other]).unwrap_err();
            assert!(message.contains("a member that fathom did not give it"), "{message}");
        }
    }
}
