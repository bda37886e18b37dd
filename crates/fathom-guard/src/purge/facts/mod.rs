//! What a device offers for emptying it. The queries change nothing and use the descriptor that the
//! guard gave.

mod ata;
mod nvme;
mod queue;
mod scsi;

pub use ata::AtaFacts;
pub use nvme::NvmeFacts;
pub use queue::QueueFacts;
pub use scsi::ScsiFacts;

pub(super) use ata::{AtaCommand, IDENTIFY_BYTES};
pub(super) use nvme::sanitize_log;

use super::drive::DriveInterfaces;
use fathom_device::device::{DiskKind, Identity};
use fathom_device::root::Root;

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
