//! What a device offers for emptying it. The queries change nothing and use the descriptor that the
//! guard gave.

mod ata;
mod nvme;

pub use ata::AtaFacts;
pub use nvme::NvmeFacts;

pub(super) use ata::{AtaCommand, IDENTIFY_BYTES};
pub(super) use nvme::sanitize_log;

use super::drive::{DataDirection, DriveInterfaces, ScsiCommand};
use super::sense;
use fathom_device::device::{DiskKind, Identity};
use fathom_device::root::Root;
use fathom_device::zones::DeviceZones;
use std::time::Duration;

/// The facts that methods are chosen by.
#[derive(Debug, Clone)]
pub struct DriveFacts {
    /// The identity of the device.
    pub identity: Identity,
    /// What the kernel can do to it.
    pub queue: QueueFacts,
    /// The facts about an NVMe namespace.
    pub nvme: Option<NvmeFacts>,
    /// The facts about an ATA disk.
    pub ata: Option<AtaFacts>,
    /// The facts about a SCSI disk.
    pub scsi: Option<ScsiFacts>,
    /// What could not be found out, and why.
    pub unknown: Vec<String>,
}

impl DriveFacts {
    /// Asks the drive. For a partition nothing is asked, because a drive's own commands do not know
    /// partitions.
    pub fn gather(root: &Root, identity: &Identity, drive: &dyn DriveInterfaces) -> Self {
        let mut facts = Self {
            identity: identity.clone(),
            queue: QueueFacts::read(root, identity),
            nvme: None,
            ata: None,
            scsi: None,
            unknown: Vec::new(),
        };
        if identity.partition.is_some() {
            return facts;
        }
        match identity.kind {
            DiskKind::Nvme => facts.nvme = NvmeFacts::ask(drive).map_err(|e| facts.unknown.push(e)).ok(),
            DiskKind::Scsi if is_ata(root, identity) => {
                facts.ata = AtaFacts::ask(drive).map_err(|e| facts.unknown.push(e)).ok();
            }
            DiskKind::Scsi => facts.scsi = Some(ScsiFacts::ask(drive)),
            _ => {}
        }
        facts
    }
}

/// libata gives its disks this vendor (SAT-3 §8.1); a bridge in between does
/// not, and is not sent ATA commands that it may misunderstand.
fn is_ata(root: &Root, identity: &Identity) -> bool {
    let vendor = root.read_text(format!("/sys/class/block/{}/device/vendor", identity.kernel_name));
    vendor.is_ok_and(|vendor| vendor == "ATA")
}

/// Limit of the disk's queue, in bytes; 0 is "cannot".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueFacts {
    pub discard_max_bytes: u64,
    /// A host-managed zoned device.
    pub is_zoned: bool,
}

impl QueueFacts {
    /// Reads it for the disk, or for the disk that the partition is on. If the file is not there,
    /// the kernel cannot do it.
    pub fn read(root: &Root, identity: &Identity) -> Self {
        let own = format!("/sys/class/block/{}", identity.kernel_name);
        let dir = root.resolve(&own).unwrap_or_else(|_| own.into());
        let disk = match identity.partition {
            Some(_) => dir.parent().unwrap_or(&dir).to_path_buf(),
            None => dir,
        };
        let queue = disk.join("queue");
        Self {
            discard_max_bytes: root.read_value(queue.join("discard_max_bytes")).unwrap_or(0),
            is_zoned: DeviceZones::read(root, &queue).is_some_and(|zones| zones.is_host_managed()),
        }
    }
}

const FORMAT_UNIT: u8 = 0x04;
const SANITIZE: u8 = 0x48;
/// How long a query may take.
const SHORT: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiFacts {
    /// FORMAT UNIT; the error says why that is not known.
    pub format: Result<bool, String>,
    pub sanitizes_overwrite: Result<bool, String>,
    pub sanitizes_block: Result<bool, String>,
    pub sanitizes_crypto: Result<bool, String>,
    /// Whether the disk predicts that it will fail soon; `None`: it does not report that.
    pub is_failing: Option<bool>,
}

impl ScsiFacts {
    fn ask(drive: &dyn DriveInterfaces) -> Self {
        Self {
            format: knows(drive, FORMAT_UNIT, None),
            sanitizes_overwrite: knows(drive, SANITIZE, Some(1)),
            sanitizes_block: knows(drive, SANITIZE, Some(2)),
            sanitizes_crypto: knows(drive, SANITIZE, Some(3)),
            is_failing: is_failing(drive),
        }
    }
}

/// LOG SENSE, page 0x2f, informational exceptions (SPC-4 §7.3.9): the first
/// parameter holds the sense code that the disk would report; 0x5d is a
/// predicted failure.
fn is_failing(drive: &dyn DriveInterfaces) -> Option<bool> {
    const LOG_SENSE: u8 = 0x4d;
    const PAGE: u8 = 0x2f;
    const CURRENT_VALUES: u8 = 1 << 6;
    const FAILURE_PREDICTION: u8 = 0x5d;
    let mut answer = [0; 64];
    let cdb = vec![LOG_SENSE, 0, CURRENT_VALUES | PAGE, 0, 0, 0, 0, 0, answer.len() as u8, 0];
    let command = ScsiCommand { cdb, direction: DataDirection::FromDrive, timeout: SHORT };
    let reply = drive.scsi(&command, &mut answer).ok()?;
    let is_answer = sense::refusal(&reply).is_none() && answer[0] & 0x3f == PAGE && answer[4..6] == [0, 0];
    is_answer.then(|| answer[8] == FAILURE_PREDICTION)
}

fn knows(drive: &dyn DriveInterfaces, opcode: u8, service_action: Option<u8>) -> Result<bool, String> {
    let mut answer = [0; 64];
    let mut cdb = vec![0; 12];
    cdb[0] = 0xa3;
    cdb[1] = 0x0c;
    // One command, without or with a service action.
    cdb[2] = if service_action.is_some() { 2 } else { 1 };
    cdb[3] = opcode;
    cdb[5] = service_action.unwrap_or(0);
    cdb[9] = answer.len() as u8;
    let command = ScsiCommand { cdb, direction: DataDirection::FromDrive, timeout: SHORT };
    let reply = drive.scsi(&command, &mut answer).map_err(|e| format!("its list of commands: {e}"))?;
    let refused = sense::refusal(&reply);
    let is_unknown = sense::Sense::parse(&reply.sense).is_some_and(|sense| sense.is_unknown_command());
    match refused {
        // The query has a service action and the command has none, or the other way round: the disk
        // does not have what was asked for.
        Some(_) if is_unknown && service_action.is_some() => Ok(false),
        Some(message) => Err(format!("its list of commands: {message}")),
        // SUPPORT: 3 as the standard says, 5 in the vendor's way.
        None => Ok(matches!(answer[1] & 7, 3 | 5)),
    }
}
