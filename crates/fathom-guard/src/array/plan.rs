//! What making an array would do, found out without a write.

use super::error::ArrayError;
use super::metadata::{ArrayLevel, ArrayMetadata};
use crate::purge::{Affected, examine};
use crate::{Access, Consent, Door, Guard};
use fathom_device::device::Identity;
use fathom_device::root::Root;
use std::path::{Path, PathBuf};

/// A member must hold this much: superblock, the gap before the data, and some chunks.
const MEMBER_BYTES_MIN: u64 = 32 << 20;
/// Limits of a chunk: md takes a page and more (md(4)); larger ones are mistakes in the unit.
const CHUNK_BYTES: std::ops::RangeInclusive<u64> = 4096..=64 << 20;

/// What a person asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArraySpec {
    /// The form of its metadata.
    pub metadata: ArrayMetadata,
    /// The level.
    pub level: ArrayLevel,
    /// Bytes of a chunk; `None` for the usual of the metadata.
    pub chunk_bytes: Option<u64>,
    /// The name of the array, which is the last part of its path below `/dev/md`; `None` for one that is made up.
    pub name: Option<String>,
}

/// What would be done.
#[derive(Debug, Clone)]
pub struct ArrayPlan {
    /// The form of its metadata.
    pub metadata: ArrayMetadata,
    /// The level.
    pub level: ArrayLevel,
    /// Bytes of a chunk; `None` for a level without chunks.
    pub chunk_bytes: Option<u64>,
    /// The name that was asked for.
    pub name: Option<String>,
    /// The members in their order, each with what it holds and the consent that it needs.
    pub members: Vec<Affected>,
    /// Bytes of data that the array will hold at most; its metadata takes a little of that.
    pub size_bytes: u64,
    /// What a person should know before.
    pub notes: Vec<String>,
}

impl ArrayPlan {
    /// Whether consent can allow it.
    pub fn is_possible(&self) -> bool {
        self.members.iter().all(|member| !member.is_barred)
    }

    /// The kernel's names of the members.
    pub(super) fn kernel_names(&self) -> Vec<&str> {
        self.members.iter().map(|member| member.identity.kernel_name.as_str()).collect()
    }

    /// Whether every member was consented to.
    pub fn is_allowed(&self) -> bool {
        self.members.iter().all(|member| member.is_allowed)
    }
}

/// What making this array of these devices would do. Nothing is written, whatever `consent` allows.
///
/// # Errors
/// The array cannot be made of these devices, or one of them cannot be examined.
pub fn plan(
    root: &Root,
    spec: &ArraySpec,
    members: &[PathBuf],
    consent: &Consent,
) -> Result<ArrayPlan, ArrayError> {
    spec.check_words()?;
    let devices: Vec<Identity> = members.iter().map(|path| identity(root, path)).collect::<Result<_, _>>()?;
    let notes = spec.check(&devices)?;
    let each = devices.iter().map(|device| device.size_bytes).min().unwrap_or_default();
    let size_bytes = spec.level.capacity_bytes(devices.len() as u64, each);
    let chunk_bytes = spec.chunk_bytes.unwrap_or(spec.metadata.chunk_bytes_usual());
    Ok(ArrayPlan {
        metadata: spec.metadata,
        level: spec.level,
        chunk_bytes: spec.level.has_chunk().then_some(chunk_bytes),
        name: spec.name.clone(),
        members: examine(root, devices, consent)?,
        size_bytes,
        notes,
    })
}

/// The block device at a path.
pub(super) fn identity(root: &Root, path: &Path) -> Result<Identity, ArrayError> {
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let admitted = guard.admit(path, Access::Read)?;
    let identity = admitted.identity().cloned();
    identity.ok_or_else(|| {
        let message = format!("{} is not a block device", path.display());
        ArrayError::asked(message, "to list the disks of this machine: fathom devices")
    })
}

impl ArraySpec {
    /// Chunk and name, which depend on no device.
    fn check_words(&self) -> Result<(), ArrayError> {
        let level = self.level;
        match self.chunk_bytes {
            Some(_) if !level.has_chunk() => {
                return Err(ArrayError::asked(format!("{level} has no chunks"), "leave --chunk out"));
            }
            Some(bytes) if !bytes.is_power_of_two() || !CHUNK_BYTES.contains(&bytes) => {
                let message = format!("md has no chunks of {bytes} bytes");
                return Err(ArrayError::asked(
                    message,
                    "a power of two from 4k to 64m, such as --chunk 128k",
                ));
            }
            _ => {}
        }
        match &self.name {
            Some(name) if !is_name(name, self.metadata.name_max()) => {
                let message = format!("{name:?} cannot be the name of an array");
                let most = self.metadata.name_max();
                let hint = format!(
                    "letters, digits, - and _, at most {most}, the first a letter; not md or d with a number, because mdadm \
                     takes that for the number of a device"
                );
                Err(ArrayError::asked(message, hint))
            }
            _ => Ok(()),
        }
    }

