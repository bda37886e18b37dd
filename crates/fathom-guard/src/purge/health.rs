//! A drive that is failing is not purged.
//!
//! Nothing puts a heavier load on a drive than erasing. A drive without spare blocks, with
//! read-only media or with a failing controller may stop in the middle and stay locked or in a
//! failure state. What it reports afterwards about blocks that it retired proves nothing.

use super::error::PurgeError;
use super::facts::DriveFacts;
use fathom_device::nvme::CriticalWarning;

/// Bit 5 of the critical warning is about the persistent memory region, which
/// holds no blocks and is not touched by a purge (NVMe base specification 2.0,
/// figure "SMART / Health Information Log Page").
const MEMORY_REGION: u8 = 1 << 5;

/// Bit 1: too hot or too cold.
const TEMPERATURE: u8 = 1 << 1;

/// Refuses a drive whose own report says that it is in critical health. What it does not report, or
/// could not be asked, is in [`DriveFacts::unknown`].
pub(super) fn check(facts: &DriveFacts) -> Result<(), PurgeError> {
    let said = critical(facts);
    if said.is_empty() {
        return Ok(());
    }
    let warnings = facts.nvme.as_ref().map_or(CriticalWarning(0), |nvme| nvme.critical_warning);
    let hint = match warnings.0 & !MEMORY_REGION {
        TEMPERATURE => {
            "bring the drive back to its range of temperature before you purge it: a drive that is too hot \
             may switch off during the purge"
        }
        _ => {
            "replace the drive; only destroying the drive itself destroys its data for certain. smartctl -a \
             shows what the drive reports"
        }
    };
    Err(PurgeError::CriticalHealth {
        device: facts.identity.kernel_name.clone(),
        said: said.join("; "),
        hint: hint.to_owned(),
    })
}

/// What the drive reports as critical, as clauses.
fn critical(facts: &DriveFacts) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(nvme) = &facts.nvme {
        said.extend(CriticalWarning(nvme.critical_warning.0 & !MEMORY_REGION).clauses());
    }
    if facts.ata.is_some_and(|ata| ata.is_failing == Some(true)) {
        said.push("the disk predicts its own failure (SMART: threshold exceeded)".to_owned());
    }
    if facts.scsi.as_ref().is_some_and(|scsi| scsi.is_failing == Some(true)) {
        said.push("the disk predicts its own failure (informational exception 0x5d)".to_owned());
    }
    said
}