    /// Whether the devices can be its members; and what a person should know of them.
    fn check(&self, devices: &[Identity]) -> Result<Vec<String>, ArrayError> {
        let (level, least) = (self.level, self.level.members_min());
        if devices.len() < least {
            let message = format!("{level} has at least {least} members, and {} were named", devices.len());
            return Err(ArrayError::asked(message, "name more devices"));
        }
        self.metadata.allows(level, devices.len())?;
        if let Some(part) =
            devices.iter().find(|device| self.metadata == ArrayMetadata::Imsm && device.partition.is_some())
        {
            let message = format!("{} is a partition, and imsm takes whole disks", part.describe());
            return Err(ArrayError::asked(message, "name the disk, or leave --metadata out"));
        }
        for (at, device) in devices.iter().enumerate() {
            if let Some(other) = devices[..at].iter().find(|other| is_same(device, other)) {
                let message = format!("{} and {} are the same device", other.describe(), device.describe());
                return Err(ArrayError::asked(message, "each member must be a device of its own"));
            }
            if device.size_bytes < MEMBER_BYTES_MIN {
                let message = format!("{} is too small for a member", device.describe());
                return Err(ArrayError::asked(message, "a member has at least 32 MiB"));
            }
            if self.chunk_bytes.is_some_and(|chunk| device.size_bytes / chunk < 8) {
                let message = format!("{} is too small for chunks of this size", device.describe());
                return Err(ArrayError::asked(message, "ask for a smaller --chunk"));
            }
        }
        Ok(notes(devices))
    }
}

/// What makes members unequal.
fn notes(devices: &[Identity]) -> Vec<String> {
    let mut notes = Vec::new();
    let sizes = || devices.iter().map(|device| device.size_bytes);
    let (least, most) = (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default());
    if least != most {
        notes.push(format!(
            "the members have different sizes: {least} bytes of each are used, as much as the smallest has"
        ));
    }
    let blocks = |device: &Identity| device.logical_block_bytes;
    let largest = devices.iter().filter_map(blocks).max();
    if let Some(bytes) = largest.filter(|_| devices.iter().any(|device| blocks(device) != largest)) {
        notes.push(format!(
            "the members have different logical blocks: the array has blocks of {bytes} bytes"
        ));
    }
    if devices.iter().any(|device| device.rotational != devices[0].rotational) {
        notes.push(
            "some members are hard disks and some are not: the slowest decides what is measured".to_owned(),
        );
    }
    notes
}

/// Whether two devices share their bytes: one device, one disk by two paths, a disk and its partition.
fn is_same(one: &Identity, other: &Identity) -> bool {
    let disk = |device: &Identity| (device.serial.clone(), device.wwid.clone(), device.backing_file.clone());
    let is_named = one.wwid.is_some() || one.backing_file.is_some();
    let share = one.partition == other.partition || one.partition.is_none() || other.partition.is_none();
    one.dev == other.dev || is_named && disk(one) == disk(other) && share
}

fn is_name(name: &str, most: usize) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let numbered =
        ["md_d", "md", "d"].into_iter().any(|begins| name.strip_prefix(begins).is_some_and(is_number));
    name.len() <= most
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c))
        && !numbered
}

/// All reasons why members are barred, in one error.
pub(super) fn barred(plan: &ArrayPlan) -> Option<ArrayError> {
    let of_member = |member: &Affected| {
        let finding = member.holds.iter().find(|finding| !finding.can_be_overridden());
        finding.map(|finding| format!("{}: {finding}", member.path.display()))
    };
    let reasons: Vec<String> = plan.members.iter().filter_map(of_member).collect();
    let message = format!("refused to make an array: {}", reasons.join("; "));
    let hint = crate::RELEASE_FIRST.to_owned();
    (!plan.is_possible()).then_some(ArrayError::Refused { message, hint })
}

/// The members without consent, in one error.
pub(super) fn withheld<'a>(members: impl IntoIterator<Item = &'a Affected>) -> Option<ArrayError> {
    let names: Vec<String> = members
        .into_iter()
        .filter(|member| !member.is_allowed)
        .map(|member| match member.consent {
            Some(_) => member.identity.describe(),
            None => format!("{}, which has no name that no other device has", member.identity.describe()),
        })
        .collect();
    let message = format!("no consent to destroy what is on {}", names.join(" and "));
    let hint = "--destroy names each of them; --plan shows the command".to_owned();
    (!names.is_empty()).then_some(ArrayError::Refused { message, hint })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::device::{DevNumber, DiskKind};

    fn disk(name: &str, minor: u32) -> Identity {
        Identity {
            kernel_name: name.to_owned(),
            dev: DevNumber { major: 8, minor },
            partition: None,
            serial: Some(format!("S{minor}")),
            wwid: Some(format!("naa.{minor}")),
            by_id: Vec::new(),
            backing_file: None,
            size_bytes: 1 << 30,
            diskseq: None,
            model: None,
            logical_block_bytes: Some(512),
            physical_block_bytes: None,
            rotational: Some(false),
            removable: None,
            read_only: false,
            driver: None,
            kind: DiskKind::Scsi,
        }
    }

    fn spec(level: &str, chunk_bytes: Option<u64>) -> ArraySpec {
        let metadata = ArrayMetadata::Native;
        ArraySpec { metadata, level: level.parse().unwrap(), chunk_bytes, name: None }
    }

    fn disks(count: u32) -> Vec<Identity> {
        (0..count).map(|number| disk(&format!("sd{number}"), number)).collect()
    }

    #[test]
    fn each_level_has_its_fewest_members_and_its_capacity() {
        for (level, least, data_of_six) in
            [("0", 2, 6), ("1", 2, 1), ("raid5", 3, 5), ("6", 4, 4), ("10", 4, 3)]
        {
            let spec = spec(level, None);
            let message = spec.check(&disks(least - 1)).unwrap_err().to_string();
            assert!(message.contains(&format!("at least {least} members")), "{message}");
            assert_eq!(spec.check(&disks(least)).unwrap(), Vec::<String>::new(), "{level}");
            assert_eq!(spec.level.capacity_bytes(6, 1 << 30), data_of_six << 30, "{level}");
        }
        for level in ["2", "4", "50", "", "linear"] {
            assert!(level.parse::<ArrayLevel>().is_err(), "{level}");
        }
    }

    #[test]
    fn a_device_is_a_member_once() {
        let same = |change: fn(&mut Identity)| {
            let mut members = disks(2);
            change(&mut members[1]);
            spec("1", None).check(&members).err().map(|e| e.to_string())
        };
        let is_same =
            |message: Option<String>| message.is_some_and(|message| message.contains("are the same device"));
        assert!(is_same(same(|other| other.dev.minor = 0)), "one device by two names");
        let by_other_path = |other: &mut Identity| {
            (other.serial, other.wwid) = (Some("S0".to_owned()), Some("naa.0".to_owned()));
        };
        assert!(is_same(same(by_other_path)), "one disk by two paths");
        assert!(is_same(same(|other| {
            (other.serial, other.wwid) = (Some("S0".to_owned()), Some("naa.0".to_owned()));
            other.partition = Some(1);
        })));
        assert_eq!(same(|other| other.serial = Some("S0".to_owned())), None, "two namespaces share a serial");
    }

    #[test]
    fn members_that_differ_are_told_and_too_small_ones_refused() {
        let check = |level: &str, chunk: Option<u64>, change: fn(&mut Identity)| {
            let mut members = disks(3);
            change(&mut members[2]);
            spec(level, chunk).check(&members).map(|notes| notes.join("; ")).map_err(|e| e.to_string())
        };
        let refusal = check("5", None, |other| other.size_bytes = 1 << 29).unwrap();
        assert!(refusal.contains("different sizes: 536870912 bytes of each are used"), "{refusal}");
        let refusal = check("5", None, |other| other.logical_block_bytes = Some(4096)).unwrap();
        assert!(refusal.contains("blocks of 4096 bytes"), "{refusal}");
        let refusal = check("5", None, |other| other.rotational = Some(true)).unwrap();
        assert!(refusal.contains("the slowest decides"), "{refusal}");
        for (chunk, size, why) in
            [(None, 31 << 20, "too small for a member"), (Some(8 << 20), 32 << 20, "chunks")]
        {
            let mut members = disks(3);
            members[1].size_bytes = size;
            let message = spec("5", chunk).check(&members).unwrap_err().to_string();
            assert!(message.contains("sd1") && message.contains(why), "{message}");
        }
    }

    #[test]
    fn a_volume_of_imsm_has_whole_disks_and_a_short_name() {
        let imsm = |level: &str| ArraySpec { metadata: ArrayMetadata::Imsm, ..spec(level, None) };
        assert!(imsm("5").check(&disks(4)).is_ok());
        let message = imsm("10").check(&disks(6)).unwrap_err().to_string();
        assert!(message.contains("RAID 10 of imsm has exactly 4 members, and 6 were named"), "{message}");
        let mut members = disks(3);
        members[1].partition = Some(1);
        let message = imsm("0").check(&members).unwrap_err().to_string();
        assert!(message.contains("sd1") && message.contains("imsm takes whole disks"), "{message}");
        let named = |name: &str| ArraySpec { name: Some(name.to_owned()), ..imsm("0") }.check_words().is_ok();
        assert!(named("fifteen-letters") && !named("sixteen-letters-"));
    }

    #[test]
    fn words_that_mdadm_could_misread_are_refused() {
        let check = |level: &str, chunk_bytes: Option<u64>, name: Option<&str>| {
            ArraySpec { name: name.map(str::to_owned), ..spec(level, chunk_bytes) }.check_words().is_ok()
        };
        for chunk in [0, 1, 2048, 4097, 96 << 10, 128 << 20] {
            assert!(!check("5", Some(chunk), None), "{chunk}");
        }
        assert!(check("10", Some(64 << 10), None) && !check("1", Some(64 << 10), None));
        for name in ["bench", "pts-1", "d", "md", "Data_2", "mdx1"] {
            assert!(check("0", None, Some(name)), "{name}");
        }
        for name in ["", "7", "-f", "--force", "md5", "md_d0", "d3", "a/b", "..", "ä", "a b", &"x".repeat(25)]
        {
            assert!(!check("0", None, Some(name)), "{name}");
        }
    }
}
